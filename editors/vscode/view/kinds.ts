// Kinds: families of nodes and of links, which the picture tells apart by colour.

import { html, svg } from "./dom";
import type { ViewEdge, ViewNode } from "./model";

const NODES: Record<string, string> = {
  class: "type",
  interface: "type",
  protocol: "type",
  struct: "type",
  enum: "type",
  trait: "type",
  type_alias: "type",
  function: "callable",
  callable: "callable",
  method: "callable",
  property: "callable",
  component: "callable",
  test: "test",
  module: "module",
  file: "module",
  package: "module",
  workspace: "module",
  namespace: "module",
  variable: "value",
  constant: "value",
  field: "value",
  parameter: "value",
  enum_variant: "value",
};

const EDGES: Record<string, string> = {
  calls: "calls",
  instantiates: "calls",
  renders: "calls",
  handles: "calls",
  tests: "tests",
  extends: "types",
  implements: "types",
  overrides: "types",
  type_ref: "types",
  imports: "imports",
  exports: "imports",
  aliases: "imports",
};

const NODE_WORDS: readonly (readonly [string, string])[] = [
  ["type", "type"],
  ["callable", "function"],
  ["value", "value"],
  ["module", "module"],
  ["test", "test"],
  ["other", "other"],
];

const EDGE_WORDS: readonly (readonly [string, string])[] = [
  ["calls", "calls"],
  ["types", "types"],
  ["imports", "imports"],
  ["tests", "tests"],
  ["uses", "other uses"],
];

export function nodeFamily(kind: string): string {
  return NODES[kind] ?? "other";
}

/** Of several links along one line, the one that says most. */
export function edgeFamily(edges: readonly ViewEdge[]): string {
  const found = new Set(edges.map((edge) => EDGES[edge.kind] ?? "uses"));
  return EDGE_WORDS.find(([family]) => found.has(family))?.[0] ?? "uses";
}

export function familyWords(family: string): string {
  return EDGE_WORDS.find(([one]) => one === family)?.[1] ?? family;
}

function sign(drawing: Element, words: string): HTMLElement {
  return html("span", { class: "sign" }, drawing, words);
}

function stroke(classes: string): Element {
  const box = { width: 26, height: 8, class: `line ${classes}`, "aria-hidden": "true" };
  return svg("svg", box, svg("path", { class: "stroke", d: "M0 4H26" }));
}

/** Families that occur, with their words. */
export function signs(
  families: ReadonlySet<string>,
  edges: readonly ViewEdge[],
): { nodes: (readonly [string, string])[]; links: (readonly [string, string])[] } {
  const links = new Set(edges.map((edge) => edgeFamily([edge])));
  return {
    nodes: NODE_WORDS.filter(([family]) => families.has(family)),
    links: EDGE_WORDS.filter(([family]) => links.has(family)),
  };
}

/** What the colours of this picture mean; only those that occur in it. */
export function colours(
  nodes: readonly ViewNode[],
  edges: readonly ViewEdge[],
  finest: (node: ViewNode) => string,
): HTMLElement {
  const found = signs(new Set(nodes.map((node) => nodeFamily(finest(node)))), edges);
  const box = (family: string): Element => html("span", { class: `patch kind-${family}`, "aria-hidden": "true" });
  return html(
    "span",
    { class: "legend colours" },
    ...found.nodes.map(([family, words]) => sign(box(family), words)),
    ...found.links.map(([family, words]) => sign(stroke(`sure link-${family}`), words)),
  );
}

/** What a mark means, for who points at it. */
const MEANINGS: Readonly<Record<string, string>> = {
  "!": "a checker resolved it",
  "~": "graphls inferred it from the code, without a checker",
  "?": "one of several that are possible",
};

/** How far links can be trusted: only what occurs. `common`: the mark of all of them, which is said once. */
export function trust(edges: readonly ViewEdge[], marks: ReadonlySet<string>, common: string | null): HTMLElement {
  const words = (mark: string): HTMLElement => {
    const said = { "!": "checked", "~": "inferred", "?": "one of several" }[mark] ?? mark;
    return html(
      "span",
      { class: "sign", title: MEANINGS[mark] ?? "" },
      common ? `all links ${said}` : `${mark} ${said}`,
    );
  };
  const legend = html(
    "span",
    { class: "legend trust" },
    ...["!", "~", "?"].filter((mark) => marks.has(mark)).map(words),
  );
  const open = edges.some((edge) => edge.ambiguous);
  const unsure = edges.some((edge) => edge.confidence < 1 && !edge.ambiguous);
  if (unsure || open) legend.append(sign(stroke("sure"), "certain"));
  if (unsure) legend.append(sign(stroke("inferred"), "confidence below 1"));
  if (open) legend.append(sign(stroke("ambiguous"), "one of several"));
  return legend;
}
