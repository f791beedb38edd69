// Debian's Chromium, without a screen and with WebGL drawn by the processor.

import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-dev-shm-usage"];

/** Tests give up after so long, ms: a machine with other work takes its time, and no test judges one. */
export const PATIENCE = 180000;

/** @param {string[]} [more] flags */
export function launch(more = []) {
  return chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: [...FLAGS, ...more] });
}

/**
 * A page on which anything that goes wrong is kept in `page.problems`.
 * @param {import("playwright-core").Browser} browser
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`page error: ${error.stack}`));
  page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") problems.push(`${message.type()}: ${message.text()}`); });
  return Object.assign(page, { problems });
}

/** Waits until a frame is drawn. @param {import("playwright-core").Page} page */
export async function drawn(page) {
  await page.waitForFunction(() => globalThis.drystone?.shown !== null && globalThis.drystone?.shown !== undefined);
  await page.waitForFunction(() => globalThis.drystone.renderer.isFresh);
}

/** Waits until the picture is as good as it gets. @param {import("playwright-core").Page} page */
export async function settled(page) {
  await drawn(page);
  await page.waitForFunction(() => !globalThis.drystone.renderer.unfinished);
}

/** Waits until something holds in the page. @param {import("playwright-core").Page} page @param {(...all: any[]) => any} what @param {any} [argument] */
export async function until(page, what, argument) {
  await page.waitForFunction(what, argument);
}

/** Waits until changes made so far are drawn. @param {import("playwright-core").Page} page */
export async function redrawn(page) {
  await page.evaluate(() => new Promise((resolve) => {
    let left = 3;
    const wait = () => {
      left -= 1;
      if (left === 0) resolve(null);
      else requestAnimationFrame(wait);
    };
    requestAnimationFrame(wait);
  }));
  await drawn(page);
}
