// Controls: the bar above the picture.

import { html } from "./dom";
import type { Direction } from "./graph";
import type { Host, Kind } from "./model";

export interface Wishes {
  kind(kind: Kind): void;
  direction(direction: Direction): void;
  depth(depth: number): void;
  confidence(confidence: number): void;
  outside(shown: boolean): void;
  hide(what: "edges" | "nodes" | "provenance", name: string, hidden: boolean): void;
  search(text: string): void;
  back(): void;
  fit(): void;
  follow(on: boolean): void;
  save(): void;
  help(): void;
}

export interface Shown {
  kind: Kind;
  direction: Direction;
  depth: number;
  /** How many steps can be chosen. */
  deepest: number;
  confidence: number;
  outside: boolean;
  back: boolean;
  edges: readonly [string, number][];
  nodes: readonly [string, number][];
  provenance: readonly [string, number][];
  hidden: { edges: ReadonlySet<string>; nodes: ReadonlySet<string>; provenance: ReadonlySet<string> };
}

const DIRECTIONS: readonly [Direction, string][] = [
  ["both", "both ways"],
  ["in", "what uses it"],
  ["out", "what it uses"],
];

export class Controls {
  readonly element = html("div", { class: "controls", role: "toolbar", "aria-label": "What is shown" });
  private readonly search = html("input", { type: "search", placeholder: "Search", "aria-label": "Search nodes" });
  private following = false;
  private open: string | null = null;

  constructor(
    private readonly host: Host,
    private readonly wishes: Wishes,
  ) {
    this.search.addEventListener("input", () => wishes.search(this.search.value));
    document.addEventListener("pointerdown", (event) => {
      if (!(event.target as Element).closest?.("details")) this.fold();
    });
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  /** Close what is folded out; says whether anything was. */
  fold(): boolean {
    const found = this.element.querySelectorAll<HTMLDetailsElement>("details[open]");
    for (const details of found) details.open = false;
    this.open = null;
    return found.length > 0;
  }

  show(shown: Shown): void {
    const near = shown.kind === "neighborhood";
    const parts: (Node | null)[] = [
      shown.back ? this.button("back", "←", "Back to the symbol before", () => this.wishes.back()) : null,
      this.host.asks ? this.kinds(shown) : null,
      near || shown.kind === "impact" ? this.directions(shown) : null,
      near || shown.kind === "impact" ? this.depth(shown) : null,
      this.confidence(shown),
      this.choices("Links", "edges", shown.edges, shown.hidden.edges),
      this.choices("Nodes", "nodes", shown.nodes, shown.hidden.nodes),
      this.choices("Provenance", "provenance", shown.provenance, shown.hidden.provenance),
      this.check("outside", "Outside", shown.outside, (on) => this.wishes.outside(on)),
      this.host.follows ? this.check("follow", "Follow cursor", this.following, (on) => this.follow(on)) : null,
      html("span", { class: "space" }),
      this.search,
      this.button("fit", "Fit", "Show everything (0)", () => this.wishes.fit()),
      this.button("save", "SVG", "Save the picture as SVG", () => this.wishes.save()),
      this.button("help", "?", "Keys", () => this.wishes.help()),
    ];
    this.element.replaceChildren(...parts.filter((part): part is Node => part !== null));
  }

  private follow(on: boolean): void {
    this.following = on;
    this.wishes.follow(on);
  }

  private button(id: string, text: string, title: string, press: () => void): HTMLElement {
    const button = html("button", { type: "button", id, title, "aria-label": title }, text);
    button.addEventListener("click", press);
    return button;
  }

  private check(id: string, text: string, on: boolean, change: (on: boolean) => void): HTMLElement {
    const box = html("input", { type: "checkbox", id });
    box.checked = on;
    box.addEventListener("change", () => change(box.checked));
    return html("label", { class: "check" }, box, text);
  }

  private select(
    id: string,
    title: string,
    now: string,
    words: readonly (readonly [string, string])[],
    choose: (value: string) => void,
  ): HTMLElement {
    const select = html("select", { id, title, "aria-label": title });
    for (const [value, text] of words) select.append(html("option", { value, selected: value === now }, text));
    select.addEventListener("change", () => choose(select.value));
    return select;
  }

  private kinds(shown: Shown): HTMLElement {
    const words: [string, string][] = [
      ["neighborhood", "Neighbourhood"],
      ["impact", "Impact"],
    ];
    if (shown.kind === "trace") words.push(["trace", "Trace"]);
    return this.select("kind", "Picture", shown.kind, words, (value) => this.wishes.kind(value as Kind));
  }

  private directions(shown: Shown): HTMLElement | null {
    const words = DIRECTIONS.filter(([value]) => shown.kind !== "impact" || value !== "both");
    if (shown.kind === "impact" && !this.host.asks) return null;
    return this.select("direction", "Direction", shown.direction, words, (value) =>
      this.wishes.direction(value as Direction),
    );
  }

  private depth(shown: Shown): HTMLElement {
    const words = Array.from({ length: shown.deepest }, (_, index) => index + 1).map((depth): [string, string] => [
      String(depth),
      depth === 1 ? "1 step" : `${depth} steps`,
    ]);
    return this.select("depth", "Steps from the middle", String(shown.depth), words, (value) =>
      this.wishes.depth(Number(value)),
    );
  }

  private confidence(shown: Shown): HTMLElement {
    const words: [string, string][] = [
      ["0", "any confidence"],
      ["0.5", "0.5 and more"],
      ["0.8", "0.8 and more"],
      ["1", "certain only"],
    ];
    return this.select("confidence", "Least confidence", String(shown.confidence), words, (value) =>
      this.wishes.confidence(Number(value)),
    );
  }

  private choices(
    title: string,
    what: "edges" | "nodes" | "provenance",
    names: readonly [string, number][],
    hidden: ReadonlySet<string>,
  ): HTMLElement {
    const off = names.filter(([name]) => hidden.has(name)).length;
    const details = html("details", { id: `choose-${what}`, open: this.open === what });
    const list = html("div", { class: "choices", role: "group", "aria-label": title });
    for (const [name, count] of names) {
      list.append(
        this.check(`${what}-${name}`, `${name} (${count})`, !hidden.has(name), (on) => {
          this.open = what;
          this.wishes.hide(what, name, !on);
        }),
      );
    }
    details.append(html("summary", {}, off ? `${title} −${off}` : title), list);
    return details;
  }
}
