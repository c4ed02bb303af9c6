// Map panel: packages as boxes inside boxes or as a matrix, folded and unfolded in place.
//
// Owns: what is unfolded and selected. Invariant: boxes and matrix show the same folding.

import { Again } from "./again";
import { READABLE } from "./canvas";
import type { Form } from "./controls";
import { html, pressed, setAttribute, shortened, stopsAt, svg } from "./dom";
import { dot, drawing, mermaid, points } from "./exports";
import { savingMap, shownMap } from "./mapExports";
import { type Band, type Ground, ground, LEAF_HEIGHT, labels, numbered, type Room } from "./mapLayout";
import { type Arrow, routes } from "./mapRoutes";
import { matrix } from "./matrix";
import { caveats, counted, type Host, type Picture } from "./model";
import { Folding, type Link, type Pack, type PackageMap } from "./packages";
import { Viewport } from "./viewport";

const MOST_NAME = 30;
const MOST_SITES = 60;
const MOST_NAMED = 6;
const FAMILY = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
const KEYS = "Arrows: next box · Space: fold or unfold · Enter: open · m: matrix · + − 0: zoom · /: search";

export class MapPanel {
  private readonly opened = svg("g");
  private readonly arrows = svg("g");
  private readonly closed = svg("g");
  private readonly labels = svg("g");
  private readonly layer = svg("g", {}, this.opened, this.arrows, this.closed, this.labels);
  private readonly drawing = svg("svg", { class: "drawing" }, heads(), this.layer);
  /** The boxes that are in the drawing: another selection makes none anew. */
  private boxes: [Room, SVGElement][] = [];
  private readonly element = html("div", { class: "canvas", role: "group", "aria-label": "Map" });
  private readonly table = html("div", { class: "table", hidden: true });
  private readonly details = html("div", { class: "details", role: "status", "aria-live": "polite" });
  private readonly foot = html("div", { class: "foot" });
  private readonly search = html("input", { type: "search", placeholder: "Search", "aria-label": "Search packages" });
  private readonly choice = html("button", { type: "button", id: "matrix" }, "Matrix");
  private readonly port = new Viewport(this.element, this.drawing, ".pack, .import");
  private readonly pen = document.createElement("canvas").getContext("2d");
  private picture: Picture | null = null;
  private unfolded = new Set<string>();
  private folding: Folding | null = null;
  private ground: Ground | null = null;
  private selected: string | null = null;
  private asMatrix = false;
  private readonly again = new Again(() => void this.refresh());

  constructor(
    private readonly host: Host,
    private readonly at: HTMLElement,
  ) {
    document.addEventListener("keydown", (event) => this.key(event));
    this.search.addEventListener("input", () => this.find());
    this.choice.addEventListener("click", () => this.swap());
    new ResizeObserver(() => this.folding && this.draw(true)).observe(this.element);
    host.onNews(({ revision }) => this.heard(revision));
  }

  /** `view`: what was unfolded before the window was loaded again. */
  show(picture: Picture, view?: unknown): void {
    const bar = html("div", { class: "controls", role: "toolbar", "aria-label": "Map" });
    const button = (id: string, text: string, title: string, press: () => void): HTMLElement => {
      const made = html("button", { type: "button", id, title, "aria-label": title }, text);
      made.addEventListener("click", press);
      return made;
    };
    bar.append(
      this.choice,
      button("fold", "Fold all", "Show only the outermost packages", () => this.fold()),
      button("reset", "Reset", "As it was at first", () => this.open(picture.map?.unfolded ?? [])),
      html("span", { class: "space" }),
      this.search,
      button("fit", "Fit", "Show everything (0)", () => this.fit(true)),
      savingMap((form) => void this.save(form)),
    );
    const middle = html("div", { class: "middle" }, this.element, this.table);
    this.at.replaceChildren(bar, middle, this.details, this.foot);
    document.body.dataset.picture = picture.kind;
    this.picture = picture;
    this.selected = null;
    this.host.shown(picture);
    this.open(Array.isArray(view) ? view.map(String) : (picture.map?.unfolded ?? []));
    this.hint();
  }

