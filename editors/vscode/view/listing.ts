// Listing: the same answer for those who would rather read: a table that can be sorted, or a tree that can be walked.
//
// Invariant: the table has a row for every node that is drawn or folded, and no other.

import { gather } from "./blocks";
import { html } from "./dom";
import type { ListRow } from "./exports";
import { stepsFrom, type Visible } from "./graph";
import { finest, isOutside, type Picture, place, type ViewEdge, type ViewNode } from "./model";
import { Slices } from "./slices";

export type Form = "table" | "tree";
type Column = "symbol" | "kind" | "how" | "steps" | "place";

const COLUMNS: readonly [Column, string][] = [
  ["symbol", "Symbol"],
  ["kind", "Kind"],
  ["how", "Links"],
  ["steps", "Steps"],
  ["place", "Where"],
];
/** So many rows are made in one frame. */
const AT_ONCE = 40;
/** Made once: to compare texts without it takes ten times as long. */
const ORDER = new Intl.Collator(undefined, { numeric: true });
/** Steps to what nothing drawn leads to. */
const FAR = 1e6;
/** A tree ends there: what is further away is in the table. */
const DEEPEST = 12;

export interface Walk {
  select(id: string): void;
  open(id: string): void;
  /** Ask for what is around a node. */
  load(id: string): Promise<void>;
  /** Whether that can be asked for. */
  loads(id: string): boolean;
}

export interface Listed {
  picture: Picture;
  seen: Visible;
  write(edge: ViewEdge): string;
}

interface Branch {
  node: ViewNode;
  how: string;
  path: readonly string[];
  out: boolean;
}

export class Listing {
  readonly element = html("aside", { class: "listing", hidden: true, "aria-label": "List" });
  private form: Form = "table";
  private sorted: [Column, boolean] = ["steps", true];
  private readonly open = new Set<string>();
  private listed: Listed | null = null;
  private ends: Ends = endsOf([], []);
  private selected: string | null = null;
  private text = "";
  private readonly slices = new Slices();

