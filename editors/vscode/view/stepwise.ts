// Stepwise: the layout that dagre gives, in steps of which none is long, so that a page goes on meanwhile.
//
// Owns: the order of dagre's phases for graphs without nodes inside of nodes, and what these need in between.
// Must not know: what is laid out, when the next step is taken.
// Invariant: coordinates are those of `dagre.layout` for the same graph.

import dagre from "@dagrejs/dagre";
import acyclic from "@dagrejs/dagre/lib/acyclic.js";
import coordinates from "@dagrejs/dagre/lib/coordinate-system.js";
import nesting from "@dagrejs/dagre/lib/nesting-graph.js";
import chains from "@dagrejs/dagre/lib/normalize.js";
import addConstraints from "@dagrejs/dagre/lib/order/add-subgraph-constraints.js";
import layerGraph from "@dagrejs/dagre/lib/order/build-layer-graph.js";
import crossings from "@dagrejs/dagre/lib/order/cross-count.js";
import firstOrder from "@dagrejs/dagre/lib/order/init-order.js";
import sorted from "@dagrejs/dagre/lib/order/sort-subgraph.js";
import bk from "@dagrejs/dagre/lib/position/bk.js";
import tightTree from "@dagrejs/dagre/lib/rank/feasible-tree.js";
import rank from "@dagrejs/dagre/lib/rank/index.js";
import simplex from "@dagrejs/dagre/lib/rank/network-simplex.js";
import { longestPath } from "@dagrejs/dagre/lib/rank/util.js";
import util from "@dagrejs/dagre/lib/util.js";

type Graph = dagre.graphlib.Graph;
export type Steps<T = void> = Generator<undefined, T>;

/** What the phases write down at nodes and links. */
interface Marks {
  x: number;
  y: number;
  width: number;
  height: number;
  rank: number;
  order: number;
  dummy?: string;
  /** Of a stand-in for a label. */
  link?: dagre.Edge;
  labelRank?: number;
  minlen: number;
  reversed?: boolean;
  points?: { x: number; y: number }[];
}

/** Sweeps that may make it no better before it is left as it is. */
const PATIENCE = 4;

function at(graph: Graph, id: string): Marks {
  return graph.node(id) as unknown as Marks;
}

function of(graph: Graph, link: dagre.Edge): Marks {
  return graph.edge(link) as unknown as Marks;
}

/** Gives nodes and links of a graph their places, as `dagre.layout` does. */
export function* arrange(given: Graph): Steps {
  const graph = copied(given);
  const label = graph.graph();
  label.ranksep = (label.ranksep ?? 50) / 2;
  for (const link of graph.edges()) of(graph, link).minlen *= 2;
  yield;
  acyclic.run(graph);
  yield;
  nesting.run(graph);
  yield;
  yield* ranked(util.asNonCompoundGraph(graph));
  yield;
  ranksOfLabels(graph);
  chains.run(graph);
  yield;
  yield* ordered(graph);
  coordinates.adjust(graph);
  yield* positioned(graph);
  chains.undo(graph);
  coordinates.undo(graph);
  yield;
  fromTheCorner(graph);
  ended(graph);
  acyclic.undo(graph);
  handBack(graph, given);
}

function copied(given: Graph): Graph {
  const graph = new dagre.graphlib.Graph({ multigraph: true, compound: true });
  graph.setGraph({ nodesep: 50, edgesep: 20, ranksep: 50, ...given.graph() });
  for (const id of given.nodes()) {
    const { width = 0, height = 0 } = given.node(id);
    graph.setNode(id, { width, height });
  }
  for (const link of given.edges()) {
    const { minlen = 1, weight = 1, width = 0, height = 0 } = given.edge(link);
    graph.setEdge(link, { minlen, weight, width, height, labelpos: "c" });
  }
  return graph;
}

/** The rank of each node; the way to the shortest links goes through many trees, each of them a step. */
function* ranked(graph: Graph): Steps {
  if (graph.graph().ranker !== "network-simplex") {
    rank(graph);
    return;
  }
  const simple = util.simplify(graph);
  longestPath(simple);
  const tree = tightTree(simple);
  simplex.initLowLimValues(tree);
  simplex.initCutValues(tree, simple);
  yield;
  for (let worst = simplex.leaveEdge(tree); worst; worst = simplex.leaveEdge(tree)) {
    simplex.exchangeEdges(tree, simple, worst, simplex.enterEdge(tree, simple, worst));
    yield;
  }
}

/** Labels get a rank of their own that stays where empty ranks go. */
function ranksOfLabels(graph: Graph): void {
  for (const link of graph.edges()) {
    const { width, height } = of(graph, link);
    if (!width || !height) continue;
    const [from, to] = [at(graph, link.v).rank, at(graph, link.w).rank];
    util.addDummyNode(graph, "edge-proxy", { rank: (to - from) / 2 + from, link }, "_ep");
  }
  util.removeEmptyRanks(graph);
  nesting.cleanup(graph);
  util.normalizeRanks(graph);
  for (const id of graph.nodes()) {
    const { dummy, link, rank: own } = at(graph, id);
    if (dummy !== "edge-proxy" || !link) continue;
    of(graph, link).labelRank = own;
    graph.removeNode(id);
  }
}

