// Map layout: boxes inside boxes, in rows: what imports stands above what it imports. Strong links are drawn, the rest is counted.
// Declared layers are bands, one below the other.

import { type Arrow, along, pathOf, routes, type Spot } from "./mapRoutes";
import { type Folding, type Link, NO_LAYER, type Pack } from "./packages";

export const LEAF_HEIGHT = 44;
const HEAD = 30;
const INSET = 14;
const GAP = { x: 26, y: 46 };
/** Of a band around its boxes, and the height of its words. */
const BAND = { side: 12, foot: 12, head: 26 };
const LEAST_WIDTH = 96;
/** Links that are drawn for each box, beside the strongest of every box. */
const DRAWN = 0.5;
/** From an arrow to the border of its package, beside the inset. */
const LANE = -INSET + 6;
const ROW = LEAF_HEIGHT + GAP.y;
/** Along a line: where its number may stand, best first. */
const LABELS = [0.5, 0.3, 0.7, 0.15, 0.85, 0.4, 0.6, 0.22, 0.78];
const LABEL = { digit: 7, inset: 5, half: 9 };

export interface Room {
  pack: Pack;
  x: number;
  y: number;
  width: number;
  height: number;
  open: boolean;
}

/** The boxes of one declared layer that stand in one package. `layer`: its place in the map; NO_LAYER: the others. */
export interface Band {
  layer: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Ground {
  /** Outer boxes before those in them. */
  rooms: Room[];
  arrows: Arrow[];
  bands: Band[];
  width: number;
  height: number;
  undrawn: number;
}

export interface Ruler {
  width(pack: Pack): number;
}

interface Level {
  rooms: Room[];
  arrows: Arrow[];
  bands: Band[];
  width: number;
  height: number;
  undrawn: number;
}

/** `most`, `high`: how large it may get without a need to move it. */
export function ground(folding: Folding, ruler: Ruler, most: number, high: number): Ground {
  const space = { most: most - 2 * INSET, high: high - 2 * INSET };
  const made = level(folding, folding.top, "", ruler, space);
  return { ...shifted(made, INSET, INSET), width: made.width + 2 * INSET, height: made.height + 2 * INSET };
}

interface Space {
  most: number;
  high: number;
}

function level(folding: Folding, packs: readonly Pack[], above: string, ruler: Ruler, space: Space): Level {
  const links = folding.siblings(above);
  const inner = new Map<string, Level>();
  for (const pack of packs) {
    const within = { most: space.most - 2 * INSET, high: space.high - HEAD - INSET };
    if (pack.inner.length) inner.set(pack.id, level(folding, pack.inner, pack.id, ruler, within));
  }
  const size = (pack: Pack): { width: number; height: number } => {
    const within = inner.get(pack.id);
    const own = Math.max(ruler.width(pack), LEAST_WIDTH);
    if (!within) return { width: own, height: LEAF_HEIGHT };
    return { width: Math.max(within.width + 2 * INSET, own), height: within.height + HEAD + INSET };
  };
  const order = folding.ordered(packs, links);
  const rooms = new Map<string, Room>();
  const bands: Band[] = [];
  // What is inside of one layer as a whole needs no bands of its own.
  const apart = (folding.packs.get(above)?.layer ?? NO_LAYER) === NO_LAYER;
  const banded = apart && order.some(({ layer }) => layer !== NO_LAYER);
  let width = 0;
  let y = 0;
  for (const layer of new Set(banded ? order.map((pack) => pack.layer) : [null])) {
    const top = y;
    if (layer !== null) y += BAND.head;
    const members = order.filter((pack) => layer === null || pack.layer === layer);
    for (const row of rows(members, links, (pack) => size(pack).width, space)) {
      const across = row.reduce((sum, pack) => sum + size(pack).width + GAP.x, -GAP.x);
      width = Math.max(width, across);
      let x = -across / 2;
      let height = 0;
      for (const pack of row) {
        const own = size(pack);
        rooms.set(pack.id, { pack, x, y, ...own, open: inner.has(pack.id) });
        x += own.width + GAP.x;
        height = Math.max(height, own.height);
      }
      y += height + GAP.y;
    }
    if (layer === null) continue;
    y += BAND.foot - GAP.y;
    bands.push({ layer, x: 0, y: top, width: 0, height: y - top });
    y += BAND.foot;
  }
  if (banded) {
    width += 2 * BAND.side;
    y += GAP.y - BAND.foot;
    for (const band of bands) band.width = width;
  }
  for (const one of rooms.values()) one.x += width / 2;
  const places = new Map(order.map((pack, index) => [pack.id, index]));
  const drawn = strongest(links, packs.length);
  const wanted = drawn.flatMap((link) => {
    const [from, to] = [rooms.get(link.from), rooms.get(link.to)];
    return from && to ? [{ link, from, to, back: (places.get(link.from) ?? 0) > (places.get(link.to) ?? 0) }] : [];
  });
  let arrows = routes(wanted, [...rooms.values()]);
  // A package holds its arrows too: some pass the widest row on its outside.
  const across = arrows.flatMap(({ curve }) => curve.map(({ x }) => x));
  const before = Math.max(LANE - Math.min(...across, LANE), 0);
  const behind = Math.max(Math.max(...across, 0) + LANE - width, 0);
  if (before || behind) {
    for (const one of rooms.values()) one.x += before;
    arrows = arrows.map((one) => moved(one, before, 0));
    for (const band of bands) band.width += before + behind;
    width += before + behind;
  }
  const made: Level = {
    rooms: [],
    arrows,
    bands,
    width,
    height: Math.max(y - GAP.y, 0),
    undrawn: links.length - drawn.length,
  };
  for (const one of rooms.values()) {
    made.rooms.push(one);
    const within = inner.get(one.pack.id);
    if (!within) continue;
    const part = shifted(within, one.x + (one.width - within.width) / 2, one.y + HEAD);
    made.rooms.push(...part.rooms);
    made.arrows.push(...part.arrows);
    made.bands.push(...part.bands);
    made.undrawn += within.undrawn;
  }
  return made;
}

/** By steps from what nothing imports where these are few; else the order is broken where a row is full. */
function rows(order: readonly Pack[], links: readonly Link[], width: (pack: Pack) => number, space: Space): Pack[][] {
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]));
  const joined = order.filter(({ id }) => linked.has(id));
  const alone = order.filter(({ id }) => !linked.has(id));
  const places = new Map(joined.map((pack, index) => [pack.id, index]));
  const ranks = joined.map(() => 0);
  for (const [at, { id }] of joined.entries()) {
    for (const link of links) {
      const target = link.from === id ? places.get(link.to) : undefined;
      if (target !== undefined && target > at) ranks[target] = Math.max(ranks[target] ?? 0, (ranks[at] ?? 0) + 1);
    }
  }
  const few = (Math.max(...ranks, 0) + 1) * ROW <= space.high;
  const steps: Pack[][] = [];
  for (const [at, pack] of joined.entries()) {
    const step = few ? (ranks[at] ?? 0) : 0;
    steps[step] = [...(steps[step] ?? []), pack];
  }
  return [...steps, alone].flatMap((step) => broken(step, width, space.most));
}

