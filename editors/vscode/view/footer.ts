// Footer: what the picture lacks, from which state it is where that is not the newest, and what its colours mean.

import { html } from "./dom";
import type { Visible } from "./graph";
import { colours, trust } from "./kinds";
import { caveats, counted, finest, mark, type Picture, type Standing } from "./model";
import type { Scene } from "./scene";

export interface Footing {
  scene: Scene;
  seen: Visible;
  standing: Standing;
  /** How many nodes an answer left out. */
  missing: number;
  common: string | null;
  /** Asks for more; null: there is no more, or nobody to ask. */
  more: (() => void) | null;
  refresh: (() => void) | null;
}

export class Footer {
  readonly element = html("div", { class: "foot" });
  /** What it says of the picture. */
  words = "";

  show({ scene, seen, standing, missing, common, more, refresh }: Footing): void {
    const shown = seen.nodes.length;
    const said = [missing ? `${shown} of ${shown + missing} nodes` : counted(shown, "node")];
    const ways = scene.graph.picture.paths?.length ?? 0;
    if (scene.graph.picture.kind === "trace") said.push(counted(ways, "way"));
    if (seen.hidden) said.push(`${seen.hidden} hidden by the filters`);
    if (scene.fresh.size || scene.gone) said.push(`since before ${scene.fresh.size} new, ${scene.gone} gone`);
    // "41 of 152" says already how many are left out; the answer counts what the filters hide at first too.
    const lacks = caveats({ ...standing, truncated: standing.truncated && !missing });
    this.words = [...said, ...lacks].join(" · ");
    const line = html("span", { class: "standing" }, said.join(" · "));
    for (const caveat of lacks) line.append(" · ", html("span", { class: "caveat" }, caveat));
    const { picture } = scene.graph;
    const coloured = picture.kind === "impact" || picture.kind === "changes";
    const meaning = coloured ? scale(picture) : colours(seen.nodes, seen.edges, finest);
    const marks = new Set(seen.edges.map((edge) => mark(edge).slice(0, 1)));
    this.element.replaceChildren(
      line,
      ...(more ? [button("more", "Load more", more)] : []),
      ...behind(scene, standing, refresh),
      meaning,
      trust(seen.edges, marks, common),
    );
  }
}

function button(id: string, text: string, press: () => void): HTMLElement {
  const made = html("button", { type: "button", id }, text);
  made.addEventListener("click", press);
  return made;
}

/** The state that the picture was made from is said only where there is a newer one. */
function behind(scene: Scene, standing: Standing, refresh: (() => void) | null): HTMLElement[] {
  const { revision, stale } = scene;
  if (!revision || revision === standing.revision) return [];
  const touched = stale.size ? `, ${counted(stale.size, "node")} in files that changed` : "";
  const words = `drawn at revision ${standing.revision}, now ${revision}${touched}`;
  const said = html("span", { class: "caveat behind", role: "status" }, words);
  return refresh ? [said, button("refresh", "Refresh", refresh)] : [said];
}

/** Which colour is how far. */
function scale(picture: Picture): HTMLElement {
  const found = html("span", { class: "scale" });
  const depths = new Set(picture.nodes.flatMap(({ depth }) => (typeof depth === "number" ? Math.min(depth, 6) : [])));
  for (const depth of [...depths].sort()) {
    const words = depth === 0 ? "changed" : `${depth} step${depth === 1 ? "" : "s"}`;
    found.append(html("span", { class: `swatch depth depth-${depth}` }, words));
  }
  const changes = new Set(picture.edges.flatMap(({ change }) => change ?? []));
  for (const change of ["added", "changed", "removed"]) {
    if (changes.has(change as never))
      found.append(html("span", { class: `swatch change-${change}` }, `link ${change}`));
  }
  return found;
}
