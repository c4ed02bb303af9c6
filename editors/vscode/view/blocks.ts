// Blocks: many nodes stand together in rows and columns, with one line for all links of theirs that lead to one end.
//
// Invariant: a block of a crowd holds nodes that hang on one other node alone, by links of one family and direction. In a
// dense picture it holds all that are linked with the middle in that way, as a group holds nodes of one module or class:
// such a block has a title, can be folded and says how many links it hides inside.

import type { Grouping } from "./graph";
import { edgeFamily, familyWords } from "./kinds";
import type { ViewEdge, ViewNode } from "./model";

/** Fewer nodes than this are a picture that can be taken in without blocks. */
const CROWD = 20;
/** From so many on, lines between all that surrounds a middle are a tangle. */
const DENSE = 40;
/** Fewer stand alone, each with a line of its own. */
const LEAST = 4;
export const GAP = 10;
const INSET = 12;
/** What the title of a group takes. */
export const TITLE = 26;

export interface Block {
  id: string;
  /** By what a group is folded, and what it is called. */
  key: string;
  title: string | null;
  /** Drawn as one box. */
  folded: boolean;
  nodes: ViewNode[];
  columns: ViewNode[][];
  widths: number[];
  width: number;
  height: number;
}

export interface Space {
  /** How wide the space is for its height. */
  readonly aspect: number;
  /** How wide a block may get. */
  readonly room: number;
  width(node: ViewNode): number;
  title(text: string): number;
}

export interface Wanted {
  grouping: Grouping;
  folded: ReadonlySet<string>;
  /** They have neighbours of their own to be told apart. */
  expanded: ReadonlySet<string>;
  /** Nodes without any link stand together too. */
  loose: boolean;
}

/** `pairs`: links by the nodes that they join. */
export function blocksOf(
  nodes: readonly ViewNode[],
  pairs: ReadonlyMap<string, ViewEdge[]>,
  root: string | null | undefined,
  wanted: Wanted,
  space: Space,
  nodeHeight: number,
): Block[] {
  const found = wanted.grouping === "none" ? crowds(nodes, pairs, root, wanted) : groups(nodes, root, wanted);
  for (const block of found) fill(block, space, nodeHeight);
  return found;
}

function empty(id: string, key: string, title: string | null, folded: boolean): Block {
  return { id, key, title, folded, nodes: [], columns: [], widths: [], width: 0, height: 0 };
}

function crowds(
  nodes: readonly ViewNode[],
  pairs: ReadonlyMap<string, ViewEdge[]>,
  root: string | null | undefined,
  { folded, expanded, loose }: Wanted,
): Block[] {
  const crowd = nodes.length >= CROWD;
  const dense = nodes.length >= DENSE;
  const touching = new Map<string, ViewEdge[][]>();
  for (const edges of pairs.values()) {
    const [first] = edges;
    if (!first) continue;
    for (const id of new Set([first.source, first.target])) gather(touching, id, edges);
  }
  const found = new Map<string, Block>();
  for (const node of nodes) {
    if (node.id === root) continue;
    const all = touching.get(node.id) ?? [];
    const middle = dense && !expanded.has(node.id) ? all.find((edges) => joins(edges, root)) : undefined;
    const edges = middle ?? all[0];
    const [first] = edges ?? [];
    if (!edges || !first) {
      const far = `loose ${node.depth ?? ""}`;
      if (loose) put(found, empty(far, far, null, false), node);
      continue;
    }
    if (!crowd || first.source === first.target || (!middle && all.length > 1)) continue;
    const inward = first.source === node.id;
    const family = edgeFamily(edges);
    const key = `${inward ? "in" : "out"} ${family}`;
    const id = `block ${inward ? first.target : first.source} ${key}`;
    const title = middle ? `${inward ? "←" : "→"} ${familyWords(family)}` : null;
    put(found, empty(id, key, title, Boolean(middle) && folded.has(key)), node);
  }
  return [...found.values()].filter((block) => block.nodes.length >= LEAST);
}

/** One more of what belongs to an id. */
export function gather<T>(found: Map<string, T[]>, id: string, one: T): void {
  const known = found.get(id);
  if (known) known.push(one);
  else found.set(id, [one]);
}

function joins([first]: readonly ViewEdge[], id: string | null | undefined): boolean {
  return first !== undefined && (first.source === id || first.target === id);
}

function put(found: Map<string, Block>, fresh: Block, node: ViewNode): void {
  const block = found.get(fresh.id) ?? fresh;
  block.nodes.push(node);
  found.set(fresh.id, block);
}

/** By what they are in; the middle stands alone. */
function groups(nodes: readonly ViewNode[], root: string | null | undefined, wanted: Wanted): Block[] {
  const found = new Map<string, Block>();
  for (const node of nodes) {
    if (node.id === root) continue;
    const title = holderOf(node, wanted.grouping);
    put(found, empty(`group ${title}`, title, title, wanted.folded.has(title)), node);
  }
  return [...found.values()].filter((block) => block.nodes.length > 1);
}

/** The module of a node, or the class that it is a member of. */
export function holderOf(node: ViewNode, grouping: Grouping): string {
  const [module = node.symbol] = node.symbol.split(":");
  if (grouping === "module") return module;
  const within = node.symbol.slice(module.length + 1);
  const end = within.lastIndexOf(".");
  return end > 0 ? `${module}:${within.slice(0, end)}` : module;
}

/** As many columns as give the block about the shape of the space, all of about the same height. */
function fill(block: Block, space: Space, nodeHeight: number): void {
  const title = block.title ? space.title(block.title) : 0;
  if (block.folded) {
    block.width = title;
    block.height = nodeHeight;
    return;
  }
  const widths = block.nodes.map((node) => space.width(node));
  const count = block.nodes.length;
  const cell = widths.reduce((sum, width) => sum + width, 0) / count + GAP;
  const shape = Math.min(Math.max(space.aspect, 0.6), 1.2);
  const across = Math.max(Math.floor((space.room - 2 * INSET) / (Math.max(...widths) + GAP)), 1);
  const wanted = Math.max(Math.ceil(Math.sqrt((count * cell) / (nodeHeight + GAP) / shape)), Math.min(3, count));
  const rows = Math.max(Math.ceil(count / Math.ceil(count / wanted)), Math.ceil(count / across));
  for (let start = 0; start < count; start += rows) {
    block.columns.push(block.nodes.slice(start, start + rows));
    block.widths.push(Math.max(...widths.slice(start, start + rows)));
  }
  block.width = Math.max(block.widths.reduce((sum, width) => sum + width + GAP, 0) - GAP + 2 * INSET, title);
  block.height = rows * (nodeHeight + GAP) - GAP + 2 * INSET + (block.title ? TITLE - INSET : 0);
}

/** Where the nodes of a block stand, from its left upper corner. */
export function* inside(
  block: Block,
  nodeHeight: number,
): Generator<{ node: ViewNode; x: number; y: number; width: number }> {
  let x = INSET;
  const top = block.title ? TITLE : INSET;
  for (const [index, column] of block.columns.entries()) {
    const width = block.widths[index] ?? 0;
    for (const [row, node] of column.entries()) yield { node, x, y: top + row * (nodeHeight + GAP), width };
    x += width + GAP;
  }
}
