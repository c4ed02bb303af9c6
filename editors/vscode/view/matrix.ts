// Matrix: the same map as a table: rows import columns. In the order of the map nothing above imports from below but in cycles.

import { html } from "./dom";
import type { Folding, Link, Pack } from "./packages";

export interface MatrixTouch {
  select(id: string): void;
  turn(id: string): void;
  link(link: Link): void;
}

export function matrix(folding: Folding, selected: string | null, touch: MatrixTouch): HTMLElement {
  const order = folding.ordered(folding.leaves, folding.links);
  const links = new Map(folding.links.map((link) => [`${link.from}\n${link.to}`, link]));
  const head = html("tr", {}, html("th", { class: "corner", scope: "col" }, "imports →"));
  for (const [at, pack] of order.entries()) head.append(html("th", { scope: "col", title: pack.id }, String(at + 1)));
  const body = html("tbody");
  for (const [at, pack] of order.entries()) {
    const row = html(
      "tr",
      { class: pack.id === selected ? "selected" : undefined },
      heading(pack, at + 1, folding, touch),
    );
    for (const [across, other] of order.entries()) row.append(cell(pack, other, at > across, folding, links, touch));
    body.append(row);
  }
  return html("table", { class: "matrix", "aria-label": "Rows import columns" }, html("thead", {}, head), body);
}

function heading(pack: Pack, number: number, folding: Folding, touch: MatrixTouch): HTMLElement {
  const name = html("button", { type: "button", class: "link", title: pack.id }, pack.id);
  name.addEventListener("click", () => touch.select(pack.id));
  const row = html("th", { scope: "row", class: folding.cycles.has(pack.id) ? "cycle" : "" });
  if (pack.isPackage) row.append(turning("+", `Unfold ${pack.id}`, () => touch.turn(pack.id)));
  const above = pack.id.includes("/") ? pack.id.slice(0, pack.id.lastIndexOf("/")) : "";
  if (above) row.append(turning("−", `Fold ${above}`, () => touch.turn(above)));
  row.append(name, html("span", { class: "number" }, String(number)));
  return row;
}

function turning(sign: string, title: string, press: () => void): HTMLElement {
  const button = html("button", { type: "button", class: "turn", title, "aria-label": title }, sign);
  button.addEventListener("click", press);
  return button;
}

function cell(
  pack: Pack,
  other: Pack,
  back: boolean,
  folding: Folding,
  links: ReadonlyMap<string, Link>,
  touch: MatrixTouch,
): HTMLElement {
  if (pack === other) return html("td", { class: "own" });
  const link = links.get(`${pack.id}\n${other.id}`);
  const group = folding.cycles.get(pack.id);
  const cyclic = group !== undefined && group === folding.cycles.get(other.id);
  const firm = link && link.count > link.later;
  const classes = [
    cyclic ? "cycle" : "",
    back && cyclic && firm ? "back" : "",
    link && !firm ? "later" : "",
    link?.against ? "against" : "",
  ]
    .filter(Boolean)
    .join(" ");
  if (!link) return html("td", { class: classes });
  const title = `${pack.id} → ${other.id}: ${link.count}${link.later ? `, ${link.later} later than loading` : ""}${link.against ? `, ${link.against} against the declared layers` : ""}`;
  const button = html("button", { type: "button", title, "aria-label": title }, String(link.count));
  button.addEventListener("click", () => touch.link(link));
  return html("td", { class: classes }, button);
}
