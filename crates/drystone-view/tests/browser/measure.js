// How long the page takes with many bodies: time to open, script time a frame while playing, draw calls, bytes.
// Usage: node measure.js [BODIES…], by default 100000. Frames a second with a processor that draws say nothing of a
// graphics card; script time, calls and bytes do.

import { drawn, launch, newPage } from "./browser.js";
import { ballsRun, serveSynthetic } from "./synthetic.js";

const sizes = process.argv.slice(2).map(Number);
for (const count of sizes.length > 0 ? sizes : [100000]) {
  const run = ballsRun(count, count > 300000 ? 6 : 20);
  for (let k = 0; k < 6; k += 1) run(`frame/${k}.bin`); // made before the clock runs
  const server = await serveSynthetic(run);
  const browser = await launch();
  const page = await newPage(browser, { viewport: { width: 900, height: 600 } });
  const begun = performance.now();
  await page.goto(`${server.url}?samples=0`);
  await drawn(page);
  const opened = performance.now() - begun;
  const measured = await page.evaluate(async (large) => {
    const { drystone: v } = globalThis;
    const rest = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
    const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
    // What the page's script does for a picture of another moment: uploads and calls, without waiting for the card.
    const times = [];
    const calls = [];
    const bytes = [];
    v.paused = true;
    const frames = Math.min(v.recording.times.length, large ? 4 : 16);
    for (let k = 0; k + 1 < frames; k += 1) {
      v.player.seek(v.recording.times[k] + 0.5 * (v.recording.times[k + 1] - v.recording.times[k]));
      for (let wait = 0; wait < 400 && v.player.moment() === null; wait += 1) await rest(25);
      v.renderer.gl.finish();
      const begun = performance.now();
      v.takeMoment();
      v.renderer.draw(true);
      times.push(performance.now() - begun);
      calls.push(v.renderer.statistics.calls);
      bytes.push(v.renderer.statistics.bytes);
      v.renderer.gl.finish();
    }
    const orbit = [];
    for (let k = 0; k < 3; k += 1) {
      const begun = performance.now();
      v.camera.orbit(0.1, 0);
      v.renderer.draw(true);
      orbit.push(performance.now() - begun);
      v.renderer.gl.finish();
    }
    return { script: median(times), most: Math.max(...times), calls: median(calls), megabytes: median(bytes) / 1e6, orbit: median(orbit), cached: v.recording.cache.bytes / 1e6 };
  }, count > 300000);
  console.log(`${count} bodies: open ${(opened / 1000).toFixed(1)} s; a new frame ${measured.script.toFixed(2)} ms of script (most ${measured.most.toFixed(2)}), ${measured.calls} draw calls, ${measured.megabytes.toFixed(1)} MB to the card; a turn ${measured.orbit.toFixed(2)} ms; ${measured.cached.toFixed(0)} MB of frames in memory`);
  if (page.problems.length > 0) console.log(page.problems.join("\n"));
  await browser.close();
  server.close();
}
