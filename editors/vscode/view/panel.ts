// Panel: a picture of the graph with everything that can be done to it.
//
// Owns: the state: what is loaded, selected, filtered, where one came from.
// Invariant: what is drawn is a function of the state; an answer that comes late for another picture is dropped.

import { Canvas, type Marked, written } from "./canvas";
import { Controls, type Wishes } from "./controls";
import { Details, spotOf, standingLine } from "./details";
import { html } from "./dom";
import { type Direction, type Filters, Graph, STRUCTURE, visible } from "./graph";
import { colours, trust } from "./kinds";
import { layout } from "./layout";
import { counted, finest, type Host, isOutside, type Kind, type Picture, type Question, type ViewNode } from "./model";

const KEYS: readonly [string, string][] = [
  ["arrows", "go to the next node"],
  ["Enter", "open the source"],
  ["Space, e, double click", "expand"],
  ["c", "make it the middle"],
  ["i", "impact of it"],
  ["t", "trace from the middle to it"],
  ["Backspace", "back"],
  ["+ − 0", "zoom, show everything"],
  ["/", "search"],
  ["Escape", "close, leave the search"],
];

const MOST_STEPS = 5;
const MOST_NODES = 2000;

export class Panel {
  private readonly canvas: Canvas;
  private readonly controls: Controls;
  private readonly details: Details;
  private readonly foot = html("div", { class: "foot" });
  private readonly empty = html("div", { class: "state", hidden: true, role: "status" });
  private readonly help = html("div", { class: "help", hidden: true, role: "dialog", "aria-label": "Keys" });
  private readonly middle = html("div", { class: "middle" });
  private graph: Graph | null = null;
  private filters: Filters = fresh("both", 1);
  private selected: string | null = null;
  private wanted = "";
  private trail: Picture[] = [];
  private turn = 0;
  private across = 0;

