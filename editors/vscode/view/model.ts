// Model: what a picture of the graph is made from, wherever it is shown.

import type { PackageMap } from "./packages";

export interface Spot {
  file: string;
  line: number;
  column: number;
  uri?: string;
}

export interface ViewNode {
  id: string;
  kind: string;
  subkind?: string | null;
  name: string;
  symbol: string;
  module?: string | null;
  file?: string | null;
  line?: number | null;
  column?: number | null;
  uri?: string | null;
  signature?: string | null;
  doc?: string | null;
  /** Steps from the middle; only where the answer counts them. */
  depth?: number | null;
  /** How sure the way to it is; only in an impact. */
  confidence?: number | null;
  test?: boolean;
  /** What edits did to it; only in a picture of changes. */
  change?: Change | null;
}

export type Change = "added" | "changed" | "removed";

export interface ViewEdge {
  id: string;
  kind: string;
  source: string;
  target: string;
  provenance: string;
  resolution?: string | null;
  confidence: number;
  ambiguous: boolean;
  siteCount: number;
  sites?: Spot[];
  change?: Change | null;
}

/** What every answer says about itself. */
export interface Standing {
  snapshot: string;
  revision: number;
  fresh: boolean;
  complete: boolean;
  pendingCount: number;
  unresolvedSites: number;
  truncated: boolean;
  omitted: number;
  /** It ended with its time: asked again, there is more of it. */
  unfinished?: boolean;
}

export interface Evidence extends Spot {
  note: string;
}

export interface ViewFinding {
  id: string;
  rule: string;
  category: string;
  priority: string;
  confidence: string;
  status: string;
  title: string;
  pressure: string;
  suggestions: string[];
  evidence: Evidence[];
}

export type Kind = "neighborhood" | "impact" | "trace" | "changes" | "map" | "findings";

export interface Picture {
  kind: Kind;
  title: string;
  root?: string | null;
  nodes: ViewNode[];
  edges: ViewEdge[];
  /** Ids along each path, in a trace. */
  paths?: string[][];
  findings?: ViewFinding[];
  map?: PackageMap | null;
  /** Of an impact: `in` is what uses the root, `out` what it uses. */
  direction?: "in" | "out" | null;
  /** How many nodes there are beside what is hidden at first, where they were counted. */
  total?: number | null;
  /** Of a picture of changes: which, and since when. */
  changes?: string | null;
  base?: string | null;
  standing: Standing;
}

/** A node is asked for by its id; its `symbol` stands for it where the graph has given it another one since. */
export type Question =
  | { kind: "neighborhood"; node: string; symbol?: string; depth: number; limit?: number }
  | { kind: "impact"; node: string; symbol?: string; depth: number; direction: "upstream" | "downstream" }
  /** `symbols`: of both ends. */
  | { kind: "trace"; source: string; target: string; symbols?: [string, string] }
  | { kind: "changes"; changes: string; base: string; depth: number }
  | { kind: "map" };

/** The graph is another one now. `files`: which differ; null: any may. */
export interface News {
  revision: number;
  files: string[] | null;
}

/** How a picture is made again, and what was done with it: plain values, which outlive a window. */
export interface Kept {
  question: Question;
  view?: unknown;
}

/** What is around the picture: an editor, a server on this machine, or nothing but the page. */
export interface Host {
  readonly asks: boolean;
  readonly opens: boolean;
  readonly follows: boolean;
  ask(question: Question): Promise<Picture>;
  open(spot: Spot): void;
  /** Another picture is shown now. */
  shown(picture: Picture): void;
  follow(on: boolean): void;
  save(content: string | Blob, name: string): void;
  copy(text: string): void;
  /** What to begin with when the window is loaded again. */
  keep(kept: Kept): void;
  kept(): Kept | null;
  onNews(heard: (news: News) => void): void;
  /** `meanwhile`: what to say until a picture comes; null: it is being made. */
  onPicture(show: (picture: Picture) => void, meanwhile: (words: string | null) => void): void;
}

/** The sign for how far a link can be trusted. */
export function mark(edge: ViewEdge): string {
  const share = edge.confidence >= 1 ? "" : edge.confidence.toFixed(2).replace(/^0/, "").replace(/0+$/, "");
  if (edge.ambiguous) return `?${share}`;
  if (edge.provenance === "compiler_checked") return "!";
  return edge.resolution ? `~${share}` : "";
}

/** The same in words. */
export function trustOf(edge: ViewEdge): string {
  const sure = edge.confidence >= 1 ? "certain" : `confidence ${edge.confidence}`;
  if (edge.ambiguous) return `one of several that are possible, ${sure}`;
  if (edge.provenance === "compiler_checked") return "a checker resolved it";
  return edge.resolution ? `graphls inferred it from the code (${edge.resolution}), ${sure}` : sure;
}

export function finest(node: ViewNode): string {
  return node.subkind || node.kind;
}

/** What a box is called: modules by their whole name, whose last part alone says little. */
export function title(node: ViewNode): string {
  return ["module", "package", "file"].includes(finest(node)) ? node.symbol : node.name;
}

export function place(node: ViewNode): string {
  if (!node.file) return "outside the workspace";
  return node.line ? `${node.file}:${node.line}` : node.file;
}

export function isOutside(node: ViewNode): boolean {
  return !node.file;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Why an answer may not be the whole truth. */
export function caveats(standing: Standing): string[] {
  const said: string[] = [];
  if (standing.unresolvedSites) {
    said.push(`${counted(standing.unresolvedSites, "use")} could not be resolved: there may be more`);
  }
  if (standing.unfinished) said.push("still being worked out");
  else if (standing.truncated) said.push(standing.omitted ? `${standing.omitted} more left out` : "more left out");
  if (!standing.fresh) said.push(`${counted(standing.pendingCount, "changed file")} not read yet`);
  return said;
}
