// Tests of the pages of `graphls view` in a real browser: drawn, readable, filtered, saved; served ones ask for more.
// usage: node run.mjs GRAPHLS SHOTS

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [, , graphls, shots] = process.argv;
const here = path.dirname(fileURLToPath(import.meta.url));
const shop = path.join(here, "../data/shop");
const { chromium } = createRequire(path.join(here, "../../../editors/vscode/package.json"))("playwright-core");
const scratch = mkdtempSync(path.join(tmpdir(), "graphls-view-"));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
let passed = 0;
let failed = 0;

async function test(name, body, { scheme = "light", refusals = 0, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, colorScheme: scheme, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const problems = [];
  page.on("pageerror", (problem) => problems.push(String(problem)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  try {
    await body(page);
    assert.deepEqual(
      problems.filter((problem) => !problem.includes("400 (Bad Request)")),
      [],
    );
    assert.equal(problems.length, refusals);
    passed += 1;
    console.log(`ok view: ${name}`);
  } catch (problem) {
    failed += 1;
    console.log(`not ok view: ${name}\n   ${String(problem).split("\n").slice(0, 5).join("\n   ")}`);
  }
  await context.close();
}

function written(name, ...args) {
  return writtenOf(shop, name, ...args);
}

function writtenOf(root, name, ...args) {
  const file = path.join(scratch, `${name}.html`);
  execFileSync(graphls, ["view", ...args, "--root", root, "--output", file]);
  return `file://${file}`;
}

/** A function that very many others call. */
function crowded(callers) {
  const root = path.join(scratch, "crowd");
  mkdirSync(root);
  const calls = Array.from({ length: callers }, (_, number) => `def caller_${number}():\n    return hub()\n`);
  writeFileSync(
    path.join(root, "crowd.py"),
    `def leaf():\n    pass\n\n\ndef hub():\n    return leaf()\n\n\n${calls.join("\n\n")}`,
  );
  writeFileSync(path.join(root, "pyproject.toml"), '[project]\nname = "crowd"\n');
  return root;
}

/** No two boxes overlap, and no text is wider than its box. */
async function readable(page) {
  const problems = await page.evaluate(() => {
    const found = [];
    const nodes = [...document.querySelectorAll(".node")];
    const boxes = nodes.map((node) => node.querySelector(".body").getBoundingClientRect());
    nodes.forEach((node, index) => {
      for (const text of node.querySelectorAll("text")) {
        if (text.getBoundingClientRect().right > boxes[index].right) found.push(`cut: ${text.textContent}`);
      }
      for (const label of document.querySelectorAll(".label")) {
        const one = label.querySelector("rect").getBoundingClientRect();
        const box = boxes[index];
        if (one.left < box.right && box.left < one.right && one.top < box.bottom && box.top < one.bottom) {
          found.push(`label over ${node.dataset.symbol}: ${label.textContent}`);
        }
      }
      boxes.slice(index + 1).forEach((box) => {
        const one = boxes[index];
        if (one.left < box.right && box.left < one.right && one.top < box.bottom && box.top < one.bottom) {
          found.push(`overlap: ${node.dataset.symbol}`);
        }
      });
    });
    return found;
  });
  assert.deepEqual(problems, []);
}

const node = (page, symbol) => page.locator(`[data-symbol="${symbol}"]`);
const near = written("near", "shop.orders:Order.total");
const pages = {
  near,
  impact: written("impact", "shop.model:Item.price", "--impact"),
  trace: written("trace", "shop.report:summary", "--to", "shop.model:Item.price"),
  layers: written("layers", "--layers"),
};

for (const scheme of ["light", "dark"]) {
  for (const [name, address] of Object.entries(pages)) {
    await test(
      `${name} is readable, ${scheme}`,
      async (page) => {
        await page.goto(address);
        await page.locator(".node").first().waitFor();
        await readable(page);
        await page.screenshot({ path: path.join(shots, `page-${name}-${scheme}.png`) });
      },
      { scheme },
    );
  }
}

await test(
  "forced colours keep boxes and lines",
  async (page) => {
    await page.goto(near);
    await page.locator(".node").first().waitFor();
    await page.screenshot({ path: path.join(shots, "page-near-forced.png") });
  },
  { forcedColors: "active" },
);

await test("links and nodes can be filtered, and the page says how many are hidden", async (page) => {
  await page.goto(near);
  await node(page, "shop.report:line").waitFor();
  await page.locator("#direction").selectOption("out");
  await node(page, "shop.report:line").waitFor({ state: "detached" });
  await page.locator("#direction").selectOption("both");
  await page.locator("#choose-edges summary").click();
  await page.locator('label:has-text("accesses")').click();
  await node(page, "shop.orders:Order.items").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.locator("#outside").check();
  await node(page, "builtins.sum").waitFor();
  assert.match(await page.locator(".standing").textContent(), /hidden by the filters/);
});

await test("keys walk, search dims, details follow", async (page) => {
  await page.goto(near);
  await node(page, "shop.orders:Order.total").focus();
  await page.keyboard.press("ArrowLeft");
  await page.locator(".node.selected:not(.root)").waitFor();
  assert.match(await page.locator(".details").textContent(), /shop\.report:line|test_orders:test_total/);
  await page.keyboard.press("/");
  await page.keyboard.type("price");
  assert.equal(await page.locator(".node:not(.dim)").count(), 1);
});

await test("the picture is saved as SVG that stands alone", async (page) => {
  await page.goto(near);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
  const file = path.join(scratch, "near.svg");
  await download.saveAs(file);
  const text = readFileSync(file, "utf8");
  assert.match(text, /^<svg [^>]*viewBox/);
  assert.doesNotMatch(text, /var\(|<script/);
  await page.goto(`file://${file}`);
  await page.screenshot({ path: path.join(shots, "saved.png") });
});

await test("a node alone says why, and what is hidden can be shown", async (page) => {
  await page.goto(written("alone", "shop.orders:_forgotten"));
  await page.locator('.state:has-text("Nothing that the filters show")').waitFor();
  await page.screenshot({ path: path.join(shots, "page-alone-light.png") });
  await page.locator('.state button:has-text("Show everything")').click();
  await node(page, "builtins.int").waitFor();
  await page.locator(".state").waitFor({ state: "hidden" });
  await readable(page);
});

await test("very many callers stand in rows and columns with one line, and are seen at once", async (page) => {
  const callers = 60;
  await page.goto(writtenOf(crowded(callers), "crowd", "crowd:hub"));
  await node(page, "crowd:caller_59").waitFor();
  await readable(page);
  assert.equal(await page.locator(".frame").count(), 1);
  const block = page.locator('.line[data-line^="calls calls"]');
  assert.equal(await block.count(), 1);
  const { width, height } = page.viewportSize();
  for (const number of [0, callers - 1]) {
    const box = await node(page, `crowd:caller_${number}`).boundingBox();
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height);
  }
  await node(page, "crowd:hub").focus();
  await page.keyboard.press("ArrowLeft");
  await page.locator('.node.selected[data-symbol^="crowd:caller_"]').waitFor();
  await page.screenshot({ path: path.join(shots, "page-crowd-light.png") });
});

await test("the legend names the colours that occur", async (page) => {
  await page.goto(near);
  const words = await page.locator(".colours .sign").allInnerTexts();
  assert.deepEqual(
    words.map((one) => one.trim()),
    ["function", "value", "test", "calls", "tests", "other uses"],
  );
});

await test("findings are listed with their evidence", async (page) => {
  await page.goto(written("findings", "--findings"));
  await page.locator('article:has-text("_forgotten")').waitFor();
  await page.screenshot({ path: path.join(shots, "page-findings-light.png") });
  await page.locator('input[type="search"]').fill("nothing like it");
  await page.locator('main:has-text("Nothing fits.")').waitFor();
});

await test(
  "a served page expands, shows an impact, traces and goes back",
  async (page) => {
    const server = spawn(graphls, ["view", "shop.orders:Order.total", "--serve", "--root", shop]);
    try {
      const address = await new Promise((resolve) =>
        server.stdout.once("data", (text) => resolve(String(text).split("\n")[0])),
      );
      await page.goto(address);
      await node(page, "shop.report:line").click();
      await node(page, "shop.report:summary").waitFor();
      await readable(page);
      await page.keyboard.press("i");
      await page.locator("body[data-picture=impact]").waitFor();
      await page.locator("#back").click();
      await page.locator("body[data-picture=neighborhood]").waitFor();
      await node(page, "shop.model:Item.price").click();
      await page.keyboard.press("t");
      await page.locator("body[data-picture=trace]").waitFor();
      await page.screenshot({ path: path.join(shots, "served-trace-light.png") });
      await page.locator("#back").click();
      await page.locator("body[data-picture=neighborhood]").waitFor();
      await node(page, "test_orders:test_total").click();
      await page.keyboard.press("t");
      await page.locator('[role=alert]:has-text("No way from")').waitFor();
      await page.screenshot({ path: path.join(shots, "served-problem-light.png") });
    } finally {
      server.kill("SIGINT");
    }
  },
  { refusals: 1 },
);

await browser.close();
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
