// Graph panel: the view in a webview, and its messages.
//
// Invariant: the page loads nothing but the two files of the extension; what it asks to open is a file of the answer.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { FromEditor, ToEditor } from "../view/hosts";
import type { Picture, Spot } from "../view/model";
import { here, told } from "./asking";
import type { Life } from "./life";
import { answered, neighborhood } from "./pictures";

export const VIEW = "graphls.graph";
const PAUSE = 300;
/** An answer that takes longer gets a panel that says so. */
const PATIENCE = 500;

export class GraphPanel implements vscode.Disposable, vscode.WebviewPanelSerializer {
  private panel: vscode.WebviewPanel | undefined;
  private waiting: FromEditor | undefined;
  private ready = false;
  private following: vscode.Disposable | undefined;
  private timer: NodeJS.Timeout | undefined;
  private root: string | null | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly life: Life,
  ) {
    life.onGraph(({ revision, files, truncated }) => {
      // The first one names no files: all is new.
      const named = files?.length && !truncated ? files : null;
      if (this.ready) void this.post({ type: "news", revision, files: named });
    });
  }

  /** The panel of a window that was loaded again: the view asks for what it showed. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.panel?.dispose();
    this.panel = this.furnished(panel);
  }

  /** A picture that is asked for now. A panel that was opened to wait for it says what went wrong. */
  async show(asked: Promise<Picture>): Promise<void> {
    let waited = false;
    const timer = setTimeout(() => {
      waited = !this.panel;
      if (waited) this.send({ type: "busy" });
    }, PATIENCE);
    try {
      const picture = await asked;
      this.opened().title = picture.title;
      this.push(picture);
    } catch (problem) {
      const words = problem instanceof Error ? problem.message : String(problem);
      if (waited) this.send({ type: "problem", message: words });
      throw problem;
    } finally {
      clearTimeout(timer);
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private push(picture: Picture): void {
    this.root = picture.root;
    this.send({ type: "picture", picture });
  }

  private opened(): vscode.WebviewPanel {
    this.panel ??= this.made();
    this.panel.reveal(undefined, true);
    return this.panel;
  }

  private send(message: FromEditor): void {
    this.opened();
    if (this.ready) void this.post(message);
    else this.waiting = message;
  }

  private post(message: FromEditor): Thenable<boolean> {
    return this.panel?.webview.postMessage(message) ?? Promise.resolve(false);
  }

  private made(): vscode.WebviewPanel {
    const files = vscode.Uri.joinPath(this.extension, "dist");
    const at = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { enableScripts: true, localResourceRoots: [files], retainContextWhenHidden: true };
    return this.furnished(vscode.window.createWebviewPanel(VIEW, "Graph", at, options));
  }

  private furnished(panel: vscode.WebviewPanel): vscode.WebviewPanel {
    const files = vscode.Uri.joinPath(this.extension, "dist");
    panel.webview.options = { enableScripts: true, localResourceRoots: [files] };
    const icon = (shade: string): vscode.Uri => vscode.Uri.joinPath(this.extension, "media", `graph-${shade}.svg`);
    panel.iconPath = { light: icon("light"), dark: icon("dark") };
    panel.webview.onDidReceiveMessage(told((message: ToEditor) => this.heard(message)));
    panel.onDidDispose(() => {
      this.follow(false);
      this.panel = undefined;
      this.ready = false;
    });
    panel.webview.html = page(panel.webview, files);
    return panel;
  }

  private async heard(message: ToEditor): Promise<void> {
    switch (message.type) {
      case "ready":
        this.ready = true;
        if (this.waiting) await this.post(this.waiting);
        this.waiting = undefined;
        return;
      case "copy":
        await vscode.env.clipboard.writeText(message.text);
        vscode.window.setStatusBarMessage("Copied", 2000);
        return;
      case "ask":
        return this.answer(message);
      case "open":
        return open(message.spot);
      case "shown":
        if (this.panel) this.panel.title = message.title;
        this.root = message.root;
        return;
      case "follow":
        return this.follow(message.on);
      case "save":
        return save(message);
    }
  }

  private async answer(message: ToEditor & { type: "ask" }): Promise<void> {
    try {
      await this.life.ready();
      await this.post({ type: "answer", id: message.id, picture: await answered(this.life, message.question) });
    } catch (problem) {
      const words = problem instanceof Error ? problem.message : String(problem);
      await this.post({ type: "refusal", id: message.id, message: words });
    }
  }

  private follow(on: boolean): void {
    this.following?.dispose();
    clearTimeout(this.timer);
    this.following = on
      ? vscode.window.onDidChangeTextEditorSelection(() => {
          clearTimeout(this.timer);
          this.timer = setTimeout(() => void this.catchUp(), PAUSE);
        })
      : undefined;
    if (on) void this.catchUp();
  }

  /** The cursor may stand on nothing: then the picture stays. */
  private async catchUp(): Promise<void> {
    try {
      const picture = await neighborhood(this.life, here());
      if (this.panel && picture.root !== this.root) this.push(picture);
    } catch {
      // Nothing to follow.
    }
  }
}

function page(webview: vscode.Webview, files: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const at = (name: string): vscode.Uri => webview.asWebviewUri(vscode.Uri.joinPath(files, name));
  const policy = `default-src 'none'; img-src data:; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${at("view.css")}">
<title>Graph</title>
</head>
<body>
<div id="graphls"></div>
<script nonce="${nonce}" src="${at("view.js")}"></script>
</body>
</html>`;
}

async function open(spot: Spot): Promise<void> {
  if (!spot.uri) return;
  const start = new vscode.Position(Math.max(spot.line - 1, 0), Math.max(spot.column - 1, 0));
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(spot.uri));
  const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const viewColumn = visible?.viewColumn ?? vscode.ViewColumn.One;
  await vscode.window.showTextDocument(document, { viewColumn, selection: new vscode.Range(start, start) });
}

const FORMS: Readonly<Record<string, string>> = { svg: "SVG", png: "PNG", mmd: "Mermaid", dot: "DOT" };

async function save({ content, base64, name }: ToEditor & { type: "save" }): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const ending = name.split(".").at(-1) ?? "";
  const filters = { [FORMS[ending] ?? "File"]: [ending] };
  const options = { filters, ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }) };
  const target = await vscode.window.showSaveDialog(options);
  if (target) await vscode.workspace.fs.writeFile(target, Buffer.from(content, base64 ? "base64" : "utf8"));
}
