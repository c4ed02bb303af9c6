// What a page of `graphls view` costs in a real browser: drawing it, and each thing that is done with it.
// usage: node bench/view.mjs PAGE.html...    pages are written by `graphls view SYMBOL --limit 500 -o PAGE.html`
// Says for each page the computing until it is at rest, what of it is script, layout and style; then for each thing done,
// with the pointer over the picture, the two longest frames of the half second after it, the longest frame that the browser
// itself calls long (`long-animation-frame`: over 50 ms) and the computing of the page. The browser's own drawing is in the
// frames, and so is what else the machine does.

import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(path.join(here, "../editors/vscode/package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const STEPS = 40;

function wheel(page) {
  return page.evaluate(async (steps) => {
    const canvas = document.querySelector(".canvas");
    const { x, y, width, height } = canvas.getBoundingClientRect();
    const at = { clientX: x + width / 2, clientY: y + height / 2, bubbles: true, cancelable: true };
    for (let step = 0; step < steps; step += 1) {
      canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: step % 10 < 5 ? 60 : -60, ctrlKey: true }));
      await new Promise((done) => requestAnimationFrame(done));
    }
  }, STEPS);
}

async function drag(page) {
  const { x, y, height } = await page.locator(".canvas").boundingBox();
  await page.mouse.move(x + 3, y + height - 3);
  await page.mouse.down();
  for (let step = 1; step < STEPS; step += 1) await page.mouse.move(x + 3 + step * 3, y + height - 3 - step * 5);
  await page.mouse.up();
}

const press = (key) => (page) => page.keyboard.press(key);
const ACTS = [
  ["zoom", wheel],
  ["drag", drag],
  ["everything", press("0")],
  ["zoom of everything", wheel],
  ["select", press("ArrowDown")],
  ["search", (page) => page.locator("input[type=search]").pressSequentially("test", { delay: 60 })],
  ["list", (page) => page.locator("#list").click()],
  ["zoom beside the list", wheel],
  ["sort", (page) => page.locator(".rows th button").nth(1).click()],
  ["tree", (page) => page.locator('[role="tab"]').nth(1).click()],
  ["no list", (page) => page.locator("#list").click()],
  ["hide", press("h")],
  ["undo", press("u")],
  ["group by module", press("g")],
  ["unfold a group", (page) => page.locator(".frame.group").first().press("Enter")],
  ["group by class", press("g")],
  ["no groups", press("g")],
];
const OF_MAPS = new Set(["zoom", "drag", "everything", "zoom of everything", "select"]);

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
  const parts = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"].map((name) => `${name} ${drawn[name].toFixed(2)}`);
  console.log(`${path.basename(file)}: ${boxes} boxes, ${drawn.TaskDuration.toFixed(2)} s of computing (${parts.join(", ")})`);
  const isMap = (await page.locator(".pack").count()) > 0;
  for (const [name, act] of ACTS) {
    if (isMap && !OF_MAPS.has(name)) continue;
    const before = await metrics();
    await page.evaluate(() => {
      const frames = [];
      window.frames_of_bench = frames;
      const next = (last) => (now) => {
        if (last) frames.push(now - last);
        if (window.frames_of_bench === frames) requestAnimationFrame(next(now));
      };
      requestAnimationFrame(next(0));
      window.long_of_bench?.observer.disconnect();
      const found = [];
      const observer = new PerformanceObserver((list) => found.push(...list.getEntries().map(({ duration }) => duration)));
      observer.observe({ type: "long-animation-frame" });
      window.long_of_bench = { observer, found };
    });
    await act(page);
    await page.waitForTimeout(500);
    const [frames, long] = await page.evaluate(() => {
      const found = window.frames_of_bench.sort((one, other) => other - one);
      window.frames_of_bench = null;
      return [found, Math.max(0, ...window.long_of_bench.found)];
    });
    const after = await metrics();
    const longest = frames.slice(0, 2).map((one) => one.toFixed(0)).join(", ");
    const used = ((after.TaskDuration - before.TaskDuration) * 1000).toFixed(0);
    const entries = long ? `a long one of ${long.toFixed(0)} ms` : "none long";
    console.log(`  ${name.padEnd(20)} frames of ${longest} ms at most, ${entries}, ${used} ms of computing`);
    if (name === "search") await page.keyboard.press("Escape");
  }
  await page.close();
}
await browser.close();
