// Main: the view, put into whatever holds it.

import { EditorHost, inEditor, PageHost } from "./hosts";
import { Panel } from "./panel";
import { report } from "./report";

const at = document.getElementById("graphls");
if (at) {
  const host = inEditor() ? new EditorHost() : new PageHost();
  document.body.classList.toggle("page", !inEditor());
  let panel: Panel | null = null;
  host.onPicture((picture) => {
    if (picture.kind === "findings") return report(picture, at);
    panel ??= new Panel(host, at);
    panel.show(picture);
  });
}
