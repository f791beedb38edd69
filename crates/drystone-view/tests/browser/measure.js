// How long the page takes with many balls: time to open, script time a frame while playing, draw calls, bytes, and the
// processor's time a picture. Usage: node measure.js [BALLS…], by default 100000 and 1000000. Frames a second where the
// processor draws say nothing of a graphics card; script time, calls and bytes do.

import { drawn, launch, newPage } from "./browser.js";
import { processorSeconds } from "./processor.js";
import { ballsRun, serveSynthetic } from "./synthetic.js";

/** Notes when the first picture is drawn, ms since the page was asked for: the card's own work may end long after the calls. */
function noteFirstPicture() {
  let viewer;
  const set = (made) => {
    viewer = made;
    const { renderer } = made;
    const { gl } = renderer;
    const draw = renderer.draw.bind(renderer);
    renderer.draw = (moving) => {
      renderer.draw = draw;
      const left = draw(moving);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits until it is drawn
      globalThis.firstPicture = performance.now();
      return left;
    };
  };
  Object.defineProperty(globalThis, "drystone", { get: () => viewer, set });
}

const sizes = process.argv.slice(2).map(Number);
for (const count of sizes.length > 0 ? sizes : [100000, 1000000]) {
  const frames = count > 300000 ? 5 : 17;
  const run = ballsRun(count, frames);
  run("bodies.bin");
  for (let k = 0; k < frames; k += 1) run(`frame/${k}.bin`); // made before the clock runs
  const server = await serveSynthetic(run);
  const browser = await launch();
  const page = await newPage(browser, { viewport: { width: 900, height: 600 } });
  /** Seconds by the clock and of the processor. @param {() => Promise<unknown>} work */
  const timed = async (work) => {
    const [clock, processor] = [performance.now(), processorSeconds()];
    await work();
    return `${((performance.now() - clock) / 1000).toFixed(1)} s (${(processorSeconds() - processor).toFixed(1)} s of the processor)`;
  };
  await page.addInitScript(noteFirstPicture);
  const opened = await timed(async () => {
    await page.goto(`${server.url}?samples=0`);
    await drawn(page);
    await page.evaluate(() => { globalThis.drystone.renderer.idAt(0, 0); }); // waits until the card has drawn it
  });
  const whole = await timed(() => page.waitForFunction(() => globalThis.drystone.renderer.isComplete));
  const first = await page.evaluate(() => globalThis.firstPicture / 1000);
  const measured = await page.evaluate(async (frames) => {
    const { drystone: v } = globalThis;
    const rest = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
    const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
    // What the page's script does for a picture of another moment: uploads and calls, without waiting for the card.
    const [times, calls, shapes, bytes] = [[], [], [], []];
    v.paused = true;
    for (let k = 0; k + 1 < frames; k += 1) {
      v.player.seek(v.recording.times[k] + 0.5 * (v.recording.times[k + 1] - v.recording.times[k]));
      for (let wait = 0; wait < 400 && v.player.moment() === null; wait += 1) await rest(25);
      v.renderer.idAt(0, 0); // waits until the last picture is drawn
      await rest(0); // what the card has done is known then
      const begun = performance.now();
      v.takeMoment();
      v.renderer.draw(true);
      times.push(performance.now() - begun);
      calls.push(v.renderer.statistics.calls);
      shapes.push(v.renderer.statistics.shapes);
      bytes.push(v.renderer.statistics.bytes);
    }
    return { script: median(times), most: Math.max(...times), calls: median(calls), shapes: median(shapes), megabytes: median(bytes) / 1e6, cached: v.recording.cache.bytes / 1e6 };
  }, frames);
  // The same while the page plays by itself, with all that it does for a picture, and with waiting for the card if it does.
  const played = await page.evaluate(async () => {
    const { drystone: v } = globalThis;
    v.paused = false;
    v.setClock({ loop: true, speed: 1 / 16 });
    v.togglePlay();
    const first = v.scriptCount + 3;
    while (v.scriptCount < first + 15) await new Promise((resolve) => { setTimeout(resolve, 20); });
    const times = Array.from({ length: 15 }, (_, k) => v.scriptTimes[(first + k) % v.scriptTimes.length]).sort((a, b) => a - b);
    v.togglePlay();
    v.paused = true;
    return { median: times[7], most: times[14] };
  });
  const turn = await timed(() => page.evaluate(async () => {
    const { drystone: v } = globalThis;
    for (let k = 0; k < 5; k += 1) {
      await new Promise((resolve) => { setTimeout(resolve, 0); });
      v.camera.orbit(0.1, 0);
      v.renderer.touch();
      v.renderer.draw(true);
      v.renderer.allIds(); // waits until it is drawn
    }
  }));
  console.log(`${count} balls: first picture after ${first.toFixed(1)} s, open in ${opened}, whole after ${whole} more; a new frame ${measured.script.toFixed(2)} ms of script (most ${measured.most.toFixed(2)}; while it plays ${played.median.toFixed(2)}, most ${played.most.toFixed(2)}), ${measured.calls} draw calls, ${measured.shapes} shapes, ${measured.megabytes.toFixed(1)} MB to the card; five pictures while turning ${turn}; ${measured.cached.toFixed(0)} MB of frames in memory`);
  if (page.problems.length > 0) console.log(page.problems.join("\n"));
  await browser.close();
  server.close();
}
