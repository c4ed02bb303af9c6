// Findings view: what the rules say, by rule, with evidence; suppressing and keeping in the baseline.

import * as vscode from "vscode";
import {
  type CodeAction,
  CodeActionRequest,
  CodeActionResolveRequest,
  type Location,
} from "vscode-languageclient/node";
import { caveats } from "../view/model";
import { ask, Refusal } from "./asking";
import type { Life } from "./life";
import type { Finding, Findings } from "./wire";

interface Rule {
  rule: string;
  findings: Finding[];
}

interface Evidence {
  finding: Finding;
  index: number;
}

export type Element = Rule | Finding | Evidence;

const ICONS = { P1: "error", P2: "warning", P3: "info", info: "info" } as const;
const PAUSE = 1500;

const isRule = (element: Element): element is Rule => "findings" in element;
const isEvidence = (element: Element): element is Evidence => "index" in element;

export class FindingsView implements vscode.TreeDataProvider<Element>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Element>;
  private readonly heard: vscode.Disposable[];
  private rules: Rule[] = [];
  private timer: NodeJS.Timeout | undefined;
  private stale = true;
  private shown = "";

  constructor(private readonly life: Life) {
    this.view = vscode.window.createTreeView("graphls.findings", { treeDataProvider: this, showCollapseAll: true });
    this.heard = [
      life.onGraph(() => this.later()),
      life.onPhase((phase) => phase === "running" && this.later()),
      this.view.onDidChangeVisibility(({ visible }) => visible && this.stale && this.later(0)),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of [...this.heard, this.view, this.changes]) one.dispose();
  }

  /** Rules look at the whole workspace: they are asked after a pause, and only when someone looks. */
  private later(pause = PAUSE): void {
    this.stale = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.view.visible && void this.refresh().catch(() => undefined), pause);
  }

  async refresh(): Promise<void> {
    const answer = await ask<Findings>(this.life, "graph/findings", {});
    this.stale = false;
    const count = answer.findings.length;
    const failed = answer.failures.length ? [`Could not finish: ${answer.failures.join(", ")}.`] : [];
    const left = answer.filesLeftOut ? [`Generated or vendored files left out: ${answer.filesLeftOut}.`] : [];
    this.view.message = [...(count ? [] : ["No findings."]), ...failed, ...left, ...caveats(answer)].join("\n");
    // Whoever is about to choose from a list that is made anew in that moment chooses nothing.
    const shown = JSON.stringify(answer.findings);
    if (shown === this.shown) return;
    this.shown = shown;
    const rules = new Map<string, Finding[]>();
    for (const one of answer.findings) rules.set(one.rule, [...(rules.get(one.rule) ?? []), one]);
    this.rules = [...rules].map(([rule, findings]) => ({ rule, findings }));
    this.view.badge = count ? { value: count, tooltip: `${count} finding${count === 1 ? "" : "s"}` } : undefined;
    this.changes.fire();
  }

  getChildren(element?: Element): Element[] {
    if (!element) return this.rules;
    if (isRule(element)) return element.findings;
    return isEvidence(element) ? [] : element.evidence.map((_, index) => ({ finding: element, index }));
  }

  getTreeItem(element: Element): vscode.TreeItem {
    if (isRule(element)) return ruleItem(element);
    return isEvidence(element) ? evidenceItem(element) : findingItem(element);
  }

  /** Run the server's own code action for a finding: the edit is the server's. */
  async act(finding: Finding | undefined, wanted: RegExp): Promise<void> {
    // VS Code knows no element for a row that it still shows while it reads a new list.
    if (!finding) throw new Refusal("The list of findings has just changed. Choose again.");
    const at = finding.evidence[0]?.location;
    if (!at) throw new Refusal("The finding has no place.");
    await this.actAt(finding.id, at, wanted);
  }

  /** The same for a finding by its id and a place where it shows. */
  async actAt(id: string, at: Location, wanted: RegExp): Promise<void> {
    const { client } = this.life;
    if (!client) throw new Refusal("The server does not run.");
    const params = { textDocument: { uri: at.uri }, range: at.range, context: { diagnostics: [] } };
    const offered = ((await client.sendRequest(CodeActionRequest.type, params)) ?? []) as CodeAction[];
    const action = offered.find((one) => wanted.test(one.title) && findingOf(one) === id);
    if (!action) throw new Refusal("The finding is no longer there.");
    const resolved = await client.sendRequest(CodeActionResolveRequest.type, action);
    if (wanted === SUPPRESS && !(await withReason(resolved))) return;
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(resolved.edit);
    if (!edit || !(await vscode.workspace.applyEdit(edit))) throw new Refusal("The edit could not be made.");
    if (wanted === BASELINE) {
      for (const [uri] of edit.entries()) await (await vscode.workspace.openTextDocument(uri)).save();
    }
    this.later();
  }
}

/** Puts the user's reason where the server writes the word; false: there is none, and nothing is to be done. */
async function withReason(action: CodeAction): Promise<boolean> {
  const reason = await vscode.window.showInputBox({
    prompt: "Why is this ignored? The comment will say so.",
    validateInput: (text) => (text.trim() ? undefined : "Somebody will read it: a few words are enough."),
  });
  if (!reason?.trim()) return false;
  for (const change of action.edit?.documentChanges ?? []) {
    for (const one of "edits" in change ? change.edits : []) {
      if ("newText" in one)
        one.newText = one.newText.replace(/(graphls: ignore\[[^\]]*\]) reason/, `$1 ${reason.trim()}`);
    }
  }
  return true;
}

export const SUPPRESS = /^Ignore /;
/** The command behind such an action where the editor offers it. */
export const IGNORE = "graphls.ignoreHere";
export const BASELINE = /baseline/;

/** The finding that a code action of the server is about. */
export function findingOf(action: object): string | undefined {
  return (action as { data?: { finding?: string } }).data?.finding;
}

function ruleItem({ rule, findings }: Rule): vscode.TreeItem {
  const item = new vscode.TreeItem(rule, vscode.TreeItemCollapsibleState.Expanded);
  item.description = String(findings.length);
  return item;
}

function findingItem(finding: Finding): vscode.TreeItem {
  const item = new vscode.TreeItem(finding.title, vscode.TreeItemCollapsibleState.Collapsed);
  const at = finding.evidence[0]?.location;
  item.id = finding.id;
  item.contextValue = "finding";
  item.iconPath = new vscode.ThemeIcon(ICONS[finding.priority]);
  item.description = at ? place(at) : "";
  const suggestions = finding.suggestions.map((text) => `- ${text}`).join("\n");
  const words = new vscode.MarkdownString();
  words.appendMarkdown(`**${finding.priority}** `);
  words.appendText(`${finding.title}\n${finding.pressure}\n${suggestions}`);
  item.tooltip = words;
  if (at) item.command = opening(at);
  return item;
}

function evidenceItem({ finding, index }: Evidence): vscode.TreeItem {
  const evidence = finding.evidence[index];
  const item = new vscode.TreeItem(evidence?.note || "evidence");
  if (evidence) {
    item.description = place(evidence.location);
    item.command = opening(evidence.location);
  }
  return item;
}

interface Place {
  uri: string;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
}

export function place(at: Place): string {
  return `${vscode.workspace.asRelativePath(vscode.Uri.parse(at.uri), false)}:${at.range.start.line + 1}`;
}

export function opening(at: Place): vscode.Command {
  const { start, end } = at.range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  return { command: "vscode.open", title: "Open", arguments: [vscode.Uri.parse(at.uri), { selection }] };
}
