// Main: the view, put into whatever holds it.

import { html } from "./dom";
import { EditorHost, inEditor, PageHost } from "./hosts";
import { MapPanel } from "./mapPanel";
import { Panel } from "./panel";
import { report } from "./report";

const at = document.getElementById("graphls");
if (at) {
  const host = inEditor() ? new EditorHost() : new PageHost();
  document.body.classList.toggle("page", !inEditor());
  const veil = html("div", { class: "state veil", hidden: true });
  let panel: Panel | null = null;
  let map: MapPanel | null = null;
  const meanwhile = (words: string | null): void => {
    veil.hidden = false;
    veil.classList.toggle("failed", words !== null);
    veil.setAttribute("role", words === null ? "status" : "alert");
    const sign = words === null ? [html("div", { class: "spinner", "aria-hidden": "true" })] : [];
    veil.replaceChildren(...sign, html("p", {}, words ?? "Reading the graph…"));
    document.body.append(veil);
  };
  host.onPicture((picture) => {
    veil.hidden = true;
    if (picture.kind === "findings") return report(picture, at);
    if (picture.kind === "map") {
      map ??= new MapPanel(host, at);
      return map.show(picture);
    }
    panel ??= new Panel(host, at);
    panel.show(picture);
  }, meanwhile);
}
