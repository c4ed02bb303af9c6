// Scene: one picture with what was done with it, and how it is asked for again.

import { type Arrangement, type Direction, type Filters, Graph, type Grouping, STRUCTURE } from "./graph";
import { History } from "./history";
import type { Picture, Question } from "./model";

export const MOST_STEPS = 5;

export interface Scene {
  graph: Graph;
  history: History<Arrangement>;
  question: Question;
  /** Nodes that were not there when it was drawn before. */
  fresh: Set<string>;
  /** Nodes whose file changed since it was drawn. */
  stale: Set<string>;
  /** How many nodes were there before and are gone. */
  gone: number;
  /** Of the graph as it is now; 0 where nobody said. */
  revision: number;
}

/** A picture of the same kind keeps the filters of the one before. */
export function sceneOf(picture: Picture, before: Scene | null): Scene {
  const filters = filtersFor(picture, before);
  const arranged: Arrangement = {
    filters,
    expanded: new Set(picture.root ? [picture.root] : []),
    collapsed: new Set(),
    hidden: new Set(),
    grouping: before?.history.now.grouping ?? "none",
    folded: new Set(),
  };
  return {
    graph: new Graph(picture),
    history: new History(arranged),
    question: questionOf(picture, filters.depth),
    fresh: new Set(),
    stale: new Set(),
    gone: 0,
    revision: before?.revision ?? 0,
  };
}

function filtersFor(picture: Picture, before: Scene | null): Filters {
  const direction = picture.kind === "impact" ? (picture.direction ?? "in") : null;
  if (before?.graph.picture.kind === picture.kind) {
    const { filters } = before.history.now;
    return direction ? { ...filters, direction } : filters;
  }
  const depth = deepest(picture) || (picture.kind === "neighborhood" ? 1 : 3);
  const made = freshFilters(direction ?? "both", depth);
  return picture.kind === "trace" ? { ...made, hiddenEdges: new Set() } : made;
}

export function freshFilters(direction: Direction, depth: number): Filters {
  return {
    direction,
    depth,
    confidence: 0,
    outside: false,
    hiddenEdges: new Set(STRUCTURE),
    hiddenNodes: new Set(["import"]),
    hiddenProvenance: new Set(),
  };
}

/** Nothing that is loaded is hidden. */
export function wholeOf(filters: Filters): Partial<Arrangement> {
  const all = { ...freshFilters(filters.direction, filters.depth), hiddenEdges: new Set<string>() };
  return { filters: { ...all, hiddenNodes: new Set(), outside: true }, hidden: new Set(), collapsed: new Set() };
}

export function deepest(picture: Picture): number {
  return Math.max(0, ...picture.nodes.map((node) => node.depth ?? 0));
}

/** How a picture is made again. `symbol`: what its middle is called, for when it has another id by then. */
export function questionOf(picture: Picture, depth: number, limit?: number): Question {
  const node = picture.root ?? "";
  const symbol = picture.nodes.find(({ id }) => id === node)?.symbol;
  const named = { node, ...(symbol && { symbol }) };
  if (picture.kind === "impact") {
    return { kind: "impact", ...named, depth, direction: picture.direction === "out" ? "downstream" : "upstream" };
  }
  if (picture.kind === "trace") {
    const [path] = picture.paths ?? [];
    const [source, target] = [path?.[0] ?? node, path?.at(-1) ?? node];
    const called = (end: string): string => picture.nodes.find(({ id }) => id === end)?.symbol ?? "";
    return { kind: "trace", source, target, symbols: [called(source), called(target)] };
  }
  if (picture.kind === "changes") {
    return { kind: "changes", changes: picture.changes ?? "all", base: picture.base ?? "", depth };
  }
  return { kind: "neighborhood", ...named, depth, ...(limit && { limit }) };
}

// Plain values, which outlive a window.

const SETS = ["hiddenEdges", "hiddenNodes", "hiddenProvenance"] as const;

export function plainOf(arranged: Arrangement): unknown {
  const { filters, grouping } = arranged;
  const lists = Object.fromEntries(SETS.map((name) => [name, [...filters[name]]]));
  const own = (["expanded", "collapsed", "hidden", "folded"] as const).map((name) => [name, [...arranged[name]]]);
  return { ...Object.fromEntries(own), grouping, filters: { ...filters, ...lists } };
}

/** Null: it is not what an arrangement was written as. */
export function arrangementOf(value: unknown): Arrangement | null {
  const plain = value as Record<string, unknown> | null | undefined;
  const filters = plain?.filters as Record<string, unknown> | undefined;
  if (!plain || !filters || typeof filters.depth !== "number") return null;
  const set = (from: unknown): Set<string> => new Set(Array.isArray(from) ? from.map(String) : []);
  return {
    expanded: set(plain.expanded),
    collapsed: set(plain.collapsed),
    hidden: set(plain.hidden),
    folded: set(plain.folded),
    grouping: plain.grouping as Grouping,
    filters: {
      ...(filters as unknown as Filters),
      hiddenEdges: set(filters.hiddenEdges),
      hiddenNodes: set(filters.hiddenNodes),
      hiddenProvenance: set(filters.hiddenProvenance),
    },
  };
}
