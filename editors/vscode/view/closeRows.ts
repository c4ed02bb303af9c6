// Close rows: in little space the middle and what is looked at stand one below the other, and all else in rows around both.
//
// Invariant: what hangs on the one that is looked at is nearer to it than what hangs on the middle; no box lies on another.

import { type Area, type Item, type Rows, rowsAround, type Strand } from "./rows";

/** Room for lines that come from both sides, and for a label. */
const APART = 70;

export interface Ends {
  id: string;
  from: string;
  to: string;
  label: number;
}

/** `items`: sizes of everything, by ids; `links` between them. */
export function closeRows(
  root: string,
  own: string,
  items: ReadonlyMap<string, Item>,
  links: readonly Ends[],
  room: number,
): Rows | null {
  const [first, second] = [items.get(root), items.get(own)];
  if (!first || !second || root === own) return null;
  const middle: Area = { x: -first.width / 2, y: 0, width: first.width, height: first.height };
  const below = first.height + APART;
  const looked: Area = { x: -second.width / 2, y: below, width: second.width, height: second.height };
  const places = new Map([
    [root, middle],
    [own, looked],
  ]);
  const routes: Rows["routes"] = new Map();
  for (const [id, area] of [
    [own, looked],
    [root, middle],
  ] as const) {
    const strands = hanging(id, links, places);
    const leaves = new Set(strands.map(({ leaf }) => leaf));
    // What hangs on neither of them comes last.
    const rest = id === root ? [...items.keys()].filter((one) => !places.has(one) && !leaves.has(one)) : [];
    const wanted = new Map([...items].filter(([one]) => leaves.has(one) || rest.includes(one)));
    const found = rowsAround(around(places, routes), area, wanted, strands, room);
    for (const [one, place] of found.places) places.set(one, place);
    for (const [one, route] of found.routes) routes.set(one, route);
  }
  for (const { id, from, to, label } of links) {
    const [start, end] = [places.get(from), places.get(to)];
    if (routes.has(id) || !start || !end || from === to) continue;
    const pair = [root, own].includes(from) && [root, own].includes(to);
    routes.set(id, {
      points: straight(start, end),
      label: pair && label ? { ...between(start, end), width: label } : null,
    });
  }
  return { places, routes };
}

/** Links of what has no place yet with one that has: one each, the others are drawn as they come. */
function hanging(id: string, links: readonly Ends[], places: ReadonlyMap<string, Area>): Strand[] {
  const found = new Map<string, Strand>();
  for (const { id: link, from, to, label } of links) {
    const leaf = from === id ? to : from;
    if ((from !== id && to !== id) || places.has(leaf) || found.has(leaf)) continue;
    found.set(leaf, { id: link, leaf, inward: leaf === from, label });
  }
  return [...found.values()];
}

function around(places: ReadonlyMap<string, Area>, routes: Rows["routes"]): Area {
  const boxes = [...places.values()];
  const spots = [...routes.values()].flatMap(({ points }) => points);
  const [xs, ys] = [spots.map(({ x }) => x), spots.map(({ y }) => y)];
  const x = Math.min(...boxes.map((box) => box.x), ...xs);
  const y = Math.min(...boxes.map((box) => box.y), ...ys);
  const right = Math.max(...boxes.map((box) => box.x + box.width), ...xs);
  const bottom = Math.max(...boxes.map((box) => box.y + box.height), ...ys);
  return { x, y, width: right - x, height: bottom - y };
}

/** From the side of one box that faces another to the side of that one. */
function straight(from: Area, to: Area): { x: number; y: number }[] {
  const middle = (box: Area): { x: number; y: number } => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const [start, end] = [middle(from), middle(to)];
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const border = (box: Area): number =>
    Math.min(box.width / 2 / Math.max(Math.abs(dx), 0.01), box.height / 2 / Math.max(Math.abs(dy), 0.01), 0.5);
  const [out, into] = [border(from), border(to)];
  return [
    { x: start.x + dx * out, y: start.y + dy * out },
    { x: end.x - dx * into, y: end.y - dy * into },
  ];
}

function between(one: Area, other: Area): { x: number; y: number } {
  const [high, low] = one.y < other.y ? [one, other] : [other, one];
  return { x: high.x + high.width / 2, y: (high.y + high.height + low.y) / 2 };
}
