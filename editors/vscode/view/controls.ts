// Controls: the bar above the picture: what is asked most in one row, the rest in two menus.

import { html } from "./dom";
import type { Direction, Filters, Grouping } from "./graph";
import type { Host, Kind } from "./model";

export type Form = "svg" | "png" | "mermaid" | "dot";
export type Text = "text" | "markdown" | "mermaid";
type Kinds = "edges" | "nodes" | "provenance";

export interface Wishes {
  kind(kind: Kind): void;
  direction(direction: Direction): void;
  depth(depth: number): void;
  confidence(confidence: number): void;
  outside(shown: boolean): void;
  hide(what: Kinds, name: string, hidden: boolean): void;
  group(grouping: Grouping): void;
  unhide(): void;
  search(text: string): void;
  /** The next node that is searched for. */
  jump(): void;
  back(): void;
  undo(): void;
  redo(): void;
  list(): void;
  fit(): void;
  follow(on: boolean): void;
  auto(on: boolean): void;
  save(form: Form): void;
  copy(text: Text): void;
  help(): void;
}

export interface Shown {
  kind: Kind;
  filters: Filters;
  /** How many steps can be chosen. */
  deepest: number;
  grouping: Grouping;
  back: boolean;
  undo: boolean;
  redo: boolean;
  list: boolean;
  auto: boolean;
  /** How many nodes were hidden by hand. */
  hidden: number;
  edges: readonly [string, number][];
  nodes: readonly [string, number][];
  provenance: readonly [string, number][];
}

const DIRECTIONS: readonly [Direction, string][] = [
  ["both", "both ways"],
  ["in", "what uses it"],
  ["out", "what it uses"],
];
const GROUPINGS: readonly [Grouping, string][] = [
  ["none", "no groups"],
  ["module", "by module"],
  ["class", "by class"],
];
const FORMS: readonly [Form, string][] = [
  ["svg", "SVG"],
  ["png", "PNG"],
  ["mermaid", "Mermaid"],
  ["dot", "DOT"],
];
const TEXTS: readonly [Text, string][] = [
  ["text", "text"],
  ["markdown", "Markdown"],
  ["mermaid", "Mermaid"],
];

