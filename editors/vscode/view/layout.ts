// Layout: where nodes and links go. Layers as dagre has them: what points at something is on its left.

import dagre from "@dagrejs/dagre";
import { type Block, blocksOf, gather, inside, type Space } from "./blocks";
import { closeRows } from "./closeRows";
import type { Arrangement } from "./graph";
import type { Picture, ViewEdge, ViewNode } from "./model";
import { type Area, type Item, type Rows, rowsAround, type Strand } from "./rows";
import { arrange, type Steps } from "./stepwise";

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

/** What a block of nodes stands in; a group has a title and can be folded. */
export interface Frame {
  id: string;
  key: string;
  title: string | null;
  folded: boolean;
  nodes: readonly ViewNode[];
  /** Links from one of its nodes to another: they are drawn for a node that is selected alone. */
  inner: readonly ViewEdge[];
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
const MARGIN = 12;
/** Beyond this many lines, labels hide more than they tell. */
const MOST_LABELS = 150;

const CLEARLY = 1.15;
/** Of more boxes the shortest lines take longer to find than somebody waits. */
const MANY = 60;
const MOST_TRIED = 120;

export interface Measure extends Space {
  /** Whether links have to be short. */
  readonly narrow: boolean;
  /** The least scale that is still read. */
  readonly readable: number;
  /** At which scale all of it can be seen; as wide as it is, or as high too. */
  fits(placed: Placed, across?: boolean): number;
  label(text: string): number;
  /** Whether these nodes can be seen together at the scale that there is. */
  shows(placed: Placed, ids: readonly string[]): boolean;
}

type Arranged = Pick<Arrangement, "grouping" | "folded" | "expanded">;

export function labelOf(edges: readonly ViewEdge[], write: (edge: ViewEdge) => string): string {
  const words = [...new Set(edges.map(write))];
  return words.length > 2 ? `${words.slice(0, 2).join(", ")} +${words.length - 2}` : words.join(", ");
}

/**
 * In steps: somebody may do something else in between. Layers go to the right, or down where that lets a narrow space show more of it at a size that is read. `together`: what
 * is looked at; it is seen with the middle where one of the two ways has them closer.
 */
export function* layout(
  picture: Picture,
  nodes: readonly ViewNode[],
  edges: readonly ViewEdge[],
  measure: Measure,
  write: (edge: ViewEdge) => string,
  arranged: Arranged,
  together: readonly [string, string] | null = null,
): Steps<Placed> {
  const pairs = paired(edges);
  const wanted = { ...arranged, loose: picture.kind === "changes" };
  const blocks = blocksOf(nodes, pairs, picture.root, wanted, measure, HEIGHT);
  const place = (down: boolean): Steps<Placed> => placed(picture, nodes, pairs, blocks, measure, write, down);
  const items = nodes.length - blocks.reduce((sum, block) => sum + block.nodes.length - 1, 0);
  const sees = (found: Placed): boolean => !together || measure.shows(found, together);
  // What hangs on the middle stands in rows, which are found at once. The rest is placed by lines of the least length,
  // once where there is much of it: both ways together would take as long as somebody notices.
  const rest = items <= MANY ? 0 : items - leaves(joined(pairs, blocks).links, picture.root);
  if (rest > 0 && rest <= MANY / 2) {
    const rows = yield* place(true);
    if (measure.fits(rows, true) >= measure.readable && sees(rows)) return rows;
  }
  const right = yield* place(false);
  if (measure.fits(right) >= measure.readable) return right;
  if (items > MOST_TRIED || rest > MANY / 2) {
    return sees(right) ? right : (close(nodes, pairs, blocks, measure, write, together) ?? right);
  }
  const down = yield* place(true);
  if (!sees(right) || !sees(down)) {
    if (sees(right)) return right;
    return sees(down) ? down : (close(nodes, pairs, blocks, measure, write, together) ?? down);
  }
  if (measure.fits(down, true) >= measure.readable && measure.fits(right, true) < measure.readable) return down;
  return measure.fits(down) > measure.fits(right) * CLEARLY ? down : right;
}

function* placed(
  picture: Picture,
  nodes: readonly ViewNode[],
  pairs: ReadonlyMap<string, ViewEdge[]>,
  blocks: readonly Block[],
  measure: Measure,
  write: (edge: ViewEdge) => string,
  down: boolean,
): Steps<Placed> {
  const held = new Set(blocks.flatMap((block) => block.nodes));
  const alone = nodes.filter((node) => !held.has(node));
  const graph = new dagre.graphlib.Graph({ directed: true, multigraph: false });
  graph.setGraph({
    rankdir: down ? "TB" : "LR",
    nodesep: 16,
    ranksep: down ? 40 : measure.narrow ? 32 : 56,
    edgesep: 8,
    marginx: MARGIN,
    marginy: MARGIN,
    ranker: alone.length + blocks.length > MANY ? "tight-tree" : "network-simplex",
  });
  for (const node of alone) graph.setNode(node.id, { width: measure.width(node), height: HEIGHT });
  for (const { id, width, height } of blocks) graph.setNode(id, { width, height });
  const { links, inner } = joined(pairs, blocks);
  const labelled = links.length <= MOST_LABELS;
  const strands = down
    ? hanging(links, picture.root, (edges) => (labelled ? measure.label(labelOf(edges, write)) : 0))
    : [];
  const apart = new Map(strands.map(({ id, leaf }) => [id, leaf]));
  const items = new Map([...new Set(apart.values())].map((id) => [id, { id, ...sizeOf(graph, id) }]));
  for (const id of items.keys()) graph.removeNode(id);
  const core = links.filter(({ id }) => !apart.has(id));
  for (const { from, to, edges } of core) {
    const width = labelled ? measure.label(labelOf(edges, write)) : 0;
    if (from !== to) graph.setEdge(from, to, { width, height: width && LABEL_HEIGHT, labelpos: "c" });
  }
  const inside = alone.filter(({ id }) => !items.has(id));
  holdTogether(graph, picture, inside);
  yield;
  yield* arrange(graph);
  yield;
  const found = read(graph, core, down);
  const stacked = stack(found, picture.root, items, strands, measure.room);
  return assembled(stacked, alone, blocks, links, inner, down);
}

/** The middle and what is looked at, close to each other. */
function close(
  nodes: readonly ViewNode[],
  pairs: ReadonlyMap<string, ViewEdge[]>,
  blocks: readonly Block[],
  measure: Measure,
  write: (edge: ViewEdge) => string,
  together: readonly [string, string] | null,
): Placed | null {
  if (!together) return null;
  const homes = new Map(blocks.flatMap(({ id, nodes: held }) => held.map((node) => [node.id, id] as const)));
  const [own, root] = together.map((id) => homes.get(id) ?? id) as [string, string];
  const alone = nodes.filter(({ id }) => !homes.has(id));
  const { links, inner } = joined(pairs, blocks);
  const labelled = links.length <= MOST_LABELS;
  const items = new Map([
    ...alone.map((node) => [node.id, { id: node.id, width: measure.width(node), height: HEIGHT }] as const),
    ...blocks.map(({ id, width, height }) => [id, { id, width, height }] as const),
  ]);
  const ends = links.map(({ id, from, to, edges }) => {
    return { id, from, to, label: labelled ? measure.label(labelOf(edges, write)) : 0 };
  });
  const found = closeRows(root, own, items, ends, measure.room);
  return found && assembled(fromTheCorner(found), alone, blocks, links, inner, true);
}

function sizeOf(graph: dagre.graphlib.Graph, id: string): { width: number; height: number } {
  const { width, height } = graph.node(id);
  return { width, height };
}

/** Links of what is linked with the middle and with nothing else. */
function hanging(
  links: readonly Joined[],
  root: string | null | undefined,
  label: (edges: readonly ViewEdge[]) => number,
): Strand[] {
  const others = new Map<string, Set<string>>();
  for (const { from, to } of links) {
    others.set(from, (others.get(from) ?? new Set()).add(to));
    others.set(to, (others.get(to) ?? new Set()).add(from));
  }
  return links.flatMap(({ id, from, to, edges }) => {
    const leaf = from === root ? to : from;
    const hangs = root && (from === root || to === root) && leaf !== root && others.get(leaf)?.size === 1;
    return hangs ? [{ id, leaf, inward: leaf === from, label: label(edges) }] : [];
  });
}

/** How many hang on the middle alone. */
function leaves(links: readonly Joined[], root: string | null | undefined): number {
  return new Set(hanging(links, root, () => 0).map(({ leaf }) => leaf)).size;
}

interface Joined {
  id: string;
  from: string;
  to: string;
  edges: ViewEdge[];
}

/** What is drawn as one line: the links between two nodes, or between two blocks; and how many stay inside of each. */
function joined(
  pairs: ReadonlyMap<string, ViewEdge[]>,
  blocks: readonly Block[],
): { links: Joined[]; inner: Map<string, ViewEdge[]> } {
  const homes = new Map(blocks.flatMap(({ id, nodes }) => nodes.map((node) => [node.id, id] as const)));
  const inner = new Map<string, ViewEdge[]>();
  const links = new Map<string, Joined>();
  for (const edges of pairs.values()) {
    const [first] = edges;
    if (!first) continue;
    const from = homes.get(first.source) ?? first.source;
    const to = homes.get(first.target) ?? first.target;
    if (from === to && homes.has(first.source)) {
      for (const edge of edges) gather(inner, from, edge);
      continue;
    }
    const id = `${from} ${to}`;
    const link = links.get(id) ?? { id, from, to, edges: [] };
    link.edges.push(...edges);
    links.set(id, link);
  }
  return { links: [...links.values()], inner };
}

function paired(edges: readonly ViewEdge[]): Map<string, ViewEdge[]> {
  const pairs = new Map<string, ViewEdge[]>();
  for (const edge of edges) gather(pairs, `${edge.source} ${edge.target}`, edge);
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

/** Where things are, by their ids. */
interface Spots {
  places: Map<string, Area>;
  routes: Map<string, Pick<Line, "points" | "label">>;
  width: number;
  height: number;
}

function read(graph: dagre.graphlib.Graph, links: readonly Joined[], down: boolean): Spots {
  const places = new Map<string, Area>();
  for (const id of graph.nodes()) {
    const { x, y, width, height } = graph.node(id);
    places.set(id, { x: x - width / 2, y: y - height / 2, width, height });
  }
  const routes: Spots["routes"] = new Map();
  for (const { id, from, to } of links) {
    const found = graph.edge(from, to);
    if (!found) continue;
    const label = found.width ? { x: found.x ?? 0, y: found.y ?? 0, width: found.width } : null;
    const points = down ? found.points : flat(docked(found.points, graph.node(from), graph.node(to)), label);
    routes.set(id, { points, label });
  }
  const { width = 0, height = 0 } = graph.graph();
  return { places, routes, width, height };
}

/** Rows above and below what is there; everything is moved to where the picture begins. */
function stack(
  core: Spots,
  root: string | null | undefined,
  items: ReadonlyMap<string, Item>,
  strands: readonly Strand[],
  room: number,
): Spots {
  const middle = core.places.get(root ?? "");
  if (!middle || !strands.length) return core;
  const { width, height } = core;
  const inner = { x: MARGIN, y: MARGIN, width: width - 2 * MARGIN, height: height - 2 * MARGIN };
  const { places, routes } = rowsAround(inner, middle, items, strands, room);
  for (const [id, place] of core.places) places.set(id, place);
  for (const [id, route] of core.routes) routes.set(id, route);
  return fromTheCorner({ places, routes });
}

/** Moved to where the picture begins. */
function fromTheCorner({ places, routes }: Rows): Spots {
  const spots = [...routes.values()].flatMap(({ points }) => points);
  const boxes = [...places.values()];
  const left = Math.min(...boxes.map(({ x }) => x), ...spots.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...boxes.map(({ y }) => y), ...spots.map(({ y }) => y)) - MARGIN;
  const moved = <S extends Point>(spot: S): S => ({ ...spot, x: spot.x - left, y: spot.y - top });
  return {
    places: new Map([...places].map(([id, place]) => [id, moved(place)])),
    routes: new Map(
      [...routes].map(([id, { points, label }]) => [id, { points: points.map(moved), label: label && moved(label) }]),
    ),
    width: Math.max(...boxes.map((box) => box.x + box.width)) - left + MARGIN,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - top + MARGIN,
  };
}

function assembled(
  { places, routes, width, height }: Spots,
  nodes: readonly ViewNode[],
  blocks: readonly Block[],
  links: readonly Joined[],
  inner: ReadonlyMap<string, ViewEdge[]>,
  down: boolean,
): Placed {
  const boxes = nodes.flatMap((node) => {
    const place = places.get(node.id);
    return place ? [{ node, ...place }] : [];
  });
  const frames: Frame[] = [];
  for (const block of blocks) {
    const { id, key, title, folded, nodes: held } = block;
    const place = places.get(id);
    if (!place) continue;
    frames.push({ id, key, title, folded, nodes: held, inner: inner.get(id) ?? [], ...place });
    for (const { node, x, y, width: own } of inside(block, HEIGHT)) {
      boxes.push({ node, x: place.x + x, y: place.y + y, width: own, height: HEIGHT });
    }
  }
  const lines = links.flatMap(({ id, edges }) => {
    const route = routes.get(id);
    return route ? [{ id, edges, ...route }] : [];
  });
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
