// Main: the view, put into whatever holds it.

import { html } from "./dom";
import { EditorHost, inEditor, PageHost } from "./hosts";
import { MapPanel } from "./mapPanel";
import type { Picture } from "./model";
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
  const show = (picture: Picture, view?: unknown): void => {
    veil.hidden = true;
    if (picture.kind === "findings") report(picture, at);
    else if (picture.kind === "map") {
      map ??= new MapPanel(host, at);
      map.show(picture, view);
    } else {
      panel ??= new Panel(host, at);
      if (view === undefined) panel.show(picture);
      else void panel.restore(picture, view);
    }
  };
  host.onPicture((picture) => show(picture), meanwhile);
  // A window that was loaded again: what it showed is asked for anew.
  const kept = host.kept();
  if (kept) {
    meanwhile(null);
    host.ask(kept.question).then(
      (picture) => show(picture, kept.view),
      (problem: unknown) => meanwhile(problem instanceof Error ? problem.message : String(problem)),
    );
  }
}
