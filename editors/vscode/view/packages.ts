// Packages: a map of modules, folded to the boxes that are seen. The server folds in the same way for text.
//
// Invariant: every import is in one link or inside one box, however the map is folded.

export interface MapModule {
  name: string;
  parts: string[];
  file: string;
  uri?: string;
  test: boolean;
  /** The declared name that it belongs to; "" for none. */
  layer: string;
}

/** `lines` count from 1. */
export interface MapImport {
  source: number;
  target: number;
  count: number;
  later: number;
  lines: number[];
  /** How many are against the declared layers. */
  against: number;
}

export interface PackageMap {
  modules: MapModule[];
  imports: MapImport[];
  unfolded: string[];
  /** Declared ones that have a module here, from the highest to the lowest. */
  layers: string[][];
}

/** None, or several. */
export const NO_LAYER = -1;

export interface Pack {
  id: string;
  name: string;
  /** Modules in it, by their places in the map. */
  modules: number[];
  /** Empty: it is folded, or a module. */
  inner: Pack[];
  isPackage: boolean;
  test: boolean;
  /** The declared layer of all its modules, by its place in the map. */
  layer: number;
}

export interface Link {
  from: string;
  to: string;
  count: number;
  later: number;
  against: number;
  imports: MapImport[];
}

export class Folding {
  readonly top: Pack[];
  /** Boxes that are seen and hold no others, from left to right in the tree. */
  readonly leaves: Pack[] = [];
  readonly packs = new Map<string, Pack>();
  readonly links: Link[];
  /** Boxes that all import each other while they load, by a number for each group. */
  readonly cycles = new Map<string, number>();
  private readonly home: string[] = [];
  private readonly levels: Map<string, number>;

  constructor(
    readonly map: PackageMap,
    readonly unfolded: ReadonlySet<string>,
  ) {
    this.levels = new Map(map.layers.flatMap((layer, level) => layer.map((name) => [name, level])));
    this.top = this.packed(
      map.modules.map((_, index) => index),
      [],
    );
    this.links = this.between((id) => id);
    this.links.length &&
      groups(this.leaves, this.links).forEach((ids, at) => {
        for (const id of ids) this.cycles.set(id, at);
      });
  }

  private packed(modules: readonly number[], above: readonly string[]): Pack[] {
    const found = new Map<string, Pack>();
    const layered = new Map<Pack, Set<number>>();
    for (const index of modules) {
      const { parts, file, test, layer } = this.map.modules[index] as MapModule;
      const own = parts.length === above.length;
      // The module of a package is the file that it is in: the package does not import itself.
      const name = (own ? file.split("/").at(-1) : parts[above.length]) ?? "";
      const id = [...above, name].join("/");
      const fresh = { id, name, modules: [], inner: [], isPackage: false, test: true, layer: NO_LAYER };
      const pack: Pack = found.get(id) ?? fresh;
      pack.modules.push(index);
      pack.isPackage ||= !own && parts.length > above.length + 1;
      pack.test &&= test;
      // A test stands in no layer, wherever it is kept.
      const levels = layered.get(pack) ?? new Set<number>();
      if (!test) layered.set(pack, levels.add(this.levels.get(layer) ?? NO_LAYER));
      found.set(id, pack);
    }
    for (const pack of found.values()) {
      const [level = NO_LAYER, ...others] = layered.get(pack) ?? [];
      pack.layer = others.length ? NO_LAYER : level;
      this.packs.set(pack.id, pack);
      if (pack.isPackage && this.unfolded.has(pack.id)) pack.inner = this.packed(pack.modules, [...above, pack.name]);
      else {
        this.leaves.push(pack);
        for (const index of pack.modules) this.home[index] = pack.id;
      }
    }
    return [...found.values()];
  }

  /** Imports between boxes, as seen where `box` says that a leaf belongs. */
  between(box: (leaf: string) => string | null): Link[] {
    const found = new Map<string, Link>();
    for (const one of this.map.imports) {
      const from = box(this.home[one.source] ?? "");
      const to = box(this.home[one.target] ?? "");
      if (from === null || to === null || from === to) continue;
      const key = `${from}\n${to}`;
      const link = found.get(key) ?? { from, to, count: 0, later: 0, against: 0, imports: [] };
      link.count += one.count;
      link.later += one.later;
      link.against += one.against;
      link.imports.push(one);
      found.set(key, link);
    }
    return [...found.values()].sort((one, other) => other.count - one.count);
  }

