// Details: what is known about the selected node or link, below the picture.

import { written } from "./canvas";
import { html, shortened } from "./dom";
import type { Line } from "./layout";
import { finest, type Host, place, type Spot, trustOf, type ViewEdge, type ViewNode } from "./model";

export interface Steps {
  center(id: string): void;
  impact(id: string): void;
  trace(id: string): void;
  collapse(id: string): void;
  hide(id: string): void;
}

/** What can be done with a node in its picture. */
export interface Offered {
  isRoot: boolean;
  traces: boolean;
  collapses: boolean;
  hides: boolean;
}

const MOST_SITES = 8;

export class Details {
  readonly element = html("div", { class: "details", role: "status", "aria-live": "polite" });

  constructor(
    private readonly host: Host,
    private readonly steps: Steps,
  ) {}

  node(node: ViewNode, { isRoot, traces, collapses, hides }: Offered): void {
    const head = html("div", { class: "head" }, html("b", {}, node.symbol), ` ${finest(node)}  `, this.at(node));
    if (node.confidence !== undefined && node.confidence !== null && node.depth) {
      head.append(`  ${node.depth} step${node.depth === 1 ? "" : "s"} away, confidence ${node.confidence}`);
    }
    const buttons = html("div", { class: "steps" });
    const step = (text: string, press: () => void): void => {
      const button = html("button", { type: "button" }, text);
      button.addEventListener("click", press);
      buttons.append(button);
    };
    const spot = spotOf(node);
    if (this.host.opens && spot) step("Open source", () => this.host.open(spot));
    if (this.host.asks && node.file && !isRoot) step("Make it the middle", () => this.steps.center(node.id));
    if (this.host.asks && node.file) step("Impact", () => this.steps.impact(node.id));
    if (this.host.asks && node.file && !isRoot && traces) step("Trace to it", () => this.steps.trace(node.id));
    if (collapses) step("Collapse", () => this.steps.collapse(node.id));
    if (hides) step("Hide", () => this.steps.hide(node.id));
    const parts: Node[] = [head];
    // Two lines of each: the picture is what the room is for. The rest is what the pointer shows.
    if (node.signature)
      parts.push(html("code", { class: "brief", title: node.signature }, shortened(node.signature, 200)));
    const words = node.doc?.replace(/\s+/g, " ");
    if (words) parts.push(html("div", { class: "doc brief", title: words }, shortened(words, 240)));
    parts.push(buttons);
    this.element.replaceChildren(...parts);
  }

  line(line: Line, name: (id: string) => string): void {
    const pairs = new Map<string, ViewEdge[]>();
    for (const edge of line.edges) {
      const between = `${name(edge.source)} → ${name(edge.target)}`;
      pairs.set(between, [...(pairs.get(between) ?? []), edge]);
    }
    const parts = [...pairs].flatMap(([between, edges]) => [
      html("div", { class: "head" }, html("b", {}, between)),
      ...edges.map((edge) => this.edge(edge)),
    ]);
    this.element.replaceChildren(...parts);
  }

  problem(text: string): void {
    this.element.replaceChildren(html("div", { class: "problem", role: "alert" }, text));
  }

  private edge(edge: ViewEdge): HTMLElement {
    const how = [edge.change ?? "", edge.provenance, edge.resolution ?? "", `confidence ${edge.confidence}`];
    const words = ` ${how.filter(Boolean).join(", ")}  `;
    const row = html("div", { class: "edge", title: trustOf(edge) }, html("b", {}, written(edge)), words);
    for (const site of (edge.sites ?? []).slice(0, MOST_SITES)) row.append(this.link(site), " ");
    const more = edge.siteCount - Math.min(edge.sites?.length ?? 0, MOST_SITES);
    if (more > 0) row.append(`${edge.sites?.length ? "and " : ""}${more} more site${more === 1 ? "" : "s"}`);
    return row;
  }

  private at(node: ViewNode): Node {
    const spot = spotOf(node);
    return spot ? this.link(spot) : html("span", { class: "faint" }, place(node));
  }

  private link(spot: Spot): Node {
    const text = `${spot.file}:${spot.line}`;
    if (!this.host.opens) return html("span", { class: "faint" }, text);
    const link = html("button", { type: "button", class: "link" }, text);
    link.addEventListener("click", () => this.host.open(spot));
    return link;
  }
}

export function spotOf(node: ViewNode): Spot | null {
  if (!node.file) return null;
  const spot: Spot = { file: node.file, line: node.line ?? 1, column: node.column ?? 1 };
  return node.uri ? { ...spot, uri: node.uri } : spot;
}