function broken(step: readonly Pack[], width: (pack: Pack) => number, most: number): Pack[][] {
  const total = step.reduce((sum, pack) => sum + width(pack) + GAP.x, 0);
  const even = total / Math.max(Math.ceil(total / Math.max(most, LEAST_WIDTH)), 1);
  const found: Pack[][] = [];
  let room = 0;
  for (const pack of step) {
    const own = width(pack) + GAP.x;
    const last = found[found.length - 1];
    if (!last || room + own > most || room >= even) {
      found.push([pack]);
      room = own;
    } else {
      last.push(pack);
      room += own;
    }
  }
  return found;
}

/**
 * The strongest, of every box the strongest that goes out, or that comes in where none would, and what is against the
 * declared layers.
 */
function strongest(links: readonly Link[], boxes: number): Link[] {
  const out = new Set<string>();
  const drawn = links.filter(({ from, against }, index) => {
    const first = !out.has(from);
    out.add(from);
    return first || against > 0 || index < DRAWN * boxes;
  });
  const into = new Set(drawn.map(({ to }) => to));
  for (const link of links) {
    if (into.has(link.to)) continue;
    into.add(link.to);
    drawn.push(link);
  }
  return drawn;
}

/** The number of a line: how many imports there are, with a sign where some are against the declared layers. */
export function numbered({ count, against }: Link): string {
  return `${against ? "⇧" : ""}${count}`;
}

/** Where the numbers of lines stand: on their line, over no box and over no other number. Some find no place. */
export function* labels(
  arrows: readonly Arrow[],
  rooms: readonly Room[],
): Generator<{ arrow: Arrow; x: number; y: number }> {
  const taken = rooms.map(({ x, y, width, height, open }) => ({ x, y, width, height: open ? HEAD : height }));
  for (const one of arrows) {
    const width = numbered(one.link).length * LABEL.digit + 2 * LABEL.inset;
    for (const at of LABELS) {
      const spot = along(one.curve, at);
      const box = { x: spot.x - width / 2, y: spot.y - LABEL.half, width, height: 2 * LABEL.half };
      if (taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      yield { arrow: one, ...spot };
      break;
    }
  }
}

interface Box extends Spot {
  width: number;
  height: number;
}

function overlap(one: Box, other: Box): boolean {
  const across = one.x < other.x + other.width && other.x < one.x + one.width;
  return across && one.y < other.y + other.height && other.y < one.y + one.height;
}

function moved(one: Arrow, dx: number, dy: number): Arrow {
  const curve = one.curve.map(({ x, y }) => ({ x: x + dx, y: y + dy }));
  return { ...one, curve, path: pathOf(curve) };
}

function shifted(part: Level, dx: number, dy: number): Level {
  const move = ({ x, y }: Spot): Spot => ({ x: x + dx, y: y + dy });
  const rooms = part.rooms.map((room) => ({ ...room, ...move(room) }));
  const arrows = part.arrows.map((one) => moved(one, dx, dy));
  return { ...part, rooms, arrows, bands: part.bands.map((band) => ({ ...band, ...move(band) })) };
}
