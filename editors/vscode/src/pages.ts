// Pages: answers as text in an editor: context packs and exports.

import * as vscode from "vscode";
import { ask, Refusal } from "./asking";
import type { Life } from "./life";
import type { Exported, Pack } from "./wire";

export const SCHEME = "graphls";
const MOST_PAGES = 20;
const BUDGETS = [2000, 4000, 8000, 16_000, 32_000];

export class Pages implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private number = 0;

  constructor(private readonly life: Life) {}

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  private async show(name: string, text: string, language: string): Promise<void> {
    this.number += 1;
    const path = `/${this.number}/${name}`;
    this.texts.set(path, text);
    for (const old of [...this.texts.keys()].slice(0, -MOST_PAGES)) this.texts.delete(old);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: SCHEME, path }));
    await vscode.languages.setTextDocumentLanguage(document, language).then(undefined, () => undefined);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  async pack(): Promise<void> {
    const task = await vscode.window.showInputBox({
      title: "Context Pack",
      prompt: "What is the task? Names of symbols and files help.",
      ignoreFocusOut: true,
    });
    if (!task) return;
    const budget = await chooseBudget();
    if (budget === undefined) return;
    const options = { location: vscode.ProgressLocation.Window, title: "graphls: gathering code" };
    const answer = await vscode.window.withProgress(options, () =>
      ask<Pack>(this.life, "graph/contextPack", { task, budget, format: "markdown" }),
    );
    await this.show("pack.md", answer.text ?? JSON.stringify(answer.pack, null, 2), "markdown");
    void vscode.window.showInformationMessage(`graphls: ${counted(answer)}.`, "Copy").then((chosen) => {
      if (chosen) void vscode.env.clipboard.writeText(answer.text ?? "");
    });
  }

  async copy(): Promise<void> {
    const text = vscode.window.activeTextEditor?.document.getText();
    if (!text) return;
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage("Copied", 2000);
  }

  async export(): Promise<void> {
    const formats = ["mermaid", "svg", "dot", "graphml", "compact", "jsonl", "json"];
    const format = await vscode.window.showQuickPick(formats, { placeHolder: "Format of the export" });
    if (!format) return;
    const prompt = "File in the workspace; empty: show it in an editor";
    const destination = await vscode.window.showInputBox({ title: "Export", prompt });
    if (destination === undefined) return;
    const answer = await this.exported({ format, ...(destination && { destination }) });
    const { nodes, edges } = answer.counts;
    if (answer.content !== undefined) await this.show(`graph.${format}`, answer.content, format);
    const where = answer.destination ? ` in ${answer.destination}` : "";
    const cut = answer.truncated ? " It is cut: choose a file for all of it." : "";
    void vscode.window.showInformationMessage(`graphls: ${nodes} nodes, ${edges} edges${where}.${cut}`);
  }

  /** A checked export is refused where code does not parse; then the user decides. */
  private async exported(params: object): Promise<Exported> {
    try {
      return await ask<Exported>(this.life, "graph/export", params);
    } catch (problem) {
      if (!(problem instanceof Refusal) || problem.code !== "graphls.degraded") throw problem;
      const chosen = await vscode.window.showWarningMessage(`graphls: ${problem.message}`, "Export Anyway");
      if (!chosen) throw new vscode.CancellationError();
      return ask<Exported>(this.life, "graph/export", { ...params, mode: "allow-errors" });
    }
  }
}

/** What the text says of itself: its headings cost tokens too, and what does not fit with them is not in it. */
function counted(answer: Pack): string {
  const said = /\d+ declarations?, \d+ of \d+ tokens, \d+ left out/.exec(answer.text ?? "");
  return said?.[0] ?? `${answer.pack.items.length} declarations`;
}

async function chooseBudget(): Promise<number | undefined> {
  const usual = vscode.workspace.getConfiguration("graphls").get("pack.budget", 8000);
  const budgets = [usual, ...BUDGETS.filter((budget) => budget !== usual)];
  const items = budgets.map((budget, index) => ({
    label: `${budget} tokens`,
    budget,
    description: index === 0 ? "as set" : "",
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "How much may it cost?" }))?.budget;
}
