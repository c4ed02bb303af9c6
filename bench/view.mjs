// What a page of `graphls view` costs in a real browser: drawing it, and moving it.
// usage: node bench/view.mjs PAGE.html...    pages are written by `graphls view SYMBOL --limit 500 -o PAGE.html`
// Says for each the computing of the page until it is at rest, what of it is script, layout and style, and, over 60 steps
// of zooming and moving, the longest and the 95th of a hundred frames. The browser's own drawing is in the frames.

import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(path.join(here, "../editors/vscode/package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

for (const file of process.argv.slice(2)) {
  const page = await browser.newPage({ viewport: { width: 720, height: 820 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const metrics = async () => {
    const { metrics: all } = await session.send("Performance.getMetrics");
    return Object.fromEntries(all.map(({ name, value }) => [name, value]));
  };
  await page.goto(`file://${path.resolve(file)}`);
  await page.locator(".node, .pack").first().waitFor();
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"));
  await page.waitForTimeout(500);
  const drawn = await metrics();
  const boxes = await page.locator(".node, .pack").count();
  const frames = await page.evaluate(async () => {
    const canvas = document.querySelector(".canvas");
    const { x, y, width, height } = canvas.getBoundingClientRect();
    const at = { clientX: x + width / 2, clientY: y + height / 2, bubbles: true, cancelable: true };
    const next = () => new Promise((done) => requestAnimationFrame(done));
    const found = [];
    let last = await next();
    for (let step = 0; step < 60; step += 1) {
      const zooms = step % 20 < 10;
      canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: step % 2 ? 60 : -60, ctrlKey: zooms }));
      const now = await next();
      found.push(now - last);
      last = now;
    }
    return found.sort((one, other) => one - other);
  });
  const seconds = (value) => value.toFixed(2);
  const parts = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"].map((name) => `${name} ${seconds(drawn[name])}`);
  console.log(
    `${path.basename(file)}: ${boxes} boxes, ${seconds(drawn.TaskDuration)} s of computing (${parts.join(", ")}); ` +
      `frames: ${frames[Math.floor(frames.length * 0.95)].toFixed(0)} ms at the 95th, ${frames.at(-1).toFixed(0)} at most`,
  );
  await page.close();
}
await browser.close();
