// Tests of the pages of `graphls view` in a real browser: drawn, readable, filtered, saved; served ones ask for more.
// usage: node run.mjs GRAPHLS SHOTS [WORDS]    with words only tests whose names have them

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { contrasts } from "../contrast.mjs";

const [, , graphls, shots, only = ""] = process.argv;
const here = path.dirname(fileURLToPath(import.meta.url));
const shop = path.join(here, "../data/shop");
const { chromium } = createRequire(path.join(here, "../../../editors/vscode/package.json"))("playwright-core");
const scratch = mkdtempSync(path.join(tmpdir(), "graphls-view-"));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
let passed = 0;
let failed = 0;

async function test(name, body, { scheme = "light", refusals = 0, ...options } = {}) {
  if (!name.includes(only)) return;
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
  const root = path.join(scratch, `crowd-${callers}`);
  mkdirSync(root);
  const calls = Array.from({ length: callers }, (_, number) => `def caller_${number}():\n    return hub()\n`);
  writeFileSync(
    path.join(root, "crowd.py"),
    `def leaf():\n    pass\n\n\ndef hub():\n    return leaf()\n\n\n${calls.join("\n\n")}`,
  );
  writeFileSync(path.join(root, "pyproject.toml"), '[project]\nname = "crowd"\n');
  return root;
}

/** Everything is drawn, and nothing moves any more. */
function atRest(page) {
  return page.waitForFunction(
    () =>
      !document.body.classList.contains("unfinished") &&
      document.getAnimations().every(({ playState }) => playState !== "running"),
  );
}

/** No two boxes overlap, and no text is wider than its box. */
async function readable(page) {
  await atRest(page);
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
    const labels = [...document.querySelectorAll(".label rect")].map((one) => [one, one.getBoundingClientRect()]);
    labels.forEach(([first, one], index) => {
      for (const [other, box] of labels.slice(index + 1)) {
        if (one.left < box.right && box.left < one.right && one.top < box.bottom && box.top < one.bottom) {
          found.push(`${first.parentNode.textContent} over ${other.parentNode.textContent}`);
        }
      }
    });
    return found;
  });
  assert.deepEqual(problems, []);
}

/** Text, controls and lines stand out from what is below them, menus and list opened too. */
async function legible(page) {
  const found = new Set(await page.evaluate(contrasts));
  for (const menu of ["#filters", "#save"]) {
    if (!(await page.locator(`${menu} summary`).count())) continue;
    await page.locator(`${menu} summary`).click();
    for (const problem of await page.evaluate(contrasts)) found.add(problem);
    await page.keyboard.press("Escape");
  }
  assert.deepEqual([...found], []);
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
        await legible(page);
      },
      { scheme },
    );
  }
}

/**
 * How the map is on the screen: least size of a name, boxes that overlap, numbers that stand on a box, arrows that run
 * behind a box, and arrows that share half of their way with another one.
 */
