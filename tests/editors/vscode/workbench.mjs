// Workbench: a real VS Code in a headless browser, with the packaged extension, on a copy of the sample workspace.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
export const repository = path.join(here, "../../..");
const { chromium } = createRequire(path.join(repository, "editors/vscode/package.json"))("playwright-core");
const SLOW = 60_000;

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
  // What a checker settles comes when it comes; the tests are about what is always there.
  "graphls.checker.enabled": false,
};

function answers(url) {
  return new Promise((resolve) => {
    http.get(url, (answer) => resolve(answer.resume().statusCode === 200)).on("error", () => resolve(false));
  });
}

export class Workbench {
  /** `prepare` may write into the sample folder; `more` are names of folders beside it that are opened too. */
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
  }) {
    const one = new Workbench();
    one.shots = shots;
    one.root = mkdtempSync(path.join(tmpdir(), "graphls-code-"));
    one.folder = path.join(one.root, "shop");
    cpSync(path.join(repository, "tests/editors/data/shop"), one.folder, { recursive: true });
    prepare?.(one.folder);
    const data = path.join(one.root, "data");
    mkdirSync(path.join(data, "User"), { recursive: true });
    const trust = { "security.workspace.trust.enabled": !trusted, "security.workspace.trust.startupPrompt": "never" };
    writeFileSync(path.join(data, "User/settings.json"), JSON.stringify({ ...SETTINGS, ...trust, ...settings }));
    const env = { ...process.env, HOME: one.root, XDG_CONFIG_HOME: one.root, XDG_DATA_HOME: one.root, ...environment };
    const args = ["--user-data-dir", data, "--extensions-dir", `${one.root}/ext`, "--config", `${one.root}/c.yaml`];
    execFileSync(node, [codeServer, ...args, "--install-extension", vsix], { env, stdio: "pipe" });
    const port = 18_100 + (process.pid % 800);
    const serving = [
      "--auth",
      "none",
      "--bind-addr",
      `127.0.0.1:${port}`,
      "--disable-telemetry",
      "--disable-update-check",
    ];
    const trusting = trusted ? ["--disable-workspace-trust"] : [];
    one.server = spawn(node, [codeServer, ...args, ...serving, ...trusting, "--disable-getting-started-override"], {
      env,
      stdio: "ignore",
      detached: true,
    });
    for (let tries = 0; tries < 240 && !(await answers(`http://127.0.0.1:${port}/healthz`)); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    one.browser = await chromium.launchPersistentContext(path.join(one.root, "chrome"), {
      executablePath: "/usr/bin/chromium",
      headless: true,
      viewport: { width: 1440, height: 900 },
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
    });
    one.page = one.browser.pages()[0] ?? (await one.browser.newPage());
    await one.page.goto(`http://127.0.0.1:${port}/?${one.opening(more)}`);
    await one.page.waitForSelector(".monaco-workbench", { timeout: 90_000 });
    return one;
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
    try {
      process.kill(-this.server.pid, "SIGTERM");
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5_000))]);
    } catch {
      // It has ended already.
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

  /** Lenses that arrive move the text from under the pointer: then it is pointed at again. */
  async hover(text, words) {
    const shown = `.monaco-hover:has-text("${words}")`;
    for (const end = Date.now() + SLOW; ; ) {
      await this.page.mouse.move(700, 850);
      await this.page.locator(`.view-line span:text-is("${text}")`).first().hover();
      try {
        return await this.see(shown, 6_000);
      } catch (problem) {
        if (Date.now() > end) throw problem;
      }
    }
  }

  see(selector, timeout = SLOW) {
    return this.page.waitForSelector(selector, { timeout });
  }

  /** A click on what the editor draws anew now and then: a click that waits for the old one is given up. */
  async clickMoving(target, attempts = 8) {
    for (let left = attempts - 1; ; left -= 1) {
      try {
        return await target.click({ timeout: 5_000 });
      } catch (error) {
        if (left === 0) {
          throw error;
        }
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
    await this.page.keyboard.press("Control+P");
    await this.see(".quick-input-widget input");
    await this.page.keyboard.type(name);
    await this.see(`.quick-input-list .monaco-list-row.focused:has-text("${name}")`);
    await this.page.keyboard.press("Enter");
    await this.see(`.tab.active:has-text("${name}")`);
  }

  async line(number, column = 1) {
    await this.page.keyboard.press("Control+G");
    await this.see(".quick-input-widget input");
    await this.page.keyboard.type(`:${number}:${column}`.slice(1));
    await this.page.keyboard.press("Enter");
  }

  async command(title) {
    await this.page.keyboard.press("F1");
    await this.see(".quick-input-widget input");
    await this.page.keyboard.type(title);
    await this.see(`.quick-input-list .monaco-list-row.focused:has-text("${title}")`);
    await this.page.keyboard.press("Enter");
  }

  async choose(text) {
    await this.see(`.quick-input-list .monaco-list-row:has-text("${text}")`);
    await this.page.locator(`.quick-input-list .monaco-list-row:has-text("${text}")`).first().click();
  }

  async type(text) {
    await this.see(".quick-input-widget input");
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Enter");
  }

  get view() {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  }

  node(symbol) {
    return this.view.locator(`[data-symbol="${symbol}"]`);
  }
}
