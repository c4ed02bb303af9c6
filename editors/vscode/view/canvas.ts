// Canvas: the drawing itself: boxes and lines in SVG, moved and zoomed.

import { shortened, svg } from "./dom";
import { edgeFamily, nodeFamily } from "./kinds";
import { type Box, HEIGHT, type Line, labelOf, type Measure, type Placed } from "./layout";
import { finest, isOutside, mark, place, title, type ViewEdge, type ViewNode } from "./model";
import { Viewport } from "./viewport";

const NAME_FONT = "600 13px";
const SMALL_FONT = "11px";
const NARROW = 720;
/** At this scale names are 11 px high. */
export const READABLE = 11 / 13;
const MOST_NAME = 34;
const MOST_SMALL = 40;
const FAMILY = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";

export interface Marked {
  selected: string | null;
  expanded: ReadonlySet<string>;
  root: string | null;
  expands: boolean;
  byDepth: boolean;
  matches: ((node: ViewNode) => boolean) | null;
}

export interface Touch {
  select(id: string): void;
  /** A double click or `+`: expand it, or open what is expanded. */
  expand(id: string): void;
  line(line: Line): void;
}

export function written(edge: ViewEdge): string {
  const sign = mark(edge);
  return sign ? `${edge.kind} ${sign}` : edge.kind;
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
  private readonly layer = svg("g");
  private readonly pen = document.createElement("canvas").getContext("2d");
  private readonly port: Viewport;
  private placed: Placed = { frames: [], boxes: [], lines: [], width: 1, height: 1, down: false };

  constructor(private readonly touch: Touch) {
    this.element = svg("svg", { class: "canvas", role: "group", "aria-label": "Graph" }, arrows(), this.layer);
    this.port = new Viewport(this.element, this.layer, ".node, .line");
  }

  width(node: ViewNode): number {
    const name = this.text(named(node), NAME_FONT);
    const under = this.text(shortened(small(node), MOST_SMALL), SMALL_FONT);
    return Math.ceil(Math.max(name + 22, under, 70)) + 28;
  }

  label(text: string): number {
    return Math.ceil(this.text(text, SMALL_FONT)) + 16;
  }

  private text(words: string, font: string): number {
    if (!this.pen) return words.length * 7;
    this.pen.font = `${font} ${FAMILY}`;
    return this.pen.measureText(words).width;
  }

  draw(placed: Placed, marked: Marked): void {
    this.placed = placed;
    this.layer.replaceChildren(
      ...placed.frames.map(({ x, y, width, height }) => svg("rect", { class: "frame", x, y, width, height, rx: 10 })),
      ...placed.lines.map((line) => this.line(line, marked)),
      ...placed.boxes.map((box) => this.box(box, marked)),
      ...placed.lines.flatMap((line) => label(line, marked)),
    );
    this.move();
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
    const classes = ["line", trust, `link-${edgeFamily(line.edges)}`, ...(near ? ["near"] : [])].join(" ");
    const drawn = curve(line.points, this.placed.down);
    const group = svg(
      "g",
      { class: classes, "data-line": line.edges.map((edge) => edge.kind).join(" ") },
      svg("title", {}, line.edges.map(written).join("\n")),
      svg("path", { d: drawn, class: "grip" }),
      svg("path", { d: drawn, class: "stroke", "marker-end": "url(#arrow)" }),
    );
    group.addEventListener("click", () => this.touch.line(line));
    return group;
  }

  private box(box: Box, marked: Marked): SVGElement {
    const { node } = box;
    const kind = finest(node);
    const depth = marked.byDepth ? ` depth depth-${Math.min(node.depth ?? 0, 6)}` : "";
    const dim = marked.matches && !marked.matches(node) ? " dim" : "";
    const states = `${node.id === marked.root ? " root" : ""}${node.id === marked.selected ? " selected" : ""}`;
    const group = svg("g", {
      class: `node kind-${nodeFamily(kind)}${isOutside(node) ? " outside" : ""}${states}${depth}${dim}`,
      transform: `translate(${box.x} ${box.y})`,
      tabindex: node.id === (marked.selected ?? marked.root) ? 0 : -1,
      role: "button",
      "data-node": node.id,
      "data-symbol": node.symbol,
      "aria-label": `${kind} ${node.symbol}, ${place(node)}`,
      "aria-pressed": node.id === marked.selected ? "true" : "false",
    });
    group.append(
      svg("title", {}, `${kind} ${node.symbol}\n${place(node)}`),
      svg("rect", { class: "body", width: box.width, height: HEIGHT, rx: 6 }),
      svg("rect", { class: "stripe", width: 5, height: HEIGHT - 12, x: 6, y: 6, rx: 2.5 }),
      svg("text", { class: "name", x: 18, y: 20 }, named(node)),
      svg("text", { class: "small", x: 18, y: 36 }, shortened(small(node), MOST_SMALL)),
    );
    if (marked.expands && !marked.expanded.has(node.id) && !isOutside(node)) {
      const sign = svg("text", { class: "more", x: box.width - 14, y: 18 }, "+");
      const grip = svg("rect", { class: "grip", x: box.width - 26, y: 0, width: 26, height: 26 });
      grip.addEventListener("click", (event) => {
        event.stopPropagation();
        this.touch.expand(node.id);
      });
      group.append(sign, grip);
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

  fits(placed: Placed): number {
    const { clientWidth: width, clientHeight: height } = this.element;
    return width && height ? Math.min(width / placed.width, height / placed.height) : 1;
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
    const known = new Set(this.placed.boxes.map(({ node }) => node.id));
    this.draw(placed, marked);
    if (!before) {
      this.show(id);
      return;
    }
    this.keep(id, before);
    this.bring(placed.boxes.filter(({ node }) => node.id === id || !known.has(node.id)));
  }

  /** Moves the picture by as little as shows these boxes; where not all have room, the first of them. */
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

  private reveal(id: string): void {
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

  /** The whole picture as a file of its own: styles are written into the elements. */
  export(title: string): string {
    const copy = this.element.cloneNode(true) as SVGSVGElement;
    const { width, height } = this.placed;
    inline(this.element, copy);
    copy.querySelectorAll(".grip, .more").forEach((element) => {
      element.remove();
    });
    copy.querySelectorAll("[tabindex], [role], [aria-label], [aria-pressed]").forEach((element) => {
      for (const name of ["tabindex", "role", "aria-label", "aria-pressed"]) element.removeAttribute(name);
    });
    copy.querySelector(":scope > g")?.removeAttribute("transform");
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
    copy.setAttribute("width", String(Math.ceil(width)));
    copy.setAttribute("height", String(Math.ceil(height)));
    const ground = getComputedStyle(document.body).backgroundColor;
    copy.prepend(svg("title", {}, title), svg("rect", { width: "100%", height: "100%", fill: ground }));
    return `${new XMLSerializer().serializeToString(copy)}\n`;
  }
}

/** Room beside the picture is of no use while another part of it is cut off. */
function within(start: number, room: number, size: number): number {
  return size <= room ? (room - size) / 2 : Math.min(Math.max(start, room - size), 0);
}

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight"];

function inline(from: Element, to: Element): void {
  const computed = getComputedStyle(from);
  if (!(from instanceof SVGGElement) && from instanceof SVGElement) {
    for (const name of STYLES) to.setAttribute(name, computed.getPropertyValue(name));
    if (from instanceof SVGTextElement) {
      to.setAttribute("font-family", "sans-serif");
      to.setAttribute("text-anchor", computed.getPropertyValue("text-anchor"));
    }
  }
  [...from.children].forEach((child, index) => {
    const twin = to.children[index];
    if (twin) inline(child, twin);
  });
}

function touches(line: Line, id: string | null): boolean {
  return id !== null && line.edges.some((edge) => edge.source === id || edge.target === id);
}

function label(line: Line, marked: Marked): SVGElement[] {
  if (!line.label) return [];
  const { x, y, width } = line.label;
  const near = touches(line, marked.selected);
  return [
    svg(
      "g",
      { class: `label link-${edgeFamily(line.edges)}${near ? " near" : ""}`, "aria-hidden": "true" },
      svg("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }),
      svg("text", { x, y: y + 4 }, labelOf(line.edges, written)),
    ),
  ];
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
