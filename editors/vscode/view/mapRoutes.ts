// Map routes: the ways of arrows between boxes of a map: from side to side, through the gaps between what stands in between.
//
// Invariant: an arrow between rows runs over no box that it does not belong to; two arrows run apart where a gap is wide
// enough for both.

import type { Link } from "./packages";

export interface Spot {
  x: number;
  y: number;
}

export interface Area extends Spot {
  width: number;
  height: number;
}

export interface Arrow {
  link: Link;
  /** Against the order: it closes a cycle. */
  back: boolean;
  path: string;
  /** Cubic curves, one after the other: the start, then two that bend it and an end for each. */
  curve: readonly Spot[];
}

export interface Wanted {
  link: Link;
  from: Area;
  to: Area;
  back: boolean;
}

/** Where an arrow leaves and reaches a box: at its top (-1) or at its bottom (1). */
interface Way extends Wanted {
  sides: readonly [-1 | 1, -1 | 1];
  ends: [number, number];
}

/** Of a lane from the boxes beside it, and of one lane from another. */
const CLEAR = 5;
const APART = 5;
/** Of the ends of arrows at one side of a box: at most, and from its corners. */
const STEP = 16;
const CORNER = 14;
/** How far an arrow inside of one row leaves it. */
const DEPTH = { least: 14, most: 30 };

/** `boxes`: what no arrow may run over, but for its own ends. */
export function routes(wanted: readonly Wanted[], boxes: readonly Area[]): Arrow[] {
  const ways = wanted.map((one): Way => ({ ...one, sides: sidesOf(one, boxes), ends: [0, 0] }));
  spread(ways);
  const lanes: Lane[] = [];
  const found = new Map<Way, Arrow>();
  for (const way of [...ways].sort((one, other) => far(one) - far(other))) {
    const { link, back, from, to, sides } = way;
    const others = boxes.filter((box) => box !== from && box !== to);
    const curve = sides[0] === sides[1] ? arc(way) : through(way, others, lanes);
    found.set(way, { link, back, curve, path: pathOf(curve) });
  }
  return ways.flatMap((way) => found.get(way) ?? []);
}

export function pathOf([start, ...rest]: readonly Spot[]): string {
  if (!start) return "";
  let path = `M${start.x} ${start.y}`;
  for (let at = 0; at < rest.length; at += 3) {
    path += `C${rest
      .slice(at, at + 3)
      .map(({ x, y }) => `${x} ${y}`)
      .join(" ")}`;
  }
  return path;
}

/** A point of the curves, by the share of the way. */
export function along(curve: readonly Spot[], share: number): Spot {
  const parts: (readonly Spot[])[] = [];
  for (let at = 0; at + 3 < curve.length; at += 3) parts.push(curve.slice(at, at + 4));
  const lengths = parts.map(([a, , , d]) => (a && d ? Math.hypot(d.x - a.x, d.y - a.y) : 0));
  let left = share * lengths.reduce((sum, one) => sum + one, 0);
  for (const [index, part] of parts.entries()) {
    const length = lengths[index] ?? 0;
    if (left <= length || index === parts.length - 1) return pointOf(part, length ? Math.min(left / length, 1) : 0);
    left -= length;
  }
  return curve[0] ?? { x: 0, y: 0 };
}

function pointOf([a, b, c, d]: readonly Spot[], t: number): Spot {
  if (!a || !b || !c || !d) return a ?? { x: 0, y: 0 };
  const mix = (of: "x" | "y"): number =>
    (1 - t) ** 3 * a[of] + 3 * (1 - t) ** 2 * t * b[of] + 3 * (1 - t) * t ** 2 * c[of] + t ** 3 * d[of];
  return { x: mix("x"), y: mix("y") };
}

const middle = ({ x, width }: Area): number => x + width / 2;
const bottom = ({ y, height }: Area): number => y + height;

function far({ from, to }: Wanted): number {
  return Math.abs(middle(from) - middle(to)) / 100 + Math.abs(from.y - to.y);
}

function sidesOf({ from, to }: Wanted, boxes: readonly Area[]): readonly [-1 | 1, -1 | 1] {
  if (to.y >= bottom(from)) return [1, -1];
  if (bottom(to) <= from.y) return [-1, 1];
  // In one row: above it to the right, below it to the left, unless something higher stands there.
  const deepest = Math.max(bottom(from), bottom(to));
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x + from.width, to.x + to.width)];
  const high = boxes.some(
    (box) => box.x < right && box.x + box.width > left && box.y < deepest + DEPTH.most && bottom(box) > deepest,
  );
  // Below the last row the package ends.
  const last = !boxes.some((box) => box.y >= deepest);
  const uneven = Math.abs(bottom(from) - bottom(to)) > CLEAR;
  return middle(to) > middle(from) || high || last || uneven ? [-1, -1] : [1, 1];
}

