// Wire: what the server's own requests answer, as docs/lsp-extensions.md describes it.

import type { Location, Position, Range } from "vscode-languageclient/node";
import type { Change, Spot, Standing, ViewEdge, ViewNode } from "../view/model";
import type { PackageMap } from "../view/packages";

export type Subject = { node: string } | { symbol: string } | { textDocument: { uri: string }; position: Position };

export interface WireNode {
  id: string;
  kind: string;
  subkind?: string;
  name: string;
  symbol: string;
  module?: string;
  file?: string;
  uri?: string;
  range?: Range;
  signature?: string;
  doc?: string;
  depth?: number;
}

export interface WireEdge {
  id: string;
  kind: string;
  source: string;
  target: string;
  provenance: string;
  resolution?: string;
  confidence: number;
  ambiguous: boolean;
  siteCount: number;
  sites?: Location[];
}

export interface Neighborhood extends Standing {
  root: WireNode;
  nodes: WireNode[];
  edges: WireEdge[];
  total?: number;
}

/** Lines of imports count from 0 here. */
export interface WireMap extends Standing, PackageMap {}

export interface Affected {
  node: WireNode;
  depth: number;
  confidence: number;
  via: string;
  test: boolean;
}

export interface Impact extends Standing {
  seeds: WireNode[];
  affected: Affected[];
  edges: WireEdge[];
}

export interface ChangedImpact extends Standing {
  files: { file: string; uri: string; status: string; reason?: string }[];
  nodes: { node: WireNode; lines: number; added: boolean }[];
  removed: { file: string; name: string; kind: string; mentions: number }[];
  affected: Affected[];
  links?: { edge: WireEdge; change: Change | null }[];
  linksOmitted?: number;
  ends?: { node: WireNode; gone: boolean }[];
}

export interface Trace extends Standing {
  paths: { nodes: string[]; edges: WireEdge[]; confidence: number; parallel: WireEdge[] }[];
  nodes: WireNode[];
  exhausted: boolean;
}

export interface Found extends Standing {
  matches: { node: WireNode; match: string }[];
}

export interface Tour extends Standing {
  stops: { why: string; count: number; node: WireNode }[];
}

export interface EntryRow {
  node: WireNode;
  handlers: WireNode[];
}

export interface Entries extends Standing {
  entries: EntryRow[];
}

export interface Finding {
  id: string;
  rule: string;
  category: string;
  priority: "P1" | "P2" | "P3" | "info";
  confidence: string;
  title: string;
  pressure: string;
  suggestions: string[];
  caveats: string[];
  evidence: { location: Location; note: string }[];
}

export interface Findings extends Standing {
  findings: Finding[];
  failures: string[];
  filesLeftOut: number;
}

export interface Pack extends Standing {
  pack: { used?: number; budget?: number; items: unknown[] };
  text?: string;
}

export interface Exported extends Standing {
  counts: { nodes: number; edges: number };
  degraded: boolean;
  destination?: string;
  content?: string;
}

export interface Checker {
  name: string;
  version: string;
  state: string;
  problem: string;
  asked: number;
  answered: number;
}

export interface Status extends Standing {
  status: { files: number; indexed: number; dirty: string[]; skippedCount?: number };
  session?: { stage: string; done: number; total: number; problems: string[]; checkers?: Checker[] };
}

export function viewNode(node: WireNode, more: Partial<ViewNode> = {}): ViewNode {
  const start = node.range?.start;
  const { id, kind, subkind, name, symbol, module, file, uri, signature, doc, depth } = node;
  const where = start ? { line: start.line + 1, column: start.character + 1 } : {};
  const plain = { id, kind, name, symbol, subkind: subkind ?? null, module: module ?? null, file: file ?? null };
  const rest = { uri: uri ?? null, signature: signature ?? null, doc: doc ?? null, depth: depth ?? null };
  return { ...plain, ...rest, ...where, ...more };
}

export function viewEdge(edge: WireEdge, name: (uri: string) => string): ViewEdge {
  const { sites, resolution, ...rest } = edge;
  return { ...rest, resolution: resolution ?? null, sites: (sites ?? []).map((site) => spot(site, name)) };
}

function spot(site: Location, name: (uri: string) => string): Spot {
  const { line, character } = site.range.start;
  return { file: name(site.uri), uri: site.uri, line: line + 1, column: character + 1 };
}

export function standing(answer: Standing & { causes?: { cause: string }[] }): Standing {
  const { snapshot, revision, fresh, complete, pendingCount, unresolvedSites, truncated, omitted } = answer;
  const unfinished = answer.causes?.some(({ cause }) => cause === "time_limit") ?? false;
  return { snapshot, revision, fresh, complete, pendingCount, unresolvedSites, truncated, omitted, unfinished };
}
