// Workbench: a real VS Code in a headless browser, with the packaged extension, on a copy of the sample workspace.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { contrasts } from "../contrast.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
export const repository = path.join(here, "../../..");
const { chromium } = createRequire(path.join(repository, "editors/vscode/package.json"))("playwright-core");
/** So long a busy machine may take for anything. */
export const SLOW = 180_000;

const SETTINGS = {
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "workbench.enableExperiments": false,
  "git.enabled": false,
  "chat.disableAIFeatures": true,
  "window.commandCenter": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "editor.hover.delay": 100,
  "editor.minimap.enabled": false,
  "files.autoSave": "off",
};

const MACHINE_SETTINGS = {
  // What a checker settles comes when it comes; the tests are about what is always there.
  "graphls.checker.enabled": false,
};

function answers(url) {
  return new Promise((resolve) => {
    http.get(url, (answer) => resolve(answer.resume().statusCode === 200)).on("error", () => resolve(false));
  });
}

/** None that a workbench before this one may still listen on. */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer().on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const only = (from, keys) => Object.fromEntries(keys.map((key) => [key, from[key]]));
const without = (from, keys) => Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));

/** Runs in the page. */
function middle(element) {
  const box = element.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return element.contains(document.elementFromPoint(x, y)) ? { x, y } : undefined;
}

export class Workbench {
  /** `prepare` may write into the copy of the sample; `more` are names of folders beside it that are opened too. */
  static async open({
    codeServer,
    node,
    vsix,
    shots,
    settings = {},
    environment = {},
    trusted = true,
    prepare,
    more = [],
    sample = path.join(repository, "tests/editors/data/shop"),
  }) {
    const one = new Workbench();
    one.shots = shots;
    one.root = mkdtempSync(path.join(tmpdir(), "graphls-code-"));
    one.folder = path.join(one.root, "shop");
    cpSync(sample, one.folder, { recursive: true, filter: (from) => path.basename(from) !== ".git" });
    prepare?.(one.folder);
    const data = path.join(one.root, "data");
    const trust = { "security.workspace.trust.enabled": !trusted, "security.workspace.trust.startupPrompt": "never" };
    const chosen = { ...SETTINGS, ...trust, ...settings };
    // A browser is a remote window: there the user's own file says nothing about settings of the machine. What it says
    // of them counts only while the extension is not known yet, by chance.
    const machine = Object.keys(chosen).filter((key) => key.startsWith("graphls."));
    one.data = data;
    one.write("User/settings.json", without(chosen, machine));
    one.write("Machine/settings.json", { ...MACHINE_SETTINGS, ...only(chosen, machine) });
    const env = { ...process.env, HOME: one.root, XDG_CONFIG_HOME: one.root, XDG_DATA_HOME: one.root, ...environment };
    const args = ["--user-data-dir", data, "--extensions-dir", `${one.root}/ext`, "--config", `${one.root}/c.yaml`];
    execFileSync(node, [codeServer, ...args, "--install-extension", vsix], { env, stdio: "pipe" });
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const serving = ["--auth", "none", "--bind-addr", address, "--disable-telemetry", "--disable-update-check"];
    const trusting = trusted ? ["--disable-workspace-trust"] : [];
    one.server = spawn(node, [codeServer, ...args, ...serving, ...trusting, "--disable-getting-started-override"], {
      env,
      stdio: "ignore",
      detached: true,
    });
    try {
      await one.begin(address, more);
    } catch (problem) {
      await one.close();
      throw problem;
    }
    return one;
  }