/** The order in each rank with the fewest crossings that a few sweeps find. */
function* ordered(graph: Graph): Steps {
  const last = util.maxRank(graph);
  const members = new Map<number, string[]>();
  for (const id of graph.nodes()) {
    const own = at(graph, id).rank;
    members.set(own, [...(members.get(own) ?? []), id]);
  }
  const down: Graph[] = [];
  const up: Graph[] = [];
  const layer = (one: number, side: string): Graph => layerGraph<Graph>(graph, one, side, members.get(one) ?? []);
  for (let one = 1; one <= last; one += 1) {
    down.push(layer(one, "inEdges"));
    yield;
  }
  for (let one = last - 1; one >= 0; one -= 1) {
    up.push(layer(one, "outEdges"));
    yield;
  }
  assign(graph, firstOrder<string[][]>(graph));
  let fewest = Number.POSITIVE_INFINITY;
  let best: string[][] = [];
  for (let sweep = 0, since = 0; since < PATIENCE; sweep += 1, since += 1) {
    yield* swept(sweep % 2 ? down : up, sweep % 4 >= 2);
    const layers = util.buildLayerMatrix(graph);
    const count = crossings<number>(graph, layers);
    yield;
    if (count >= fewest) continue;
    since = 0;
    [fewest, best] = [count, layers];
  }
  assign(graph, best);
}

function* swept(layers: readonly Graph[], right: boolean): Steps {
  const constraints = new dagre.graphlib.Graph();
  for (const layer of layers) {
    const { root } = layer.graph() as unknown as { root: string };
    const { vs } = sorted<{ vs: string[] }>(layer, root, constraints, right);
    vs.forEach((id, place) => {
      at(layer, id).order = place;
    });
    addConstraints<void>(layer, constraints, vs);
    yield;
  }
}

function assign(graph: Graph, layers: readonly (readonly string[])[]): void {
  for (const layer of layers) {
    layer.forEach((id, place) => {
      at(graph, id).order = place;
    });
  }
}

/** Across by Brandes and Köpf: the middle of four ways to align; along by the highest of each rank. */
function* positioned(compound: Graph): Steps {
  const graph = util.asNonCompoundGraph(compound);
  const layers = util.buildLayerMatrix(graph);
  let along = 0;
  for (const layer of layers) {
    const highest = Math.max(0, ...layer.map((id) => at(graph, id).height));
    for (const id of layer) at(graph, id).y = along + highest / 2;
    along += highest + (graph.graph().ranksep ?? 0);
  }
  const conflicts = { ...bk.findType1Conflicts(graph, layers), ...bk.findType2Conflicts(graph, layers) };
  yield;
  const ways: Record<string, Record<string, number>> = {};
  for (const vertical of ["u", "d"]) {
    const next = (id: string): string[] | undefined =>
      vertical === "u" ? graph.predecessors(id) : graph.successors(id);
    let seen = vertical === "u" ? layers : [...layers].reverse();
    for (const side of ["l", "r"]) {
      const back = side === "r";
      if (back) seen = seen.map((layer) => [...layer].reverse());
      const { root, align } = bk.verticalAlignment(graph, seen, conflicts, next);
      yield;
      const found = bk.horizontalCompaction(graph, seen, root, align, back);
      ways[vertical + side] = back ? Object.fromEntries(Object.entries(found).map(([id, x]) => [id, -x])) : found;
      yield;
    }
  }
  bk.alignCoordinates(ways, bk.findSmallestWidthAlignment(graph, ways));
  for (const [id, x] of Object.entries(bk.balance(ways, undefined))) at(graph, id).x = x;
}

function fromTheCorner(graph: Graph): void {
  const label = graph.graph();
  const { marginx = 0, marginy = 0 } = label;
  const nodes = graph.nodes().map((id) => at(graph, id));
  const links = graph.edges().map((link) => of(graph, link));
  const labels = links.filter((one) => Object.hasOwn(one, "x"));
  const boxes = [...nodes, ...labels];
  const left = Math.min(...boxes.map(({ x, width }) => x - width / 2)) - marginx;
  const top = Math.min(...boxes.map(({ y, height }) => y - height / 2)) - marginy;
  const right = Math.max(0, ...boxes.map(({ x, width }) => x + width / 2));
  const below = Math.max(0, ...boxes.map(({ y, height }) => y + height / 2));
  for (const spot of [...boxes, ...links.flatMap(({ points = [] }) => points)]) {
    spot.x -= left;
    spot.y -= top;
  }
  label.width = right - left + marginx;
  label.height = below - top + marginy;
}

/** Links begin and end where they meet the boxes. */
function ended(graph: Graph): void {
  for (const link of graph.edges()) {
    const marks = of(graph, link);
    const [from, to] = [at(graph, link.v), at(graph, link.w)];
    const points = marks.points ?? [];
    const [first, last] = [points[0] ?? to, points.at(-1) ?? from];
    points.unshift(util.intersectRect(from, first));
    points.push(util.intersectRect(to, last));
    if (marks.reversed) points.reverse();
    marks.points = points;
  }
}

function handBack(graph: Graph, given: Graph): void {
  for (const id of given.nodes()) {
    const { x, y } = at(graph, id);
    Object.assign(given.node(id), { x, y });
  }
  for (const link of given.edges()) {
    const { points, x, y } = of(graph, link);
    Object.assign(given.edge(link), { points }, Object.hasOwn(of(graph, link), "x") ? { x, y } : {});
  }
  const { width = 0, height = 0 } = graph.graph();
  Object.assign(given.graph(), { width, height });
}