  constructor(
    private readonly walk: Walk,
    private readonly close: () => void,
  ) {
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  show(listed: Listed, selected: string | null, text: string): void {
    this.listed = listed;
    this.ends = endsOf(listed.seen.nodes, listed.seen.edges);
    this.selected = selected;
    this.text = text;
    if (this.isShown) this.draw();
  }

  /** What is listed comes with the next `show`. */
  toggle(): void {
    this.element.hidden = !this.element.hidden;
  }

  /** Another node was selected. */
  mark(selected: string | null, text: string): void {
    const same = text === this.text;
    this.selected = selected;
    this.text = text;
    if (!this.isShown) return;
    if (!same) {
      this.draw();
      return;
    }
    for (const row of this.element.querySelectorAll<HTMLElement>("[data-row]")) this.marked(row);
    this.element.querySelector(".selected")?.scrollIntoView({ block: "nearest" });
  }

  private marked(row: HTMLElement): void {
    const own = row.dataset.row === this.selected;
    row.classList.toggle("selected", own);
    row.setAttribute("aria-selected", String(own));
  }

  /** What is listed, as it is sorted and filtered. */
  rows(): ListRow[] {
    const { listed } = this;
    if (!listed) return [];
    if (this.form === "tree") {
      return [...this.branches(listed, null)].map(({ node, how, path }) => ({
        node,
        how,
        steps: path.length - 1,
        depth: path.length - 1,
      }));
    }
    const { picture, seen } = listed;
    const steps = stepsOf(picture, seen);
    const touching = new Map<string, ViewEdge[]>();
    for (const edge of seen.edges) {
      for (const id of [edge.source, edge.target]) gather(touching, id, edge);
    }
    const rows = seen.nodes.map((node) => {
      const at = steps.get(node.id) ?? null;
      const nearer = (touching.get(node.id) ?? []).filter((edge) => {
        const other = edge.source === node.id ? edge.target : edge.source;
        return (steps.get(other) ?? 0) < (at ?? 0) || at === null;
      });
      return { node, how: node.change ?? worded(nearer, node.id, listed), steps: at, depth: 0 };
    });
    const [column, up] = this.sorted;
    const found = rows
      .filter(({ node, how }) => this.fits(node, how))
      .map((row) => ({ row, text: textOf(row, column) }));
    found.sort((one, other) => {
      const steps = column === "steps" ? (one.row.steps ?? FAR) - (other.row.steps ?? FAR) : 0;
      return (steps || ORDER.compare(one.text, other.text)) * (up ? 1 : -1);
    });
    return found.map(({ row }) => row);
  }

  private fits(node: ViewNode, how: string): boolean {
    return !this.text || `${node.symbol} ${finest(node)} ${how} ${place(node)}`.toLowerCase().includes(this.text);
  }

  private draw(): void {
    const { scrollTop } = this.element;
    const focused = this.element.contains(document.activeElement);
    const tab = (form: Form, text: string): HTMLElement => {
      const button = html("button", { type: "button", role: "tab", "aria-selected": this.form === form }, text);
      button.setAttribute("aria-selected", String(this.form === form));
      button.addEventListener("click", () => {
        this.form = form;
        this.draw();
      });
      return button;
    };
    const close = html("button", { type: "button", class: "close", "aria-label": "Close the list" }, "×");
    close.addEventListener("click", () => this.close());
    const tabs = html("div", { class: "tabs", role: "tablist" }, tab("table", "Table"), tab("tree", "Tree"), close);
    this.element.replaceChildren(tabs, this.form === "table" ? this.table() : this.tree());
    this.element.scrollTop = scrollTop;
    const row = this.element.querySelector<HTMLElement>(".selected");
    if (focused) (row ?? this.element.querySelector<HTMLElement>("[data-row]"))?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }

  private table(): HTMLElement {
    const rows = this.rows();
    const head = COLUMNS.map(([column, words]) => {
      const [now, up] = this.sorted;
      const button = html("button", { type: "button" }, words, now === column ? (up ? " ↑" : " ↓") : "");
      button.addEventListener("click", () => {
        this.sorted = [column, now === column ? !up : true];
        this.draw();
      });
      const order = now === column ? (up ? "ascending" : "descending") : "none";
      return html("th", { scope: "col", "aria-sort": order, "data-column": column }, button);
    });
    const empty = rows.length ? [] : [html("caption", {}, "Nothing fits.")];
    return html(
      "table",
      { class: "rows", "aria-label": `Nodes of the picture: ${rows.length}` },
      ...empty,
      html("thead", {}, html("tr", {}, ...head)),
      this.fill(html("tbody"), rows, (row) => this.row(row)),
    );
  }

  /** What is seen at first stands there at once, the rest before somebody gets there. */
  private fill<R>(body: HTMLElement, rows: Iterable<R>, made: (row: R) => HTMLElement): HTMLElement {
    this.slices.begin(inParts(body, rows, made));
    this.slices.step();
    return body;
  }

  private row({ node, how, steps }: ListRow): HTMLElement {
    const cells = [node.symbol, finest(node), how, steps === null ? "" : String(steps), place(node)];
    return this.listen(html("tr", { class: "row" }, ...cells.map((text) => html("td", { title: text }, text))), node);
  }

  private listen<E extends HTMLElement>(row: E, node: ViewNode): E {
    row.dataset.row = node.id;
    row.tabIndex = -1;
    this.marked(row);
    if (node.id === this.selected) row.tabIndex = 0;
    row.addEventListener("click", () => this.walk.select(node.id));
    row.addEventListener("dblclick", () => this.walk.open(node.id));
    return row;
  }

  // The tree

  private tree(): HTMLElement {
    const { listed } = this;
    const tree = html("div", { role: "tree", class: "rows tree", "aria-label": "Links as a tree" });
    if (!listed) return tree;
    return this.fill(tree, this.branches(listed, null), (branch) => this.item(branch));
  }

  /** Rows of the tree that are seen, each after the one that it is in. */
  private *branches(listed: Listed, above: Branch | null): Generator<Branch> {
    const { picture, seen } = listed;
    const inner = above ? children(this.ends, above, listed) : roots(picture, seen);
    for (const branch of inner) {
      if (this.fits(branch.node, branch.how) || !above || this.text === "") yield branch;
      const first = branch.path.length === 1;
      if (first || this.open.has(keyOf(branch))) yield* this.branches(listed, branch);
    }
  }

  private item(branch: Branch): HTMLElement {
    const { node, how, path, out } = branch;
    const key = keyOf(branch);
    const again = path.slice(0, -1).includes(node.id);
    const more = !again && path.length < DEEPEST && path.length > 1;
    const has = more && (goesOn(this.ends, branch) || this.walk.loads(node.id));
    const isOpen = path.length === 1 || this.open.has(key);
    const turn = html("button", { type: "button", class: "turn", tabindex: -1, "aria-hidden": "true" });
    turn.textContent = again ? "↻" : has ? (isOpen ? "▾" : "▸") : "";
    turn.addEventListener("click", (event) => {
      event.stopPropagation();
      if (has) void this.turn(branch);
    });
    const arrow = path.length === 1 ? "" : out ? "→ " : "← ";
    const row = html(
      "div",
      { role: "treeitem", class: "row", "aria-level": path.length, title: `${node.symbol}\n${place(node)}` },
      turn,
      html("b", {}, `${arrow}${node.name}`),
      html(
        "span",
        { class: "faint" },
        ` ${[how, isOutside(node) ? "outside" : place(node)].filter(Boolean).join(" · ")}`,
      ),
    );
    row.style.paddingInlineStart = `${8 + (path.length - 1) * 16}px`;
    row.dataset.key = key;
    if (has) row.setAttribute("aria-expanded", String(isOpen));
    return this.listen(row, node);
  }

  /** What is around a node is asked for where it is not there yet. */
  private async turn(branch: Branch): Promise<void> {
    const key = keyOf(branch);
    if (this.open.delete(key)) return this.draw();
    this.open.add(key);
    if (this.walk.loads(branch.node.id)) await this.walk.load(branch.node.id);
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...this.element.querySelectorAll<HTMLElement>("[data-row]")];
    const at = rows.indexOf(row);
    const go = (to: HTMLElement | undefined): void => {
      to?.focus();
      if (to?.dataset.row) this.walk.select(to.dataset.row);
    };
    const acts: Record<string, () => void> = {
      ArrowDown: () => go(rows[at + 1]),
      ArrowUp: () => go(rows[at - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      Enter: () => this.walk.open(row.dataset.row ?? ""),
      ArrowRight: () =>
        row.getAttribute("aria-expanded") === "false" && row.querySelector<HTMLElement>(".turn")?.click(),
      ArrowLeft: () => row.getAttribute("aria-expanded") === "true" && row.querySelector<HTMLElement>(".turn")?.click(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}

function* inParts<R>(body: HTMLElement, rows: Iterable<R>, made: (row: R) => HTMLElement): Generator<undefined, void> {
  let count = 0;
  for (const row of rows) {
    if (count && count % AT_ONCE === 0) yield;
    body.append(made(row));
    count += 1;
  }
}

function keyOf({ path, out }: Branch): string {
  return `${out} ${path.join(" ")}`;
}

function textOf({ node, how }: ListRow, column: Column): string {
  if (column === "kind") return finest(node);
  if (column === "how") return how;
  return column === "place" ? place(node) : node.symbol;
}

/** In an impact the answer counts them; else the drawn links do. */
function stepsOf(picture: Picture, seen: Visible): Map<string, number> {
  const known = seen.nodes.filter(({ depth }) => depth !== null && depth !== undefined);
  if (picture.kind === "impact" || picture.kind === "changes") {
    return new Map(known.map(({ id, depth }) => [id, depth ?? 0]));
  }
  const root = picture.root ?? seen.nodes[0]?.id;
  return stepsFrom(root ? [root] : [], seen.edges);
}

/** "← calls": it calls what is nearer to the middle. */
function worded(edges: readonly ViewEdge[], id: string, listed: Listed): string {
  const words = edges.map((edge) => `${edge.source === id ? "←" : "→"} ${listed.write(edge)}`);
  return [...new Set(words)].sort().join(", ");
}

function roots(picture: Picture, seen: Visible): Branch[] {
  const middle = picture.root ? seen.nodes.filter(({ id }) => id === picture.root) : [];
  const tops = middle.length ? middle : seen.nodes.filter((node) => node.change || !node.depth);
  return tops.map((node) => ({ node, how: node.change ?? finest(node), path: [node.id], out: false }));
}

/** Nodes by their ids, with the links that lead to each and away from it. */
interface Ends {
  named: ReadonlyMap<string, ViewNode>;
  to: ReadonlyMap<string, readonly ViewEdge[]>;
  from: ReadonlyMap<string, readonly ViewEdge[]>;
}

function endsOf(nodes: readonly ViewNode[], edges: readonly ViewEdge[]): Ends {
  const [to, from] = [new Map<string, ViewEdge[]>(), new Map<string, ViewEdge[]>()];
  for (const edge of edges) {
    if (edge.source === edge.target) continue;
    gather(to, edge.target, edge);
    gather(from, edge.source, edge);
  }
  return { named: new Map(nodes.map((node) => [node.id, node])), to, from };
}

/** Ways that a branch goes on in: the middle in both. */
function ways({ path, out }: Branch): readonly boolean[] {
  return path.length > 1 ? [out] : [false, true];
}

function goesOn({ named, to, from }: Ends, branch: Branch): boolean {
  return ways(branch).some((out) => {
    const links = (out ? from : to).get(branch.node.id) ?? [];
    return links.some((edge) => named.has(out ? edge.target : edge.source));
  });
}

/** Of the middle what uses it and what it uses; further on, what goes on in the same way. */
function children({ named, to, from }: Ends, above: Branch, listed: Listed): Branch[] {
  return ways(above).flatMap((out) => {
    const found = new Map<string, ViewEdge[]>();
    for (const edge of (out ? from : to).get(above.node.id) ?? []) gather(found, out ? edge.target : edge.source, edge);
    const inner = [...found].flatMap(([id, links]) => {
      const node = named.get(id);
      const how = [...new Set(links.map((edge) => listed.write(edge)))].join(", ");
      return node ? [{ node, how, path: [...above.path, id], out }] : [];
    });
    return inner.sort((one, other) => ORDER.compare(one.node.symbol, other.node.symbol));
  });
}