function mapped(page) {
  return page.evaluate(() => {
    const leaves = [...document.querySelectorAll(".pack:not(.open)")].map((one) => one.querySelector(".body"));
    const boxes = leaves.map((one) => one.getBoundingClientRect());
    const over = (one, other) =>
      one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
    const numbers = [...document.querySelectorAll(".label rect")].map((one) => one.getBoundingClientRect());
    const scale = document.querySelector(".pack .name").getScreenCTM().a;
    const arrows = [...document.querySelectorAll(".import .stroke")].map((path) => {
      const [length, matrix] = [path.getTotalLength(), path.getScreenCTM()];
      return Array.from({ length: 41 }, (_, at) => path.getPointAtLength((length * at) / 40).matrixTransform(matrix));
    });
    const within = ({ x, y }, { left, right, top, bottom }) =>
      x > left + 2 && x < right - 2 && y > top + 2 && y < bottom - 2;
    const near = (spot, spots) => spots.some(({ x, y }) => Math.hypot(x - spot.x, y - spot.y) < 2);
    return {
      behind: arrows.filter((spots) => boxes.some((box) => spots.some((spot) => within(spot, box)))).length,
      shared: arrows.filter((spots, index) =>
        arrows.slice(index + 1).some((others) => spots.filter((spot) => near(spot, others)).length > 20),
      ).length,
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
      assert.deepEqual([seen.overlaps, seen.covered, seen.behind, seen.shared], [0, 0, 0, 0]);
      assert.deepEqual(seen.ids, asked.boxes.map((box) => box.id).sort());
      const [cycle] = asked.cycles;
      assert.equal(await page.locator(".pack.cycle").count(), cycle.length);
      assert.match(await page.locator(".standing").textContent(), new RegExp(`${cycle.length} boxes in a cycle`));
      await page.screenshot({ path: path.join(shots, `page-map-${scheme}.png`) });
      await legible(page);
      const kept = async (form) => {
        const [download] = await Promise.all([page.waitForEvent("download"), saving(page, form)]);
        const file = path.join(scratch, `map-${scheme}.${form}`);
        await download.saveAs(file);
        return readFileSync(file);
      };
      assert.match(String(await kept("svg")), />Map<\/text>.*>module<\/text>.*boxes in a cycle/s);
      assert.match(String(await kept("mermaid")), /^%% Map\n%% \d+ modules.*-->\|"imports \d+"\|/s);
      assert.match(String(await kept("dot")), /digraph \{.*"land\/pack_1" -> .*imports/s);
      assert.ok((await kept("png")).readUInt32BE(16) > 600);
      await page.locator('[data-pack="land/pack_1"] .more').click();
      await page.locator('[data-pack="land/pack_1/module_with_a_name_0"]').waitFor();
      assert.equal((await mapped(page)).overlaps, 0);
      await page.keyboard.press(" ");
      await page.locator('[data-pack="land/pack_1/module_with_a_name_0"]').waitFor({ state: "detached" });
      await page.keyboard.press("m");
      await page.locator(".matrix").waitFor();
      assert.match(await page.locator(".details").textContent(), /Rows import columns.*Italic.*Red/);
      const cells = await page.locator(".matrix td button").allInnerTexts();
      assert.equal(
        cells.reduce((sum, text) => sum + Number(text), 0),
        asked.links.reduce((sum, link) => sum + link.count, 0),
      );
      await page.locator(".matrix td.back button").first().click();
      assert.match(await page.locator(".details").textContent(), /land\/pack_\d+\/module_with_a_name_0\.py:\d/);
      await page.screenshot({ path: path.join(shots, `page-matrix-${scheme}.png`) });
      await legible(page);
    },
    { scheme, viewport: { width: 720, height: 820 } },
  );
}

/** Three layers that are declared, one import against them. */
function layered() {
  const root = path.join(scratch, "layered");
  const files = {
    "graphls.toml": '[findings]\nlayers = ["land.web", "land.mail | land.jobs", "land.data"]\n',
    "land/__init__.py": "",
    "land/web.py": "from land.mail import send\nfrom land.data import row\n",
    "land/mail.py": "from land.data import row\n\n\ndef send(): ...\n",
    "land/jobs.py": "from land.data import row\n",
    "land/data.py": "row = 1\n\n\ndef late():\n    from land.web import send\n",
    "land/free.py": "from land.data import row\n",
  };
  mkdirSync(path.join(root, "land"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
  return root;
}

await test("declared layers are bands, from the highest down, and what is against them is marked", async (page) => {
  await page.goto(writtenOf(layered(), "layers", "--map"));
  await page.locator(".band").first().waitFor();
  const seen = await page.evaluate(() => {
    const box = (element) => element.getBoundingClientRect();
    const bands = [...document.querySelectorAll(".band")].map((one) => ({
      words: one.querySelector("text").textContent,
      ...box(one.querySelector("rect")).toJSON(),
    }));
    const inside = (one, { left, right, top, bottom }) =>
      one.left >= left && one.right <= right && one.top >= top && one.bottom <= bottom;
    return bands.map((band) => [
      band.words,
      [...document.querySelectorAll(".pack:not(.open)")]
        .filter((pack) => inside(box(pack.querySelector(".body")), band))
        .map((pack) => pack.dataset.pack)
        .sort(),
      band.top,
    ]);
  });
  const below = ["land/__init__.py", "land/free"];
  assert.deepEqual(
    seen.map(([words, packs]) => [words, packs]),
    [
      ["land.web", ["land/web"]],
      ["land.mail | land.jobs", ["land/jobs", "land/mail"]],
      ["land.data", ["land/data"]],
      ["in no single layer", below],
    ],
  );
  assert.deepEqual(
    seen.map(([, , top]) => top),
    seen.map(([, , top]) => top).sort((one, other) => one - other),
  );
  const { overlaps, covered, behind, shared } = await mapped(page);
  assert.deepEqual([overlaps, covered, behind, shared], [0, 0, 0, 0]);
  const against = page.locator(".import.against");
  assert.deepEqual(await against.evaluateAll((all) => all.map((one) => one.dataset.link)), ["land/data land/web"]);
  assert.match(await page.locator(".standing").textContent(), /1 import against the declared layers/);
  await page.screenshot({ path: path.join(shots, "page-layers-light.png") });
  await page.keyboard.press("m");
  await page.locator('.matrix td.against button[title*="1 against the declared layers"]').click();
  await page.locator('.details:has-text("land/data.py:5")').waitFor();
});

await test(
  "forced colours keep boxes and lines",
  async (page) => {
    await page.goto(near);
    await page.locator(".node").first().waitFor();
    await page.screenshot({ path: path.join(shots, "page-near-forced.png") });
  },
  { forcedColors: "active" },
);

await test(
  "a narrow panel shows an impact of its own, with its menus inside",
  async (page) => {
    await page.goto(pages.impact);
    await page.locator(".node.depth-3").first().waitFor();
    await readable(page);
    for (const menu of ["#filters", "#save"]) {
      await page.locator(`${menu} summary`).click();
      const box = await page.locator(`${menu} .choices`).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= page.viewportSize().width, `${menu} is cut off`);
    }
    await page.keyboard.press("Escape");
    await page.screenshot({ path: path.join(shots, "page-impact-narrow.png") });
  },
  { viewport: { width: 540, height: 800 } },
);

await test("links and nodes can be filtered, and the page says how many are hidden", async (page) => {
  await page.goto(near);
  await node(page, "shop.report:line").waitFor();
  await page.locator("#direction").selectOption("out");
  await node(page, "shop.report:line").waitFor({ state: "detached" });
  await page.locator("#direction").selectOption("both");
  await page.locator("#filters summary").click();
  await page.locator('label:has-text("accesses")').click();
  await node(page, "shop.orders:Order.items").waitFor({ state: "detached" });
  await page.locator("#outside").check();
  await page.keyboard.press("Escape");
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

async function saving(page, form) {
  await page.locator("#save summary").click();
  await page.locator(`#save-${form}`).click();
}

await test("the picture is saved as SVG that stands alone", async (page) => {
  await page.goto(near);
  const [download] = await Promise.all([page.waitForEvent("download"), saving(page, "svg")]);
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

await test("links both ways have a label each, which are read", async (page) => {
  const root = path.join(scratch, "both-ways");
  mkdirSync(root);
  const callers = Array.from({ length: 18 }, (_, number) => `def user_of_the_hub_${number}():\n    return hub()\n`);
  const own = "def hub():\n    return ping()\n\n\ndef ping():\n    return hub()\n";
  writeFileSync(path.join(root, "ways.py"), [own, ...callers].join("\n\n"));
  await page.setViewportSize({ width: 560, height: 760 });
  await page.goto(writtenOf(root, "both-ways", "ways:hub"));
  await node(page, "ways:ping").waitFor();
  await readable(page);
  assert.equal(await page.locator('.line[aria-label*="ways:ping"]').count(), 2);
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

await test("a crowd that no space holds has a map of its own, and stands in a frame that folds", async (page) => {
  await page.goto(writtenOf(crowded(110), "crowds", "crowd:hub"));
  await node(page, "crowd:caller_0").waitFor();
  await page.locator(".minimap").waitFor();
  const before = await node(page, "crowd:hub").boundingBox();
  await page.locator(".minimap").click({ position: { x: 4, y: 4 } });
  assert.notDeepEqual(await node(page, "crowd:hub").boundingBox(), before);
  await page.locator('.frame.group:has-text("110 nodes")').press("Enter");
  await node(page, "crowd:caller_0").waitFor({ state: "detached" });
  await page.locator(".minimap").waitFor({ state: "hidden" });
  await page.keyboard.press("u");
  await node(page, "crowd:caller_0").waitFor();
});

await test("hundreds of nodes: what stays is not made anew, the list gets all rows, far away nothing is written", async (page) => {
  await page.goto(writtenOf(crowded(300), "hundreds", "crowd:hub", "--limit", "400"));
  await node(page, "crowd:caller_0").waitFor();
  await atRest(page);
  await page.evaluate(() => {
    window.kept = [...document.querySelectorAll(".node")];
    window.moved = [];
    const watch = new MutationObserver((records) =>
      window.moved.push(...records.flatMap((one) => [...one.addedNodes])),
    );
    watch.observe(document.querySelector(".canvas"), { childList: true, subtree: true });
  });
  const made = () => page.evaluate(() => window.moved.splice(0).filter((one) => one.matches?.(".node")).length);
  const kept = () => page.evaluate(() => window.kept.filter((one) => one.isConnected).length);
  await node(page, "crowd:caller_3").dispatchEvent("click", { detail: 1 });
  await page.locator('.node.selected[data-symbol="crowd:caller_3"]').waitFor();
  await page.locator("input[type=search]").fill("caller_1");
  await page.locator(".node.dim").first().waitFor();
  await page.locator("input[type=search]").fill("");
  assert.deepEqual([await made(), await kept()], [0, 302]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("h");
  await node(page, "crowd:caller_3").waitFor({ state: "detached" });
  assert.deepEqual([await made(), await kept()], [0, 301]);
  await page.keyboard.press("u");
  await node(page, "crowd:caller_3").waitFor();
  assert.deepEqual([await made(), await kept()], [1, 301]);
  await page.keyboard.press("l");
  await page.waitForFunction(() => document.querySelectorAll("tr[data-row]").length === 302);
  const [drawn, listed] = await both(page);
  assert.deepEqual(listed, drawn);
  // Very many are folded when they are grouped, and what comes into the page at once is what one frame can hold.
  await page.keyboard.press("l");
  await page.keyboard.press("g");
  await page.locator('.frame.folded:has-text("301 nodes")').waitFor();
  await atRest(page);
  await page.evaluate(() => {
    window.batches = [];
    const some = (records) =>
      records.flatMap((one) => [...one.addedNodes]).filter((one) => one.matches?.(".node, .line, .label")).length;
    new MutationObserver((records) => window.batches.push(some(records))).observe(document.querySelector(".canvas"), {
      childList: true,
      subtree: true,
    });
  });
  await page.locator(".frame.folded").press("Enter");
  await node(page, "crowd:caller_299").waitFor();
  await atRest(page);
  const batches = await page.evaluate(() => window.batches);
  assert.ok(Math.max(...batches) <= 80 && batches.reduce((sum, one) => sum + one, 0) >= 301, `${batches}`);
  await page.keyboard.press("u");
  await page.keyboard.press("u");
  await atRest(page);
  await page.keyboard.press("0");
  for (let step = 0; step < 12; step += 1) await page.keyboard.press("-");
  assert.equal(await page.locator(".node .name").first().isVisible(), false);
  for (let step = 0; step < 12; step += 1) await page.keyboard.press("+");
  await page.locator(".node .name").first().waitFor();
});

await test("a large picture is placed in steps: dagre's places, and the page goes on meanwhile", async (page) => {
  const { arrange, dagre } = await bundled();
  let state = 7;
  const random = (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  for (let round = 0; round < 60; round += 1) {
    const count = 1 + random(round % 6 ? 30 : 120);
    const links = Array.from({ length: random(count * 2) }, () => [
      random(count),
      random(count),
      random(90),
      random(9),
    ]);
    const sizes = Array.from({ length: count }, () => 70 + random(100));
    const made = () => {
      const graph = new dagre.graphlib.Graph({ directed: true, multigraph: false });
      const ranker = count > 60 || round % 3 ? "tight-tree" : "network-simplex";
      const space = { nodesep: 16, ranksep: 40, edgesep: 8, marginx: 12, marginy: 12 };
      graph.setGraph({ rankdir: round % 2 ? "TB" : "LR", ...space, ranker });
      for (const [at, width] of sizes.entries()) graph.setNode(`n${at}`, { width, height: 46 });
      for (const [from, to, wide, rare] of links) {
        const width = wide < 30 ? 0 : wide;
        const hold = rare ? {} : { minlen: 3, weight: 0 };
        if (from !== to) graph.setEdge(`n${from}`, `n${to}`, { width, height: width && 18, labelpos: "c", ...hold });
      }
      return graph;
    };
    const [whole, stepwise] = [made(), made()];
    dagre.layout(whole);
    let steps = 0;
    for (const _ of arrange(stepwise)) steps += 1;
    assert.ok(steps >= 10 && (count < 60 || steps >= 40), `${steps} steps for ${count} nodes`);
    const places = (graph) => [
      graph.nodes().map((id) => [id, graph.node(id).x, graph.node(id).y]),
      graph.edges().map((link) => [link, graph.edge(link).points, graph.edge(link).x, graph.edge(link).y]),
      [graph.graph().width, graph.graph().height],
    ];
    assert.deepEqual(places(stepwise), places(whole));
  }
  await page.goto(writtenOf(crowded(160), "steps", "crowd:hub", "--limit", "200"));
  await node(page, "crowd:caller_0").waitFor();
  await atRest(page);
  const [before, during] = await page.evaluate(() => {
    const seen = () => [
      document.body.classList.contains("unfinished"),
      [...document.querySelectorAll(".canvas .name")].map((one) => one.textContent).join(" "),
    ];
    const start = seen();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "g", bubbles: true }));
    return [start, seen()];
  });
  assert.deepEqual([before[0], during[0]], [false, true]);
  assert.equal(during[1], before[1]);
  await page.locator(".frame.folded").first().waitFor();
  // What was wished last is what is drawn.
  await page.evaluate(() => {
    for (const key of ["u", "U", "u"]) document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  });
  await node(page, "crowd:caller_0").waitFor();
  await atRest(page);
  assert.equal(await page.locator(".frame.folded").count(), 0);
  assert.equal(await node(page, "crowd:caller_0").count(), 1);
});

/** The layout in steps, and the whole one, as modules. */
async function bundled() {
  const folder = path.join(here, "../../../editors/vscode");
  const { build } = createRequire(path.join(folder, "package.json"))("esbuild");
  const contents = 'export { arrange } from "./stepwise"; export { default as dagre } from "@dagrejs/dagre";';
  const stdin = { contents, resolveDir: path.join(folder, "view"), loader: "ts" };
  const { outputFiles } = await build({ stdin, bundle: true, format: "esm", write: false, logLevel: "warning" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Nodes and links that no key leads to: arrows walk between nodes, Tab goes through the links. */
function unreached(page) {
  return page.evaluate(() => {
    const selected = () => document.querySelector(".node.selected")?.dataset.node;
    const from = (id) => document.querySelector(`[data-node="${CSS.escape(id)}"]`);
    const reached = new Set();
    const links = new Set();
    const waiting = [document.querySelector(".node.root").dataset.node];
    while (waiting.length) {
      const id = waiting.pop();
      if (reached.has(id)) continue;
      reached.add(id);
      for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
        from(id).dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
        for (const one of document.querySelectorAll('.canvas .line[tabindex="0"][aria-label]'))
          links.add(one.dataset.line);
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        if (!reached.has(selected())) waiting.push(selected());
      }
    }
    const nodes = [...document.querySelectorAll(".node")].filter((one) => !reached.has(one.dataset.node));
    const lines = [...document.querySelectorAll(".canvas .line")].filter((one) => !links.has(one.dataset.line));
    return [...nodes.map((one) => one.dataset.symbol), ...lines.map((one) => one.dataset.line)];
  });
}

/** Symbols that are drawn, and that the list has. */
async function both(page) {
  await atRest(page);
  return page.evaluate(() => {
    const of = (selector, name) => [...document.querySelectorAll(selector)].map((one) => one.dataset[name]).sort();
    return [of(".node", "node"), of("tr[data-row]", "row")];
  });
}

await test(
  "the list has what the picture has, is linked with it, sorted, searched and copied",
  async (page) => {
    await page.setViewportSize({ width: 1700, height: 760 });
    await page.goto(pages.impact);
    await page.locator("#list").click();
    const [drawn, listed] = await both(page);
    assert.ok(drawn.length > 3);
    assert.deepEqual(listed, drawn);
    await page.locator('tr:has-text("shop.report:summary")').click();
    await page.locator('.node.selected[data-symbol="shop.report:summary"]').waitFor();
    await node(page, "shop.orders:Order.total").click();
    await page.locator('tr.selected:has-text("shop.orders:Order.total")').waitFor();
    const first = () => page.locator("tbody tr td:first-child").allInnerTexts();
    await page.locator('th[data-column="symbol"] button').click();
    const up = await first();
    await page.locator('th[data-column="symbol"] button').click();
    assert.deepEqual(await first(), [...up].reverse());
    await page.screenshot({ path: path.join(shots, "page-list-light.png") });
    const copied = async (form) => {
      await page.locator("#save summary").click();
      await page.locator(`#copy-${form}`).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.match(await copied("markdown"), /\| `shop\.report:summary` \| function \|/);
    assert.match(await copied("mermaid"), /^flowchart LR\n {2}n0\[/m);
    await page.keyboard.press("/");
    await page.keyboard.type("summary");
    assert.deepEqual(await first(), ["shop.report:summary"]);
    assert.match(await copied("text"), /^shop\.report:summary {2}function/m);
    await page.locator('[role="tab"]:has-text("Tree")').click();
    await page.locator('[role="treeitem"][aria-level="1"]').waitFor();
  },
  { permissions: ["clipboard-read", "clipboard-write"] },
);

await test("what is shown is saved as Mermaid, DOT and PNG, with its title and what it lacks", async (page) => {
  await page.goto(near);
  const saved = async (form) => {
    const [download] = await Promise.all([page.waitForEvent("download"), saving(page, form)]);
    const file = path.join(scratch, `near.${form}`);
    await download.saveAs(file);
    return readFileSync(file);
  };
  assert.match(String(await saved("svg")), />shop\.orders:Order\.total<\/text>.*>function<\/text>.*nodes/s);
  assert.match(String(await saved("mermaid")), /^%% shop\.orders:Order\.total\n%% \d+ nodes/);
  assert.match(String(await saved("dot")), /digraph \{.*label="calls/s);
  const points = await saved("png");
  assert.equal(points.subarray(1, 4).toString(), "PNG");
  assert.ok(points.readUInt32BE(16) > 600);
});

/** A copy of the sample, with a first commit. */
function copied(name) {
  const root = path.join(scratch, name);
  cpSync(shop, root, { recursive: true });
  const author = ["-c", "user.name=one", "-c", "user.email=one@example.org"];
  for (const args of [["init"], ["add", "."], [...author, "commit", "--message=all"]]) {
    execFileSync("git", args, { cwd: root, stdio: "pipe" });
  }
  return root;
}

function edit(root, name, from, to) {
  const file = path.join(root, "src/shop", name);
  const text = readFileSync(file, "utf8");
  assert.ok(text.includes(from));
  writeFileSync(file, text.replace(from, to));
}

for (const scheme of ["light", "dark"]) {
  await test(
    `a picture of changes: what changed, what it reaches, links added and removed, ${scheme}`,
    async (page) => {
      const root = copied(`changed-${scheme}`);
      edit(root, "report.py", "def summary(", "def added() -> int:\n    return len(summary([]))\n\n\ndef summary(");
      edit(root, "orders.py", "def total(", "def sum_of(");
      await page.goto(writtenOf(root, `changed-${scheme}`, "--changed"));
      await page.locator('.node.change-added[data-symbol="shop.report:added"]').waitFor();
      await page.locator('.node.change-removed[data-symbol="shop.orders:Order.total"]').waitFor();
      await page.locator('.line.change-added[data-line*="calls"]').first().waitFor({ state: "attached" });
      await page.locator('.line.change-removed[data-line*="calls"]').first().waitFor({ state: "attached" });
      await page.locator('.node.depth-1[data-symbol="test_orders:test_total"]').waitFor();
      await page.locator('.scale:has-text("link added"):has-text("link removed")').waitFor();
      await readable(page);
      await page.screenshot({ path: path.join(shots, `page-changed-${scheme}.png`) });
      await legible(page);
    },
    { scheme },
  );
}

await test("a picture of a pull request: what its branch changed, not what its base got since", async (page) => {
  const root = copied("request");
  const author = ["-c", "user.name=one", "-c", "user.email=one@example.org"];
  const git = (...args) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
  git("branch", "-M", "trunk");
  git("checkout", "-q", "-b", "feature");
  edit(root, "report.py", "def summary(", "def added() -> int:\n    return len(summary([]))\n\n\ndef summary(");
  git(...author, "commit", "-qam", "feature");
  git("checkout", "-q", "trunk");
  edit(root, "model.py", "return self.cents", "return self.cents + 1");
  git(...author, "commit", "-qam", "on");
  git("checkout", "-q", "feature");
  await page.goto(writtenOf(root, "request", "--since", "trunk..."));
  await page.locator('.node.change-added[data-symbol="shop.report:added"]').waitFor();
  await page.locator('.line.change-added[data-line*="calls"]').first().waitFor({ state: "attached" });
  assert.equal(await page.locator('[data-symbol="shop.model:Item.price"].change-changed').count(), 0);
  assert.equal(await page.title(), "changes since trunk was left - graphls");
  await page.screenshot({ path: path.join(shots, "page-request-light.png") });
});

async function served(root, body, ...args) {
  const asked = args.length ? args : ["shop.orders:Order.total"];
  const server = spawn(graphls, ["view", ...asked, "--serve", "--root", root]);
  try {
    await body(
      await new Promise((resolve) => server.stdout.once("data", (text) => resolve(String(text).split("\n")[0]))),
    );
  } finally {
    server.kill("SIGINT");
  }
}

await test("what was done with a picture is undone and done again; the picture says when the code is newer", async (page) => {
  const root = copied("live");
  await served(root, async (address) => {
    await page.goto(address);
    await node(page, "shop.report:line").dblclick();
    await node(page, "shop.report:summary").waitFor();
    await atRest(page);
    const seen = await page.evaluate(() => {
      const [root, canvas] = [".node.root", ".canvas"].map((one) =>
        document.querySelector(one).getBoundingClientRect(),
      );
      return root.top >= canvas.top && root.bottom <= canvas.bottom && root.left >= 0 && root.right <= canvas.right;
    });
    assert.ok(seen, "the root is seen");
    await page.keyboard.press("x");
    await node(page, "shop.report:summary").waitFor({ state: "detached" });
    await page.keyboard.press("u");
    await node(page, "shop.report:summary").waitFor();
    await page.keyboard.press("U");
    await node(page, "shop.report:summary").waitFor({ state: "detached" });
    await page.keyboard.press("h");
    await node(page, "shop.report:line").waitFor({ state: "detached" });
    assert.match(await page.locator("#filters summary").textContent(), /−6/);
    await page.keyboard.press("H");
    await node(page, "shop.report:line").waitFor();
    await node(page, "shop.report:line").dblclick();
    await node(page, "shop.report:summary").waitFor();
    await page.keyboard.press("g");
    await page.locator('.frame.group:has-text("shop.report")').waitFor();
    await readable(page);
    await page.screenshot({ path: path.join(shots, "served-groups-light.png") });
    assert.equal(await page.locator(".behind").count(), 0);
    edit(
      root,
      "report.py",
      "def summary(",
      "def late(order: Order) -> int:\n    return order.total()\n\n\ndef summary(",
    );
    await page.locator('.behind:has-text("in files that changed")').waitFor();
    await page.locator('.node.stale[data-symbol="shop.report:line"]').waitFor();
    await page.screenshot({ path: path.join(shots, "served-behind-light.png") });
    await page.locator("#refresh").click();
    await page.locator('.node.fresh[data-symbol="shop.report:late"]').waitFor();
    await page.locator(".behind").waitFor({ state: "detached" });
    assert.match(await page.locator(".standing").textContent(), /1 new, 0 gone/);
    await page.locator('.frame.group:has-text("shop.report")').waitFor();
  });
});

const symbols = (page) => page.locator(".node").evaluateAll((all) => all.map((one) => one.dataset.symbol));
const SEEN = { root: true, own: true, fresh: true };

/** Whether the middle, what was expanded and something of what is new lie in view. */
function seen(page, symbol, fresh) {
  return page.evaluate(
    ([name, others]) => {
      const canvas = document.querySelector(".canvas").getBoundingClientRect();
      const inside = (one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return left >= 0 && right <= canvas.right && top >= canvas.top && bottom <= canvas.bottom;
      };
      const named = (one) => inside(document.querySelector(`[data-symbol="${CSS.escape(one)}"]`));
      return { root: inside(document.querySelector(".node.root")), own: named(name), fresh: others.some(named) };
    },
    [symbol, fresh],
  );
}

await test(
  "a served page expands, shows an impact, traces and goes back",
  async (page) => {
    await page.setViewportSize({ width: 560, height: 760 });
    await served(shop, async (address) => {
      await page.goto(address);
      const scale = () => page.evaluate(() => document.querySelector(".node .name").getScreenCTM().a);
      const [before, zoom] = [await node(page, "shop.report:line").boundingBox(), await scale()];
      const known = new Set(await symbols(page));
      await node(page, "shop.report:line").locator(".grip").click();
      await node(page, "shop.report:summary").waitFor();
      await readable(page);
      const after = await node(page, "shop.report:line").boundingBox();
      const fresh = (await symbols(page)).filter((name) => !known.has(name));
      await page.screenshot({ path: path.join(shots, "served-narrow-light.png") });
      assert.equal(await scale(), zoom);
      assert.deepEqual(await seen(page, "shop.report:line", fresh), SEEN);
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
    });
  },
  // Asked the other way round first.
  { refusals: 1 },
);

await test(
  "what a picture says of itself stays true: direction, what is left out, its title, a node that was renamed",
  async (page) => {
    const root = crowded(150);
    await served(
      root,
      async (address) => {
        const foot = page.locator(".standing");
        await page.goto(address);
        await node(page, "crowd:hub").waitFor();
        assert.match(await foot.textContent(), /^41 of 152 nodes/);
        // One more step: the answer is as cut as it was.
        await node(page, "crowd:leaf").dblclick();
        await page.locator('.node[data-symbol="crowd:leaf"] .more:has-text("−")').waitFor();
        assert.match(await foot.textContent(), /^41 of 152 nodes/);
        await page.locator("#more").click();
        // A large picture comes in parts, and the foot has the whole number from the first one on.
        await page.waitForFunction(() => {
          const shown = document.querySelectorAll(".node").length;
          return shown > 80 && document.querySelector(".standing").textContent.startsWith(`${shown} of 152 nodes`);
        });
        assert.doesNotMatch(await foot.textContent(), /left out/, "one number says how many");
        await node(page, "crowd:leaf").click();
        await page.keyboard.press("i");
        await page.locator("body[data-picture=impact]").waitFor();
        assert.equal(await page.locator("#direction").inputValue(), "in");
        assert.equal(await page.title(), "impact of crowd:leaf - graphls");
        await page.locator("#direction").selectOption("out");
        await page.waitForFunction(() => document.title === "what crowd:leaf depends on - graphls");
        assert.equal(await page.locator("#direction").inputValue(), "out");
        await page.locator("#back").click();
        await node(page, "crowd:hub").waitFor();
        const file = path.join(root, "crowd.py");
        writeFileSync(file, readFileSync(file, "utf8").replaceAll("leaf", "twig"));
        await page.locator(".behind").waitFor();
        await node(page, "crowd:leaf").click();
        for (const key of ["c", "i", "t"]) {
          await page.keyboard.press(key);
          const words = "crowd:leaf is not in the graph any more: it was renamed, moved or deleted.";
          await page.locator(`.problem:has-text("${words}")`).waitFor();
          await node(page, "crowd:leaf").click();
          await page.locator(".problem").waitFor({ state: "detached" });
        }
        await page.locator("#refresh").click();
        await node(page, "crowd:twig").waitFor();
        await page.locator(".behind").waitFor({ state: "detached" });
      },
      "crowd:hub",
      "--limit",
      "40",
    );
  },
  // Twice for the trace, asked both ways, and once for what was expanded.
  { refusals: 5 },
);

await test("modules are labelled by their whole names, in every language", async (page) => {
  const root = path.join(scratch, "named");
  const files = {
    "app/__init__.py": "",
    "app/deep/__init__.py": "",
    "app/deep/run.py": "def start(): ...\n\n\nstart()\n",
    "web/src/main.ts": "export function boot(): void {}\nboot();\n",
    "web/package.json": '{"name": "web"}\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  for (const [symbol, label] of [
    ["app.deep.run:start", "app.deep.run"],
    ["web/src/main.ts:boot", "web/src/main.ts"],
  ]) {
    await page.goto(writtenOf(root, `named-${symbol.length}`, symbol));
    await node(page, symbol).waitFor();
    const names = await page.locator(".node .name").allTextContents();
    assert.ok(names.includes(label), `${label} is not among ${names}`);
    assert.match(await page.locator(".node .small").first().textContent(), /function|module/);
  }
});

/**
 * Real code: what every environment of the server has, and the view itself; further folders by hand:
 * REAL="FOLDER=SYMBOL FOLDER=SYMBOL ...", drawn in the light and in the dark.
 */
function real() {
  const where = "import pathlib, starlette; print(pathlib.Path(starlette.__file__).parent)";
  const starlette = execFileSync(process.env.PYTHON || "python3", ["-c", where], { encoding: "utf8" }).trim();
  const own = path.join(here, "../../../editors/vscode/view");
  const given = (process.env.REAL ?? "").split(" ").filter(Boolean);
  const named = given.map((one) => [path.resolve(one.split("=")[0]), one.slice(one.indexOf("=") + 1)]);
  return given.length
    ? named
    : [
        [starlette, "routing:Route"],
        [own, "dom.ts:html"],
      ];
}

for (const [root, symbol] of real().slice(0, 1)) {
  await test(
    `real code, ${symbol}: in a narrow panel what is expanded is read beside the middle`,
    async (page) => {
      await served(
        root,
        async (address) => {
          await page.goto(address);
          await page.locator(".node").first().waitFor();
          const scale = () => page.evaluate(() => document.querySelector(".node .name").getScreenCTM().a);
          const zoom = await scale();
          assert.ok(zoom * 13 >= 10.9);
          const own = await page.locator(".node:has(.grip)").evaluateAll((all) => all.map((one) => one.dataset.symbol));
          for (const one of [own[0], own[1], own.at(-1)]) {
            const before = new Set(await symbols(page));
            await node(page, one).locator(".grip").dispatchEvent("click");
            await node(page, one).locator('.more:has-text("−")').waitFor({ state: "attached" });
            await readable(page);
            const fresh = (await symbols(page)).filter((name) => !before.has(name));
            const expected = fresh.length ? SEEN : { ...SEEN, fresh: false };
            assert.deepEqual(await seen(page, one, fresh), expected, `${one} expanded`);
            assert.equal(await scale(), zoom);
            await page.screenshot({ path: path.join(shots, "real-narrow-light.png") });
          }
        },
        symbol,
        "--limit",
        "60",
      );
    },
    { viewport: { width: 560, height: 760 } },
  );
}

for (const [root, symbol] of real()) {
  for (const scheme of process.env.REAL ? ["light", "dark", "contrast"] : ["light"]) {
    const name = `real-${path.basename(root)}-${symbol.replace(/\W+/g, "-")}`;
    const colours = scheme === "contrast" ? { scheme: "dark", forcedColors: "active" } : { scheme };
    const half = { ...colours, viewport: { width: 720, height: 820 } };
    await test(
      `real code, ${symbol}: readable in half a window, true to its answer, the same as a list and by keys, ${scheme}`,
      async (page) => {
        await page.goto(writtenOf(root, name, symbol, "--limit", "60"));
        await page.locator(".node").first().waitFor();
        await atRest(page);
        const picture = await page.evaluate(() => JSON.parse(document.getElementById("graphls-picture").textContent));
        const seen = await page.evaluate(() => {
          const box = (one) => document.querySelector(one).getBoundingClientRect();
          const [root, canvas] = [box(".node.root"), box(".canvas")];
          return {
            name: 13 * document.querySelector(".node .name").getScreenCTM().a,
            root:
              root.left >= canvas.left &&
              root.right <= canvas.right &&
              root.top >= canvas.top &&
              root.bottom <= canvas.bottom,
            share: canvas.height / window.innerHeight,
            nodes: document.querySelectorAll(".node").length,
            foot: document.querySelector(".standing").textContent,
          };
        });
        await page.screenshot({ path: path.join(shots, `${name}-${scheme}.png`) });
        assert.ok(seen.name >= 10.9, `names are ${seen.name} px`);
        assert.ok(seen.root, "the root is on the screen");
        assert.ok(seen.share >= 0.6, `the canvas has ${seen.share} of the panel`);
        await readable(page);
        await legible(page);
        const middle = picture.nodes.find(({ id }) => id === picture.root);
        assert.equal(await page.title(), `${middle.symbol} - graphls`);
        const all = picture.total + 1;
        assert.ok(seen.foot.startsWith(seen.nodes < all ? `${seen.nodes} of ${all} nodes` : `${all} node`), seen.foot);
        await page.locator("#list").click();
        const [drawn, listed] = await both(page);
        assert.deepEqual(listed, drawn);
        await page.locator("#list").click();
        assert.deepEqual(await unreached(page), []);
        const line = page.locator('.canvas .line[tabindex="0"]').last();
        await line.focus();
        const before = await page.locator(".details").textContent();
        await page.keyboard.press("Enter");
        assert.notEqual(await page.locator(".details").textContent(), before);
      },
      half,
    );
    await test(
      `real code, map of ${path.basename(root)}: readable in half a window, ${scheme}`,
      async (page) => {
        await page.goto(writtenOf(root, `${name}-map`, "--map"));
        await page.locator(".pack").first().waitFor();
        const seen = await mapped(page);
        await page.screenshot({ path: path.join(shots, `real-${path.basename(root)}-map-${scheme}.png`) });
        assert.ok(seen.name >= 10.9 && seen.share >= 0.6);
        assert.deepEqual([seen.overlaps, seen.covered, seen.behind], [0, 0, 0]);
        assert.ok(seen.shared <= 1, `${seen.shared} arrows share their way`);
        await legible(page);
        const arrow = page.locator(".import").first();
        if (await arrow.count()) {
          await arrow.focus();
          await page.keyboard.press("Enter");
          const [from, to] = (await arrow.getAttribute("data-link")).split(" ");
          await page.locator(`.details .head:has-text("${from} → ${to}")`).waitFor();
        }
      },
      half,
    );
  }
}

await browser.close();
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
