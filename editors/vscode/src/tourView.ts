// Tour view: what to read first, and what the program is entered by: routes, tools, commands and jobs with their handlers.
//
// Invariant: rows keep the order of the answer; what an answer lacks stands above them.

import * as vscode from "vscode";
import { caveats, counted } from "../view/model";
import { ask } from "./asking";
import { opening } from "./findingsView";
import type { Life } from "./life";
import type { Entries, EntryRow, Tour, WireNode } from "./wire";

interface Group {
  title: string;
  rows: Row[];
}

interface Row {
  node: WireNode;
  label: string;
  detail: string;
  /** What handles an entry: opened by a click where it is one. */
  handlers: WireNode[];
}

const MOST_STOPS = 60;
const FIRST: Record<string, string> = {
  "entry point": "Where Runs Begin",
  "imported by many": "What Most Modules Import",
  "used by many": "What Most Files Use",
  "public name": "What Is Offered to Others",
};
const PLURALS: Record<string, string> = { process: "processes", query: "queries" };

const isGroup = (element: Group | Row): element is Group => "rows" in element;

export class TourView implements vscode.TreeDataProvider<Group | Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view = vscode.window.createTreeView("graphls.tour", {
    treeDataProvider: this,
    showCollapseAll: true,
  });
  private groups: Group[] = [];

  constructor(private readonly life: Life) {}

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }

  async run(): Promise<void> {
    const [tour, entries] = await Promise.all([
      ask<Tour>(this.life, "graph/tour", { limit: MOST_STOPS }),
      ask<Entries>(this.life, "graph/entries", {}),
    ]);
    this.groups = [...reading(tour), ...entered(entries)];
    const none = entries.entries.length ? [] : ["No route, tool, command or job is declared here."];
    const more = entries.omitted ? [`${counted(entries.omitted, "entry").replace("entrys", "entries")} left out.`] : [];
    this.view.message = [...none, ...more, ...caveats({ ...tour, truncated: false })].join("\n");
    this.changes.fire();
    await vscode.commands.executeCommand("graphls.tour.focus");
  }

  /** An entry that the user names, or rather what handles it. */
  async choose(): Promise<void> {
    const { entries } = await ask<Entries>(this.life, "graph/entries", {});
    const items = entries.map((one) => {
      const { label, detail, node, handlers } = row(one);
      return { label, description: `${node.subkind ?? node.kind} · ${detail}`, target: handlers[0] ?? node };
    });
    const placeHolder = items.length
      ? "Open what handles which one?"
      : "No route, tool, command or job is declared here.";
    const chosen = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
    const { uri, range } = chosen?.target ?? {};
    if (!uri || !range) return;
    const { command, arguments: given = [] } = opening({ uri, range });
    await vscode.commands.executeCommand(command, ...given);
  }

  getChildren(element?: Group | Row): (Group | Row)[] {
    if (!element) return this.groups;
    if (isGroup(element)) return element.rows;
    // One handler needs no row of its own: the entry opens it.
    return element.handlers.length > 1 ? element.handlers.map(handler) : [];
  }

  getTreeItem(element: Group | Row): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    if (isGroup(element)) {
      const item = new vscode.TreeItem(element.title, element.rows.length > 30 ? Collapsed : Expanded);
      item.description = String(element.rows.length);
      return item;
    }
    const item = new vscode.TreeItem(element.label, element.handlers.length > 1 ? Collapsed : None);
    item.description = element.detail;
    item.tooltip = `${element.node.symbol}\n${element.detail}`;
    item.contextValue = "symbol";
    const { uri, range } = element.handlers[0] ?? element.node;
    if (uri && range) item.command = opening({ uri, range });
    return item;
  }
}

function reading(tour: Tour): Group[] {
  const found = new Map<string, Row[]>();
  for (const { why, count, node } of tour.stops) {
    const detail = count
      ? `${counted(count, "module")} import${count === 1 ? "s" : ""} it`
      : (node.subkind ?? node.kind);
    found.set(why, [...(found.get(why) ?? []), { node, label: node.symbol, detail, handlers: [] }]);
  }
  return [...found].map(([why, rows]) => ({ title: FIRST[why] ?? why, rows }));
}

function entered({ entries }: Entries): Group[] {
  const found = new Map<string, Row[]>();
  for (const one of entries) {
    const kind = (one.node.subkind ?? one.node.kind).replaceAll("_", " ");
    found.set(kind, [...(found.get(kind) ?? []), row(one)]);
  }
  const plural = (kind: string): string => PLURALS[kind] ?? `${kind}s`;
  return [...found].map(([kind, rows]) => ({ title: plural(kind).replace(/^./, (one) => one.toUpperCase()), rows }));
}

function row({ node, handlers }: EntryRow): Row {
  const [first, ...others] = handlers.map(({ symbol }) => symbol);
  const detail = first ? (others.length ? `${first} and ${others.length} more` : first) : (node.file ?? "");
  return { node, label: node.name, detail, handlers };
}

function handler(node: WireNode): Row {
  return { node, label: node.symbol, detail: node.subkind ?? node.kind, handlers: [] };
}
