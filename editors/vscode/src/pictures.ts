// Pictures: answers of the server as pictures for the view.

import * as vscode from "vscode";
import type { Picture, Question, ViewNode } from "../view/model";
import { ask, Refusal } from "./asking";
import type { Life } from "./life";
import {
  type ChangedImpact,
  type Impact,
  type Neighborhood,
  type Subject,
  standing,
  type Trace,
  viewEdge,
  viewNode,
  type WireMap,
} from "./wire";

const LIMIT = 200;
const UNKNOWN = "graphls.unknownSymbol";
export const MOST_LINKS = 1000;
/** Behind a branch: since what is checked out left it. */
export const PARTED = "...";

function name(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri), false);
}

export function answered(life: Life, question: Question): Promise<Picture> {
  switch (question.kind) {
    case "neighborhood":
      return named(question, (subject) => neighborhood(life, subject, question.depth, question.limit));
    case "impact":
      return named(question, (subject) => impact(life, subject, question.direction, question.depth));
    case "trace":
      return between(question, (source, target) => trace(life, source, target));
    case "changes":
      return changes(life, question.changes, question.base, question.depth);
    case "map":
      return map(life);
  }
}

/** A node that has another id by now may still have its name. */
async function named(
  { node, symbol }: { node: string; symbol?: string },
  then: (subject: Subject) => Promise<Picture>,
): Promise<Picture> {
  try {
    return await then({ node });
  } catch (problem) {
    if (!symbol || !(problem instanceof Refusal) || problem.code !== UNKNOWN) throw problem;
    return then({ symbol }).catch(() => Promise.reject(gone(symbol)));
  }
}

/** The same of two nodes. */
function between(
  { source, target, symbols }: Question & { kind: "trace" },
  then: (source: Subject, target: Subject) => Promise<Picture>,
): Promise<Picture> {
  const [from, to] = symbols ?? [];
  return named({ node: source, ...(from && { symbol: from }) }, (one) =>
    named({ node: target, ...(to && { symbol: to }) }, (other) => then(one, other)),
  );
}

function gone(symbol: string): Refusal {
  return new Refusal(`${symbol} is not in the graph any more: it was renamed, moved or deleted.`);
}

export async function neighborhood(life: Life, subject: Subject, depth = 1, limit = LIMIT): Promise<Picture> {
  const params = { ...subject, depth, limit, ranked: true, includeSites: true };
  const answer = await ask<Neighborhood>(life, "graph/neighborhood", params);
  return {
    kind: "neighborhood",
    title: answer.root.symbol,
    root: answer.root.id,
    total: answer.total ?? null,
    nodes: [viewNode(answer.root, { depth: 0 }), ...answer.nodes.map((node) => viewNode(node))],
    edges: answer.edges.map((edge) => viewEdge(edge, name)),
    standing: standing(answer),
  };
}

export async function impact(
  life: Life,
  subject: Subject,
  direction: "upstream" | "downstream" = "upstream",
  depth = 3,
): Promise<Picture> {
  const answer = await ask<Impact>(life, "graph/impact", {
    ...subject,
    direction,
    depth,
    limit: LIMIT,
    includeSites: true,
  });
  const [first] = answer.seeds;
  if (!first) throw new Refusal("Nothing that can be changed stands here.");
  const nodes = new Map<string, ViewNode>();
  for (const seed of answer.seeds) nodes.set(seed.id, viewNode(seed, { depth: 0 }));
  for (const { node, depth: away, confidence, test } of answer.affected) {
    nodes.set(node.id, viewNode(node, { depth: away, confidence, test }));
  }
  const title = direction === "upstream" ? `impact of ${first.symbol}` : `what ${first.symbol} depends on`;
  const parts = { nodes: [...nodes.values()], edges: answer.edges.map((edge) => viewEdge(edge, name)) };
  return {
    kind: "impact",
    title,
    root: first.id,
    direction: direction === "upstream" ? "in" : "out",
    ...parts,
    standing: standing(answer),
  };
}

export async function trace(life: Life, source: Subject, target: Subject): Promise<Picture> {
  const answer = await ask<Trace>(life, "graph/trace", { source, target, includeSites: true });
  const [path] = answer.paths;
  if (!path) {
    throw new Refusal(answer.exhausted ? "There is no way to it." : "No way to it was found; the search gave up.");
  }
  const nodes = answer.nodes.map((node) => viewNode(node));
  const symbol = (id: string | undefined): string => nodes.find((node) => node.id === id)?.symbol ?? "";
  return {
    kind: "trace",
    title: `${symbol(path.nodes[0])} to ${symbol(path.nodes.at(-1))}`,
    root: path.nodes[0] ?? null,
    nodes,
    edges: [
      ...new Map(answer.paths.flatMap((one) => one.edges).map((edge) => [edge.id, viewEdge(edge, name)])).values(),
    ],
    paths: answer.paths.map((one) => one.nodes),
    standing: standing(answer),
  };
}

/** What edits touch and reach, with the links that they added and took away. */
export async function changes(life: Life, what: string, base: string, depth = 3): Promise<Picture> {
  const params = { changes: what, base, depth, limit: LIMIT, links: MOST_LINKS };
  return changesPicture(await ask<ChangedImpact>(life, "graph/changedImpact", params), what, base);
}

export function changesPicture(answer: ChangedImpact, what: string, base: string): Picture {
  const nodes = new Map<string, ViewNode>();
  for (const { node, gone } of answer.ends ?? []) {
    // What is gone stands nowhere: its lines are those of another text.
    const { uri, range, ...rest } = node;
    nodes.set(node.id, gone ? viewNode(rest, { change: "removed" }) : viewNode(node));
  }
  for (const { node, depth, confidence, test } of answer.affected) {
    nodes.set(node.id, viewNode(node, { depth, confidence, test }));
  }
  for (const { node, added } of answer.nodes) {
    nodes.set(node.id, viewNode(node, { depth: 0, change: added ? "added" : "changed" }));
  }
  const edges = (answer.links ?? []).map(({ edge, change }) => ({ ...viewEdge(edge, name), change }));
  const omitted = answer.omitted + (answer.linksOmitted ?? 0);
  return {
    kind: "changes",
    title: titled(what, base),
    changes: what,
    base,
    nodes: [...nodes.values()],
    edges,
    standing: { ...standing(answer), omitted, truncated: answer.truncated || omitted > 0 },
  };
}

function titled(what: string, base: string): string {
  if (base.endsWith(PARTED)) return `changes since ${base.slice(0, -PARTED.length)} was left`;
  return base ? `changes since ${base}` : what === "all" ? "my changes" : `my ${what} changes`;
}

/** Packages of the workspace, and how often they import each other. */
export async function map(life: Life, scope = ""): Promise<Picture> {
  const answer = await ask<WireMap>(life, "graph/map", { scope });
  const imports = answer.imports.map((one) => ({ ...one, lines: one.lines.map((line) => line + 1) }));
  const { modules, unfolded, layers } = answer;
  const title = scope ? `Map of ${scope}` : "Map";
  return {
    kind: "map",
    title,
    nodes: [],
    edges: [],
    map: { modules, imports, unfolded, layers },
    standing: standing(answer),
  };
}
