// Canvas: the drawing itself: boxes and lines in SVG, moved and zoomed.

import { Boxes, type BoxTouch, type Marked, MOST_NAME, named, under } from "./boxes";
import { html, pressed, stopsAt, svg } from "./dom";
import { edgeFamily } from "./kinds";
import type { Box, Frame, Line, Measure, Placed } from "./layout";
import { HEIGHT, labelOf } from "./layout";
import { Minimap } from "./minimap";
import { counted, mark, trustOf, type ViewEdge, type ViewNode } from "./model";
import { appear, glide } from "./motion";
import { parts, Slices } from "./slices";
import { Viewport } from "./viewport";

const NAME_FONT = "600 13px";
const SMALL_FONT = "11px";
const NARROW = 720;
/** At this scale names are 11 px high. */
export const READABLE = 11 / 13;
const MOST_SAID = 4;
/** Of more boxes and lines than these, what is drawn at once is not seen before one frame has passed. */
const MOST_AT_ONCE = 120;
/** Lines, or labels, that are drawn in one frame. */
const LINES_AT_ONCE = 30;
const FAMILY = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";

export interface Touch extends BoxTouch {
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

export class Canvas implements Measure {
  readonly element: HTMLElement;
  readonly drawing: SVGSVGElement;
  readonly minimap = new Minimap((x, y) => this.center(x, y));
  readonly readable = READABLE;
  private readonly frames = svg("g");
  private readonly lines = svg("g");
  private readonly own = svg("g");
  private readonly boxes: Boxes;
  private readonly labels = svg("g");
  private readonly pen = document.createElement("canvas").getContext("2d");
  private readonly port: Viewport;
  private readonly widths = new Map<string, number>();
  /** The room that there is, as it was last measured: between two changes of a drawing that would lay it out. */
  private area = { width: 0, height: 0 };
  private drawn: Drawn[] = [];
  private readonly slices = new Slices();
  private marked: Marked | null = null;
  /** What is placed is not yet what is seen. */
  private waits = false;
  private focused: string | null = null;
  private placed: Placed = { frames: [], boxes: [], lines: [], width: 1, height: 1, down: false };

  constructor(private readonly touch: Touch) {
    this.boxes = new Boxes(touch);
    const layer = svg("g", {}, this.frames, this.lines, this.own, this.boxes.element, this.labels);
    this.drawing = svg("svg", { class: "drawing" }, arrows(), layer);
    this.element = html("div", { class: "canvas", role: "group", "aria-label": "Graph" });
    this.port = new Viewport(this.element, this.drawing, ".node, .line, .frame.group", () => this.moved());
    new ResizeObserver(() => {
      this.measure();
      this.moved();
    }).observe(this.element);
  }

  /** What a label or a sign leaves out, once for the whole picture. */
  common: string | null = null;

  width(node: ViewNode): number {
    const name = this.text(named(node), NAME_FONT);
    return Math.ceil(Math.max(name + 22, this.text(under(node), SMALL_FONT), 70)) + 28;
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
    return Math.max(this.area.width / READABLE - 90, 260);
  }

  private text(words: string, font: string): number {
    if (!this.pen) return words.length * 7;
    const key = `${font} ${words}`;
    const known = this.widths.get(key);
    if (known !== undefined) return known;
    this.pen.font = `${font} ${FAMILY}`;
    const { width } = this.pen.measureText(words);
    this.widths.set(key, width);
    return width;
  }

  /** Before a layout, while nothing is drawn yet that would have to be laid out for it. */
  measure(): void {
    this.area = { width: this.element.clientWidth, height: this.element.clientHeight };
  }

  /** `then` comes when the boxes are in their places. */
  draw(placed: Placed, marked: Marked, then: () => void = () => undefined): void {
    this.placed = placed;
    this.marked = marked;
    this.waits = true;
    const work = this.work(placed, then);
    if (placed.boxes.length + placed.lines.length > MOST_AT_ONCE) this.slices.begin(work);
    else this.slices.beginNow(work);
  }

  /** A large picture comes in parts: no frame is to be as long as all of them. */
  private *work(placed: Placed, then: () => void): Generator<undefined, void> {
    const boxes = this.boxes.draw(placed.boxes);
    this.drawn = [];
    this.lines.replaceChildren();
    this.labels.replaceChildren();
    this.frames.replaceChildren(...placed.frames.map((frame) => this.frame(frame)));
    for (const side of ["width", "height"] as const) this.drawing.setAttribute(side, String(Math.ceil(placed[side])));
    boxes.next();
    this.waits = false;
    if (this.marked) this.mark(this.marked);
    this.move();
    then();
    yield;
    yield* boxes;
    if (this.focused) this.boxes.get(this.focused)?.focus({ preventScroll: true });
    this.focused = null;
    this.minimap.draw(placed.boxes, placed.frames, placed.width, placed.height);
    for (const lines of parts(placed.lines, LINES_AT_ONCE)) {
      yield;
      this.add(lines);
    }
    for (const drawn of parts(this.drawn, LINES_AT_ONCE)) {
      yield;
      this.labels.append(...drawn.flatMap((one) => one.label ?? []));
    }
  }

