// Panel: a picture of the graph with everything that can be done to it.
//
// Owns: what is shown, what was done with it, where one came from.
// Invariant: what is drawn is a function of the scene; an answer that comes late for another scene is dropped.
import { Again } from "./again";
import { holderOf } from "./blocks";
import type { Marked } from "./boxes";
import { Canvas, commonMark, written } from "./canvas";
import { Controls, type Form, type Text, type Wishes } from "./controls";
import { Details, spotOf } from "./details";
import { html } from "./dom";
import { nothingElse } from "./emptiness";
import { dot, drawing, markdown, mermaid, plain, points, type Shown } from "./exports";
import { Footer } from "./footer";
import { type Arrangement, type Filters, Graph, type Grouping, stepsFrom, type Visible, visible } from "./graph";
import { helpPage, isTaken } from "./keys";
import { layout, type Placed } from "./layout";
import { type Listed, Listing } from "./listing";
import { finest, type Host, type Kind, type News, type Picture, type Question, type ViewNode } from "./model";
import { arrangementOf, deepest, MOST_STEPS, plainOf, questionOf, type Scene, sceneOf, wholeOf } from "./scene";
import { followed, Slices } from "./slices";

const MOST_NODES = 2000;
/** Of more nodes than these none is placed in the frame of the wish. */
const MOST_PLACED_AT_ONCE = 60;
/** Milliseconds of a frame that placing them takes. */
const PLACING = 5;
/** Of more nodes than these, groups are folded at first. */
const MOST_UNFOLDED = 100;
const GROUPINGS: readonly Grouping[] = ["none", "module", "class"];

export class Panel {
  private readonly canvas: Canvas;
  private readonly controls: Controls;
  private readonly details: Details;
  private readonly listing: Listing;
  private readonly footer = new Footer();
  private readonly empty = html("div", { class: "state", hidden: true, role: "status" });
  private readonly help = helpPage();
  private readonly middle = html("div", { class: "middle" });
  private scene: Scene | null = null;
  private selected: string | null = null;
  private wanted = "";
  private trail: Scene[] = [];
  private turn = 0;
  private across = 0;
  private auto = false;
  private readonly placing = new Slices(PLACING);
  private readonly again = new Again(() => void this.refresh());

