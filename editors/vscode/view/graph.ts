// Graph: what was loaded so far, and which part of it the filters leave.

import { isOutside, type Picture, type Standing, type ViewEdge, type ViewNode } from "./model";

export type Direction = "both" | "in" | "out";

export interface Filters {
  direction: Direction;
  depth: number;
  confidence: number;
  outside: boolean;
  /** Kinds of links that are not drawn. */
  hiddenEdges: ReadonlySet<string>;
  /** Kinds of nodes that are not drawn. */
  hiddenNodes: ReadonlySet<string>;
  /** Provenances that are not drawn. */
  hiddenProvenance: ReadonlySet<string>;
}

/** Links that say where something is written: they hold the picture together too well to be of use in it. */
export const STRUCTURE: readonly string[] = ["contains", "defines"];

export interface Visible {
  nodes: ViewNode[];
  edges: ViewEdge[];
  hidden: number;
}

export class Graph {
  readonly nodes = new Map<string, ViewNode>();
  readonly edges = new Map<string, ViewEdge>();
  readonly expanded = new Set<string>();
  /** Of all answers together. */
  standing: Standing;
  /** How many nodes that are shown at first are not loaded. */
  missing = 0;

  constructor(readonly picture: Picture) {
    this.standing = picture.standing;
    this.add(picture, true);
    if (picture.root) this.expanded.add(picture.root);
  }

  /** Take in what an answer brought; says whether anything of it is new. `whole`: it takes the place of those before. */
  add(picture: Picture, whole = false): boolean {
    const before = this.nodes.size + this.edges.size;
    this.standing = whole ? picture.standing : together(this.standing, picture.standing);
    const main = picture.nodes.filter((node) => node.id !== picture.root && !isOutside(node)).length;
    const missing = picture.standing.truncated ? Math.max((picture.total ?? 0) - main, 0) : 0;
    this.missing = whole ? missing : this.missing + missing;
    for (const node of picture.nodes) {
      if (!this.nodes.has(node.id)) this.nodes.set(node.id, node);
    }
    for (const edge of picture.edges) this.edges.set(edge.id, edge);
    return this.nodes.size + this.edges.size > before;
  }

  kinds(of: (edge: ViewEdge) => string): [string, number][] {
    const counts = new Map<string, number>();
    for (const edge of this.edges.values()) counts.set(of(edge), (counts.get(of(edge)) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => a.localeCompare(b));
  }

  nodeKinds(of: (node: ViewNode) => string): [string, number][] {
    const counts = new Map<string, number>();
    for (const node of this.nodes.values()) counts.set(of(node), (counts.get(of(node)) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => a.localeCompare(b));
  }
}

/** Each answer is about other nodes: what one of them lacks is lacking in the picture. */
function together(one: Standing, other: Standing): Standing {
  const newer = one.revision > other.revision ? one : other;
  return {
    snapshot: newer.snapshot,
    revision: Math.min(one.revision, other.revision),
    fresh: one.fresh && other.fresh,
    complete: one.complete && other.complete,
    pendingCount: Math.max(one.pendingCount, other.pendingCount),
    unresolvedSites: one.unresolvedSites + other.unresolvedSites,
    truncated: one.truncated || other.truncated,
    omitted: one.omitted + other.omitted,
  };
}

function passes(edge: ViewEdge, filters: Filters): boolean {
  return (
    edge.confidence >= filters.confidence &&
    !filters.hiddenEdges.has(edge.kind) &&
    !filters.hiddenProvenance.has(edge.provenance)
  );
}

/** What is drawn: from a middle, what links that pass lead to; without one, every node that has such a link. */
export function visible(graph: Graph, filters: Filters): Visible {
  const root = graph.picture.root ?? null;
  const shown = (node: ViewNode | undefined): node is ViewNode =>
    node !== undefined &&
    (node.id === root ||
      ((filters.outside || !isOutside(node)) && !filters.hiddenNodes.has(node.subkind || node.kind)));
  const edges = [...graph.edges.values()].filter(
    (edge) => passes(edge, filters) && shown(graph.nodes.get(edge.source)) && shown(graph.nodes.get(edge.target)),
  );
  const reached =
    graph.picture.kind === "neighborhood" && root !== null
      ? reach(root, edges, filters, graph.expanded)
      : new Set([...graph.nodes.values()].filter(shown).map((node) => node.id));
  const nodes = [...graph.nodes.values()].filter((node) => reached.has(node.id));
  const drawn = edges.filter((edge) => reached.has(edge.source) && reached.has(edge.target));
  return { nodes, edges: drawn, hidden: graph.nodes.size - nodes.length };
}

/** Nodes within the depth, and beyond it around nodes that were expanded by hand. */
function reach(root: string, edges: readonly ViewEdge[], filters: Filters, expanded: ReadonlySet<string>): Set<string> {
  const touching = new Map<string, [string, boolean][]>();
  const note = (at: string, other: string, out: boolean): void => {
    const known = touching.get(at);
    if (known) known.push([other, out]);
    else touching.set(at, [[other, out]]);
  };
  for (const edge of edges) {
    note(edge.source, edge.target, true);
    note(edge.target, edge.source, false);
  }
  const depths = new Map([[root, 0]]);
  const queue = [root];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    const depth = depths.get(at) ?? 0;
    if (depth >= filters.depth && !expanded.has(at)) continue;
    for (const [other, out] of touching.get(at) ?? []) {
      const wanted = filters.direction === "both" || (filters.direction === "out") === out;
      if (wanted && !depths.has(other)) {
        depths.set(other, depth + 1);
        queue.push(other);
      }
    }
  }
  return new Set(depths.keys());
}
