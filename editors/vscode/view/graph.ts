// Graph: what was loaded so far, and which part of it is drawn.
//
// Invariant: what is drawn is a function of what is loaded and of the arrangement; what is loaded is never taken away.

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

/** What stands together in a frame: nothing but crowds, or what is in one module or class. */
export type Grouping = "none" | "module" | "class";

/** What was done with a picture: one step that can be undone leads from one to the next. */
export interface Arrangement {
  filters: Filters;
  /** Nodes whose neighbours are shown beyond the depth. */
  expanded: ReadonlySet<string>;
  /** Nodes whose neighbours are not shown for their sake. */
  collapsed: ReadonlySet<string>;
  /** Nodes that were hidden by hand. */
  hidden: ReadonlySet<string>;
  grouping: Grouping;
  /** Groups that are drawn as one box. */
  folded: ReadonlySet<string>;
}

/** Links that say where something is written: they hold the picture together too well to be of use in it. */
export const STRUCTURE: readonly string[] = ["contains", "defines", "documents", "diagnoses"];

export interface Visible {
  nodes: ViewNode[];
  edges: ViewEdge[];
  hidden: number;
}

interface Answer {
  standing: Standing;
  /** How many nodes that are shown at first it left out. */
  missing: number;
}

export class Graph {
  readonly nodes = new Map<string, ViewNode>();
  readonly edges = new Map<string, ViewEdge>();
  /** By the node that was asked about. */
  private readonly answers = new Map<string, Answer>();

  constructor(readonly picture: Picture) {
    this.add(picture, this.root);
  }

  get root(): string {
    return this.picture.root ?? "";
  }

  /** Whether the neighbours of a node were asked for. */
  knows(id: string): boolean {
    return this.answers.has(id);
  }

  /** Take in what an answer about a node brought; it takes the place of one before. */
  add(picture: Picture, asked: string): void {
    const main = picture.nodes.filter((node) => node.id !== picture.root && !isOutside(node)).length;
    const missing = picture.standing.truncated ? Math.max((picture.total ?? 0) - main, 0) : 0;
    this.answers.set(asked, { standing: picture.standing, missing });
    for (const node of picture.nodes) {
      if (!this.nodes.has(node.id)) this.nodes.set(node.id, node);
    }
    for (const edge of picture.edges) this.edges.set(edge.id, edge);
  }

  /** What the answers that are shown say of themselves: what one of them lacks is lacking in the picture. */
  standing(expanded: ReadonlySet<string>): Standing {
    return this.asked(expanded)
      .map(({ standing }) => standing)
      .reduce(together);
  }

  /** How many nodes that are shown at first are not loaded. */
  missing(expanded: ReadonlySet<string>): number {
    return this.asked(expanded).reduce((sum, { missing }) => sum + missing, 0);
  }

  private asked(expanded: ReadonlySet<string>): Answer[] {
    return [...this.answers].filter(([id]) => id === this.root || expanded.has(id)).map(([, answer]) => answer);
  }

  kinds(of: (edge: ViewEdge) => string): [string, number][] {
    return counts(this.edges.values(), of);
  }

  nodeKinds(of: (node: ViewNode) => string): [string, number][] {
    return counts(this.nodes.values(), of);
  }
}

function counts<Thing>(things: Iterable<Thing>, of: (thing: Thing) => string): [string, number][] {
  const found = new Map<string, number>();
  for (const thing of things) found.set(of(thing), (found.get(of(thing)) ?? 0) + 1);
  return [...found].sort(([a], [b]) => a.localeCompare(b));
}

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
    unfinished: Boolean(one.unfinished || other.unfinished),
  };
}

function passes(edge: ViewEdge, filters: Filters): boolean {
  return (
    edge.confidence >= filters.confidence &&
    !filters.hiddenEdges.has(edge.kind) &&
    !filters.hiddenProvenance.has(edge.provenance)
  );
}

/** What is drawn: from a middle, what links that pass lead to; without one, every node that is not filtered out. */
export function visible(graph: Graph, arrangement: Arrangement): Visible {
  const { filters, hidden } = arrangement;
  const root = graph.picture.root ?? null;
  const shown = (node: ViewNode | undefined): node is ViewNode =>
    node !== undefined &&
    (node.id === root ||
      ((filters.outside || !isOutside(node) || Boolean(node.change)) &&
        !hidden.has(node.id) &&
        !filters.hiddenNodes.has(node.subkind || node.kind)));
  const edges = [...graph.edges.values()].filter((edge) => {
    const [source, target] = [graph.nodes.get(edge.source), graph.nodes.get(edge.target)];
    // That a module exports what is written in it says no more than that it contains it.
    const structure = edge.kind === "exports" && source?.file === target?.file && filters.hiddenEdges.has("contains");
    return passes(edge, filters) && !structure && shown(source) && shown(target);
  });
  const reached =
    graph.picture.kind === "neighborhood" && root !== null
      ? reach(root, edges, arrangement)
      : new Set([...graph.nodes.values()].filter(shown).map((node) => node.id));
  const nodes = [...graph.nodes.values()].filter((node) => reached.has(node.id));
  const drawn = edges.filter((edge) => reached.has(edge.source) && reached.has(edge.target));
  return { nodes, edges: drawn, hidden: graph.nodes.size - nodes.length };
}

/** Nodes within the depth, and beyond it around nodes that were expanded by hand. */
function reach(root: string, edges: readonly ViewEdge[], arrangement: Arrangement): Set<string> {
  const { filters, expanded, collapsed } = arrangement;
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
    if (collapsed.has(at) || (depth >= filters.depth && !expanded.has(at))) continue;
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

/** Steps of each drawn node from what the picture is about, against or along its links. */
export function stepsFrom(roots: readonly string[], edges: readonly ViewEdge[]): Map<string, number> {
  const touching = new Map<string, string[]>();
  for (const { source, target } of edges) {
    touching.set(source, [...(touching.get(source) ?? []), target]);
    touching.set(target, [...(touching.get(target) ?? []), source]);
  }
  const steps = new Map(roots.map((root) => [root, 0]));
  const queue = [...roots];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const other of touching.get(at) ?? []) {
      if (steps.has(other)) continue;
      steps.set(other, (steps.get(at) ?? 0) + 1);
      queue.push(other);
    }
  }
  return steps;
}