  constructor(
    private readonly host: Host,
    private readonly at: HTMLElement,
  ) {
    this.canvas = new Canvas({
      select: (id) => this.select(id),
      expand: (id) => (this.expands(id) ? void this.expand(id) : this.open(id)),
      turn: (id) => (this.expands(id) ? void this.expand(id) : this.collapse(id)),
      fold: (title) => this.fold(title),
      line: (line) => this.details.line(line, (id) => this.scene?.graph.nodes.get(id)?.symbol ?? id),
    });
    this.controls = new Controls(host, this.wishes());
    this.listing = new Listing(
      {
        select: (id) => this.select(id, false),
        open: (id) => this.open(id),
        load: (id) => this.expand(id),
        loads: (id) => this.host.asks && this.expands(id),
      },
      () => this.list(),
    );
    this.details = new Details(host, {
      center: (id) => this.center(id),
      impact: (id) => this.impact(id),
      trace: (id) => this.trace(id),
      collapse: (id) => this.collapse(id),
      hide: (id) => this.hide(id),
    });
    this.middle.append(this.canvas.element, this.canvas.minimap.element, this.empty, this.listing.element);
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resized()).observe(this.canvas.element);
    host.onNews((news) => this.heard(news));
  }

  /** Another picture; the one before can be gone back to. */
  show(picture: Picture, remember = true): void {
    const before = this.scene;
    if (before && remember && !(before.graph.picture.kind === picture.kind && before.graph.root === picture.root)) {
      this.trail.push(before);
    }
    this.enter(sceneOf(picture, before));
  }

  /** A picture that was there before the window was loaded again, as it was arranged then. */
  async restore(picture: Picture, view: unknown): Promise<void> {
    this.show(picture, false);
    const scene = this.scene;
    const arranged = arrangementOf(view);
    if (!scene || !arranged) return;
    await this.load(scene, arranged);
    scene.history.replace(arranged);
    if (this.scene === scene) this.draw(this.anchor());
  }

  private enter(scene: Scene): void {
    if (!this.middle.isConnected) {
      const parts = [this.controls.element, this.middle, this.details.element, this.footer.element, this.help];
      this.at.replaceChildren(...parts);
    }
    this.turn += 1;
    this.scene = scene;
    const { picture } = scene.graph;
    this.selected = picture.root ?? picture.nodes[0]?.id ?? null;
    this.draw(null, () => this.canvas.show(this.selected));
    this.tell();
    document.body.dataset.picture = picture.kind;
    this.host.shown(picture);
    this.again.reset();
    this.finish(scene);
  }

  fail(message: string): void {
    this.details.problem(message);
  }

  private shows({ graph, history }: Scene): Listed {
    const seen = visible(graph, history.now);
    const common = commonMark(seen.edges);
    this.canvas.common = common;
    return { picture: graph.picture, seen, write: (edge) => written(edge, common) };
  }

  /** The picture alone, in as many frames as it needs; `then` comes with it. */
  private paint(scene: Scene, { picture, seen, write }: Listed, still: string | null, then: () => void): void {
    this.canvas.measure();
    const together = still && picture.root && still !== picture.root ? ([still, picture.root] as const) : null;
    const found = layout(picture, seen.nodes, seen.edges, this.canvas, write, scene.history.now, together);
    const drawn = (placed: Placed): void => {
      if (still) this.canvas.redraw(placed, this.marks(scene), still);
      else this.canvas.draw(placed, this.marks(scene));
      then();
    };
    const work = followed(found, drawn);
    if (seen.nodes.length > MOST_PLACED_AT_ONCE) this.placing.begin(work);
    else this.placing.beginNow(work);
  }

  /** `still`: what stays in its place, and as large as it is. `then`: what is done with the new picture. */
  private draw(still: string | null = null, then: () => void = () => undefined): void {
    if (!this.scene) return;
    const listed = this.shows(this.scene);
    this.paint(this.scene, listed, still, then);
    this.around(this.scene, listed);
  }

  /** All that stands around the picture. */
  private around(scene: Scene, listed: Listed): void {
    const { graph, history } = scene;
    const { picture } = graph;
    const arranged = history.now;
    this.controls.show({
      kind: picture.kind,
      filters: arranged.filters,
      deepest: this.host.asks ? MOST_STEPS : deepest(picture),
      grouping: arranged.grouping,
      back: this.trail.length > 0,
      undo: history.canUndo,
      redo: history.canRedo,
      list: this.listing.isShown,
      auto: this.auto,
      hidden: [...arranged.hidden].filter((id) => graph.nodes.has(id)).length,
      edges: graph.kinds((edge) => edge.kind),
      provenance: graph.kinds((edge) => edge.provenance),
      nodes: graph.nodeKinds((node) => finest(node)),
    });
    this.listing.show(listed, this.selected, this.wanted.toLowerCase());
    this.foot(scene, listed.seen);
    this.sayEmpty(scene, listed.seen);
    this.host.keep({ question: scene.question, view: plainOf(arranged) });
  }

  private foot(scene: Scene, seen: Visible): void {
    const { graph, history } = scene;
    const { expanded } = history.now;
    const standing = graph.standing(expanded);
    const more = this.host.asks && graph.picture.kind === "neighborhood" && standing.truncated && graph.root !== "";
    this.footer.show({
      scene,
      seen,
      standing,
      missing: graph.missing(expanded),
      common: this.canvas.common,
      more: more ? () => void this.loadMore(scene) : null,
      refresh: this.host.asks ? () => void this.refresh() : null,
    });
  }

  private sayEmpty(scene: Scene, seen: Visible): void {
    this.empty.hidden = seen.nodes.length > 1;
    if (this.empty.hidden) return;
    const filters = scene.history.now.filters;
    this.empty.replaceChildren(
      ...nothingElse(scene, seen, {
        outside: () => this.filter({ outside: true }),
        everything: () => this.change({ ...wholeOf(filters) }),
      }),
    );
  }

  /** Words below the picture take room from it: that moves nothing. */
  private resized(): void {
    const { clientWidth } = this.canvas.element;
    if (clientWidth === this.across) return;
    this.across = clientWidth;
    if (this.scene) this.paint(this.scene, this.shows(this.scene), null, () => this.canvas.show(this.selected));
  }

  private marks(scene: Scene): Marked {
    const text = this.wanted.toLowerCase();
    const { picture } = scene.graph;
    return {
      selected: this.selected,
      root: picture.root ?? null,
      sign: (node) => this.sign(scene, node),
      byDepth: picture.kind === "impact" || picture.kind === "changes",
      fresh: scene.fresh,
      stale: scene.stale,
      matches: text ? (node) => node.symbol.toLowerCase().includes(text) : null,
    };
  }

  private sign({ graph, history }: Scene, node: ViewNode): "" | "+" | "−" {
    const { expanded, collapsed } = history.now;
    if (graph.picture.kind !== "neighborhood" || node.id === graph.root) return "";
    if (collapsed.has(node.id)) return "+";
    if (expanded.has(node.id)) return "−";
    return this.host.asks && node.file ? "+" : "";
  }

  private remark(): void {
    if (!this.scene) return;
    this.canvas.mark(this.marks(this.scene));
    this.listing.mark(this.selected, this.wanted.toLowerCase());
  }

  private tell(): void {
    const node = this.current();
    const { scene } = this;
    if (!node || !scene) return;
    const { picture, root } = scene.graph;
    const shown = { isRoot: node.id === root, traces: picture.kind === "neighborhood" };
    this.details.node(node, { ...shown, collapses: this.collapses(node.id), hides: node.id !== root });
  }

  private current(): ViewNode | null {
    return (this.selected && this.scene?.graph.nodes.get(this.selected)) || null;
  }

  /** What stays in its place when the picture is arranged anew. */
  private anchor(): string | null {
    return this.canvas.has(this.selected) ? this.selected : (this.scene?.graph.picture.root ?? null);
  }

  private select(id: string, focus = true): void {
    this.selected = id;
    this.remark();
    if (focus) this.canvas.focus(id);
    else this.canvas.reveal(id);
    this.tell();
  }

  private open(id: string): void {
    const node = this.scene?.graph.nodes.get(id);
    const spot = node && spotOf(node);
    if (spot && this.host.opens) this.host.open(spot);
  }

  // Arranging

  private change(part: Partial<Arrangement>, still: string | null = null, focus: string | null = null): void {
    const { scene } = this;
    if (!scene) return;
    scene.history.change({ ...scene.history.now, ...part });
    this.draw(still, () => {
      if (!still) this.canvas.show(this.selected);
      if (focus) this.canvas.focus(focus);
    });
    this.tell();
  }

  private filter(part: Partial<Filters>): void {
    if (this.scene) this.change({ filters: { ...this.scene.history.now.filters, ...part } });
  }

  private undo(back: boolean): void {
    const history = this.scene?.history;
    if (!history || !(back ? history.undo() : history.redo())) return;
    this.draw(this.anchor());
    this.tell();
  }

  private expands(id: string): boolean {
    const { scene } = this;
    if (!scene) return false;
    const { graph, history } = scene;
    if (history.now.collapsed.has(id)) return true;
    const asks = this.host.asks && graph.picture.kind === "neighborhood" && Boolean(graph.nodes.get(id)?.file);
    return asks && !history.now.expanded.has(id);
  }

  private async expand(id: string): Promise<void> {
    const { scene } = this;
    if (!scene || !this.expands(id)) return;
    if (!scene.graph.knows(id) && this.host.asks) {
      const picture = await this.ask({ kind: "neighborhood", ...this.named(id), depth: 1 });
      if (!picture || this.scene !== scene) return;
      scene.graph.add(picture, id);
    }
    const { expanded, collapsed } = scene.history.now;
    this.selected = id;
    this.change({ expanded: new Set([...expanded, id]), collapsed: without(collapsed, id) }, id, id);
  }

  /** Whether anything is shown for the sake of a node. */
  private collapses(id: string): boolean {
    const { scene } = this;
    if (scene?.graph.picture.kind !== "neighborhood" || id === scene.graph.root) return false;
    const { expanded, collapsed, filters } = scene.history.now;
    if (collapsed.has(id)) return false;
    if (expanded.has(id)) return true;
    const seen = visible(scene.graph, scene.history.now);
    return (stepsFrom([scene.graph.root], seen.edges).get(id) ?? filters.depth) < filters.depth;
  }

  private collapse(id: string): void {
    const { scene } = this;
    if (!scene || !this.collapses(id)) return;
    const { expanded, collapsed } = scene.history.now;
    this.change({ expanded: without(expanded, id), collapsed: new Set([...collapsed, id]) }, id);
  }

  private hide(id: string): void {
    const { scene } = this;
    if (!scene || id === scene.graph.root || !scene.graph.nodes.has(id)) return;
    this.selected = this.canvas.nearest(id) ?? scene.graph.picture.root ?? null;
    this.change({ hidden: new Set([...scene.history.now.hidden, id]) }, this.anchor());
  }

  private unhide(): void {
    this.scene?.history.now.hidden.size && this.change({ hidden: new Set() }, this.anchor());
  }

  private group(grouping: Grouping): void {
    const { scene } = this;
    if (!scene) return;
    // Of very many nodes the groups are what can be taken in: each unfolds where it stands.
    const { nodes } = visible(scene.graph, scene.history.now);
    const many = grouping !== "none" && nodes.length > MOST_UNFOLDED;
    this.change({ grouping, folded: new Set(many ? nodes.map((node) => holderOf(node, grouping)) : []) });
  }

  private fold(title: string): void {
    const folded = this.scene?.history.now.folded;
    if (!folded) return;
    const next = folded.has(title) ? without(folded, title) : new Set([...folded, title]);
    this.change({ folded: next }, this.anchor());
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

  private async replace(question: Question): Promise<void> {
    const picture = await this.ask(question);
    if (picture) this.show(picture);
  }

  /** What a question says of a node. */
  private named(id: string): { node: string; symbol: string } {
    return { node: id, symbol: this.scene?.graph.nodes.get(id)?.symbol ?? "" };
  }

  private center(id: string): void {
    const depth = this.scene?.history.now.filters.depth ?? 1;
    void this.replace({ kind: "neighborhood", ...this.named(id), depth });
  }

  private impact(id: string, direction: "in" | "out" = "in"): void {
    const stream = direction === "out" ? "downstream" : "upstream";
    const depth = this.scene?.graph.picture.kind === "impact" ? this.scene.history.now.filters.depth : 3;
    void this.replace({ kind: "impact", ...this.named(id), depth, direction: stream });
  }

  private trace(id: string): void {
    const root = this.scene?.graph.picture.root;
    if (root) void this.traceEither(root, id);
  }

  /** The way from one to the other, else the way back: an arrow is a way in one of them. */
  private async traceEither(source: string, target: string): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    document.body.classList.add("busy");
    const [from, to] = [this.named(source).symbol, this.named(target).symbol];
    const there: Question = { kind: "trace", source, target, symbols: [from, to] };
    const back: Question = { kind: "trace", source: target, target: source, symbols: [to, from] };
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
    if (before) this.enter(before);
  }

  private async loadMore(scene: Scene): Promise<void> {
    const { graph } = scene;
    const limit = Math.min(2 * graph.nodes.size, MOST_NODES);
    const { depth } = scene.history.now.filters;
    const answer = await this.ask({ kind: "neighborhood", ...this.named(graph.root), depth, limit });
    if (!answer || this.scene !== scene) return;
    graph.add(answer, graph.root);
    scene.question = questionOf(answer, depth, limit);
    this.draw(null, () => this.canvas.show(graph.root));
  }

  /** More steps than were loaded are asked for; fewer are only hidden. */
  private async deeper(): Promise<void> {
    const { scene } = this;
    if (!scene) return;
    const { picture, root } = scene.graph;
    const { filters } = scene.history.now;
    const question = questionOf(picture, filters.depth);
    if (question.kind === "impact") question.direction = filters.direction === "out" ? "downstream" : "upstream";
    const answer = await this.ask(question);
    if (!answer || this.scene !== scene) return;
    if (picture.kind !== "neighborhood") return this.show(answer, false);
    scene.graph.add(answer, root);
    scene.question = question;
    this.draw(null, () => this.canvas.show(root));
  }

  // Following the code

  /** The graph is another one: what it means for this picture is said, and made anew if that is wished. */
  private heard({ revision, files }: News): void {
    const { scene } = this;
    if (!scene || !this.canvas.element.isConnected) return;
    const { graph, history } = scene;
    scene.revision = revision;
    const behind = graph.standing(history.now.expanded).revision !== revision;
    const changed = new Set(behind ? files : []);
    for (const [id, { file }] of graph.nodes) if (file && changed.has(file)) scene.stale.add(id);
    if (!behind) scene.stale.clear();
    this.canvas.mark(this.marks(scene));
    this.foot(scene, visible(graph, history.now));
    // What was drawn before all files were read is no answer that somebody wants to keep.
    const { fresh, unfinished } = graph.standing(history.now.expanded);
    const unread = behind && (!fresh || unfinished);
    if (!unread && (!this.auto || !behind || (files && !scene.stale.size))) return;
    this.again.soon();
  }

  /** Goes on with an answer that ended with its time. */
  private finish({ graph }: Scene): void {
    if (this.host.asks && graph.picture.standing.unfinished) this.again.finish();
  }

  /** The same question again: what is new is marked, what was done with the picture stays. */
  private async refresh(): Promise<void> {
    const { scene } = this;
    if (!scene || !this.host.asks) return;
    const answer = await this.ask(scene.question);
    if (!answer || this.scene !== scene) return;
    const next: Scene = { ...scene, graph: new Graph(answer), stale: new Set(), fresh: new Set() };
    await this.load(next, scene.history.now);
    if (this.scene !== scene) return;
    this.scene = next;
    const { fresh, unfinished } = scene.graph.picture.standing;
    const whole = fresh && !unfinished;
    if (whole) {
      for (const id of next.graph.nodes.keys()) if (!scene.graph.nodes.has(id)) next.fresh.add(id);
      next.gone = [...scene.graph.nodes.keys()].filter((id) => !next.graph.nodes.has(id)).length;
    }
    this.draw(this.anchor(), () => {
      if (!whole && !scene.history.canUndo) this.canvas.show(this.selected);
    });
    this.tell();
    this.host.shown(answer);
    this.finish(next);
  }

  /** What an arrangement shows beside the first answer. */
  private async load({ graph }: Scene, { expanded }: Arrangement): Promise<void> {
    for (const node of expanded) {
      if (graph.knows(node) || graph.picture.kind !== "neighborhood") continue;
      // What is gone is not expanded any more.
      const symbol = graph.nodes.get(node)?.symbol;
      const question: Question = { kind: "neighborhood", node, depth: 1, ...(symbol && { symbol }) };
      const answer = await this.host.ask(question).catch(() => null);
      if (answer) graph.add(answer, node);
    }
  }

  // Wishes

  private wishes(): Wishes {
    const fields = { edges: "hiddenEdges", nodes: "hiddenNodes", provenance: "hiddenProvenance" } as const;
    return {
      kind: (kind: Kind) => {
        const root = this.selected ?? this.scene?.graph.picture.root;
        if (root && kind === "impact") this.impact(root);
        else if (root && kind === "neighborhood") void this.replace({ kind, ...this.named(root), depth: 1 });
      },
      direction: (direction) => {
        this.filter({ direction });
        if (this.scene?.graph.picture.kind === "impact") void this.deeper();
      },
      depth: (depth) => {
        this.filter({ depth });
        if (this.host.asks) void this.deeper();
      },
      confidence: (confidence) => this.filter({ confidence }),
      outside: (outside) => this.filter({ outside }),
      hide: (what, name, hidden) => {
        const names = new Set(this.scene?.history.now.filters[fields[what]]);
        if (hidden) names.add(name);
        else names.delete(name);
        this.filter({ [fields[what]]: names });
      },
      group: (grouping) => this.group(grouping),
      unhide: () => this.unhide(),
      search: (text) => {
        this.wanted = text;
        this.remark();
      },
      jump: () => this.jump(),
      back: () => this.back(),
      undo: () => this.undo(true),
      redo: () => this.undo(false),
      list: () => this.list(),
      fit: () => this.canvas.fit(),
      follow: (on) => this.host.follow(on),
      auto: (on) => {
        this.auto = on;
        if (on && this.scene?.stale.size) void this.refresh();
      },
      save: (form) => void this.save(form),
      copy: (text) => this.copy(text),
      help: () => {
        this.help.hidden = !this.help.hidden;
      },
    };
  }

  private list(): void {
    const { across } = this;
    this.listing.toggle();
    this.middle.classList.toggle("listed", this.listing.isShown);
    this.across = this.canvas.element.clientWidth;
    const { scene } = this;
    if (!scene) return;
    if (this.across !== across) {
      this.draw(null, () => this.canvas.show(this.selected));
      return;
    }
    // It stands below: no room to the side was lost or won. What is seen is measured while the list has no rows yet.
    this.canvas.measure();
    if (this.selected) this.canvas.reveal(this.selected);
    this.around(scene, this.shows(scene));
  }

  /** The next node that is searched for comes into view. */
  private jump(): void {
    const text = this.wanted.toLowerCase();
    if (!text || !this.scene) return;
    const drawn = this.canvas.order().filter((id) => {
      return this.scene?.graph.nodes.get(id)?.symbol.toLowerCase().includes(text);
    });
    const next = drawn[(drawn.indexOf(this.selected ?? "") + 1) % Math.max(drawn.length, 1)];
    if (next) {
      this.select(next, false);
      return;
    }
    const hidden = [...this.scene.graph.nodes.values()].filter(({ symbol }) => symbol.toLowerCase().includes(text));
    this.fail(
      hidden.length ? `${hidden.length} of that name are hidden by the filters.` : "Nothing here has that name.",
    );
  }

  private shown(): Shown | null {
    const { scene } = this;
    if (!scene) return null;
    const seen = visible(scene.graph, scene.history.now);
    return { title: scene.graph.picture.title, standing: this.footer.words, nodes: seen.nodes, edges: seen.edges };
  }

  private async save(form: Form): Promise<void> {
    const shown = this.shown();
    if (!shown) return;
    const name = `${shown.title.replace(/[^\w.-]+/g, "-")}.${form === "mermaid" ? "mmd" : form}`;
    this.placing.finish();
    try {
      if (form === "mermaid" || form === "dot") return this.host.save((form === "dot" ? dot : mermaid)(shown), name);
      const drawn = drawing(this.canvas.whole, this.canvas.size, shown);
      this.host.save(form === "svg" ? drawn : await points(drawn), name);
    } catch (problem) {
      this.fail(problem instanceof Error ? problem.message : String(problem));
    }
  }

  private copy(text: Text): void {
    const shown = this.shown();
    if (!shown) return;
    const rows = this.listing.rows();
    this.host.copy(text === "mermaid" ? mermaid(shown) : (text === "markdown" ? markdown : plain)(shown, rows));
  }

  // Keys

  private key(event: KeyboardEvent): void {
    if (!this.canvas.element.isConnected) return;
    if (event.key === "Escape") this.escape();
    if (isTaken(event)) return;
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
    const now = GROUPINGS.indexOf(this.scene?.history.now.grouping ?? "none");
    return {
      ArrowLeft: go(-1, 0),
      ArrowRight: go(1, 0),
      ArrowUp: go(0, -1),
      ArrowDown: go(0, 1),
      Enter: on((id) => this.open(id)),
      " ": expand,
      e: expand,
      x: on((id) => this.collapse(id)),
      h: on((id) => this.hide(id)),
      H: () => this.unhide(),
      u: () => this.undo(true),
      U: () => this.undo(false),
      c: on((id) => this.host.asks && this.center(id)),
      i: on((id) => this.host.asks && this.impact(id)),
      t: on((id) => this.host.asks && this.trace(id)),
      g: () => this.group(GROUPINGS[(now + 1) % GROUPINGS.length] ?? "none"),
      l: () => this.list(),
      r: () => void this.refresh(),
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

function without(ids: ReadonlySet<string>, id: string): Set<string> {
  return new Set([...ids].filter((one) => one !== id));
}
