// Canvas: the drawing itself: boxes and lines in SVG, moved and zoomed.

import { pressed, shortened, svg } from "./dom";
import { edgeFamily, nodeFamily } from "./kinds";
import { type Box, type Frame, HEIGHT, type Line, labelOf, type Measure, type Placed } from "./layout";
import { Minimap } from "./minimap";
import { counted, finest, isOutside, mark, place, title, trustOf, type ViewEdge, type ViewNode } from "./model";
import { appear, glide } from "./motion";
import { Viewport } from "./viewport";

const NAME_FONT = "600 13px";
const SMALL_FONT = "11px";
const NARROW = 720;
/** At this scale names are 11 px high. */
export const READABLE = 11 / 13;
const MOST_NAME = 34;
const MOST_SMALL = 40;
const MOST_SAID = 4;
const FAMILY = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";

export interface Marked {
  selected: string | null;
  root: string | null;
  /** What a click on its sign does: `+` or `−`. */
  sign(node: ViewNode): "" | "+" | "−";
  byDepth: boolean;
  /** Nodes that are new since the picture was drawn before, and those whose file changed since. */
  fresh: ReadonlySet<string>;
  stale: ReadonlySet<string>;
  matches: ((node: ViewNode) => boolean) | null;
}

export interface Touch {
  select(id: string): void;
  /** A double click: expand it, or open what is expanded. */
  expand(id: string): void;
  /** A click on `+` or `−`. */
  turn(id: string): void;
  /** A click on the title of a group. */
  fold(key: string): void;
  line(line: Line): void;
}

/** `common`: what all links of a picture are marked with, which says nothing on each of them. */
export function written(edge: ViewEdge, common: string | null = null): string {
  const sign = mark(edge);
  return sign && sign !== common ? `${edge.kind} ${sign}` : edge.kind;
}

/** The mark that all links share. */
export function commonMark(edges: readonly ViewEdge[]): string | null {
  const marks = new Set(edges.map(mark));
  const [only] = marks;
  return marks.size === 1 && only ? only : null;
}

/** Of a long name the end says most. */
function named(node: ViewNode): string {
  const name = title(node);
  return name === node.name || name.length <= MOST_NAME ? shortened(name, MOST_NAME) : `…${name.slice(1 - MOST_NAME)}`;
}

export function small(node: ViewNode): string {
  const holder = node.symbol.includes(":") ? node.symbol.slice(0, -node.name.length).replace(/[.:]$/, "") : "";
  return `${finest(node)}${holder ? ` · ${holder}` : isOutside(node) ? " · outside" : ""}`;
}

export class Canvas implements Measure {
  readonly element: SVGSVGElement;
  readonly minimap = new Minimap((x, y) => this.center(x, y));
  readonly readable = READABLE;
  private readonly layer = svg("g");
  private readonly pen = document.createElement("canvas").getContext("2d");
  private readonly port: Viewport;
  private placed: Placed = { frames: [], boxes: [], lines: [], width: 1, height: 1, down: false };

  constructor(private readonly touch: Touch) {
    this.element = svg("svg", { class: "canvas", role: "group", "aria-label": "Graph" }, arrows(), this.layer);
    this.port = new Viewport(this.element, this.layer, ".node, .line, .frame.group", () => this.moved());
  }

  /** What a label or a sign leaves out, once for the whole picture. */
  common: string | null = null;

  width(node: ViewNode): number {
    const name = this.text(named(node), NAME_FONT);
    const under = this.text(shortened(small(node), MOST_SMALL), SMALL_FONT);
    return Math.ceil(Math.max(name + 22, under, 70)) + 28;
  }

  label(text: string): number {
    return Math.ceil(this.text(text, SMALL_FONT)) + 16;
  }

  title(text: string): number {
    return (
      Math.ceil(this.text(groupName(text), NAME_FONT) + this.text(", 999 nodes, 99 links inside", SMALL_FONT)) + 40
    );
  }

  /** How wide the picture may be where it is read without moving it sideways. */
  get room(): number {
    return Math.max(this.element.clientWidth / READABLE - 90, 260);
  }

  private text(words: string, font: string): number {
    if (!this.pen) return words.length * 7;
    this.pen.font = `${font} ${FAMILY}`;
    return this.pen.measureText(words).width;
  }