export class Controls {
  readonly element = html("div", { class: "controls", role: "toolbar", "aria-label": "What is shown" });
  private readonly search = html("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search nodes",
    title: "Search nodes (/); Enter goes to the next",
  });
  private following = false;
  private open: string | null = null;

  constructor(
    private readonly host: Host,
    private readonly wishes: Wishes,
  ) {
    this.search.addEventListener("input", () => wishes.search(this.search.value));
    this.search.addEventListener("keydown", (event) => event.key === "Enter" && wishes.jump());
    // Who goes elsewhere has made a choice.
    window.addEventListener("blur", () => this.fold());
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
    const far = shown.kind === "impact" || shown.kind === "changes";
    const focused = this.element.contains(document.activeElement) ? document.activeElement?.id : "";
    const parts: (Node | null)[] = [
      shown.back ? this.button("back", "←", "Back to the picture before", () => this.wishes.back()) : null,
      this.host.asks && shown.kind !== "changes" ? this.kinds(shown) : null,
      near || shown.kind === "impact" ? this.directions(shown) : null,
      (near || far) && shown.deepest > 0 ? this.depth(shown) : null,
      this.filters(shown),
      this.button("list", "List", "Read it as a list (l)", () => this.wishes.list(), shown.list),
      html("span", { class: "space" }),
      this.button("undo", "↶", "Undo (u)", () => this.wishes.undo(), undefined, !shown.undo),
      this.button("redo", "↷", "Redo (U)", () => this.wishes.redo(), undefined, !shown.redo),
      this.search,
      this.button("fit", "Fit", "Show everything (0)", () => this.wishes.fit()),
      this.saving(),
      this.button("help", "?", "Keys", () => this.wishes.help()),
    ];
    this.element.replaceChildren(...parts.filter((part): part is Node => part !== null));
    if (focused) document.getElementById(focused)?.focus();
  }

  private button(
    id: string,
    text: string,
    title: string,
    press: () => void,
    pressed?: boolean,
    disabled = false,
  ): HTMLElement {
    const state = pressed === undefined ? {} : { "aria-pressed": String(pressed) };
    const button = html("button", { type: "button", id, title, "aria-label": title, disabled, ...state }, text);
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
    return this.select("direction", "Direction", shown.filters.direction, words, (value) =>
      this.wishes.direction(value as Direction),
    );
  }

  private depth(shown: Shown): HTMLElement {
    const words = Array.from({ length: shown.deepest }, (_, index) => index + 1).map((depth): [string, string] => [
      String(depth),
      depth === 1 ? "1 step" : `${depth} steps`,
    ]);
    return this.select("depth", "Steps from the middle", String(shown.filters.depth), words, (value) =>
      this.wishes.depth(Number(value)),
    );
  }

  // Menus

  private menu(id: string, text: string, ...parts: Node[]): HTMLDetailsElement {
    const details = html("details", { id, open: this.open === id });
    details.append(
      html("summary", {}, text),
      html("div", { class: "choices", role: "group", "aria-label": text }, ...parts),
    );
    details.addEventListener("toggle", () => {
      if (details.isConnected) this.open = details.open ? id : this.open === id ? null : this.open;
    });
    return details;
  }

  private filters(shown: Shown): HTMLElement {
    const { filters } = shown;
    const off = [filters.hiddenEdges, filters.hiddenNodes, filters.hiddenProvenance].map(({ size }) => size);
    const count = off.reduce((sum, size) => sum + size, 0) + shown.hidden;
    const parts = [
      this.grouping(shown),
      this.confidence(filters),
      this.check("outside", "Outside the workspace", filters.outside, (on) => this.wishes.outside(on)),
      ...(this.host.follows ? [this.check("follow", "Follow cursor", this.following, (on) => this.follow(on))] : []),
      ...(this.host.asks
        ? [this.check("auto", "Refresh when the code changes", shown.auto, (on) => this.wishes.auto(on))]
        : []),
      ...(shown.hidden
        ? [this.button("unhide", `Show ${shown.hidden} hidden by hand`, "Show them (H)", () => this.wishes.unhide())]
        : []),
      this.choices("Links", "edges", shown.edges, filters.hiddenEdges),
      this.choices("Nodes", "nodes", shown.nodes, filters.hiddenNodes),
      this.choices("Provenance", "provenance", shown.provenance, filters.hiddenProvenance),
    ];
    return this.menu("filters", count ? `Filters −${count}` : "Filters", ...parts);
  }

  private follow(on: boolean): void {
    this.following = on;
    this.wishes.follow(on);
  }

  private grouping(shown: Shown): HTMLElement {
    return this.select("group", "Groups", shown.grouping, GROUPINGS, (value) => this.wishes.group(value as Grouping));
  }

  private confidence(filters: Filters): HTMLElement {
    const words: [string, string][] = [
      ["0", "any confidence"],
      ["0.5", "0.5 and more"],
      ["0.8", "0.8 and more"],
      ["1", "certain only"],
    ];
    return this.select("confidence", "Least confidence", String(filters.confidence), words, (value) =>
      this.wishes.confidence(Number(value)),
    );
  }

  private choices(
    title: string,
    what: Kinds,
    names: readonly [string, number][],
    hidden: ReadonlySet<string>,
  ): HTMLElement {
    const list = html("fieldset", { id: `choose-${what}` }, html("legend", {}, title));
    for (const [name, count] of names) {
      list.append(
        this.check(`${what}-${name}`, `${name} (${count})`, !hidden.has(name), (on) =>
          this.wishes.hide(what, name, !on),
        ),
      );
    }
    return list;
  }

  private saving(): HTMLElement {
    const done = (press: () => void) => () => {
      this.fold();
      press();
    };
    const forms = FORMS.map(([form, words]) =>
      this.button(
        `save-${form}`,
        `Save as ${words}`,
        `Save as ${words}`,
        done(() => this.wishes.save(form)),
      ),
    );
    const texts = TEXTS.map(([text, words]) =>
      this.button(
        `copy-${text}`,
        `Copy as ${words}`,
        `Copy as ${words}`,
        done(() => this.wishes.copy(text)),
      ),
    );
    const menu = this.menu("save", "Save", ...forms, ...texts);
    menu.classList.add("end");
    return menu;
  }
}