  async begin(address, more) {
    for (const end = Date.now() + SLOW; !(await answers(`http://${address}/healthz`)); ) {
      if (this.server.exitCode !== null) throw new Error(`code-server ended with ${this.server.exitCode}`);
      if (Date.now() > end) throw new Error("code-server does not answer");
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    this.browser = await chromium.launchPersistentContext(path.join(this.root, "chrome"), {
      executablePath: "/usr/bin/chromium",
      headless: true,
      viewport: { width: 1440, height: 900 },
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
    });
    this.page = this.browser.pages()[0] ?? (await this.browser.newPage());
    this.page.setDefaultTimeout(SLOW);
    await this.page.goto(`http://${address}/?${this.opening(more)}`);
    await this.page.waitForSelector(".monaco-workbench", { timeout: SLOW });
  }

  write(name, settings) {
    const file = path.join(this.data, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(settings));
  }

  /** What the extension wrote into its log, the last lines of it. */
  log(lines = 40) {
    const logs = path.join(this.data, "logs");
    const names = existsSync(logs) ? readdirSync(logs, { recursive: true }) : [];
    const own = names.filter((name) => name.endsWith("graphls.log")).sort();
    const text = own.map((name) => readFileSync(path.join(logs, name), "utf8")).join("");
    return text.trimEnd().split("\n").slice(-lines).join("\n");
  }

  opening(more) {
    if (!more.length) return `folder=${encodeURIComponent(this.folder)}`;
    const file = path.join(this.root, "all.code-workspace");
    const folders = [this.folder, ...more.map((name) => path.join(this.root, name))];
    writeFileSync(file, JSON.stringify({ folders: folders.map((folder) => ({ path: folder })) }));
    return `workspace=${encodeURIComponent(file)}`;
  }

  async close() {
    await this.browser?.close();
    const ended = new Promise((resolve) => this.server.once("exit", resolve));
    for (const signal of ["SIGTERM", "SIGKILL"]) {
      if (this.server.exitCode !== null || this.server.signalCode !== null) break;
      try {
        process.kill(-this.server.pid, signal);
      } catch {
        break; // It has ended already.
      }
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10_000))]);
    }
    try {
      rmSync(this.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    } catch (problem) {
      console.log(`left behind: ${problem.message}`);
    }
  }

  /** Which processes of ours are servers; only those below this workbench. */
  servers() {
    const listed = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
    const rows = listed.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter(Boolean);
    const below = new Set([this.server.pid]);
    for (let grown = true; grown; ) {
      const before = below.size;
      for (const [, pid, parent] of rows) if (below.has(Number(parent))) below.add(Number(pid));
      grown = below.size > before;
    }
    return rows
      .filter(([, pid, , args]) => below.has(Number(pid)) && / serve( |$)/.test(args))
      .map(([, pid]) => Number(pid));
  }

  /** What came with the extension is no wheel any more. */
  spoilWheel() {
    const inside = readdirSync(`${this.root}/ext`, { recursive: true });
    const wheel = inside.find((name) => name.endsWith(".whl"));
    writeFileSync(path.join(this.root, "ext", wheel), "no wheel");
  }

  kill() {
    for (const server of this.servers()) {
      try {
        process.kill(server, "SIGKILL");
      } catch {
        // It has ended already.
      }
    }
  }

  /** Lenses that arrive move the text from under the pointer: then it is pointed at again. */
  async hover(text, words) {
    const shown = `.monaco-hover:has-text("${words}")`;
    const target = this.page.locator(`.view-line span:text-is("${text}")`).first();
    for (const end = Date.now() + SLOW; ; ) {
      await this.leave();
      await this.point(target);
      try {
        return await this.see(shown, 6_000);
      } catch (problem) {
        if (Date.now() > end) throw problem;
      }
    }
  }

  /** The pointer goes where it covers nothing, and what it had called up is gone: that stays for a moment. */
  async leave() {
    await this.page.mouse.move(700, 850);
    await this.page.locator(".monaco-hover:visible").first().waitFor({ state: "hidden", timeout: SLOW });
  }

  see(selector, timeout = SLOW) {
    return this.page.waitForSelector(selector, { timeout });
  }

  /**
   * The middle of an element, as soon as that is at rest and nothing lies over it. The library's own click scrolls what
   * something lies over, each time to another place: it takes lines of an editor below the header that sticks, for ever.
   */
  async spot(target) {
    let spot;
    let last;
    const found = async () => {
      last = spot;
      spot = await target.evaluate(middle, undefined, { timeout: 5_000 }).catch(() => undefined);
      return spot && last && spot.x === last.x && spot.y === last.y;
    };
    await this.until(`nothing lies over ${target}`, found);
    return spot;
  }

  async point(target) {
    const { x, y } = await this.spot(target);
    await this.page.mouse.move(x, y);
  }

  async click(target) {
    const { x, y } = await this.spot(target);
    await this.page.mouse.click(x, y);
  }

  /** A click that met what was being drawn anew did nothing: another one then. */
  async clickToSee(target, selector) {
    for (const end = Date.now() + SLOW; ; ) {
      await this.click(target);
      try {
        return await this.see(selector, 10_000);
      } catch (problem) {
        if (Date.now() > end) throw problem;
      }
    }
  }

  /** What fades in has a moment for it. */
  async shot(name) {
    await this.page.waitForTimeout(400);
    await this.page.screenshot({ path: path.join(this.shots, `${name}.png`) });
  }

  async file(name) {
    await this.page.keyboard.press("Control+1");
    await this.pick("Control+P", name);
    await this.editing(name);
  }

  /** An editor takes the focus after its tab: letters meant for a question would go into its text until then. */
  async editing(name) {
    await this.see(`.tab.active:has-text("${name}")`);
    await this.see(".monaco-editor.focused .view-lines");
  }

  async line(number, column = 1) {
    await this.offered("Control+G", `${number}:${column}`, `.quick-input-list:has-text("line ${number}")`);
    await this.page.keyboard.press("Enter");
    await this.see(`.statusbar-item:has-text("Ln ${number},")`);
  }

  command(title) {
    return this.pick("F1", title);
  }

  /** The row of that name, among those that a key offers. */
  async pick(key, name) {
    await this.offered(key, name, `.quick-input-list .monaco-list-row.focused:has-text("${name}")`);
    await this.page.keyboard.press("Enter");
  }

  /** A key that comes while the editor is busy, and letters typed before the input has the focus, are lost: anew then. */
  async offered(key, text, row, attempts = 12) {
    for (let left = attempts - 1; ; left -= 1) {
      try {
        await this.page.keyboard.press(key);
        await this.see(".quick-input-widget input:focus", 8_000);
        await this.page.keyboard.type(text);
        return await this.see(row, 8_000);
      } catch (problem) {
        if (left === 0) throw problem;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async choose(text) {
    await this.click(this.page.locator(`.quick-input-list .monaco-list-row:has-text("${text}")`).first());
  }

  /** `asked`: words of the question, so that an answer does not go to the one before it. */
  async type(asked, text) {
    await this.see(`.quick-input-widget:has-text("${asked}") input:focus`);
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Enter");
  }

  /** Waits for what the page does not show. */
  async until(what, holds, timeout = SLOW) {
    for (const end = Date.now() + timeout; !(await holds()); ) {
      if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
      await this.page.waitForTimeout(100);
    }
  }

  /** What of the view stands out too little from what is below it. */
  contrasts() {
    return this.view.locator("body").evaluate(contrasts);
  }

  get view() {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }

  node(symbol) {
    return this.view.locator(`[data-symbol="${symbol}"]`);
  }
}
