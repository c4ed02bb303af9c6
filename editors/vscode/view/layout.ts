// Layout: where nodes and links go. Layers by dagre: what points at something is on its left.

import dagre from "@dagrejs/dagre";
import { type Block, blocksOf, inside } from "./blocks";
import type { Picture, ViewEdge, ViewNode } from "./model";

export interface Box {
  node: ViewNode;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Point {
  x: number;
  y: number;
}

/** All links from one node to another, drawn as one line. */
export interface Line {
  id: string;
  edges: ViewEdge[];
  points: Point[];
  label: { x: number; y: number; width: number } | null;
}

/** What a block of nodes stands in. */
export interface Frame {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Placed {
  frames: Frame[];
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
  /** Layers go down instead of to the right. */
  down: boolean;
}

export const HEIGHT = 46;
const LABEL_HEIGHT = 18;
/** Beyond this many lines, labels hide more than they tell. */
const MOST_LABELS = 150;

/** A scale below which text is hard to read. */
const SMALL = 0.75;
const CLEARLY = 1.15;
const MOST_TRIED = 80;

export interface Measure {
  /** Whether links have to be short. */
  readonly narrow: boolean;
  /** How wide the space is for its height. */
  readonly aspect: number;
  /** At which scale all of it can be seen. */
  fits(placed: Placed): number;
  width(node: ViewNode): number;
  label(text: string): number;
}

export function labelOf(edges: readonly ViewEdge[], write: (edge: ViewEdge) => string): string {
  const words = [...new Set(edges.map(write))];
  return words.length > 2 ? `${words.slice(0, 2).join(", ")} +${words.length - 2}` : words.join(", ");
}

/** Layers go to the right, or down where that lets a narrow space show much more. */
export function layout(
  picture: Picture,
  nodes: readonly ViewNode[],
  edges: readonly ViewEdge[],
  measure: Measure,
  write: (edge: ViewEdge) => string,
): Placed {
  const place = (down: boolean): Placed => arranged(picture, nodes, edges, measure, write, down);
  const right = place(false);
  if (measure.fits(right) >= SMALL || nodes.length > MOST_TRIED) return right;
  const down = place(true);
  return measure.fits(down) > measure.fits(right) * CLEARLY ? down : right;
}

function arranged(
  picture: Picture,
  nodes: readonly ViewNode[],
  edges: readonly ViewEdge[],
  measure: Measure,
  write: (edge: ViewEdge) => string,
  down: boolean,
): Placed {
  const graph = new dagre.graphlib.Graph({ directed: true, multigraph: false });
  graph.setGraph({
    rankdir: down ? "TB" : "LR",
    nodesep: down ? 20 : 16,
    ranksep: down ? 40 : measure.narrow ? 32 : 56,
    edgesep: 8,
    marginx: 20,
    marginy: 20,
  });
  const pairs = paired(edges);
  const words = (found: readonly ViewEdge[]): string => labelOf(found, write);
  const blocks = blocksOf(nodes, pairs, picture.root, words, measure, HEIGHT);
  const held = new Set(blocks.flatMap((block) => block.nodes));
  const alone = nodes.filter((node) => !held.has(node));
  for (const node of alone) graph.setNode(node.id, { width: measure.width(node), height: HEIGHT });
  for (const { id, width, height } of blocks) graph.setNode(id, { width, height });
  const links = joined(pairs, blocks);
  const labelled = links.length <= MOST_LABELS;
  for (const { from, to, edges: found } of links) {
    const width = labelled ? measure.label(words(found)) : 0;
    if (from !== to) graph.setEdge(from, to, { width, height: labelled ? LABEL_HEIGHT : 0, labelpos: "c" });
  }
  holdTogether(graph, picture, alone);
  dagre.layout(graph);
  return read(graph, alone, blocks, links, labelled, down);
}

interface Joined {
  id: string;
  from: string;
  to: string;
  edges: ViewEdge[];
}

/** What is drawn as one line: the links of a pair of nodes, or all links of a block. */
function joined(pairs: ReadonlyMap<string, ViewEdge[]>, blocks: readonly Block[]): Joined[] {
  const held = new Set(blocks.flatMap((block) => block.edges));
  const links: Joined[] = blocks.map(({ id, hub, inward, edges }) => ({
    id,
    from: inward ? id : hub,
    to: inward ? hub : id,
    edges,
  }));
  for (const [id, edges] of pairs) {
    const [first] = edges;
    if (first && !held.has(first)) links.push({ id, from: first.source, to: first.target, edges });
  }
  return links;
}

function paired(edges: readonly ViewEdge[]): Map<string, ViewEdge[]> {
  const pairs = new Map<string, ViewEdge[]>();
  for (const edge of edges) {
    const key = `${edge.source} ${edge.target}`;
    const known = pairs.get(key);
    if (known) known.push(edge);
    else pairs.set(key, [edge]);
  }
  return pairs;
}

/** In an impact, a node that no drawn link reaches still stands as far from the middle as it is. */
function holdTogether(graph: dagre.graphlib.Graph, picture: Picture, nodes: readonly ViewNode[]): void {
  const root = picture.root;
  if (picture.kind !== "impact" || !root || !graph.hasNode(root)) return;
  for (const node of nodes) {
    if (node.id !== root && !graph.inEdges(node.id)?.length && !graph.outEdges(node.id)?.length) {
      graph.setEdge(node.id, root, { minlen: Math.max(node.depth ?? 1, 1), weight: 0, width: 0, height: 0 });
    }
  }
}

function read(
  graph: dagre.graphlib.Graph,
  nodes: readonly ViewNode[],
  blocks: readonly Block[],
  links: readonly Joined[],
  labelled: boolean,
  down: boolean,
): Placed {
  const boxes = nodes.map((node) => {
    const { x, y, width, height } = graph.node(node.id);
    return { node, x: x - width / 2, y: y - height / 2, width, height };
  });
  const frames = blocks.map(({ id, width, height }) => {
    const { x, y } = graph.node(id);
    return { id, x: x - width / 2, y: y - height / 2, width, height };
  });
  for (const [index, block] of blocks.entries()) {
    const { x: left, y: top } = frames[index] as Frame;
    for (const { node, x, y, width } of inside(block, HEIGHT)) {
      boxes.push({ node, x: left + x, y: top + y, width, height: HEIGHT });
    }
  }
  const lines: Line[] = [];
  for (const { id, from, to, edges } of links) {
    const found = graph.edge(from, to);
    if (!found) continue;
    const label = labelled && found.width ? { x: found.x ?? 0, y: found.y ?? 0, width: found.width } : null;
    const ends = [graph.node(from), graph.node(to)] as const;
    const points = down ? found.points : flat(docked(found.points, ...ends), label);
    lines.push({ id, edges, points, label });
  }
  const { width = 0, height = 0 } = graph.graph();
  return { frames, boxes, lines, width: Math.max(width, 1), height: Math.max(height, 1), down };
}

/** To the right, a line runs straight below its label and bends beside it. */
function flat(points: Point[], label: Line["label"]): Point[] {
  if (!label) return points;
  const at = points.findIndex(({ x, y }) => Math.abs(x - label.x) < 1 && Math.abs(y - label.y) < 1);
  const [first, last] = [points[0], points.at(-1)];
  if (at <= 0 || !first || !last || at === points.length - 1) return points;
  const half = (Math.sign(last.x - first.x) || 1) * (label.width / 2);
  const { x, y } = label;
  return [...points.slice(0, at), { x: x - half, y }, { x: x + half, y }, ...points.slice(at + 1)];
}

/** A line starts and ends in the middle of the side that faces its way. */
function docked(points: Point[], from: dagre.Node, to: dagre.Node): Point[] {
  const inner = points.slice(1, -1);
  const side = (box: dagre.Node, towards: Point): Point => ({
    x: box.x + (Math.sign(towards.x - box.x) * box.width) / 2,
    y: box.y,
  });
  return [side(from, inner[0] ?? to), ...inner, side(to, inner.at(-1) ?? from)];
}