  constructor(
    private readonly host: Host,
    private readonly at: HTMLElement,
  ) {
    this.canvas = new Canvas({
      select: (id) => this.select(id),
      expand: (id) => (this.expands(id) ? void this.expand(id) : this.open(id)),
      line: (line) => this.details.line(line, (id) => this.graph?.nodes.get(id)?.symbol ?? id),
    });
    this.controls = new Controls(host, this.wishes());
    this.details = new Details(host, {
      center: (id) => this.center(id),
      impact: (id) => this.impact(id),
      trace: (id) => this.trace(id),
    });
    const keys = KEYS.map(([key, words]) => html("div", {}, html("kbd", {}, key), words));
    this.help.append(html("b", {}, "Keys"), ...keys);
    this.middle.append(this.canvas.element, this.empty);
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resized()).observe(this.canvas.element);
  }

  /** Another picture; the one before can be gone back to. */
  show(picture: Picture, remember = true): void {
    if (!this.middle.isConnected) {
      this.at.replaceChildren(this.controls.element, this.middle, this.details.element, this.foot, this.help);
    }
    const before = this.graph?.picture;
    if (before && remember && !(before.kind === picture.kind && before.root === picture.root)) this.trail.push(before);
    this.turn += 1;
    this.graph = new Graph(picture);
    this.filters = this.filtersFor(picture, before);
    this.selected = picture.root ?? picture.nodes[0]?.id ?? null;
    this.draw();
    this.canvas.show(this.selected);
    this.tell();
    document.body.dataset.picture = picture.kind;
    this.host.shown(picture);
  }

  fail(message: string): void {
    this.details.problem(message);
  }

  private filtersFor(picture: Picture, before: Picture | undefined): Filters {
    const direction = picture.kind === "impact" ? (picture.direction ?? "in") : null;
    if (before?.kind === picture.kind) return direction ? { ...this.filters, direction } : this.filters;
    const depth = deepest(picture) || (picture.kind === "neighborhood" ? 1 : 3);
    const made = fresh(direction ?? "both", depth);
    return picture.kind === "trace" ? { ...made, hiddenEdges: new Set() } : made;
  }

  /** `still`: what stays in its place, and as large as it is. */
  private draw(still: string | null = null): void {
    const graph = this.graph;
    if (!graph) return;
    const { picture } = graph;
    const seen = visible(graph, this.filters);
    const placed = layout(picture, seen.nodes, seen.edges, this.canvas, written);
    if (still) this.canvas.redraw(placed, this.marks(graph), still);
    else this.canvas.draw(placed, this.marks(graph));
    this.controls.show({
      kind: picture.kind,
      direction: this.filters.direction,
      depth: this.filters.depth,
      deepest: this.host.asks ? MOST_STEPS : deepest(picture),
      confidence: this.filters.confidence,
      outside: this.filters.outside,
      back: this.trail.length > 0,
      edges: graph.kinds((edge) => edge.kind),
      provenance: graph.kinds((edge) => edge.provenance),
      nodes: graph.nodeKinds((node) => finest(node)),
      hidden: {
        edges: this.filters.hiddenEdges,
        nodes: this.filters.hiddenNodes,
        provenance: this.filters.hiddenProvenance,
      },
    });
    const meaning = picture.kind === "impact" ? this.scale(picture) : colours(seen.nodes, seen.edges, finest);
    const standing = standingLine(graph.standing, seen.nodes.length, seen.hidden, graph.missing);
    this.foot.replaceChildren(standing, ...this.more(graph), meaning, trust());
    this.sayEmpty(graph, seen.nodes.length, seen.hidden);
  }

  /** A node alone is an answer too, and often only a matter of what is hidden. */
  private sayEmpty(graph: Graph, shown: number, hidden: number): void {
    const { picture } = graph;
    this.empty.hidden = shown > 1;
    if (this.empty.hidden) return;
    const step = (text: string, press: () => void): HTMLElement => {
      const button = html("button", { type: "button" }, text);
      button.addEventListener("click", press);
      return button;
    };
    const steps: HTMLElement[] = [];
    if (
      !this.filters.outside &&
      [...graph.nodes.values()].some((node) => node.id !== picture.root && isOutside(node))
    ) {
      steps.push(step("Show what lies outside", () => this.change({ outside: true })));
    }
    if (hidden) {
      const all = { ...fresh(this.filters.direction, this.filters.depth), hiddenEdges: new Set<string>() };
      steps.push(step("Show everything", () => this.change({ ...all, hiddenNodes: new Set(), outside: true })));
    }
    const nothing = picture.kind === "impact" ? "Nothing in the graph is reached." : "Nothing else is linked here.";
    const words = [hidden ? "Nothing that the filters show." : nothing];
    if (hidden) words.push(`${counted(hidden, "node")} hidden.`);
    const open = graph.standing.unresolvedSites;
    if (open) words.push(`${counted(open, "use")} could not be resolved: there may be more.`);
    this.empty.replaceChildren(html("p", {}, words.join(" ")), html("div", { class: "steps" }, ...steps));
  }

  /** What an answer left out can be asked for. */
  private more(graph: Graph): HTMLElement[] {
    const { root, kind } = graph.picture;
    if (!this.host.asks || !root || kind !== "neighborhood" || !graph.standing.truncated) return [];
    const button = html("button", { type: "button", id: "more" }, "Load more");
    button.addEventListener("click", () => void this.loadMore(graph, root));
    return [button];
  }

  private async loadMore(graph: Graph, root: string): Promise<void> {
    const limit = Math.min(2 * graph.nodes.size, MOST_NODES);
    const answer = await this.ask({ kind: "neighborhood", node: root, depth: this.filters.depth, limit });
    if (!answer || this.graph !== graph) return;
    graph.add(answer, true);
    this.draw();
    this.canvas.show(root);
  }

  /** Words below the picture take room from it: that moves nothing. */
  private resized(): void {
    const { clientWidth } = this.canvas.element;
    if (clientWidth === this.across) return;
    this.across = clientWidth;
    this.draw();
    this.canvas.show(this.selected);
  }

  private marks(graph: Graph): Marked {
    const text = this.wanted.toLowerCase();
    const { picture } = graph;
    return {
      selected: this.selected,
      root: picture.root ?? null,
      expanded: graph.expanded,
      expands: this.host.asks && picture.kind === "neighborhood",
      byDepth: picture.kind === "impact",
      matches: text ? (node) => node.symbol.toLowerCase().includes(text) : null,
    };
  }

  /** In an impact: which colour is how far. */
  private scale(picture: Picture): HTMLElement {
    const scale = html("span", { class: "scale" });
    if (picture.kind !== "impact") return scale;
    const depths = new Set(picture.nodes.map((node) => Math.min(node.depth ?? 0, 6)));
    for (const depth of [...depths].sort()) {
      const words = depth === 0 ? "changed" : `${depth} step${depth === 1 ? "" : "s"}`;
      scale.append(html("span", { class: `swatch depth depth-${depth}` }, words));
    }
    return scale;
  }

  private remark(): void {
    if (this.graph) this.canvas.mark(this.marks(this.graph));
  }

  private tell(): void {
    const node = this.current();
    const picture = this.graph?.picture;
    if (node && picture) this.details.node(node, node.id === picture.root, picture.kind === "neighborhood");
  }

  private current(): ViewNode | null {
    return (this.selected && this.graph?.nodes.get(this.selected)) || null;
  }

  private select(id: string): void {
    this.selected = id;
    this.remark();
    this.canvas.focus(id);
    this.tell();
  }

  private open(id: string): void {
    const node = this.graph?.nodes.get(id);
    const spot = node && spotOf(node);
    if (spot && this.host.opens) this.host.open(spot);
  }

  // Questions

  private async ask(question: Question): Promise<Picture | null> {
    this.turn += 1;
    const turn = this.turn;
    document.body.classList.add("busy");
    try {
      const picture = await this.host.ask(question);
      return turn === this.turn ? picture : null;
    } catch (problem) {
      this.fail(problem instanceof Error ? problem.message : String(problem));
      return null;
    } finally {
      document.body.classList.remove("busy");
    }
  }

  private expands(id: string): boolean {
    const graph = this.graph;
    if (!graph || !this.host.asks || graph.picture.kind !== "neighborhood" || graph.expanded.has(id)) return false;
    return Boolean(graph.nodes.get(id)?.file);
  }

  private async expand(id: string): Promise<void> {
    const graph = this.graph;
    if (!graph || !this.expands(id)) return;
    const picture = await this.ask({ kind: "neighborhood", node: id, depth: 1 });
    if (!picture) return;
    graph.expanded.add(id);
    graph.add(picture);
    this.selected = id;
    this.draw(id);
    this.canvas.focus(id);
    this.tell();
  }

  private async replace(question: Question): Promise<void> {
    const picture = await this.ask(question);
    if (picture) this.show(picture);
  }

  private center(id: string): void {
    void this.replace({ kind: "neighborhood", node: id, depth: this.filters.depth });
  }

  private impact(id: string, direction: Direction = "in"): void {
    const stream = direction === "out" ? "downstream" : "upstream";
    const depth = this.graph?.picture.kind === "impact" ? this.filters.depth : 3;
    void this.replace({ kind: "impact", node: id, depth, direction: stream });
  }

  private trace(id: string): void {
    const root = this.graph?.picture.root;
    if (root) void this.traceEither(root, id);
  }

  /** The way from one to the other, else the way back: an arrow is a way in one of them. */
  private async traceEither(source: string, target: string): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    document.body.classList.add("busy");
    const there = { kind: "trace", source, target } as const;
    const back = { kind: "trace", source: target, target: source } as const;
    try {
      const picture = await this.host
        .ask(there)
        .catch((problem) => this.host.ask(back).catch(() => Promise.reject(problem)));
      if (turn === this.turn) this.show(picture);
    } catch (problem) {
      this.fail(`${problem instanceof Error ? problem.message : problem} Nor is there one the other way round.`);
    } finally {
      document.body.classList.remove("busy");
    }
  }

  private back(): void {
    const before = this.trail.pop();
    if (before) this.show(before, false);
  }

  /** More steps than were loaded are asked for; fewer are only hidden. */
  private async deeper(): Promise<void> {
    const picture = this.graph?.picture;
    const root = picture?.root;
    if (!picture || !root) return;
    const { depth, direction } = this.filters;
    if (picture.kind === "impact") {
      const answer = await this.ask({
        kind: "impact",
        node: root,
        depth,
        direction: direction === "out" ? "downstream" : "upstream",
      });
      if (answer) this.show(answer, false);
      return;
    }
    const answer = await this.ask({ kind: "neighborhood", node: root, depth });
    if (answer) {
      this.graph?.add(answer, true);
      this.draw();
      this.canvas.show(root);
    }
  }

  // Wishes

  private change(part: Partial<Filters>): void {
    this.filters = { ...this.filters, ...part };
    this.draw();
    this.canvas.show(this.selected);
  }

  private wishes(): Wishes {
    const fields = { edges: "hiddenEdges", nodes: "hiddenNodes", provenance: "hiddenProvenance" } as const;
    return {
      kind: (kind: Kind) => {
        const root = this.selected ?? this.graph?.picture.root;
        if (root && kind === "impact") this.impact(root);
        else if (root && kind === "neighborhood") void this.replace({ kind, node: root, depth: 1 });
      },
      direction: (direction) => {
        this.change({ direction });
        if (this.graph?.picture.kind === "impact") void this.deeper();
      },
      depth: (depth) => {
        this.change({ depth });
        if (this.host.asks) void this.deeper();
      },
      confidence: (confidence) => this.change({ confidence }),
      outside: (outside) => this.change({ outside }),
      hide: (what, name, hidden) => {
        const names = new Set(this.filters[fields[what]]);
        if (hidden) names.add(name);
        else names.delete(name);
        this.change({ [fields[what]]: names });
      },
      search: (text) => {
        this.wanted = text;
        this.remark();
      },
      back: () => this.back(),
      fit: () => this.canvas.fit(),
      follow: (on) => this.host.follow(on),
      save: () => this.save(),
      help: () => {
        this.help.hidden = !this.help.hidden;
      },
    };
  }

  private save(): void {
    const picture = this.graph?.picture;
    if (picture) this.host.save(this.canvas.export(picture.title), `${picture.title.replace(/[^\w.-]+/g, "-")}.svg`);
  }

  // Keys

  private key(event: KeyboardEvent): void {
    if (!this.canvas.element.isConnected) return;
    const typing = (event.target as Element).matches?.("input, select, textarea, summary");
    if (event.key === "Escape") this.escape();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as Element).matches?.("button") && (event.key === "Enter" || event.key === " ")) return;
    const act = this.acts()[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  private escape(): void {
    this.help.hidden = true;
    if (!this.controls.fold() && this.selected) this.canvas.focus(this.selected);
  }

  private acts(): Record<string, () => void> {
    const on = (then: (id: string) => void) => () => {
      if (this.selected) then(this.selected);
    };
    const go = (dx: number, dy: number) => () => {
      const next = this.canvas.next(this.selected, dx, dy);
      if (next) this.select(next);
    };
    const expand = on((id) => void this.expand(id));
    return {
      ArrowLeft: go(-1, 0),
      ArrowRight: go(1, 0),
      ArrowUp: go(0, -1),
      ArrowDown: go(0, 1),
      Enter: on((id) => this.open(id)),
      " ": expand,
      e: expand,
      c: on((id) => this.host.asks && this.center(id)),
      i: on((id) => this.host.asks && this.impact(id)),
      t: on((id) => this.host.asks && this.trace(id)),
      Backspace: () => this.back(),
      "+": () => this.canvas.zoom(1.2),
      "=": () => this.canvas.zoom(1.2),
      "-": () => this.canvas.zoom(1 / 1.2),
      "0": () => this.canvas.fit(),
      "/": () => this.controls.focusSearch(),
      "?": () => {
        this.help.hidden = !this.help.hidden;
      },
    };
  }
}

function deepest(picture: Picture): number {
  return Math.max(0, ...picture.nodes.map((node) => node.depth ?? 0));
}

function fresh(direction: Direction, depth: number): Filters {
  return {
    direction,
    depth,
    confidence: 0,
    outside: false,
    hiddenEdges: new Set(STRUCTURE),
    hiddenNodes: new Set(["import"]),
    hiddenProvenance: new Set(),
  };
}