  /** What to do, and what marks of the table mean. */
  private hint(): void {
    const words = this.asMatrix
      ? "Rows import columns: a cell counts the lines, and a click lists them. Italic: only later than loading. Red: boxes that import each other, dark where an import closes the cycle. m: boxes"
      : `Click a box, an arrow or a cell. ${KEYS}`;
    this.details.replaceChildren(html("div", { class: "faint" }, words));
  }

  /** What was drawn before all files were read is drawn anew. */
  private heard(revision: number): void {
    const { picture } = this;
    if (!picture || !this.element.isConnected || picture.standing.revision === revision) return;
    if (this.host.asks && !picture.standing.fresh) {
      this.again.soon();
      return;
    }
    const button = html("button", { type: "button", id: "refresh" }, "Refresh");
    button.addEventListener("click", () => void this.refresh());
    const words = `drawn at revision ${picture.standing.revision}, now ${revision}`;
    const said = html("span", { class: "caveat behind", role: "status" }, words);
    this.foot.querySelector(".news")?.remove();
    if (this.host.asks) this.foot.append(html("span", { class: "news" }, said, " ", button));
  }

  private async refresh(): Promise<void> {
    const { selected, picture, unfolded } = this;
    const first = new Set(picture?.map?.unfolded);
    const asItWas = first.size === unfolded.size && [...first].every((id) => unfolded.has(id));
    try {
      this.show(await this.host.ask({ kind: "map" }), asItWas ? undefined : [...unfolded]);
      if (selected && this.folding?.packs.has(selected)) this.select(selected);
    } catch (problem) {
      const words = problem instanceof Error ? problem.message : String(problem);
      this.details.replaceChildren(html("div", { class: "problem", role: "alert" }, words));
    }
  }

  // State

  private open(ids: Iterable<string>): void {
    this.unfolded = new Set(ids);
    this.refold(true);
  }

  private fold(): void {
    const { map } = this.picture ?? {};
    if (!map) return;
    const tops = new Set(map.modules.map(({ parts }) => parts[0] ?? ""));
    this.open(tops.size === 1 ? tops : []);
  }

  private turn(id: string): void {
    if (this.unfolded.has(id)) {
      for (const one of [...this.unfolded]) if (one === id || one.startsWith(`${id}/`)) this.unfolded.delete(one);
    } else this.unfolded.add(id);
    this.selected = id;
    this.refold(false);
    this.tell();
  }

  private refold(first: boolean): void {
    const map: PackageMap | null | undefined = this.picture?.map;
    if (!map) return;
    this.folding = new Folding(map, this.unfolded);
    if (this.selected && !this.folding.packs.has(this.selected)) this.selected = null;
    this.draw(first);
    this.host.keep({ question: { kind: "map" }, view: [...this.unfolded] });
  }

  private swap(): void {
    this.asMatrix = !this.asMatrix;
    this.choice.textContent = this.asMatrix ? "Boxes" : "Matrix";
    this.draw(true);
    if (this.asMatrix || !this.selected) this.hint();
  }

  // Drawing

  private draw(first: boolean): void {
    const { folding } = this;
    if (!folding) return;
    this.table.hidden = !this.asMatrix;
    this.element.classList.toggle("gone", this.asMatrix);
    this.say(folding);
    if (this.asMatrix) {
      const touch = {
        select: (id: string) => this.select(id),
        turn: (id: string) => this.turn(id),
        link: (one: Link) => this.link(one),
      };
      this.table.replaceChildren(matrix(folding, this.selected, touch));
      return;
    }
    const before = this.selected ? this.spot(this.selected) : null;
    const width = Math.max(this.element.clientWidth / 1.02, 420);
    this.ground = ground(folding, { width: (pack) => this.width(pack) }, width, this.element.clientHeight);
    this.paint();
    if (first || !before) this.fit(false);
    else this.keep(before);
  }