  draw(placed: Placed, marked: Marked): void {
    this.placed = placed;
    this.layer.replaceChildren(
      ...placed.frames.map((frame) => this.frame(frame)),
      ...placed.lines.map((line) => this.line(line, marked)),
      ...this.own(placed, marked.selected),
      ...placed.boxes.map((box) => this.box(box, marked)),
      ...placed.lines.flatMap((line) => label(line, marked, this.common)),
    );
    this.minimap.draw(placed.boxes, placed.frames, placed.width, placed.height);
    this.move();
  }

  private frame({ x, y, width, height, key, title: name, folded, nodes, inner }: Frame): SVGElement {
    const rect = svg("rect", { class: "body", width, height, rx: 10 });
    if (name === null) return svg("g", { class: "frame", transform: `translate(${x} ${y})` }, rect);
    const count = counted(nodes.length, "node");
    const links = inner.length ? `, ${counted(inner.length, "link")} inside` : "";
    const group = svg(
      "g",
      {
        class: `frame group${folded ? " folded" : ""}`,
        transform: `translate(${x} ${y})`,
        tabindex: 0,
        role: "button",
        "data-group": key,
        "aria-label": `${name}: ${count}${links}`,
        "aria-expanded": String(!folded),
      },
      svg("title", {}, `${name}: ${count}${links}`),
      rect,
      svg("text", { class: "name", x: 12, y: folded ? 20 : 18 }, groupName(name)),
      svg("text", { class: "more", x: width - 14, y: 18 }, folded ? "+" : "−"),
    );
    const small = folded ? { x: 12, y: 36 } : { x: 18 + this.text(groupName(name), NAME_FONT), y: 18 };
    group.append(svg("text", { class: "small", ...small }, `${count}${links}`));
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.touch.fold(key);
    });
    group.addEventListener("click", () => this.touch.fold(key));
    return group;
  }

  /** Of a selected node in a block its own links: what is drawn of these is one line for all of the block. */
  private own(placed: Placed, id: string | null): SVGElement[] {
    const held = new Set(placed.frames.flatMap(({ nodes }) => nodes.map((node) => node.id)));
    if (!id || !held.has(id)) return [];
    const boxes = new Map(placed.boxes.map((box) => [box.node.id, box]));
    const all = [...placed.lines.flatMap(({ edges }) => edges), ...placed.frames.flatMap(({ inner }) => inner)];
    const links = all.filter(({ source, target }) => {
      return (source === id || target === id) && source !== target;
    });
    const drawn = new Map(links.map((edge) => [`${edge.source} ${edge.target}`, edge]));
    return [...drawn.values()].flatMap((edge) => {
      const [from, to] = [boxes.get(edge.source), boxes.get(edge.target)];
      if (!from || !to) return [];
      const classes = `own link-${edgeFamily([edge])}`;
      return [svg("path", { class: classes, d: straight(from, to), "marker-end": "url(#arrow)" })];
    });
  }

  /** The same picture with other marks. */
  mark(marked: Marked): void {
    this.draw(this.placed, marked);
  }

  private line(line: Line, marked: Marked): SVGElement {
    const sure = Math.max(...line.edges.map((edge) => edge.confidence));
    const open = line.edges.every((edge) => edge.ambiguous);
    const near = touches(line, marked.selected);
    const trust = open ? "ambiguous" : sure < 1 ? "inferred" : "sure";
    const change = changeOf(line.edges);
    const states = [...(near ? ["near"] : []), ...(change ? [`change-${change}`] : [])];
    const classes = ["line", trust, `link-${edgeFamily(line.edges)}`, ...states].join(" ");
    const drawn = curve(line.points, this.placed.down);
    const group = svg(
      "g",
      { class: classes, "data-line": line.edges.map((edge) => edge.kind).join(" ") },
      svg("title", {}, [...new Set(line.edges.map((edge) => `${written(edge)}: ${trustOf(edge)}`))].join("\n")),
      svg("path", { d: drawn, class: "grip" }),
      svg("path", { d: drawn, class: "stroke", "marker-end": "url(#arrow)" }),
    );
    return pressed(group, this.words(line), near, () => this.touch.line(line));
  }

  /** A line for who hears it. */
  private words({ edges }: Line): string {
    const symbols = new Map(this.placed.boxes.map(({ node }) => [node.id, node.symbol]));
    const said = edges.slice(0, MOST_SAID).map(({ source, kind, target }) => {
      return `${symbols.get(source) ?? "a group"} ${kind} ${symbols.get(target) ?? "a group"}`;
    });
    return said.join(", ") + (edges.length > MOST_SAID ? ` and ${edges.length - MOST_SAID} more` : "");
  }

  private box(box: Box, marked: Marked): SVGElement {
    const { node } = box;
    const kind = finest(node);
    const far = node.depth ?? null;
    const depth = marked.byDepth && far !== null ? ` depth depth-${Math.min(far, 6)}` : "";
    const dim = marked.matches && !marked.matches(node) ? " dim" : "";
    const news = `${marked.fresh.has(node.id) ? " fresh" : ""}${marked.stale.has(node.id) ? " stale" : ""}`;
    const change = node.change ? ` change-${node.change}` : "";
    const own = `${node.id === marked.root ? " root" : ""}${node.id === marked.selected ? " selected" : ""}`;
    const states = `${isOutside(node) ? " outside" : ""}${own}${depth}${dim}${news}${change}`;
    const words = [`${kind} ${node.symbol}`, place(node), ...(node.change ? [node.change] : [])];
    if (marked.fresh.has(node.id)) words.push("new since the picture before");
    if (marked.stale.has(node.id)) words.push("its file changed since");
    const group = svg("g", {
      class: `node kind-${nodeFamily(kind)}${states}`,
      transform: `translate(${box.x} ${box.y})`,
      tabindex: node.id === (marked.selected ?? marked.root) ? 0 : -1,
      role: "button",
      "data-node": node.id,
      "data-symbol": node.symbol,
      "aria-label": words.join(", "),
      "aria-pressed": node.id === marked.selected ? "true" : "false",
    });
    group.append(
      svg("title", {}, words.join("\n")),
      svg("rect", { class: "body", width: box.width, height: HEIGHT, rx: 6 }),
      svg("rect", { class: "stripe", width: 5, height: HEIGHT - 12, x: 6, y: 6, rx: 2.5 }),
      svg("text", { class: "name", x: 18, y: 20 }, named(node)),
      svg("text", { class: "small", x: 18, y: 36 }, shortened(small(node), MOST_SMALL)),
    );
    if (node.change) group.append(svg("text", { class: "changed", x: box.width - 14, y: 18 }, SIGNS[node.change]));
    const sign = marked.sign(node);
    if (sign) {
      const grip = svg("rect", { class: "grip", x: box.width - 26, y: 0, width: 26, height: 26 });
      grip.addEventListener("click", (event) => {
        event.stopPropagation();
        this.touch.turn(node.id);
      });
      group.append(svg("text", { class: "more", x: box.width - 14, y: 18 }, sign), grip);
    }
    this.listen(group, node.id);
    return group;
  }

  private listen(group: SVGElement, id: string): void {
    group.addEventListener("click", (event) => {
      if (event.detail > 1) this.touch.expand(id);
      else this.touch.select(id);
    });
  }

  focus(id: string): void {
    this.layer.querySelector<SVGElement>(`[data-node="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
    this.reveal(id);
  }

  /** The nearest node in a direction, for the arrow keys. */
  next(id: string | null, dx: number, dy: number): string | null {
    const from = this.placed.boxes.find((box) => box.node.id === id) ?? this.placed.boxes[0];
    if (!from) return null;
    let best: [number, string] | null = null;
    for (const box of this.placed.boxes) {
      const x = box.x + box.width / 2 - from.x - from.width / 2;
      const y = box.y - from.y;
      const along = x * dx + y * dy;
      const aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (box !== from && along > 1 && (best === null || along + 2 * aside < best[0])) {
        best = [along + 2 * aside, box.node.id];
      }
    }
    return best?.[1] ?? null;
  }

  // Moving

  /** Where a node is on the screen, so that a new layout can leave it there. */
  spot(id: string): { x: number; y: number } | null {
    const box = this.placed.boxes.find((one) => one.node.id === id);
    return box ? { x: this.port.left + box.x * this.port.scale, y: this.port.top + box.y * this.port.scale } : null;
  }

  keep(id: string, spot: { x: number; y: number }): void {
    const now = this.spot(id);
    if (!now) return;
    this.port.left += spot.x - now.x;
    this.port.top += spot.y - now.y;
    this.move();
  }

  get narrow(): boolean {
    return this.element.clientWidth < NARROW;
  }

  get aspect(): number {
    const { clientWidth: width, clientHeight: height } = this.element;
    return width && height ? width / height : 1;
  }

  fits(placed: Placed, across = false): number {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return 1;
    return across ? width / placed.width : Math.min(width / placed.width, height / placed.height);
  }

  fit(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.port.scale = Math.min(this.fits(this.placed), 1.25);
    this.port.left = (width - this.placed.width * this.port.scale) / 2;
    this.port.top = (height - this.placed.height * this.port.scale) / 2;
    this.move();
  }

  /** Another layout of what is shown: what was in a place stays there, and as large as it was. */
  redraw(placed: Placed, marked: Marked, id: string): void {
    const before = this.spot(id);
    const spots = new Map(this.placed.boxes.map(({ node }) => [node.id, this.spot(node.id)]));
    this.draw(placed, marked);
    if (!before) this.show(id);
    else {
      this.keep(id, before);
      const own = placed.boxes.filter(({ node }) => node.id === id);
      const middle = placed.boxes.filter(({ node }) => node.id === marked.root);
      const found = placed.boxes.filter(({ node }) => !spots.has(node.id));
      const wishes = [
        [...own, ...middle, ...found],
        [...own, ...middle, ...found.slice(0, 1)],
        [...own, ...middle],
        own,
      ];
      this.bring(wishes.find((boxes) => this.holds(boxes)) ?? own);
    }
    this.animate(spots);
  }

  /** What was there before goes to its new place from where it was seen; what is new appears. */
  private animate(spots: ReadonlyMap<string, { x: number; y: number } | null>): void {
    const { left, top, scale } = this.port;
    const drawn = new Map(
      [...this.layer.querySelectorAll<SVGElement>(".node")].map((one) => [one.dataset.node ?? "", one]),
    );
    for (const { node, x, y } of this.placed.boxes) {
      const element = drawn.get(node.id);
      const spot = spots.get(node.id);
      if (!element) continue;
      if (spot) glide(element, { x: (spot.x - left) / scale, y: (spot.y - top) / scale }, { x, y });
      else appear(element);
    }
    for (const line of this.layer.querySelectorAll<SVGElement>(".line, .label, .frame")) appear(line);
  }

  /** Whether boxes can be seen together at the scale that there is. */
  private holds(boxes: readonly Box[]): boolean {
    const { scale } = this.port;
    const span = (start: (box: Box) => number, size: (box: Box) => number): number =>
      (Math.max(...boxes.map((box) => start(box) + size(box))) - Math.min(...boxes.map(start))) * scale + 16;
    return (
      span(
        ({ x }) => x,
        ({ width }) => width,
      ) <= this.element.clientWidth &&
      span(
        ({ y }) => y,
        ({ height }) => height,
      ) <= this.element.clientHeight
    );
  }

  /** Moves the picture by as little as shows these boxes. */
  private bring(boxes: readonly Box[]): void {
    const { clientWidth, clientHeight } = this.element;
    const { scale, left, top } = this.port;
    const shift = (from: number, to: number, room: number): number => {
      const back = Math.min(room - 8 - to, 0);
      return back + Math.max(8 - (from + back), 0);
    };
    const ends = (start: (box: Box) => number, size: (box: Box) => number): [number, number] => [
      Math.min(...boxes.map(start)) * scale,
      Math.max(...boxes.map((box) => start(box) + size(box))) * scale,
    ];
    const [x1, x2] = ends(
      ({ x }) => x,
      ({ width }) => width,
    );
    const [y1, y2] = ends(
      ({ y }) => y,
      ({ height }) => height,
    );
    this.port.left += shift(left + x1, left + x2, clientWidth);
    this.port.top += shift(top + y1, top + y2, clientHeight);
    this.move();
  }

  /** The whole picture where it stays readable, else the middle in the middle. */
  show(id: string | null): void {
    this.fit();
    if (this.port.scale >= READABLE || id === null) return;
    const { clientWidth: width, clientHeight: height } = this.element;
    this.port.scale = READABLE;
    this.keep(id, { x: width / 2 - 80, y: height / 2 - 20 });
    this.port.left = within(this.port.left, width, this.placed.width * this.port.scale);
    this.port.top = within(this.port.top, height, this.placed.height * this.port.scale);
    this.move();
  }

  zoom(by: number): void {
    this.port.zoom(by);
  }

  has(id: string | null): boolean {
    return this.placed.boxes.some(({ node }) => node.id === id);
  }

  /** Drawn nodes as they are read: by columns or by rows. */
  order(): string[] {
    const [one, other] = this.placed.down ? (["y", "x"] as const) : (["x", "y"] as const);
    const boxes = [...this.placed.boxes].sort((a, b) => a[one] - b[one] || a[other] - b[other]);
    return boxes.map(({ node }) => node.id);
  }

  /** Another node that stands closest to one. */
  nearest(id: string): string | null {
    const from = this.placed.boxes.find(({ node }) => node.id === id);
    if (!from) return null;
    const far = ({ x, y }: Box): number => Math.hypot(x - from.x, y - from.y);
    const others = this.placed.boxes.filter((box) => box !== from);
    return others.sort((one, other) => far(one) - far(other))[0]?.node.id ?? null;
  }

  reveal(id: string): void {
    const box = this.placed.boxes.find((one) => one.node.id === id);
    const spot = this.spot(id);
    if (!box || !spot) return;
    const most = { x: this.element.clientWidth - box.width * this.port.scale - 8, y: this.element.clientHeight - 56 };
    const x = Math.min(Math.max(spot.x, 8), Math.max(most.x, 8));
    const y = Math.min(Math.max(spot.y, 8), Math.max(most.y, 8));
    if (x !== spot.x || y !== spot.y) this.keep(id, { x, y });
  }

  private move(): void {
    this.port.move();
  }

  private moved(): void {
    const { left, top, scale } = this.port;
    const { clientWidth, clientHeight } = this.element;
    this.minimap.frame(-left / scale, -top / scale, clientWidth / scale, clientHeight / scale);
  }

  /** This place of the picture comes into the middle. */
  private center(x: number, y: number): void {
    this.port.left = this.element.clientWidth / 2 - x * this.port.scale;
    this.port.top = this.element.clientHeight / 2 - y * this.port.scale;
    this.move();
  }

  get size(): { width: number; height: number } {
    return this.placed;
  }
}

/** Room beside the picture is of no use while another part of it is cut off. */
function within(start: number, room: number, size: number): number {
  return size <= room ? (room - size) / 2 : Math.min(Math.max(start, room - size), 0);
}

/** What is written on a changed node, for who does not see colours. */
const SIGNS = { added: "+", changed: "±", removed: "−" } as const;

/** Of a long name of a group the end says most. */
function groupName(name: string): string {
  return name.length <= MOST_NAME ? name : `…${name.slice(1 - MOST_NAME)}`;
}

function changeOf(edges: readonly ViewEdge[]): string | null {
  const changes = new Set(edges.map(({ change }) => change ?? null));
  return changes.size === 1 ? ([...changes][0] ?? null) : changes.size ? "changed" : null;
}

function touches(line: Line, id: string | null): boolean {
  return id !== null && line.edges.some((edge) => edge.source === id || edge.target === id);
}

function label(line: Line, marked: Marked, common: string | null): SVGElement[] {
  if (!line.label) return [];
  const { x, y, width } = line.label;
  const near = touches(line, marked.selected);
  return [
    svg(
      "g",
      { class: `label link-${edgeFamily(line.edges)}${near ? " near" : ""}`, "aria-hidden": "true" },
      svg("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }),
      svg(
        "text",
        { x, y: y + 4 },
        labelOf(line.edges, (edge) => written(edge, common)),
      ),
    ),
  ];
}

/** From the border of one box to that of another. */
function straight(from: Box, to: Box): string {
  const middle = (box: Box): { x: number; y: number } => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const [start, end] = [middle(from), middle(to)];
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const border = (box: Box): number =>
    Math.min(box.width / 2 / Math.max(Math.abs(dx), 0.01), box.height / 2 / Math.max(Math.abs(dy), 0.01), 0.5);
  const [out, into] = [border(from), border(to)];
  return `M${start.x + dx * out} ${start.y + dy * out}L${end.x - dx * into} ${end.y - dy * into}`;
}

/** To the right: leaves and reaches each point level. Down: rounded at the inner points. */
function curve(points: readonly { x: number; y: number }[], down: boolean): string {
  const [start, ...rest] = points;
  if (!start) return "";
  let path = `M${start.x} ${start.y}`;
  let last = start;
  rest.forEach((point, index) => {
    const after = rest[index + 1];
    const middle = (last.x + point.x) / 2;
    if (!down) path += `C${middle} ${last.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    else if (after) path += `Q${point.x} ${point.y} ${(point.x + after.x) / 2} ${(point.y + after.y) / 2}`;
    else path += `L${point.x} ${point.y}`;
    last = point;
  });
  return path;
}

function arrows(): SVGElement {
  const head = svg("path", { d: "M0 0L8 4L0 8z", class: "head" });
  const size = { viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 9, markerHeight: 9 };
  return svg("defs", {}, svg("marker", { id: "arrow", orient: "auto", markerUnits: "userSpaceOnUse", ...size }, head));
}
