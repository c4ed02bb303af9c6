// Exports: what is shown, as a file or as text: a drawing with its title and legend, Mermaid, DOT, lists.
//
// Invariant: every form says what the picture lacks, as the line below it does.

import { html, svg } from "./dom";
import { nodeFamily, signs } from "./kinds";
import { finest, isOutside, place, title, type ViewEdge, type ViewNode } from "./model";

const ABOVE = 40;
const BELOW = 56;
const LEGEND_STEP = 8;
/** Twice as many points as the screen has: text stays sharp. */
const DENSITY = 2;
const MOST_POINTS = 8000;
const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
];
const LEFT_OUT = ".grip, .more";
const ATTRIBUTES = ["tabindex", "role", "aria-label", "aria-pressed", "aria-expanded"];

export interface Shown {
  title: string;
  /** What is shown and what is missing, as people read it. */
  standing: string;
  nodes: readonly ViewNode[];
  edges: readonly ViewEdge[];
}

/** The whole picture as a file of its own: styles are written into the elements. */
export function drawing(element: SVGSVGElement, size: { width: number; height: number }, shown: Shown): string {
  const copy = element.cloneNode(true) as SVGSVGElement;
  const legend = legendOf(shown);
  const width = Math.ceil(Math.max(size.width, 480));
  const height = Math.ceil(size.height + ABOVE + BELOW);
  copy.querySelector(":scope > g")?.setAttribute("transform", `translate(0 ${ABOVE})`);
  copy.append(
    svg("text", { class: "export-title", x: 16, y: 26 }, shown.title),
    svg("g", { transform: `translate(16 ${size.height + ABOVE + 14})` }, ...legend),
    svg("text", { class: "export-note", x: 16, y: size.height + ABOVE + 42 }, shown.standing),
  );
  for (const one of copy.querySelectorAll(LEFT_OUT)) one.remove();
  const frame = html("div", { class: "off-screen", "aria-hidden": "true" });
  frame.append(copy);
  document.body.append(frame);
  inline(copy);
  frame.remove();
  for (const one of copy.querySelectorAll(ATTRIBUTES.map((name) => `[${name}]`).join(","))) {
    for (const name of ATTRIBUTES) one.removeAttribute(name);
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const ground = getComputedStyle(document.body).backgroundColor;
  copy.prepend(svg("title", {}, shown.title), svg("rect", { width: "100%", height: "100%", fill: ground }));
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

function inline(element: Element): void {
  if (element instanceof SVGElement && !(element instanceof SVGGElement)) {
    const computed = getComputedStyle(element);
    for (const name of STYLES) element.setAttribute(name, computed.getPropertyValue(name));
    if (element instanceof SVGTextElement) element.setAttribute("font-family", "sans-serif");
  }
  for (const child of element.children) inline(child);
}

/** What the colours mean that occur, in a row. */
function legendOf(shown: Shown): SVGElement[] {
  let x = 0;
  const after = (words: string): number => {
    const at = x;
    x += words.length * LEGEND_STEP + 36;
    return at;
  };
  const { nodes, links } = signs(new Set(shown.nodes.map((node) => nodeFamily(finest(node)))), shown.edges);
  const texts = (words: string, at: number): SVGElement => svg("text", { class: "export-note", x: at, y: 4 }, words);
  return [
    ...nodes.map(([family, words]) => {
      const at = after(words);
      const patch = svg("rect", { class: "stripe", x: at, y: -6, width: 5, height: 12, rx: 2.5 });
      return svg("g", { class: `node kind-${family}` }, patch, texts(words, at + 11));
    }),
    ...links.map(([family, words]) => {
      const at = after(words);
      const stroke = svg("path", { class: "stroke", d: `M${at} 0h20` });
      return svg("g", { class: `line link-${family}` }, stroke, texts(words, at + 25));
    }),
  ];
}

/** The same drawing in points. */
export async function points(drawn: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn)}`;
  await image.decode();
  const scale = Math.min(DENSITY, MOST_POINTS / Math.max(image.width, image.height));
  const canvas = html("canvas", { width: Math.ceil(image.width * scale), height: Math.ceil(image.height * scale) });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) =>
      blob ? done(blob) : failed(new Error("The picture is too large for PNG; save it as SVG.")),
    );
  });
}

interface Pair {
  source: string;
  target: string;
  kinds: string;
  sure: boolean;
}

/** Links by the nodes that they join. */
function pairsOf(edges: readonly ViewEdge[]): Pair[] {
  const found = new Map<string, ViewEdge[]>();
  for (const edge of edges) {
    const key = `${edge.source} ${edge.target}`;
    found.set(key, [...(found.get(key) ?? []), edge]);
  }
  return [...found.values()].map((all) => {
    const [{ source, target }] = all as [ViewEdge];
    const kinds = [...new Set(all.map(({ kind, change }) => (change ? `${kind} ${change}` : kind)))].join(", ");
    return { source, target, kinds, sure: all.some(({ confidence, ambiguous }) => confidence >= 1 && !ambiguous) };
  });
}

export function mermaid(shown: Shown): string {
  const ids = new Map(shown.nodes.map(({ id }, index) => [id, `n${index}`]));
  const safe = (text: string): string => `"${text.replace(/[#"]/g, (sign) => `#${sign.charCodeAt(0)};`)}"`;
  const lines = shown.nodes.map((node) => `  ${ids.get(node.id)}[${safe(`${finest(node)} ${node.symbol}`)}]`);
  for (const { source, target, kinds, sure } of pairsOf(shown.edges)) {
    lines.push(`  ${ids.get(source)} ${sure ? "-->" : "-.->"}|${safe(kinds)}| ${ids.get(target)}`);
  }
  return [`%% ${shown.title}`, `%% ${shown.standing}`, "flowchart LR", ...lines, ""].join("\n");
}