  private add(lines: readonly Line[]): void {
    const made = lines.map((line) => ({ line, element: this.line(line), label: label(line, this.common) }));
    this.drawn.push(...made);
    for (const one of made) nearOf(one, this.marked?.selected ?? null);
    this.lines.append(...made.map(({ element }) => element));
  }

  /** All of what is to be seen. */
  get whole(): SVGSVGElement {
    this.slices.finish();
    return this.drawing;
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
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.touch.fold(key);
    });
    group.addEventListener("click", () => this.touch.fold(key));
    return group;
  }

  /** Of a selected node in a block its own links: what is drawn of these is one line for all of the block. */
  private links(placed: Placed, id: string | null): SVGElement[] {
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

  /** The same picture with other marks: nothing is made anew for them. */
  mark(marked: Marked): void {
    this.marked = marked;
    if (this.waits) return;
    this.boxes.mark(marked);
    this.own.replaceChildren(...this.links(this.placed, marked.selected));
    for (const one of this.drawn) nearOf(one, marked.selected);
  }

  private line(line: Line): SVGElement {
    const sure = Math.max(...line.edges.map((edge) => edge.confidence));
    const open = line.edges.every((edge) => edge.ambiguous);
    const trust = open ? "ambiguous" : sure < 1 ? "inferred" : "sure";
    const change = changeOf(line.edges);
    const classes = ["line", trust, `link-${edgeFamily(line.edges)}`, change ? `change-${change}` : ""]
      .join(" ")
      .trim();
    const drawn = curve(line.points, this.placed.down);
    const group = svg(
      "g",
      { class: classes, "data-line": line.edges.map((edge) => edge.kind).join(" ") },
      svg("title", {}, [...new Set(line.edges.map((edge) => `${written(edge)}: ${trustOf(edge)}`))].join("\n")),
      svg("path", { d: drawn, class: "grip" }),
      svg("path", { d: drawn, class: "stroke", "marker-end": "url(#arrow)" }),
    );
    return pressed(group, this.words(line), () => this.touch.line(line));
  }

  /** A line for who hears it. */
  private words({ edges }: Line): string {
    const symbols = new Map(this.placed.boxes.map(({ node }) => [node.id, node.symbol]));
    const said = edges.slice(0, MOST_SAID).map(({ source, kind, target }) => {
      return `${symbols.get(source) ?? "a group"} ${kind} ${symbols.get(target) ?? "a group"}`;
    });
    return said.join(", ") + (edges.length > MOST_SAID ? ` and ${edges.length - MOST_SAID} more` : "");
  }

  focus(id: string): void {
    const element = this.boxes.get(id);
    if (this.waits || !element?.isConnected) this.focused = id;
    else element.focus({ preventScroll: true });
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
    return box ? this.spotOf(box) : null;
  }

  private spotOf({ x, y }: Box): { x: number; y: number } {
    const { left, top, scale } = this.port;
    return { x: left + x * scale, y: top + y * scale };
  }

  keep(id: string, spot: { x: number; y: number }): void {
    const now = this.spot(id);
    if (!now) return;
    this.port.left += spot.x - now.x;
    this.port.top += spot.y - now.y;
    this.move();
  }

  get narrow(): boolean {
    return this.area.width < NARROW;
  }

  get aspect(): number {
    const { width, height } = this.area;
    return width && height ? width / height : 1;
  }

  fits(placed: Placed, across = false): number {
    const { width, height } = this.area;
    if (!width || !height) return 1;
    return across ? width / placed.width : Math.min(width / placed.width, height / placed.height);
  }

  fit(): void {
    this.measure();
    this.fitted();
  }

  /** In the room that was measured last: what was drawn since is not laid out for it. */
  private fitted(): void {
    const { width, height } = this.area;
    if (!width || !height) return;
    this.port.scale = Math.min(this.fits(this.placed), 1.25);
    this.port.left = (width - this.placed.width * this.port.scale) / 2;
    this.port.top = (height - this.placed.height * this.port.scale) / 2;
    this.move();
  }

  /** Another layout of what is shown: what was in a place stays there, and as large as it was. */
  redraw(placed: Placed, marked: Marked, id: string): void {
    const before = this.spot(id);
    const spots = new Map(this.placed.boxes.map((box) => [box.node.id, this.spotOf(box)]));
    this.draw(placed, marked, () => this.animate(spots));
    if (!before) this.show(id);
    else {
      this.keep(id, before);
      const own = placed.boxes.filter(({ node }) => node.id === id);
      const middle = placed.boxes.filter(({ node }) => node.id === marked.root);
      const found = placed.boxes.filter(({ node }) => !spots.has(node.id));
      const near = found.find((box) => this.holds([...own, ...middle, box]));
      const wishes = [
        [...own, ...middle, ...found],
        [...own, ...middle, ...(near ? [near] : [])],
        [...own, ...middle],
        own,
      ];
      this.bring(wishes.find((boxes) => this.holds(boxes)) ?? own);
      const across = placed.width * this.port.scale;
      if (across <= this.area.width) this.port.left = within(this.port.left, this.area.width, across);
      this.move();
    }
  }

  /** What was there before goes to its new place from where it was seen; what is new appears. */
  private animate(spots: ReadonlyMap<string, { x: number; y: number }>): void {
    const { left, top, scale } = this.port;
    const seen = (x: number, y: number, width = 0): boolean =>
      x < this.area.width && x + width * scale > 0 && y < this.area.height && y + HEIGHT * scale > 0;
    for (const { node, x, y, width } of this.placed.boxes) {
      const element = this.boxes.get(node.id);
      const spot = spots.get(node.id);
      const before = spot && seen(spot.x, spot.y, width);
      if (!element || !(before || seen(left + x * scale, top + y * scale, width))) continue;
      if (spot) glide(element, { x: (spot.x - left) / scale, y: (spot.y - top) / scale }, { x, y });
      else appear(element);
    }
    for (const part of [this.frames, this.lines, this.labels]) appear(part);
  }

  /** Whether nodes can be seen together, and with something new if there is any. */
  shows({ boxes }: Placed, ids: readonly string[]): boolean {
    const wanted = boxes.filter(({ node }) => ids.includes(node.id));
    const found = boxes.filter(({ node }) => !this.has(node.id));
    return this.holds(wanted) && (!found.length || found.some((box) => this.holds([...wanted, box])));
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
      ) <= this.area.width &&
      span(
        ({ y }) => y,
        ({ height }) => height,
      ) <= this.area.height
    );
  }

  /** Moves the picture by as little as shows these boxes. */
  private bring(boxes: readonly Box[]): void {
    const { width: across, height: along } = this.area;
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
    this.port.left += shift(left + x1, left + x2, across);
    this.port.top += shift(top + y1, top + y2, along);
    this.move();
  }

  /** The whole picture where it stays readable, else the middle in the middle. */
  show(id: string | null): void {
    this.fitted();
    if (this.port.scale >= READABLE || id === null) return;
    const { width, height } = this.area;
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
    return id !== null && this.placed.boxes.some(({ node }) => node.id === id);
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
    const most = { x: this.area.width - box.width * this.port.scale - 8, y: this.area.height - 56 };
    const x = Math.min(Math.max(spot.x, 8), Math.max(most.x, 8));
    const y = Math.min(Math.max(spot.y, 8), Math.max(most.y, 8));
    if (x !== spot.x || y !== spot.y) this.keep(id, { x, y });
  }

  private move(): void {
    if (!this.waits) this.port.move();
  }

  private moved(): void {
    const { left, top, scale } = this.port;
    const { width, height } = this.area;
    this.minimap.frame(-left / scale, -top / scale, width / scale, height / scale);
  }

  /** This place of the picture comes into the middle. */
  private center(x: number, y: number): void {
    this.port.left = this.area.width / 2 - x * this.port.scale;
    this.port.top = this.area.height / 2 - y * this.port.scale;
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

/** Of a long name of a group the end says most. */
function groupName(name: string): string {
  return name.length <= MOST_NAME ? name : `…${name.slice(1 - MOST_NAME)}`;
}

function changeOf(edges: readonly ViewEdge[]): string | null {
  const changes = new Set(edges.map(({ change }) => change ?? null));
  return changes.size === 1 ? ([...changes][0] ?? null) : changes.size ? "changed" : null;
}

interface Drawn {
  line: Line;
  element: SVGElement;
  label: SVGElement | null;
}

/** Whether a line belongs to what is selected. */
function nearOf({ line, element, label }: Drawn, id: string | null): void {
  const near = id !== null && line.edges.some((edge) => edge.source === id || edge.target === id);
  element.classList.toggle("near", near);
  stopsAt(element, near);
  label?.classList.toggle("near", near);
}

function label(line: Line, common: string | null): SVGElement | null {
  if (!line.label) return null;
  const { x, y, width } = line.label;
  return svg(
    "g",
    { class: `label link-${edgeFamily(line.edges)}`, "aria-hidden": "true" },
    svg("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }),
    svg(
      "text",
      { x, y: y + 4 },
      labelOf(line.edges, (edge) => written(edge, common)),
    ),
  );
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
