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

/** How the map is on the screen: least size of a name, boxes that overlap, numbers that stand on a box. */
function mapped(page) {
  return page.evaluate(() => {
    const leaves = [...document.querySelectorAll(".pack:not(.open)")].map((one) => one.querySelector(".body"));
    const boxes = leaves.map((one) => one.getBoundingClientRect());
    const over = (one, other) =>
      one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
    const numbers = [...document.querySelectorAll(".label rect")].map((one) => one.getBoundingClientRect());
    const scale = document.querySelector(".pack .name").getScreenCTM().a;
    return {
      name: 13 * scale,
      overlaps: boxes.filter((one, index) => boxes.slice(index + 1).some((other) => over(one, other))).length,
      covered: numbers.filter((one) => boxes.some((box) => over(one, box))).length,
      share: document.querySelector(".middle").clientHeight / window.innerHeight,
      ids: [...document.querySelectorAll(".pack:not(.open)")].map((one) => one.dataset.pack).sort(),
    };
  });
}

/** A workspace of many packages, some of which import each other. */
function packages() {
  const root = path.join(scratch, "packages");
  for (let pack = 0; pack < 18; pack += 1) {
    const folder = path.join(root, "land", `pack_${pack}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "__init__.py"), "");
    for (let file = 0; file < 6; file += 1) {
      const others = [1, 2, 5].map((step) => (pack + step) % 18).filter((other) => other > pack || other < 2);
      const imports = others.map((other) => `from land.pack_${other}.module_with_a_name_${file} import thing_${file}`);
      writeFileSync(path.join(folder, `module_with_a_name_${file}.py`), `${imports.join("\n")}\nthing_${file} = 1\n`);
    }
  }
  writeFileSync(path.join(root, "land", "__init__.py"), "");
  return root;
}

const land = packages();
const asked = JSON.parse(execFileSync(graphls, ["map", "--root", land, "--format", "json"], { encoding: "utf8" }));

for (const scheme of ["light", "dark"]) {
  await test(
    `a map opens readable, unfolds in place and lists imports, ${scheme}`,
    async (page) => {
      await page.goto(writtenOf(land, `map-${scheme}`, "--map"));
      await page.locator(".pack").first().waitFor();
      const seen = await mapped(page);
      assert.ok(seen.name >= 10.9, `names are ${seen.name} px`);
      assert.ok(seen.share >= 0.6, `the map has ${seen.share} of the page`);
      assert.deepEqual([seen.overlaps, seen.covered], [0, 0]);
      assert.deepEqual(seen.ids, asked.boxes.map((box) => box.id).sort());
      const [cycle] = asked.cycles;
      assert.equal(await page.locator(".pack.cycle").count(), cycle.length);
      assert.match(await page.locator(".standing").textContent(), new RegExp(`${cycle.length} boxes in a cycle`));
      await page.screenshot({ path: path.join(shots, `page-map-${scheme}.png`) });
      await page.locator('[data-pack="land/pack_1"] .more').click();
      await page.locator('[data-pack="land/pack_1/module_with_a_name_0"]').waitFor();
      assert.equal((await mapped(page)).overlaps, 0);
      await page.keyboard.press(" ");
      await page.locator('[data-pack="land/pack_1/module_with_a_name_0"]').waitFor({ state: "detached" });
      await page.keyboard.press("m");
      await page.locator(".matrix").waitFor();
      const cells = await page.locator(".matrix td button").allInnerTexts();
      assert.equal(
        cells.reduce((sum, text) => sum + Number(text), 0),
        asked.links.reduce((sum, link) => sum + link.count, 0),
      );
      await page.locator(".matrix td.back button").first().click();
      assert.match(await page.locator(".details").textContent(), /land\/pack_\d+\/module_with_a_name_0\.py:\d/);
      await page.screenshot({ path: path.join(shots, `page-matrix-${scheme}.png`) });
    },
    { scheme, viewport: { width: 720, height: 820 } },
  );
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
  assert.ok((await page.evaluate(() => document.querySelector(".node .name").getScreenCTM().a)) * 13 >= 10.9);
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
    await page.setViewportSize({ width: 560, height: 760 });
    const server = spawn(graphls, ["view", "shop.orders:Order.total", "--serve", "--root", shop]);
    try {
      const address = await new Promise((resolve) =>
        server.stdout.once("data", (text) => resolve(String(text).split("\n")[0])),
      );
      await page.goto(address);
      const scale = () => page.evaluate(() => document.querySelector(".node .name").getScreenCTM().a);
      const [before, zoom] = [await node(page, "shop.report:line").boundingBox(), await scale()];
      await node(page, "shop.report:line").locator(".grip").click();
      await node(page, "shop.report:summary").waitFor();
      await readable(page);
      const after = await node(page, "shop.report:line").boundingBox();
      assert.equal(await scale(), zoom);
      const found = await node(page, "shop.report:summary").boundingBox();
      assert.ok(found.x >= 0 && found.y >= 0, "what was expanded is seen");
      assert.ok(Math.abs(after.x - before.x) < 400 && Math.abs(after.y - before.y) < 400, "it stays where it was");
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
      // One arrow away, against the arrow: the way is from there.
      await node(page, "test_orders:test_total").click();
      await page.keyboard.press("t");
      await page.locator("body[data-picture=trace]").waitFor();
      assert.equal(await page.title(), "test_orders:test_total to shop.orders:Order.total - graphls");
    } finally {
      server.kill("SIGINT");
    }
  },
  // Asked the other way round first.
  { refusals: 1 },
);

await browser.close();
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
