// Changes view: what the edits since the last commit touch, and what they may reach.

import * as vscode from "vscode";
import { caveats, type Picture } from "../view/model";
import { ask } from "./asking";
import { opening } from "./findingsView";
import type { Life } from "./life";
import { changesPicture, MOST_LINKS, PARTED } from "./pictures";
import type { Affected, ChangedImpact, WireNode } from "./wire";

interface Group {
  title: string;
  rows: Row[];
}

interface Row {
  node?: WireNode;
  label: string;
  detail: string;
}

const CHOICES = [
  { label: "Everything since the last commit", changes: "all" },
  { label: "What is not staged", changes: "unstaged" },
  { label: "What is staged", changes: "staged" },
  { label: "What is not saved", changes: "unsaved" },
  { label: "Compared with a branch, tag or commit…", changes: "compare" },
  { label: "A pull request: since this branch left another…", changes: "parted" },
] as const;

export class ChangesView implements vscode.TreeDataProvider<Group | Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view = vscode.window.createTreeView("graphls.changes", { treeDataProvider: this });
  private groups: Group[] = [];

  constructor(private readonly life: Life) {}

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }

  /** `draw`: shows a picture of the same answer. */
  async run(draw: (picture: Picture) => Promise<void>): Promise<void> {
    const chosen = await vscode.window.showQuickPick(CHOICES, { placeHolder: "Which changes?" });
    if (!chosen) return;
    const base = await baseOf(chosen.changes);
    if (base === undefined) return;
    const changes = chosen.changes === "parted" ? "compare" : chosen.changes;
    const params = { changes, base, links: MOST_LINKS };
    const answer = await ask<ChangedImpact>(this.life, "graph/changedImpact", params);
    this.groups = groups(answer);
    const empty = answer.nodes.length || answer.removed.length ? [] : ["These changes touch no symbol of the graph."];
    this.view.message = [...empty, ...caveats(answer)].join("\n");
    this.changes.fire();
    await vscode.commands.executeCommand("graphls.changes.focus");
    if (answer.nodes.length || answer.links?.length) await draw(changesPicture(answer, changes, base));
  }

  getChildren(element?: Group | Row): (Group | Row)[] {
    if (!element) return this.groups;
    return "rows" in element ? element.rows : [];
  }

  getTreeItem(element: Group | Row): vscode.TreeItem {
    if ("rows" in element) {
      const item = new vscode.TreeItem(element.title, vscode.TreeItemCollapsibleState.Expanded);
      item.description = String(element.rows.length);
      return item;
    }
    const item = new vscode.TreeItem(element.label);
    item.description = element.detail;
    item.tooltip = `${element.node?.symbol ?? element.label}\n${element.detail}`;
    const { uri, range } = element.node ?? {};
    if (uri && range) item.command = opening({ uri, range });
    return item;
  }
}

/** What is compared with; undefined: the user chose nothing. */
async function baseOf(changes: (typeof CHOICES)[number]["changes"]): Promise<string | undefined> {
  if (changes !== "compare" && changes !== "parted") return "";
  const parted = changes === "parted";
  const prompt = parted ? "The branch that the pull request goes into" : "Branch, tag or commit";
  const base = (await vscode.window.showInputBox({ prompt, ...(parted && { value: "main" }) }))?.trim();
  return base ? `${base}${parted ? PARTED : ""}` : undefined;
}

function groups(answer: ChangedImpact): Group[] {
  const changed = answer.nodes.map(({ node, lines, added }) =>
    row(node, added ? "added" : `${lines} line${lines === 1 ? "" : "s"}`),
  );
  const gone = answer.removed.map((one) => ({
    label: one.name,
    detail: `removed from ${one.file}${one.mentions ? `, still spelled ${one.mentions} times` : ""}`,
  }));
  const code = answer.affected.filter((one) => !one.test);
  const tests = answer.affected.filter((one) => one.test);
  const depths = [...new Set(code.map((one) => one.depth))].sort((one, other) => one - other);
  const reached = depths.map((depth) => ({
    title: depth === 1 ? "One step away" : `${depth} steps away`,
    rows: code.filter((one) => one.depth === depth).map(affected),
  }));
  const unread = answer.files.flatMap(({ file, reason }) => (reason ? [{ label: file, detail: reason }] : []));
  const all = [
    { title: "Changed", rows: [...changed, ...gone] },
    { title: "Tests", rows: tests.map(affected) },
    ...reached,
    { title: "Files without symbols", rows: unread },
  ];
  return all.filter((group) => group.rows.length);
}

function affected(one: Affected): Row {
  return row(
    one.node,
    one.confidence < 1 ? `${one.via} ~${String(Number(one.confidence.toFixed(2))).replace(/^0/, "")}` : one.via,
  );
}

function row(node: WireNode, detail: string): Row {
  const label = node.symbol.split(":").at(-1) ?? node.symbol;
  const module = node.symbol.includes(":") ? node.symbol.slice(0, -label.length - 1) : "";
  return { node, label, detail: [node.subkind ?? node.kind, detail, module].filter(Boolean).join(" · ") };
}