  private paint(): void {
    const { ground } = this;
    if (!ground) return;
    for (const side of ["width", "height"] as const) this.drawing.setAttribute(side, String(Math.ceil(ground[side])));
    this.boxes = ground.rooms.map((room) => [room, this.room(room)]);
    const of = (open: boolean): SVGElement[] =>
      this.boxes.flatMap(([room, element]) => (room.open === open ? element : []));
    this.opened.replaceChildren(...of(true), ...ground.bands.map((one) => band(one, this.words(one.layer))));
    this.closed.replaceChildren(...of(false));
    this.mark();
  }

  /** What depends on the selected box and on the words that are searched for. */
  private mark(): void {
    const { ground, folding } = this;
    if (!ground || !folding) return;
    const near = this.selected ? this.around(ground, folding, this.selected) : null;
    const arrows = near ?? ground.arrows;
    for (const [room, element] of this.boxes) this.dress(room, element);
    this.arrows.replaceChildren(...arrows.map((one) => this.arrow(one, near !== null)));
    const words = [...labels(arrows, ground.rooms)];
    this.labels.replaceChildren(...words.map(({ arrow: one, x, y }) => label(one, x, y, this.closes(one))));
  }

  private dress({ pack, open }: Room, element: SVGElement): void {
    const cycle = this.folding?.cycles.has(pack.id) ?? false;
    const text = this.search.value.trim().toLowerCase();
    const dim = text && !open && !this.holds(pack, text) ? " dim" : "";
    const states = `${open ? " open" : ""}${cycle ? " cycle" : ""}${pack.id === this.selected ? " selected" : ""}${dim}`;
    setAttribute(element, "class", `pack kind-${pack.test ? "test" : "module"}${states}`);
    stopsAt(element, pack.id === (this.selected ?? this.ground?.rooms[0]?.pack.id));
  }

  /** All links of one box to the boxes that are seen outside of it. */
  private around(ground: Ground, folding: Folding, id: string): Arrow[] {
    const rooms = new Map(ground.rooms.map((room) => [room.pack.id, room]));
    const own = (leaf: string): string => (leaf === id || leaf.startsWith(`${id}/`) ? id : leaf);
    const y = (box: string): number => rooms.get(box)?.y ?? 0;
    const wanted = folding.between(own).flatMap((link) => {
      const [from, to] = [rooms.get(link.from), rooms.get(link.to)];
      if (!from || !to || (link.from !== id && link.to !== id)) return [];
      return [{ link, from, to, back: y(link.from) > y(link.to) }];
    });
    return routes(
      wanted,
      ground.rooms.filter((room) => !room.open || room.pack.id === id),
    );
  }

  private room({ pack, x, y, width, height, open }: Room): SVGElement {
    const cycle = this.folding?.cycles.has(pack.id) ?? false;
    const what = pack.isPackage ? counted(pack.modules.length, "module") : "module";
    const words = `${pack.id}, ${what}${cycle ? ", in an import cycle" : ""}`;
    const group = svg("g", {
      transform: `translate(${x} ${y})`,
      role: "button",
      "data-pack": pack.id,
      "aria-label": words,
      "aria-expanded": pack.isPackage ? String(open) : undefined,
    });
    group.append(
      svg("title", {}, words),
      svg("rect", { class: "body", width, height, rx: 6 }),
      svg("rect", { class: "stripe", width: 5, height: (open ? LEAF_HEIGHT - 14 : height) - 12, x: 6, y: 6, rx: 2.5 }),
      svg("text", { class: "name", x: 18, y: 19 }, shortened(pack.name, MOST_NAME)),
    );
    if (!open) group.append(svg("text", { class: "small", x: 18, y: 35 }, cycle ? `${what} ⟲` : what));
    if (pack.isPackage) {
      const sign = svg("text", { class: "more", x: width - 14, y: 18 }, open ? "−" : "+");
      const grip = svg("rect", { class: "grip", x: width - 28, y: 0, width: 28, height: 28 });
      for (const one of [sign, grip]) one.addEventListener("click", (event) => this.turned(event, pack.id));
      group.append(sign, grip);
    }
    group.addEventListener("click", (event) => {
      if (event.detail > 1 && pack.isPackage) this.turn(pack.id);
      else this.select(pack.id);
    });
    return group;
  }