/** Ends of arrows at one side of one box stand side by side, in the order of what they lead to. */
function spread(ways: readonly Way[]): void {
  const sides = new Map<Area, [{ way: Way; end: 0 | 1 }[], { way: Way; end: 0 | 1 }[]]>();
  for (const way of ways) {
    for (const end of [0, 1] as const) {
      const box = end ? way.to : way.from;
      const own = sides.get(box) ?? [[], []];
      own[way.sides[end] < 0 ? 0 : 1].push({ way, end });
      sides.set(box, own);
    }
  }
  const other = ({ way, end }: { way: Way; end: 0 | 1 }): number => middle(end ? way.from : way.to);
  for (const [box, both] of sides) {
    for (const all of both) {
      all.sort((one, next) => other(one) - other(next) || far(one.way) - far(next.way));
      const step = all.length > 1 ? Math.min(STEP, (box.width - 2 * CORNER) / (all.length - 1)) : 0;
      const [only] = all;
      const nudge = only && all.length === 1 ? (other(only) - middle(box)) / 8 : 0;
      const start = middle(box) + Math.max(Math.min(nudge, box.width / 3), -box.width / 3);
      for (const [index, { way, end }] of all.entries()) way.ends[end] = start + (index - (all.length - 1) / 2) * step;
    }
  }
}

/** Inside of one row. */
function arc({ from, to, sides, ends }: Way): Spot[] {
  const [x1, x2] = ends;
  const up = sides[0] < 0;
  const edge = up ? Math.min(from.y, to.y) : Math.max(bottom(from), bottom(to));
  const [y1, y2] = up ? [from.y, to.y] : [bottom(from), bottom(to)];
  const depth = Math.min(DEPTH.least + Math.abs(x2 - x1) / 20, DEPTH.most);
  const y = edge + (up ? -depth : depth);
  return [
    { x: x1, y: y1 },
    { x: x1, y },
    { x: x2, y },
    { x: x2, y: y2 },
  ];
}

/** What is taken of the gaps between boxes. */
interface Lane {
  x: number;
  top: number;
  end: number;
}

interface Row {
  top: number;
  end: number;
  boxes: Area[];
}

/** From row to row: what stands in between is passed where there is a gap, the nearest to the straight way. */
function through({ from, to, sides, ends }: Way, boxes: readonly Area[], lanes: Lane[]): Spot[] {
  const down = sides[0] > 0;
  const [upper, lower] = down ? [from, to] : [to, from];
  const [start, end] = down ? ends : [ends[1], ends[0]];
  const spots: Spot[] = [{ x: start, y: bottom(upper) }];
  let x = start;
  for (const row of between(boxes, bottom(upper), lower.y)) {
    const share = (row.top - bottom(upper)) / Math.max(lower.y - bottom(upper), 1);
    const next = lane(row, x + (end - x) * Math.min(Math.max(share, 0), 1), lanes);
    // What begins beside its own box or ends there goes straight first.
    if (row.top > bottom(upper)) spots.push({ x: next, y: row.top });
    spots.push({ x: next, y: row.end });
    x = next;
  }
  spots.push({ x: end, y: lower.y });
  return bent(down ? spots : spots.reverse());
}

/** Boxes between two heights, by rows that overlap. */
function between(boxes: readonly Area[], top: number, end: number): Row[] {
  const found: Row[] = [];
  const inside = boxes.filter((box) => bottom(box) > top && box.y < end).sort((one, other) => one.y - other.y);
  for (const box of inside) {
    const last = found.at(-1);
    const [from, to] = [Math.max(box.y - CLEAR / 2, top), Math.min(bottom(box) + CLEAR / 2, end)];
    if (last && from < last.end) {
      last.boxes.push(box);
      last.end = Math.max(last.end, to);
    } else found.push({ top: from, end: to, boxes: [box] });
  }
  return found;
}

/** Where one may pass a row, closest to where one would like to. */
function lane({ boxes, top, end }: Row, wish: number, lanes: Lane[]): number {
  const walls = boxes
    .map(({ x, width }): [number, number] => [x - CLEAR, x + width + CLEAR])
    .sort(([one], [other]) => one - other);
  const gaps: [number, number][] = [];
  let open = Number.NEGATIVE_INFINITY;
  for (const [from, to] of walls) {
    if (from >= open) gaps.push([open, from]);
    open = Math.max(open, to);
  }
  gaps.push([open, Number.POSITIVE_INFINITY]);
  const taken = lanes.filter((one) => one.top < end && one.end > top).map(({ x }) => x);
  const spots = gaps.flatMap(([from, to]) => {
    const nearest = Math.min(Math.max(wish, from), to);
    const others = Array.from({ length: 8 }, (_, step) => [(step + 1) * APART, -(step + 1) * APART]).flat();
    const inside = [0, ...others].map((by) => nearest + by).filter((x) => x >= from && x <= to);
    const free = inside.find((x) => taken.every((one) => Math.abs(one - x) >= APART));
    return free === undefined
      ? [{ x: nearest, price: Math.abs(nearest - wish) + CROWDED }]
      : [{ x: free, price: Math.abs(free - wish) }];
  });
  const best = spots.reduce((one, other) => (other.price < one.price ? other : one));
  lanes.push({ x: best.x, top, end });
  return best.x;
}

/** To share a lane is as bad as a way round of this length. */
const CROWDED = 60;

/** Upright at each spot. */
function bent(spots: readonly Spot[]): Spot[] {
  const [start, ...rest] = spots;
  if (!start) return [];
  const found = [start];
  let last = start;
  for (const spot of rest) {
    const y = (last.y + spot.y) / 2;
    found.push({ x: last.x, y }, { x: spot.x, y }, spot);
    last = spot;
  }
  return found;
}