  /** Imports among the boxes of one package, each with all that is in it. `""`: the outermost. */
  siblings(above: string): Link[] {
    const start = above ? above.length + 1 : 0;
    return this.between((leaf) => {
      if (above && !leaf.startsWith(`${above}/`)) return null;
      const end = leaf.indexOf("/", start);
      const id = end < 0 ? leaf : leaf.slice(0, end);
      return this.packs.has(id) ? id : leaf;
    });
  }

  /** Boxes of declared layers, from the highest to the lowest, then the others: each before what it imports. */
  ordered(boxes: readonly Pack[], links: readonly Link[]): Pack[] {
    const order = this.sorted(boxes, links);
    const level = ({ layer }: Pack): number => (layer === NO_LAYER ? this.map.layers.length : layer);
    return order.sort((one, other) => level(one) - level(other));
  }

  /** Boxes stand before what they import, but for cycles; the least tangled first. */
  private sorted(boxes: readonly Pack[], links: readonly Link[]): Pack[] {
    const firm = links.filter((link) => link.count > link.later);
    const group = new Map<string, string>();
    for (const ids of groups(boxes, firm)) for (const id of ids) group.set(id, ids[0] as string);
    const at = (id: string): string => group.get(id) ?? id;
    const before = new Map<string, number>();
    const weight = new Map<string, number>();
    const pairs = new Set(
      links.filter(({ from, to }) => at(from) !== at(to)).map(({ from, to }) => `${at(from)}\n${at(to)}`),
    );
    const after = new Map<string, string[]>();
    for (const pair of pairs) {
      const [from, to] = pair.split("\n") as [string, string];
      before.set(to, (before.get(to) ?? 0) + 1);
      after.set(from, [...(after.get(from) ?? []), to]);
    }
    for (const { from, to, count } of links) {
      if (at(from) !== at(to)) continue;
      weight.set(from, (weight.get(from) ?? 0) + count);
      weight.set(to, (weight.get(to) ?? 0) - count);
    }
    const left = new Set(boxes.map(({ id }) => at(id)).sort());
    const order: Pack[] = [];
    while (left.size) {
      let best = "";
      for (const id of left) if (!best || (before.get(id) ?? 0) < (before.get(best) ?? 0)) best = id;
      left.delete(best);
      for (const to of after.get(best) ?? []) before.set(to, (before.get(to) ?? 0) - 1);
      const members = boxes.filter(({ id }) => at(id) === best);
      order.push(...members.sort((one, other) => (weight.get(other.id) ?? 0) - (weight.get(one.id) ?? 0)));
    }
    return order;
  }
}

/** Strongly connected components with more than one box, by Tarjan without recursion. */
export function groups(boxes: readonly { id: string }[], links: readonly Link[]): string[][] {
  const after = new Map<string, string[]>(boxes.map(({ id }) => [id, []]));
  for (const { from, to, count, later } of links) if (count > later) after.get(from)?.push(to);
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const on = new Set<string>();
  const found: string[][] = [];
  for (const root of after.keys()) {
    if (order.has(root)) continue;
    const work: [string, number][] = [[root, 0]];
    while (work.length) {
      const top = work[work.length - 1] as [string, number];
      const [id, next] = top;
      if (next === 0) {
        order.set(id, order.size);
        low.set(id, order.get(id) as number);
        stack.push(id);
        on.add(id);
      }
      const target = after.get(id)?.[next];
      top[1] += 1;
      if (target !== undefined) {
        if (!order.has(target)) work.push([target, 0]);
        else if (on.has(target)) low.set(id, Math.min(low.get(id) as number, order.get(target) as number));
        continue;
      }
      work.pop();
      const above = work[work.length - 1]?.[0];
      if (above !== undefined) low.set(above, Math.min(low.get(above) as number, low.get(id) as number));
      if (low.get(id) !== order.get(id)) continue;
      const group = stack.splice(stack.indexOf(id));
      for (const one of group) on.delete(one);
      if (group.length > 1) found.push(group.sort());
    }
  }
  return found;
}
