// Rows: downwards, what hangs on the middle alone stands in rows above and below everything else, as wide as the room is.
//
// Invariant: a line to a box beyond the first row runs beside all rows, over no box.

import { gather } from "./blocks";

export interface Item {
  id: string;
  width: number;
  height: number;
}

interface Spot {
  x: number;
  y: number;
}

/** A link to what hangs on the middle. */
export interface Strand {
  id: string;
  leaf: string;
  /** Whether it leads from the leaf to the middle. */
  inward: boolean;
  label: number;
}

export interface Area extends Spot {
  width: number;
  height: number;
}

export interface Rows {
  places: Map<string, Area>;
  routes: Map<string, { points: Spot[]; label: { x: number; y: number; width: number } | null }>;
}

const GAP = 14;
const BETWEEN = 48;
const LABEL = 18;
const GUTTER = 22;
const CORNER = 8;
/** Between two lines or labels of one box. */
const APART = 6;

/** `core`: what everything else takes; `middle`: where the middle stands in it. */
export function rowsAround(
  core: Area,
  middle: Area,
  items: ReadonlyMap<string, Item>,
  strands: readonly Strand[],
  room: number,
): Rows {
  const places = new Map<string, Area>();
  const above = new Set(strands.filter(({ inward }) => inward).map(({ leaf }) => leaf));
  const nearest = new Set<string>();
  for (const up of [true, false]) {
    const side = [...items.values()].filter(({ id }) => above.has(id) === up);
    let y = up ? core.y - BETWEEN : core.y + core.height + BETWEEN;
    for (const [index, row] of packed(side, room).entries()) {
      const height = Math.max(...row.map((item) => item.height));
      const width = row.reduce((sum, item) => sum + item.width + GAP, -GAP);
      let x = Math.max(middle.x + middle.width / 2 - width / 2, core.x + Math.min(0, (core.width - width) / 2));
      for (const item of row) {
        places.set(item.id, { x, y: up ? y - item.height : y, width: item.width, height: item.height });
        x += item.width + GAP;
        if (index === 0 && alone(core, middle)) nearest.add(item.id);
      }
      y += (up ? -1 : 1) * (height + BETWEEN);
    }
  }
  const left = Math.min(core.x, ...[...places.values()].map(({ x }) => x)) - GUTTER;
  const routes: Rows["routes"] = new Map();
  const shifts = sideways(strands, places);
  for (const { id, leaf, inward, label } of strands) {
    const box = places.get(leaf);
    if (!box) continue;
    const up = above.has(leaf);
    const way = up ? 1 : -1;
    const { x, down } = shifts.get(id) ?? { x: 0, down: 0 };
    const start = { x: box.x + box.width / 2 + x, y: up ? box.y + box.height : box.y };
    const end = { x: middle.x + middle.width / 2, y: up ? middle.y : middle.y + middle.height };
    const [out, into] = [start.y + (way * BETWEEN * 5) / 6, end.y - (way * BETWEEN) / 6];
    const inner = nearest.has(leaf)
      ? [
          { x: start.x, y: into },
          { x: end.x, y: into },
        ]
      : [
          { x: start.x, y: out },
          { x: left, y: out },
          { x: left, y: into },
          { x: end.x, y: into },
        ];
    const points = rounded([start, ...inner, end]);
    routes.set(id, {
      points: inward ? points : points.reverse(),
      label: label ? { x: start.x, y: start.y + way * (LABEL / 2 + down + (inward ? 4 : 11)), width: label } : null,
    });
  }
  return { places, routes };
}

/** Links of one box that have labels: side by side where it is wide enough, else one label below the other. */
function sideways(
  strands: readonly Strand[],
  places: ReadonlyMap<string, Area>,
): Map<string, { x: number; down: number }> {
  const found = new Map<string, { x: number; down: number }>();
  const leaves = new Map<string, Strand[]>();
  for (const strand of strands) gather(leaves, strand.leaf, strand);
  for (const [leaf, all] of leaves) {
    const width = all.reduce((sum, { label }) => sum + label + APART, -APART);
    const beside = width <= (places.get(leaf)?.width ?? 0) + GAP - APART;
    let x = -width / 2;
    for (const [index, { id, label }] of all.entries()) {
      if (all.length > 1) {
        const step = (index - (all.length - 1) / 2) * APART;
        found.set(id, beside ? { x: x + label / 2, down: 0 } : { x: step, down: index * (LABEL + 1) });
      }
      x += label + APART;
    }
  }
  return found;
}

/** Whether nothing else stands beside the middle. */
function alone(core: Area, middle: Area): boolean {
  return core.height <= middle.height + 1;
}

/** In their order, as many in a row as have room; what is large stands furthest away. */
function packed(items: readonly Item[], room: number): Item[][] {
  const rows: Item[][] = [];
  let width = 0;
  for (const item of [...items].sort((one, other) => one.height - other.height)) {
    const last = rows.at(-1);
    if (last && width + GAP + item.width <= room) {
      last.push(item);
      width += GAP + item.width;
    } else {
      rows.push([item]);
      width = item.width;
    }
  }
  return rows;
}

/** Corners of a way whose parts are level or upright, with points close to them, between which it may bend. */
function rounded(points: readonly Spot[]): Spot[] {
  return points.flatMap((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (!before || !after) return [point];
    return [towards(point, before), point, towards(point, after)];
  });
}

function towards(from: Spot, to: Spot): Spot {
  const far = Math.hypot(to.x - from.x, to.y - from.y);
  const share = far ? Math.min(CORNER / far, 0.5) : 0;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
