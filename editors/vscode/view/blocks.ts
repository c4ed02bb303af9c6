// Blocks: many nodes that hang on one other node in the same way stand together in rows and columns, with one line.
//
// Invariant: nodes of a block have no other drawn link; their links are of the same kinds, marks and direction.

import type { ViewEdge, ViewNode } from "./model";

/** Fewer nodes than this are a picture that can be taken in without blocks. */
const CROWD = 20;
/** Fewer stand alone, each with a line of its own. */
const LEAST = 4;
export const GAP = 10;
const INSET = 12;

export interface Block {
  id: string;
  nodes: ViewNode[];
  edges: ViewEdge[];
  /** What the nodes hang on. */
  hub: string;
  /** Whether the links go from the nodes to what they hang on. */
  inward: boolean;
  columns: ViewNode[][];
  widths: number[];
  width: number;
  height: number;
}

interface Space {
  /** How wide the space is for its height. */
  readonly aspect: number;
  width(node: ViewNode): number;
}

/** `pairs`: links by the nodes that they join. `words`: what is written on the line of a pair. */
export function blocksOf(
  nodes: readonly ViewNode[],
  pairs: ReadonlyMap<string, ViewEdge[]>,
  root: string | null | undefined,
  words: (edges: readonly ViewEdge[]) => string,
  space: Space,
  nodeHeight: number,
): Block[] {
  if (nodes.length < CROWD) return [];
  const touching = new Map<string, ViewEdge[][]>();
  for (const edges of pairs.values()) {
    const [first] = edges;
    if (!first) continue;
    for (const id of new Set([first.source, first.target])) touching.set(id, [...(touching.get(id) ?? []), edges]);
  }
  const groups = new Map<string, Block>();
  for (const node of nodes) {
    const [edges, ...others] = touching.get(node.id) ?? [];
    const [first] = edges ?? [];
    if (!edges || !first || others.length || node.id === root || first.source === first.target) continue;
    const inward = first.source === node.id;
    const hub = inward ? first.target : first.source;
    const id = `block ${hub} ${inward} ${words(edges)}`;
    const group = groups.get(id) ?? {
      id,
      hub,
      inward,
      nodes: [],
      edges: [],
      columns: [],
      widths: [],
      width: 0,
      height: 0,
    };
    group.nodes.push(node);
    group.edges.push(...edges);
    groups.set(id, group);
  }
  const blocks = [...groups.values()].filter((group) => group.nodes.length >= LEAST);
  for (const block of blocks) fill(block, space, nodeHeight);
  return blocks;
}

/** As many columns as give the block about the shape of the space, all of about the same height. */
function fill(block: Block, space: Space, nodeHeight: number): void {
  const widths = block.nodes.map((node) => space.width(node));
  const cell = widths.reduce((sum, width) => sum + width, 0) / widths.length + GAP;
  const shape = Math.min(Math.max(space.aspect, 0.6), 1.2);
  const wanted = Math.max(Math.ceil(Math.sqrt((block.nodes.length * cell) / (nodeHeight + GAP) / shape)), 3);
  const rows = Math.ceil(block.nodes.length / Math.ceil(block.nodes.length / wanted));
  for (let start = 0; start < block.nodes.length; start += rows) {
    block.columns.push(block.nodes.slice(start, start + rows));
    block.widths.push(Math.max(...widths.slice(start, start + rows)));
  }
  block.width = block.widths.reduce((sum, width) => sum + width + GAP, 0) - GAP + 2 * INSET;
  block.height = rows * (nodeHeight + GAP) - GAP + 2 * INSET;
}

/** Where the nodes of a block stand, from its left upper corner. */
export function* inside(
  block: Block,
  nodeHeight: number,
): Generator<{ node: ViewNode; x: number; y: number; width: number }> {
  let x = INSET;
  for (const [index, column] of block.columns.entries()) {
    const width = block.widths[index] ?? 0;
    for (const [row, node] of column.entries()) yield { node, x, y: INSET + row * (nodeHeight + GAP), width };
    x += width + GAP;
  }
}