export function dot(shown: Shown): string {
  const safe = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;
  const lines = shown.nodes.map(
    (node) => `  ${safe(node.id)} [label=${safe(`${title(node)}\n${finest(node)}`).replace("\n", "\\n")}];`,
  );
  for (const { source, target, kinds, sure } of pairsOf(shown.edges)) {
    const style = sure ? "" : ", style=dashed";
    lines.push(`  ${safe(source)} -> ${safe(target)} [label=${safe(kinds)}${style}];`);
  }
  const head = [`// ${shown.title}`, `// ${shown.standing}`, "digraph {", "  rankdir=LR; node [shape=box];"];
  return [...head, ...lines, "}", ""].join("\n");
}

/** One node as a list shows it. */
export interface ListRow {
  node: ViewNode;
  /** How it is linked, in words. */
  how: string;
  steps: number | null;
  depth: number;
}

export function plain(shown: Shown, rows: readonly ListRow[]): string {
  const lines = rows.map(({ node, how, depth }) => {
    const words = [`${"  ".repeat(depth)}${node.symbol}`, finest(node), how, isOutside(node) ? "" : place(node)];
    return words.filter(Boolean).join("  ");
  });
  return [shown.title, ...lines, shown.standing, ""].join("\n");
}

export function markdown(shown: Shown, rows: readonly ListRow[]): string {
  const safe = (text: string): string => text.replace(/[|\\]/g, "\\$&");
  const lines = rows.map(({ node, how, steps, depth }) => {
    const name = `${"&emsp;".repeat(depth)}\`${node.symbol}\``;
    return `| ${[name, finest(node), how, steps ?? "", place(node)].map((cell) => safe(String(cell))).join(" | ")} |`;
  });
  const head = [`**${safe(shown.title)}**`, "", "| symbol | kind | links | steps | where |", "|---|---|---|---|---|"];
  return [...head, ...lines, "", `*${safe(shown.standing)}*`, ""].join("\n");
}