  /** What a declared layer is called. */
  private words(layer: number): string {
    const names = this.picture?.map?.layers[layer];
    return names ? names.join(" | ") : "in no single layer";
  }

  private turned(event: Event, id: string): void {
    event.stopPropagation();
    this.turn(id);
  }

  private arrow({ link, back, path }: Arrow, near: boolean): SVGElement {
    const cycle = this.closes({ link, back }) ? " cycle" : "";
    const against = link.against ? " against" : "";
    const classes = `import${back ? " back" : ""}${cycle}${against}${near ? " near" : ""}`;
    const words = `${link.from} → ${link.to}: ${counted(link.count, "import")}${unwanted(link)}`;
    const group = svg(
      "g",
      { class: classes, "data-link": `${link.from} ${link.to}` },
      svg("title", {}, words),
      svg("path", { class: "grip", d: path }),
      svg("path", {
        class: "stroke",
        d: path,
        "stroke-width": 1 + Math.min(Math.log2(link.count), 6) / 2,
        "marker-end": "url(#import)",
      }),
    );
    stopsAt(group, true);
    return pressed(group, words, () => this.link(link));
  }

  /** Whether it closes a cycle of imports: what runs later than loading may lead back without one. */
  private closes({ link, back }: Pick<Arrow, "link" | "back">): boolean {
    const cycle = this.folding?.cycles.get(link.from);
    return back && link.count > link.later && cycle !== undefined && cycle === this.folding?.cycles.get(link.to);
  }

  private width(pack: Pack): number {
    const name = this.text(shortened(pack.name, MOST_NAME), "600 13px");
    return Math.ceil(Math.max(name + 22, this.text(`${counted(pack.modules.length, "module")} ⟲`, "11px"))) + 30;
  }

  private text(words: string, font: string): number {
    if (!this.pen) return words.length * 7;
    this.pen.font = `${font} ${FAMILY}`;
    return this.pen.measureText(words).width;
  }

  // Moving

