// Emptiness: a node alone is an answer too, and often only a matter of what is hidden.

import { html } from "./dom";
import type { Visible } from "./graph";
import { counted, isOutside } from "./model";
import type { Scene } from "./scene";

export interface Remedies {
  outside(): void;
  everything(): void;
}

export function nothingElse({ graph, history }: Scene, seen: Visible, remedies: Remedies): HTMLElement[] {
  const { picture } = graph;
  const { filters, expanded } = history.now;
  const step = (text: string, press: () => void): HTMLElement => {
    const button = html("button", { type: "button" }, text);
    button.addEventListener("click", press);
    return button;
  };
  const steps: HTMLElement[] = [];
  if (!filters.outside && [...graph.nodes.values()].some((node) => node.id !== picture.root && isOutside(node))) {
    steps.push(step("Show what lies outside", remedies.outside));
  }
  if (seen.hidden) steps.push(step("Show everything", remedies.everything));
  const none = {
    impact: "Nothing in the graph is reached.",
    changes: seen.nodes.length ? "Nothing in the graph is reached." : "These changes touch no symbol of the graph.",
  };
  const nothing =
    picture.kind === "impact" || picture.kind === "changes" ? none[picture.kind] : "Nothing else is linked here.";
  const words = [seen.hidden ? "Nothing that the filters show." : nothing];
  if (seen.hidden) words.push(`${counted(seen.hidden, "node")} hidden.`);
  const open = graph.standing(expanded).unresolvedSites;
  if (open) words.push(`${counted(open, "use")} could not be resolved: there may be more.`);
  return [html("p", {}, words.join(" ")), html("div", { class: "steps" }, ...steps)];
}
