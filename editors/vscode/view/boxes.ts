// Boxes: the nodes of a picture as they are drawn.
//
// Invariant: a node that stays keeps its element, so that what changes costs as much as it changes; their order is that
// in which they are placed.

import { setAttribute, shortened, svg } from "./dom";
import { nodeFamily } from "./kinds";
import { type Box, HEIGHT } from "./layout";
import { finest, isOutside, place, title, type ViewNode } from "./model";

export const MOST_NAME = 34;
const MOST_SMALL = 40;
/** From the right border to a sign, and the side of the square that is pressed for it. */
const SIGN = 14;
const GRIP = 26;
/** So many are put into the page in one frame. */
const AT_ONCE = 40;

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

export interface BoxTouch {
  select(id: string): void;
  /** A double click: expand it, or open what is expanded. */
  expand(id: string): void;
  /** A click on `+` or `−`. */
  turn(id: string): void;
}

/** Of a long name the end says most. */
export function named(node: ViewNode): string {
  const name = title(node);
  return name === node.name || name.length <= MOST_NAME ? shortened(name, MOST_NAME) : `…${name.slice(1 - MOST_NAME)}`;
}

/** What stands below the name. */
export function under(node: ViewNode): string {
  const holder = node.symbol.includes(":") ? node.symbol.slice(0, -node.name.length).replace(/[.:]$/, "") : "";
  const small = `${finest(node)}${holder ? ` · ${holder}` : isOutside(node) ? " · outside" : ""}`;
  return shortened(small, MOST_SMALL);
}

/** What is written on a changed node, for who does not see colours. */
const SIGNS = { added: "+", changed: "±", removed: "−" } as const;

interface Drawn {
  element: SVGGElement;
  heading: SVGTitleElement;
  box: Box;
  /** The sign that is drawn. */
  sign: string;
}

export class Boxes {
  readonly element = svg("g");
  private drawn = new Map<string, Drawn>();

  constructor(private readonly touch: BoxTouch) {}

  get(id: string): SVGGElement | undefined {
    return this.drawn.get(id)?.element;
  }

  /**
   * In places; `mark` says the rest of them. Goes on after each part of what has to be put into the page anew, whose
   * letters are measured for that.
   */
  *draw(boxes: readonly Box[]): Generator<undefined, void> {
    const before = this.drawn;
    this.drawn = new Map(boxes.map((box) => [box.node.id, this.placed(box, before.get(box.node.id))]));
    const wanted = new Set([...this.drawn.values()].map(({ element }) => element));
    for (const element of [...this.element.children]) if (!wanted.has(element as SVGGElement)) element.remove();
    let next = this.element.firstElementChild;
    let inserted = 0;
    for (const element of wanted) {
      if (element === next) {
        next = next.nextElementSibling;
        continue;
      }
      this.element.insertBefore(element, next);
      inserted += 1;
      if (inserted % AT_ONCE === 0) yield;
    }
  }

  mark(marked: Marked): void {
    for (const drawn of this.drawn.values()) this.dress(drawn, marked);
  }

  private placed(box: Box, before: Drawn | undefined): Drawn {
    const same = before && drawnOf(before.box.node) === drawnOf(box.node);
    const drawn = same ? { ...before, box } : this.made(box);
    setAttribute(drawn.element, "transform", `translate(${box.x} ${box.y})`);
    if (same && before.box.width !== box.width) widen(drawn.element, box.width);
    return drawn;
  }

  private made(box: Box): Drawn {
    const { node } = box;
    const heading = svg("title");
    const element = svg(
      "g",
      { role: "button", "data-node": node.id, "data-symbol": node.symbol },
      heading,
      svg("rect", { class: "body", width: box.width, height: HEIGHT, rx: 6 }),
      svg("rect", { class: "stripe", width: 5, height: HEIGHT - 12, x: 6, y: 6, rx: 2.5 }),
      svg("text", { class: "name", x: 18, y: 20 }, named(node)),
      svg("text", { class: "small", x: 18, y: 36 }, under(node)),
    );
    if (node.change) element.append(svg("text", { class: "changed", x: box.width - SIGN, y: 18 }, SIGNS[node.change]));
    element.addEventListener("click", (event) => {
      if (event.detail > 1) this.touch.expand(node.id);
      else this.touch.select(node.id);
    });
    return { element, heading, box, sign: "" };
  }

  private dress(drawn: Drawn, marked: Marked): void {
    const { element, heading, box } = drawn;
    const { node } = box;
    const [own, fresh, stale] = [node.id === marked.selected, marked.fresh.has(node.id), marked.stale.has(node.id)];
    const kind = finest(node);
    const far = node.depth ?? null;
    const states = {
      outside: isOutside(node),
      root: node.id === marked.root,
      selected: own,
      [`depth depth-${Math.min(far ?? 0, 6)}`]: marked.byDepth && far !== null,
      dim: marked.matches !== null && !marked.matches(node),
      fresh,
      stale,
      [`change-${node.change}`]: Boolean(node.change),
    };
    const on = Object.keys(states).filter((state) => states[state]);
    const words = [`${kind} ${node.symbol}`, place(node), ...(node.change ? [node.change] : [])];
    if (fresh) words.push("new since the picture before");
    if (stale) words.push("its file changed since");
    setAttribute(element, "class", ["node", `kind-${nodeFamily(kind)}`, ...on].join(" "));
    setAttribute(element, "tabindex", node.id === (marked.selected ?? marked.root) ? "0" : "-1");
    setAttribute(element, "aria-label", words.join(", "));
    setAttribute(element, "aria-pressed", String(own));
    if (heading.textContent !== words.join("\n")) heading.textContent = words.join("\n");
    const sign = marked.sign(node);
    if (sign !== drawn.sign) this.turns(drawn, sign);
  }

  /** `+` or `−` in the corner. */
  private turns(drawn: Drawn, sign: string): void {
    const { element, box } = drawn;
    for (const one of element.querySelectorAll(".more, .grip")) one.remove();
    drawn.sign = sign;
    if (!sign) return;
    const grip = svg("rect", { class: "grip", x: box.width - GRIP, y: 0, width: GRIP, height: GRIP });
    grip.addEventListener("click", (event) => {
      event.stopPropagation();
      this.touch.turn(box.node.id);
    });
    element.append(svg("text", { class: "more", x: box.width - SIGN, y: 18 }, sign), grip);
  }
}

function widen(element: SVGGElement, width: number): void {
  element.querySelector(".body")?.setAttribute("width", String(width));
  element.querySelector(".grip")?.setAttribute("x", String(width - GRIP));
  for (const sign of element.querySelectorAll(".changed, .more")) sign.setAttribute("x", String(width - SIGN));
}

/** All that an element is made of, but its width and its marks. */
function drawnOf(node: ViewNode): string {
  return `${named(node)}\n${under(node)}\n${node.symbol}\n${node.change ?? ""}`;
}
