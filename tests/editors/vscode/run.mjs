// Tests of the extension in a real workbench.
// usage: node run.mjs CODE_SERVER NODE VSIX GRAPHLS SHOTS [dark | light | contrast | restricted | folders | missing]...

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SLOW, Workbench } from "./workbench.mjs";

const [, , codeServer, node, vsix, graphls, shots, ...chosen] = process.argv;
let passed = 0;
let failed = 0;
let bench;

async function test(name, body) {
  const began = Date.now();
  try {
    await body();
    passed += 1;
    console.log(`ok vscode: ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (problem) {
    failed += 1;
    console.log(`not ok vscode: ${name}\n   ${String(problem).split("\n").slice(0, 25).join("\n   ")}`);
    await bench?.shot(`failed-${failed}`).catch(() => {});
    console.log(`   the log of the extension:\n   | ${bench?.log().replaceAll("\n", "\n   | ")}`);
    await bench?.page.keyboard.press("Escape").catch(() => {});
  }
}

async function opened(options) {
  await bench?.close();
  bench = undefined;
  const all = { codeServer, node, vsix, shots, ...options };
  try {
    bench = await Workbench.open(all);
  } catch (problem) {
    console.log(`the workbench did not open, once more: ${String(problem).split("\n")[0]}`);
    bench = await Workbench.open(all);
  }
}

process.on("SIGTERM", async () => {
  await bench?.close();
  process.exit(1);
});

/** A revision: "graphls restarts" is none. */
const READY = '.statusbar-item :text-matches("graphls r[0-9]")';
const GRAPHLS = { "graphls.path": graphls };
const theme = (name) => ({ ...GRAPHLS, "workbench.colorTheme": name });

/** A server that does not answer while this file exists. */
const silent = path.join(path.dirname(vsix), "silent");
const slow = path.join(path.dirname(vsix), "slow.sh");

/** How a picture of real code has to stand in half of a window. */
const BOUNDS = { name: true, share: true, overlaps: 0, inside: true };

/** Each part has a workbench of its own. */
const PARTS = {
  dark: [dark, () => ({ settings: theme("Default Dark Modern") })],
  light: [
    async () => [await walkthrough(), await light(), await tour(), await status(), await reloaded()],
    () => ({ settings: theme("Default Light Modern"), prepare: withRoute }),
  ],
  contrast: [
    async () => [await hanging(), await contrast()],
    () => ({ settings: { ...theme("Default High Contrast"), "graphls.path": slow }, prepare: hangs }),
  ],
  restricted: [restricted, () => ({ settings: GRAPHLS, trusted: false, prepare: namesItsOwnServer })],
  folders: [folders, () => ({ settings: GRAPHLS, more: ["depot"], prepare: besideIt })],
  missing: [
    missing,
    () => ({
      settings: {},
      environment: { PATH: onlyPython() },
    }),
  ],
};

/**
 * Real code, by hand: PARTS=real REAL="THEME=FOLDER=FILE=SYMBOL=PACKAGE;...", for example "Default Dark Modern=DJANGO=
 * query.py=django.db.models.query:QuerySet.filter=django/db"; the package, which may be left out, is unfolded in the map.
 */
for (const given of (process.env.REAL ?? "").split(";").filter(Boolean)) {
  const [look, sample, file, symbol, unfolded] = given.split("=");
  const name = `real ${path.basename(sample)} ${look}`;
  PARTS[name] = [
    () => real(name, file, symbol, unfolded),
    () => ({ settings: theme(look), sample: path.resolve(sample) }),
  ];
}
const parts = chosen.includes("real") ? Object.keys(PARTS).filter((one) => one.startsWith("real ")) : chosen;

try {
  for (const name of parts.length ? parts : Object.keys(PARTS)) {
    const [part, options] = PARTS[name];
    await opened(options());
    await part();
  }
} catch (problem) {
  failed += 1;
  console.log(`not ok vscode: ${problem.stack}`);
} finally {
  await bench?.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);

async function dark() {
  await test("the server starts with a source file, and the status bar tells the revision", async () => {
    await bench.file("orders.py");
    await bench.see(READY);
  });

  await test("a hover names the callers", async () => {
    await bench.see('.codelens-decoration a:has-text("2 callers")');
    await bench.hover("total", "Called by 2 callers");
    await bench.shot("hover-dark");
    await bench.leave();
  });

  await test("code lenses count callers and show them", async () => {
    const lens = bench.page.locator('.codelens-decoration a:has-text("2 callers")').first();
    await lens.waitFor({ timeout: SLOW });
    await bench.clickToSee(lens, '.peekview-widget:has-text("report.py")');
    await bench.shot("callers-dark");
    await bench.page.keyboard.press("Escape");
  });

  await test("a definition in another file is gone to, from behind characters of several units", async () => {
    await bench.file("report.py");
    const text = readFileSync(path.join(bench.folder, "src/shop/report.py"), "utf8").split("\n");
    await bench.line(18, text[17].indexOf("with_gift(order)") + 2);
    await bench.page.keyboard.press("F12");
    await bench.editing("orders.py");
    await bench.see('.statusbar-item:has-text("Ln 17, Col 5")');
  });

  await test("the findings are listed, and a finding can be removed by its code action", async () => {
    await bench.click(bench.page.locator('.activitybar .action-item a[aria-label^="Code Graph"]'));
    await bench.see('.pane-body .monaco-list-row:has-text("maintainability.unused_definition")');
    const row = bench.page.locator('.pane-body .monaco-list-row:has-text("_forgotten: a private function")');
    await bench.click(row);
    await bench.see('.statusbar-item:has-text("Ln 22")');
    await bench.shot("findings-dark");
    await bench.file("orders.py");
    await bench.line(22, 6);
    await bench.page.keyboard.press("Control+.");
    const action = bench.page.locator('.action-widget .monaco-list-row:has-text("Remove unused _forgotten")');
    await action.waitFor({ timeout: SLOW });
    await bench.shot("code-action-dark");
    await bench.page.keyboard.press("Enter");
    await bench.page.locator('.view-line:has-text("_forgotten")').waitFor({ state: "detached", timeout: SLOW });
    await bench.page.keyboard.press("Control+Z");
    await bench.see('.view-line:has-text("_forgotten")');
    await bench.page.keyboard.press("Control+S");
  });

  await test("a finding is ignored with the reason that the user gives", async () => {
    await bench.file("orders.py");
    await bench.line(22, 6);
    await bench.page.keyboard.press("Control+.");
    const action = bench.page.locator('.action-widget .monaco-list-row:has-text("Ignore maintainability.unused")');
    await action.waitFor({ timeout: SLOW });
    await bench.page.keyboard.press("ArrowDown");
    await bench.page.keyboard.press("ArrowDown");
    await bench.page.keyboard.press("Enter");
    await bench.type("Why is this ignored?", "called by a plug-in");
    await bench.see('.view-line:has-text("unused_definition] called by a plug-in")');
    await bench.page.keyboard.press("Control+Z");
    await bench.page.locator('.view-line:has-text("plug-in")').waitFor({ state: "detached", timeout: SLOW });
    await bench.page.keyboard.press("Control+S");
  });

  await test("a finding is put into the baseline from the list, by the server's own edit", async () => {
    await bench.command("graphls: Refresh Findings");
    const row = bench.page.locator('.pane-body .monaco-list-row:has-text("_forgotten: a private function")');
    await row.waitFor({ timeout: SLOW });
    await bench.point(row);
    await bench.click(row.locator('a[aria-label="Add to the Baseline"]'));
    const file = path.join(bench.folder, ".graphls/baseline.json");
    const written = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
    await bench.until("the baseline is written", written);
    assert.match(written(), /unused_definition/);
  });

  await test("while an answer takes long, the panel says that it is being made", async () => {
    await bench.click(bench.page.locator('.activitybar .action-item a[aria-label^="Explorer"]'));
    await bench.file("orders.py");
    await bench.line(12, 9);
    const [server] = bench.servers();
    process.kill(server, "SIGSTOP");
    try {
      await bench.command("graphls: Show Graph Around Symbol");
      await bench.view.locator('.veil:has-text("Reading the graph") .spinner').waitFor({ timeout: 30_000 });
      await bench.shot("graph-waiting-dark");
    } finally {
      process.kill(server, "SIGCONT");
    }
    await bench.node("shop.orders:Order.total").waitFor({ timeout: SLOW });
    await bench.view.locator(".veil").waitFor({ state: "hidden" });
  });

  await test("the graph is shown around the symbol under the cursor", async () => {
    await bench.file("orders.py");
    await bench.line(12, 9);
    await bench.command("graphls: Show Graph Around Symbol");
    await bench.node("shop.orders:Order.total").waitFor({ timeout: SLOW });
    await bench.node("shop.report:line").waitFor();
    await bench.shot("graph-dark");
    assert.deepEqual(await bench.contrasts(), []);
  });

  await test("a node is expanded by a double click, and its source opened where nothing is left to expand", async () => {
    assert.equal(await bench.node("shop.report:summary").count(), 0);
    await bench.node("shop.report:line").dblclick();
    await bench.node("shop.report:summary").waitFor({ timeout: SLOW });
    await bench.shot("graph-expanded-dark");
    await bench.node("shop.report:größe").click();
    await bench.page.keyboard.press("Enter");
    await bench.editing("report.py");
    await bench.see('.statusbar-item:has-text("Ln 16")');
  });

  await test("links are filtered by kind, direction and confidence", async () => {
    const { view } = bench;
    await view.locator("#direction").selectOption("out");
    await bench.node("shop.report:line").waitFor({ state: "detached" });
    await view.locator("#direction").selectOption("both");
    await view.locator("#filters summary").click();
    await view.locator("#confidence").selectOption("1");
    await bench.node("shop.model:Item.price").waitFor({ state: "detached" });
    await view.locator("#confidence").selectOption("0");
    await bench.shot("graph-filter-dark");
    await view.locator('label:has-text("accesses")').click();
    await bench.node("shop.orders:Order.items").waitFor({ state: "detached" });
    await view.locator(".standing").filter({ hasText: "hidden by the filters" }).waitFor();
    await view.locator('label:has-text("accesses")').click();
    await bench.page.keyboard.press("Escape");
  });

  await test("everything goes with keys: walk, make the middle, back, help", async () => {
    const { view } = bench;
    await bench.node("shop.orders:Order.total").click();
    await bench.page.keyboard.press("ArrowRight");
    const selected = view.locator('.node.selected:not([data-symbol="shop.orders:Order.total"])');
    await selected.waitFor();
    await bench.page.keyboard.press("c");
    await view.locator(".node.root.selected:not([data-symbol='shop.orders:Order.total'])").waitFor();
    await bench.page.keyboard.press("Backspace");
    await view.locator(".node.root[data-symbol='shop.orders:Order.total']").waitFor();
    await bench.page.keyboard.press("?");
    await view.locator(".help").waitFor();
    await bench.shot("graph-keys-dark");
    await bench.page.keyboard.press("?");
  });

  await test("the picture follows the cursor when asked to", async () => {
    await bench.view.locator("#filters summary").click();
    await bench.view.locator("#follow").check();
    await bench.page.keyboard.press("Escape");
    await bench.file("model.py");
    await bench.line(16, 7);
    await bench.view.locator(".node.root[data-symbol='shop.model:Gift']").waitFor({ timeout: SLOW });
    await bench.view.locator("#filters summary").click();
    await bench.view.locator("#follow").uncheck();
  });

  await test("an impact is coloured by distance", async () => {
    await bench.file("model.py");
    await bench.line(11, 9);
    await bench.command("graphls: Show Impact of Symbol");
    await bench.view.locator(".node.depth-3").first().waitFor({ timeout: SLOW });
    await bench.view.locator(".scale .swatch").first().waitFor();
    await bench.shot("impact-dark");
    assert.deepEqual(await bench.contrasts(), []);
  });

  await test("a trace shows how one symbol reaches another", async () => {
    await bench.file("report.py");
    await bench.line(11, 6);
    await bench.command("graphls: Trace From Symbol To");
    await bench.see('.quick-input-widget input[placeholder*="Trace to"]');
    await bench.page.keyboard.type("Item.price");
    await bench.choose("shop.model:Item.price");
    await bench.view.locator("body[data-picture=trace]").waitFor({ timeout: SLOW });
    await bench.node("shop.report:line").waitFor();
    await bench.shot("trace-dark");
  });

  await test("a map of packages unfolds, and an import in its matrix opens", async () => {
    await bench.command("graphls: Show Map of Packages");
    await bench.view.locator("body[data-picture=map]").waitFor({ timeout: SLOW });
    await bench.view.locator('[data-pack="shop/orders"]').click();
    await bench.view.locator('.details:has-text("shop/report 1")').waitFor();
    await bench.shot("map-dark");
    assert.deepEqual(await bench.contrasts(), []);
    await bench.view.locator("#matrix").click();
    await bench.view.locator('.matrix td button[title^="shop/report → shop/orders"]').click();
    await bench.view.locator('.details button.link:has-text("report.py:")').first().click();
    await bench.editing("report.py");
  });

  await test("the impact of edits that are not saved is listed", async () => {
    await bench.file("model.py");
    await bench.line(13, 27);
    await bench.page.keyboard.press("End");
    await bench.page.keyboard.type(" + 1");
    await bench.command("graphls: Show Impact of My Changes");
    await bench.choose("What is not saved");
    await bench.see('.pane-body .monaco-list-row:has-text("Item.price"):has-text("method · 1 line · shop.model")');
    await bench.see('.pane-body .monaco-list-row:has-text("Order.total"):has-text("shop.orders")');
    await bench.view.locator('.node.change-changed[data-symbol="shop.model:Item.price"]').waitFor({ timeout: SLOW });
    await bench.shot("changes-dark");
    assert.deepEqual(await bench.contrasts(), []);
    await bench.click(bench.page.locator('.tab:has-text("model.py")'));
    await bench.command("File: Revert File");
  });

  await test("files that changed and have no symbols are listed, with the reason", async () => {
    const author = ["-c", "user.name=one", "-c", "user.email=one@example.org"];
    for (const args of [["init"], ["add", "."], [...author, "commit", "--message=all"]]) {
      execFileSync("git", args, { cwd: bench.folder, stdio: "pipe" });
    }
    appendFileSync(path.join(bench.folder, "pyproject.toml"), "# More.\n");
    await bench.command("graphls: Show Impact of My Changes");
    await bench.choose("Everything since the last commit");
    await bench.see('.pane-body .message:has-text("touch no symbol")');
    await bench.see('.pane-body .monaco-list-row:has-text("pyproject.toml"):has-text("no code")');
    await bench.shot("changes-unread-dark");
  });

  await test("a context pack opens in an editor", async () => {
    await bench.command("graphls: Make Context Pack");
    await bench.type("What is the task?", "how is the total of an order computed");
    await bench.choose("2000 tokens");
    await bench.editing("pack.md");
    await bench.see('.view-line:has-text("shop")');
    await bench.shot("pack-dark");
  });

  await test("the graph is exported as text", async () => {
    await bench.command("graphls: Export Graph");
    await bench.choose("mermaid");
    await bench.type("File in the workspace", "");
    await bench.editing("graph.mermaid");
    await bench.see('.view-line:has-text("flowchart")');
  });

  await test("the status item tells more on a click", async () => {
    await bench.click(bench.page.locator(READY));
    await bench.see('.quick-input-list .monaco-list-row:has-text("indexed")');
    await bench.shot("status-dark");
    await bench.page.keyboard.press("Escape");
  });

  await test("a server that dies comes back by itself", async () => {
    const [server] = bench.servers();
    assert.ok(server, "no server process");
    const words = bench.see('.statusbar-item:has-text("graphls restarts")');
    bench.kill();
    await words;
    await bench.until("another server runs", () => bench.servers().some((one) => one !== server));
    await bench.see(READY);
  });

  await test("a server that keeps dying is left alone, with a message that helps", async () => {
    const words = bench.page.locator('.notification-toast:has-text("keeps stopping")');
    const leftAlone = async () => {
      bench.kill();
      return (await words.count()) > 0;
    };
    await bench.until("the server is left alone", leftAlone, 240_000);
    await bench.shot("left-alone-dark");
    await bench.command("graphls: Show Status");
    await bench.see('.quick-input-list .monaco-list-row:has-text("The server: stopped")');
    assert.equal(await bench.page.locator('.quick-input-list .monaco-list-row:has-text("Files Anew")').count(), 0);
    await bench.page.keyboard.press("Escape");
    await bench.click(words.locator('a:has-text("Restart")'));
    await bench.see(READY);
  });
}

async function light() {
  await test("light: hover, graph and impact", async () => {
    await bench.file("orders.py");
    await bench.see(READY);
    await bench.hover("total", "Called by 2 callers");
    await bench.shot("hover-light");
    await bench.leave();
    await bench.line(12, 9);
    await bench.command("graphls: Show Graph Around Symbol");
    await bench.node("shop.report:line").waitFor({ timeout: SLOW });
    await bench.shot("graph-light");
    assert.deepEqual(await bench.contrasts(), []);
    await bench.command("graphls: Show Impact of Symbol");
    await bench.view.locator(".node.depth-2").first().waitFor({ timeout: SLOW });
    await bench.shot("impact-light");
    assert.deepEqual(await bench.contrasts(), []);
  });
}

/** A route, which nothing else of the sample knows, and a file that is no text. */
function withRoute(folder) {
  const lines = ["from flask import Flask", "", "app = Flask(__name__)", "", "", '@app.get("/orders")'];
  writeFileSync(
    path.join(folder, "src/shop/web.py"),
    [...lines, "def listed() -> str:", '    return ""', ""].join("\n"),
  );
  writeFileSync(path.join(folder, "src/shop/odd.py"), Buffer.from("a = 1\0\n"));
}

async function tour() {
  await test("light: what to read first, and routes with their handlers, are listed and open", async () => {
    await bench.command("graphls: Show Tour and Routes");
    const row = (text) => bench.page.locator(`.pane-body .monaco-list-row:has-text("${text}")`);
    await row("What Most Modules Import").waitFor({ timeout: SLOW });
    await row("shop.model").first().waitFor();
    await row("Routes").waitFor();
    await bench.click(row("GET /orders"));
    await bench.see('.tab.active:has-text("web.py")');
    await bench.see('.statusbar-item:has-text("Ln 7,")');
    await bench.shot("tour-light");
    await bench.file("orders.py");
    await bench.command("graphls: Go to Route, Tool or Command");
    await bench.choose("GET /orders");
    await bench.see('.tab.active:has-text("web.py")');
  });
}

/** How a picture of real code stands in half of a window of 1440 x 900, as VS Code gives it. */
function bounds() {
  return bench.view.locator("body").evaluate(() => {
    const box = (one) => document.querySelector(one)?.getBoundingClientRect();
    const [root, canvas] = [box(".node.root"), box(".canvas")];
    const inside =
      !root || (root.left >= 0 && root.right <= canvas.right && root.top >= canvas.top && root.bottom <= canvas.bottom);
    const boxes = [...document.querySelectorAll(".node .body, .pack:not(.open) .body")].map((one) =>
      one.getBoundingClientRect(),
    );
    const over = (one, other) =>
      one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
    return {
      name: 13 * document.querySelector(".node .name, .pack .name").getScreenCTM().a >= 10.9,
      share: canvas.height / window.innerHeight >= 0.6,
      overlaps: boxes.filter((one, index) => boxes.slice(index + 1).some((other) => over(one, other))).length,
      inside,
    };
  });
}

/** What the bottom line says, once all files are read and everything is drawn. */
async function said() {
  await bench.view
    .locator('.standing:not(:has-text("not read yet")):not(:has-text("still being"))')
    .first()
    .waitFor({ timeout: SLOW });
  await bench.view.locator("body:not(.unfinished)").waitFor();
  return bench.view.locator(".standing").first().textContent();
}

/** The same questions, asked without an editor. */
function answered(...args) {
  const text = execFileSync(graphls, [...args, "--root", bench.folder], { encoding: "utf8", maxBuffer: 1 << 28 });
  return JSON.parse(/<script type="application\/json" id="graphls-picture">(.*?)<\/script>/s.exec(text)?.[1] ?? text);
}

/** `unfolded`: a package of the map that is looked at too. */
async function real(name, file, symbol, unfolded) {
  const shots = name.replaceAll(/\W+/g, "-");
  await test(`${name}: a neighbourhood and the map, in half a window, are those of the answers`, async () => {
    await bench.file(file);
    await bench.see(READY);
    await bench.command("graphls: Show Graph of");
    await bench.see('.quick-input-widget input[placeholder*="Show the graph"]');
    await bench.page.keyboard.type(symbol.split(/[:.]/).slice(-2).join("."));
    await bench.choose(symbol);
    await bench.view.locator(`.node.root[data-symbol="${symbol}"]`).waitFor({ timeout: SLOW });
    const near = await said();
    await bench.shot(`${shots}-near`);
    assert.deepEqual(await bounds(), BOUNDS);
    assert.deepEqual(await bench.contrasts(), []);
    await bench.see(`.tab:has-text("${symbol}")`);
    const drawn = await bench.view.locator(".node").count();
    const all = answered("view", symbol, "--output", "-").total + 1;
    assert.ok(near.startsWith(drawn < all ? `${drawn} of ${all} nodes` : `${all} node`), `${near}, of ${all}`);
    await bench.command("graphls: Show Map of Packages");
    await bench.view.locator("body[data-picture=map]").waitFor({ timeout: SLOW });
    await bench.shot(`${shots}-map`);
    assert.deepEqual(await bounds(), BOUNDS);
    assert.deepEqual(await bench.contrasts(), []);
    const { modules, imports } = answered("view", "--map", "--output", "-").map;
    const total = imports.reduce((sum, { count }) => sum + count, 0);
    const line = await said();
    assert.ok(line.startsWith(`${modules.length} modules · ${total} imports`), `${line}, of ${modules.length}`);
    if (!unfolded) return;
    await bench.view.locator(`[data-pack="${unfolded}"] .more`).dispatchEvent("click");
    await bench.view.locator(`[data-pack="${unfolded}"].open`).waitFor({ state: "attached" });
    await bench.shot(`${shots}-unfolded`);
    const { inside, ...others } = BOUNDS;
    const { inside: _, ...seen } = await bounds();
    assert.deepEqual(seen, others);
  });
}

async function status() {
  await test("light: the status tells what was not read, and what the checker does", async () => {
    await bench.click(bench.page.locator(READY));
    await bench.see('.quick-input-list .monaco-list-row:has-text("1 skipped")');
    await bench.see('.quick-input-list .monaco-list-row:has-text("checker ty: off: checking is switched off")');
    await bench.page.keyboard.press("Escape");
  });
}

async function reloaded() {
  await test("light: a picture, with what was expanded, survives that the window is loaded again", async () => {
    await bench.file("orders.py");
    await bench.line(12, 9);
    await bench.command("graphls: Show Graph Around Symbol");
    await bench.node("shop.report:line").dblclick();
    await bench.node("shop.report:summary").waitFor({ timeout: SLOW });
    await bench.command("Developer: Reload Window");
    await bench.page.locator(".monaco-workbench").waitFor({ state: "detached", timeout: SLOW });
    await bench.see(READY);
    await bench.view.locator('.node.root[data-symbol="shop.orders:Order.total"]').waitFor({ timeout: SLOW });
    await bench.node("shop.report:summary").waitFor({ timeout: SLOW });
    await bench.see('.tab:has-text("shop.orders:Order.total")');
    await bench.shot("reloaded-light");
  });
}

async function walkthrough() {
  await test("light: the walkthrough opens, and its steps say what to do", async () => {
    await bench.command("Welcome: Open Walkthrough");
    await bench.choose("Get Started with graphls");
    const steps = bench.page.locator(".gettingStartedContainer .getting-started-step");
    await steps.filter({ hasText: "Gather what a task needs" }).waitFor();
    assert.equal(await steps.count(), 4);
    await bench.see('.gettingStartedContainer :text("Create an Environment")');
    await bench.view.locator(':text("Which server is started")').first().waitFor({ timeout: SLOW });
    await bench.shot("walkthrough-light");
  });
}

/** Answers nothing to its client while there is a file, and says its version all the same. */
function hangs() {
  writeFileSync(silent, "");
  writeFileSync(
    slow,
    `#!/bin/sh\ncase "$*" in *serve*) [ -e "${silent}" ] && exec tail -f /dev/null ;; esac\nexec "${graphls}" "$@"\n`,
  );
  chmodSync(slow, 0o755);
}

async function hanging() {
  await test("a server that does not answer is said, and Restart starts another one", async () => {
    await bench.file("orders.py");
    await bench.see('.statusbar-item:has-text("graphls")');
    const words = bench.page.locator('.notification-toast:has-text("has not answered")');
    await words.waitFor({ timeout: SLOW });
    await bench.shot("silent");
    rmSync(silent);
    await bench.click(words.locator('a:has-text("Restart")'));
    await bench.see(READY);
    assert.match(bench.log(), /given up before it answered/);
  });
}

async function contrast() {
  await test("high contrast: the graph keeps its lines, and so does the map", async () => {
    await bench.file("orders.py");
    await bench.see(READY);
    await bench.line(12, 9);
    await bench.command("graphls: Show Graph Around Symbol");
    await bench.node("shop.report:line").waitFor({ timeout: SLOW });
    await bench.shot("graph-contrast");
    assert.deepEqual(await bench.contrasts(), []);
    await bench.command("graphls: Show Map of Packages");
    await bench.view.locator('[data-pack="shop/orders"]').waitFor({ timeout: SLOW });
    await bench.shot("map-contrast");
    assert.deepEqual(await bench.contrasts(), []);
  });
  await test("high contrast on white: the map and the graph keep their lines", async () => {
    await bench.command("Preferences: Toggle between Light/Dark Themes");
    await bench.view.locator("body.vscode-high-contrast-light").waitFor({ timeout: SLOW });
    await bench.shot("map-contrast-light");
    assert.deepEqual(await bench.contrasts(), []);
    await bench.command("graphls: Show Graph Around Symbol");
    await bench.node("shop.report:line").waitFor({ timeout: SLOW });
    await bench.shot("graph-contrast-light");
    assert.deepEqual(await bench.contrasts(), []);
  });
}

/** The workspace asks for a server of its own, which leaves a trace when it is run. */
function namesItsOwnServer(folder) {
  const own = path.join(folder, "server.sh");
  writeFileSync(own, `#!/bin/sh\ntouch "${folder}/was-run"\nexec "${graphls}" "$@"\n`);
  chmodSync(own, 0o755);
  mkdirSync(path.join(folder, ".vscode"));
  writeFileSync(path.join(folder, ".vscode/settings.json"), JSON.stringify({ "graphls.path": own }));
}

async function restricted() {
  const ran = () => existsSync(path.join(bench.folder, "was-run"));

  await test("restricted mode: the user's server reads the workspace, what the workspace names is not run", async () => {
    await bench.file("orders.py");
    await bench.see('.statusbar-item:has-text("Restricted Mode")');
    await bench.see(READY);
    await bench.hover("total", "Called by 2 callers");
    assert.equal(ran(), false);
    await bench.shot("restricted");
    await bench.leave();
  });

  await test("restricted mode: with trust, the settings of the workspace count", async () => {
    await bench.command("Workspaces: Manage Workspace Trust");
    await bench.click(bench.page.locator('.workspace-trust-editor a.monaco-button:has-text("Trust")').first());
    await bench.until("the server that the workspace names is run", ran);
    await bench.see(READY);
  });
}

function besideIt(folder) {
  const depot = path.join(folder, "../depot");
  mkdirSync(depot);
  writeFileSync(path.join(depot, "pyproject.toml"), '[project]\nname = "depot"\n');
  const script = "function price() {\n  return 1;\n}\n\nfunction label() {\n  return price();\n}\n";
  writeFileSync(
    path.join(depot, "Card.vue"),
    `<template><b>{{ label() }}</b></template>\n\n<script setup>\n${script}</script>\n`,
  );
  // A setting of this folder alone; what it leaves out calls the shelf as well.
  for (const name of [".vscode", "gen"]) mkdirSync(path.join(depot, name));
  const own = { "graphls.files.exclude": ["gen/"], "graphls.files.maxBytes": 1000 };
  writeFileSync(path.join(depot, ".vscode/settings.json"), JSON.stringify(own));
  writeFileSync(
    path.join(depot, "large.py"),
    `from shelf import shelf\n\n\ndef large() -> int:\n    return shelf()\n${"# much\n".repeat(200)}`,
  );
  writeFileSync(
    path.join(depot, "gen/made.py"),
    "from shelf import shelf\n\n\ndef made() -> int:\n    return shelf()\n",
  );
  writeFileSync(
    path.join(depot, "shelf.py"),
    "def shelf() -> int:\n    return 1\n\n\ndef room() -> int:\n    return shelf()\n",
  );
}

async function folders() {
  await test("a component file has lenses, though no extension gives it a language", async () => {
    await bench.file("Card.vue");
    await bench.see(READY);
    await bench.page.locator('.codelens-decoration a:has-text("1 caller")').first().waitFor({ timeout: SLOW });
    await bench.shot("component");
  });

  await test("several folders: one server knows all of them, with settings of one alone", async () => {
    await bench.file("shelf.py");
    await bench.see(READY);
    await bench.page.locator('.codelens-decoration a:has-text("1 caller")').first().waitFor({ timeout: SLOW });
    await bench.line(1, 6);
    await bench.command("graphls: Show Graph Around Symbol");
    await bench.node("shelf:room").waitFor({ timeout: SLOW });
    await bench.file("orders.py");
    await bench.page.locator('.codelens-decoration a:has-text("2 callers")').first().waitFor({ timeout: SLOW });
    assert.equal(bench.servers().length, 1);
    await bench.shot("folders");
  });
}

/** A search path with a Python and without graphls. */
function onlyPython() {
  const folder = path.join(path.dirname(vsix), "only-python");
  mkdirSync(folder);
  const python = path.join(folder, "python3");
  writeFileSync(python, `#!/bin/sh\nexec "${process.env.BASE_PYTHON ?? "/usr/bin/python3"}" "$@"\n`);
  chmodSync(python, 0o755);
  return `${folder}:/usr/bin:/bin`;
}

async function missing() {
  await test("without a server: a message with what to do, and no crash", async () => {
    await bench.file("orders.py");
    await bench.see('.notification-toast:has-text("no server was found")');
    await bench.see('.notification-toast a:has-text("Create Environment")');
    await bench.see('.statusbar-item:has-text("graphls missing")');
    assert.match(bench.log(), /no server from the search path: there is none/);
    await bench.shot("missing");
  });

  await test("without a server: the extension makes an environment of its own, and starts what it put there", async () => {
    await bench.click(bench.page.locator('.notification-toast a:has-text("Create Environment")'));
    await bench.see('.notification-toast:has-text("installing the server")');
    await bench.shot("installing");
    await bench.see(READY, 600_000);
    await bench.hover("total", "Called by 2 callers");
  });

  await test("an environment that works outlives an installation that fails", async () => {
    const [before] = bench.servers();
    bench.spoilWheel();
    await bench.command("graphls: Create an Environment for the Server");
    await bench.see('.notification-toast:has-text("could not be installed")');
    await bench.command("graphls: Restart Server");
    await bench.until("the server ended", () => !bench.servers().includes(before));
    await bench.see(READY);
  });
}
