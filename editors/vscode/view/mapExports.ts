// Map exports: a folded map as what the forms of a picture are made from, and the menu that offers them.

import type { Form } from "./controls";
import { html } from "./dom";
import type { Shown } from "./exports";
import type { ViewEdge } from "./model";
import type { Folding } from "./packages";

const FORMS: readonly [Form, string][] = [
  ["svg", "SVG"],
  ["png", "PNG"],
  ["mermaid", "Mermaid"],
  ["dot", "DOT"],
];

/** Boxes that hold no others, and all imports between them, drawn or not. */
export function shownMap(folding: Folding, title: string, standing: string): Shown {
  const nodes = folding.leaves.map(({ id, name, modules, isPackage, test }) => ({
    id,
    kind: test ? "test" : isPackage ? "package" : "module",
    name,
    symbol: id,
    file: folding.map.modules[modules[0] ?? -1]?.file ?? null,
  }));
  const edges = folding.links.map(
    ({ from, to, count, later, against }): ViewEdge => ({
      id: `${from} ${to}`,
      kind: `imports ${count}${against ? `, ${against} against the layers` : ""}`,
      source: from,
      target: to,
      provenance: "",
      // What runs later than loading is dashed, as in the map.
      confidence: count > later ? 1 : 0,
      ambiguous: false,
      siteCount: count,
    }),
  );
  return { title, standing, nodes, edges };
}

export function savingMap(save: (form: Form) => void): HTMLElement {
  const menu = html("details", { id: "save", class: "end" }, html("summary", {}, "Save"));
  const choices = html("div", { class: "choices" });
  for (const [form, words] of FORMS) {
    const button = html("button", { type: "button", id: `save-${form}` }, `Save as ${words}`);
    button.addEventListener("click", () => {
      menu.open = false;
      save(form);
    });
    choices.append(button);
  }
  menu.append(choices);
  // Who goes elsewhere has made a choice.
  menu.addEventListener("keydown", (event) => event.key === "Escape" && menu.removeAttribute("open"));
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget as Node | null)) menu.open = false;
  });
  return menu;
}