  /** Names stay readable: what does not fit then is a matter of moving. `all`: it was asked for. */
  private fit(all: boolean): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!this.ground || !width || !height) return;
    const scale = Math.min(width / this.ground.width, height / this.ground.height, 1.25);
    this.port.scale = all ? scale : Math.max(scale, READABLE);
    this.port.left = Math.max((width - this.ground.width * this.port.scale) / 2, 0);
    this.port.top = Math.max((height - this.ground.height * this.port.scale) / 2, 0);
    this.port.move();
  }

  private spot(id: string): { id: string; x: number; y: number } | null {
    const room = this.ground?.rooms.find(({ pack }) => pack.id === id);
    return room
      ? { id, x: this.port.left + room.x * this.port.scale, y: this.port.top + room.y * this.port.scale }
      : null;
  }

  private keep(before: { id: string; x: number; y: number }): void {
    const now = this.spot(before.id);
    if (!now) return;
    const room = this.ground?.rooms.find(({ pack }) => pack.id === before.id);
    const most = this.element.clientWidth - (room?.width ?? 0) * this.port.scale;
    this.port.left += Math.min(before.x, Math.max(most, 8)) - now.x;
    this.port.top += Math.max(before.y, 8) - now.y;
    this.port.move();
  }

  // Words

  private holds(pack: Pack, text: string): boolean {
    return pack.modules.some((index) => this.picture?.map?.modules[index]?.name.toLowerCase().includes(text));
  }

  private find(): void {
    this.mark();
    if (this.asMatrix) this.draw(false);
  }

  private say(folding: Folding): void {
    const { picture } = this;
    if (!picture?.map) return;
    const total = picture.map.imports.reduce((sum, { count }) => sum + count, 0);
    const groups = new Map<number, number>();
    for (const group of folding.cycles.values()) groups.set(group, (groups.get(group) ?? 0) + 1);
    const said = [
      counted(picture.map.modules.length, "module"),
      `${counted(total, "import")}${total && !folding.links.length ? ", all inside these boxes" : ""}`,
      `${folding.leaves.length} boxes`,
    ];
    const line = html("span", { class: "standing" }, said.join(" · "));
    const cycles = [...groups.values()].sort((one, other) => other - one).slice(0, MOST_NAMED);
    for (const size of cycles) line.append(" · ", html("span", { class: "caveat" }, `⟲ ${size} boxes in a cycle`));
    if (!cycles.length) line.append(" · no cycle among these");
    if (picture.map.layers.length) {
      const against = picture.map.imports.reduce((sum, one) => sum + one.against, 0);
      const words = against
        ? `⇧ ${counted(against, "import")} against the declared layers`
        : "the declared layers hold";
      line.append(" · ", html("span", { class: against ? "caveat" : "" }, words));
    }
    for (const caveat of caveats(picture.standing)) line.append(" · ", html("span", { class: "caveat" }, caveat));
    this.foot.replaceChildren(line, html("span", { class: "faint undrawn" }));
    window.queueMicrotask(() => this.undrawn());
  }

  private undrawn(): void {
    const at = this.foot.querySelector(".undrawn");
    const count = this.asMatrix ? 0 : (this.ground?.undrawn ?? 0);
    if (at)
      at.textContent = count ? `${counted(count, "weaker arrow")} not drawn: select a box, or see the matrix` : "";
  }

  private select(id: string): void {
    this.selected = this.selected === id && !this.asMatrix ? null : id;
    if (this.asMatrix) this.draw(false);
    else this.mark();
    this.tell();
    this.layer.querySelector<SVGElement>(`[data-pack="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
  }

  private tell(): void {
    const { folding, selected: id } = this;
    const pack = id ? folding?.packs.get(id) : undefined;
    if (!folding || !pack) {
      this.details.replaceChildren();
      return;
    }
    const own = (leaf: string): string => (leaf === id || leaf.startsWith(`${id}/`) ? pack.id : leaf);
    const links = folding.between(own);
    const list = (found: Link[], end: (link: Link) => string): string => {
      const named = found.slice(0, MOST_NAMED).map((link) => `${end(link)} ${link.count}`);
      return named.join(", ") + (found.length > MOST_NAMED ? `, ${found.length - MOST_NAMED} more` : "") || "nothing";
    };
    const out = links.filter(({ from }) => from === pack.id);
    const into = links.filter(({ to }) => to === pack.id);
    const steps = html("div", { class: "steps" });
    const step = (text: string, press: () => void): void => {
      const button = html("button", { type: "button" }, text);
      button.addEventListener("click", press);
      steps.append(button);
    };
    if (pack.isPackage) step(this.unfolded.has(pack.id) ? "Fold" : "Unfold", () => this.turn(pack.id));
    if (this.host.opens && !pack.isPackage) step("Open source", () => this.openSource(pack));
    this.details.replaceChildren(
      html("div", { class: "head" }, html("b", {}, pack.id), ` ${counted(pack.modules.length, "module")}`),
      html("div", {}, `imports ${list(out, ({ to }) => to)}`),
      html("div", {}, `imported by ${list(into, ({ from }) => from)}`),
      steps,
    );
  }

  private link(link: Link): void {
    const { map } = this.picture ?? {};
    if (!map) return;
    const later = link.later ? `, ${link.later} of them later than loading` : "";
    const head = html(
      "div",
      { class: "head" },
      html("b", {}, `${link.from} → ${link.to}`),
      ` ${counted(link.count, "import")}${later}${unwanted(link)}`,
    );
    const sites = html("div", { class: "sites" });
    // What is against the layers first: that is what somebody came for.
    const imports = [...link.imports].sort((one, other) => other.against - one.against);
    const all = imports.flatMap((one) => one.lines.map((line) => ({ one, line })));
    for (const { one, line } of all.slice(0, MOST_SITES)) {
      const source = map.modules[one.source];
      const target = map.modules[one.target];
      if (!source || !target) continue;
      const text = `${source.file}:${line}`;
      const place = { file: source.file, line, column: 1, ...(source.uri && { uri: source.uri }) };
      const spot = html(this.host.opens ? "button" : "span", { class: this.host.opens ? "link" : "faint" }, text);
      if (this.host.opens) spot.addEventListener("click", () => this.host.open(place));
      sites.append(html("div", {}, spot, ` ${target.name}`));
    }
    if (link.count > Math.min(all.length, MOST_SITES))
      sites.append(`and ${link.count - Math.min(all.length, MOST_SITES)} more`);
    this.details.replaceChildren(head, sites);
  }

  private openSource(pack: Pack): void {
    const found = this.picture?.map?.modules[pack.modules[0] ?? -1];
    if (found) this.host.open({ file: found.file, line: 1, column: 1, ...(found.uri && { uri: found.uri }) });
  }

  private async save(form: Form): Promise<void> {
    const { ground, folding, picture } = this;
    if (!ground || !folding || !picture) return;
    const standing = this.foot.querySelector(".standing")?.textContent ?? "";
    const shown = shownMap(folding, picture.title, standing);
    const name = `map.${form === "mermaid" ? "mmd" : form}`;
    if (form === "mermaid" || form === "dot") return this.host.save((form === "dot" ? dot : mermaid)(shown), name);
    // The matrix is no drawing: what is saved then is the same folding as boxes.
    if (this.asMatrix) this.swap();
    const drawn = drawing(this.drawing, ground, { ...shown, edges: [] });
    this.host.save(form === "svg" ? drawn : await points(drawn), name);
  }

  // Keys

  private key(event: KeyboardEvent): void {
    if (!this.element.isConnected || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as Element).matches?.("input, button")) return;
    const act = this.acts()[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  private acts(): Record<string, () => void> {
    const pack = (): Pack | undefined => (this.selected ? this.folding?.packs.get(this.selected) : undefined);
    const go = (dx: number, dy: number) => () => this.walk(dx, dy);
    return {
      ArrowLeft: go(-1, 0),
      ArrowRight: go(1, 0),
      ArrowUp: go(0, -1),
      ArrowDown: go(0, 1),
      " ": () => {
        const one = pack();
        if (one?.isPackage) this.turn(one.id);
      },
      Enter: () => {
        const one = pack();
        if (one && !one.isPackage) this.openSource(one);
      },
      m: () => this.swap(),
      "+": () => this.port.zoom(1.2),
      "=": () => this.port.zoom(1.2),
      "-": () => this.port.zoom(1 / 1.2),
      "0": () => this.fit(true),
      "/": () => this.search.focus(),
    };
  }

  private walk(dx: number, dy: number): void {
    const rooms = this.ground?.rooms ?? [];
    const from = rooms.find(({ pack }) => pack.id === this.selected);
    if (!from) {
      if (rooms[0]) this.select(rooms[0].pack.id);
      return;
    }
    let best: [number, string] | null = null;
    for (const room of rooms) {
      const x = room.x + room.width / 2 - from.x - from.width / 2;
      const y = room.y - from.y;
      const along = x * dx + y * dy;
      const far = along + 2 * Math.abs(x * dy + y * dx);
      if (room !== from && along > 1 && (!best || far < best[0])) best = [far, room.pack.id];
    }
    if (best) this.select(best[1]);
  }
}

function band({ x, y, width, height }: Band, words: string): SVGElement {
  return svg(
    "g",
    { class: "band", transform: `translate(${x} ${y})` },
    svg("rect", { width, height, rx: 4 }),
    svg("text", { x: 10, y: 17 }, shortened(words, Math.max(Math.floor(width / 7) - 2, 8))),
    svg("title", {}, words),
  );
}

function unwanted({ against }: Link): string {
  return against ? `, ${against} against the declared layers` : "";
}

function label({ link }: Arrow, x: number, y: number, cycle: boolean): SVGElement {
  const words = numbered(link);
  const width = words.length * 7 + 10;
  return svg(
    "g",
    { class: `label${cycle ? " cycle" : ""}${link.against ? " against" : ""}`, "aria-hidden": "true" },
    svg("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }),
    svg("text", { x, y: y + 4 }, words),
  );
}

function heads(): SVGElement {
  const size = { viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 9, markerHeight: 9 };
  const head = svg("path", { d: "M0 0L8 4L0 8z", class: "head" });
  return svg("defs", {}, svg("marker", { id: "import", orient: "auto", markerUnits: "userSpaceOnUse", ...size }, head));
}
