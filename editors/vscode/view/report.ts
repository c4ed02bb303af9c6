// Report: findings as a page: by rule, most pressing first, with their evidence.

import { html } from "./dom";
import { caveats, counted, type Picture, type ViewFinding } from "./model";

const PRIORITIES = ["P1", "P2", "P3", "info"];

export function report(picture: Picture, at: HTMLElement): void {
  const findings = picture.findings ?? [];
  const search = html("input", { type: "search", placeholder: "Search", "aria-label": "Search findings" });
  const list = html("main", { class: "report" });
  const hidden = new Set<string>();
  const draw = (): void => {
    const text = search.value.toLowerCase();
    const shown = findings.filter((one) => !hidden.has(one.priority) && words(one).includes(text));
    list.replaceChildren(...byRule(shown));
    if (!shown.length) list.append(html("p", {}, findings.length ? "Nothing fits." : "No findings."));
  };
  const bar = html("div", { class: "controls", role: "toolbar", "aria-label": "What is shown" });
  bar.append(html("b", {}, picture.title));
  for (const priority of PRIORITIES) {
    const count = findings.filter((one) => one.priority === priority).length;
    const box = html("input", { type: "checkbox", checked: true, id: `priority-${priority}` });
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(priority);
      else hidden.add(priority);
      draw();
    });
    if (count) bar.append(html("label", { class: "check" }, box, `${priority} (${count})`));
  }
  bar.append(html("span", { class: "space" }), search);
  search.addEventListener("input", draw);
  const standing = [counted(findings.length, "finding"), ...caveats(picture.standing)].join(" · ");
  at.replaceChildren(bar, list, html("div", { class: "foot" }, html("span", { class: "standing" }, standing)));
  document.body.dataset.picture = picture.kind;
  draw();
}

function words(one: ViewFinding): string {
  const places = one.evidence.map((evidence) => `${evidence.file} ${evidence.note}`);
  return [one.rule, one.title, one.pressure, ...places].join(" ").toLowerCase();
}

function byRule(findings: readonly ViewFinding[]): HTMLElement[] {
  const rules = new Map<string, ViewFinding[]>();
  for (const one of findings) rules.set(one.rule, [...(rules.get(one.rule) ?? []), one]);
  return [...rules].map(([rule, found]) =>
    html("section", {}, html("h2", {}, `${rule} `, html("small", {}, String(found.length))), ...found.map(finding)),
  );
}

function finding(one: ViewFinding): HTMLElement {
  const evidence = one.evidence.map((at) =>
    html("li", {}, html("code", {}, `${at.file}:${at.line}`), at.note ? ` ${at.note}` : ""),
  );
  const suggestions = one.suggestions.map((text) => html("p", { class: "suggestion" }, `Try: ${text}`));
  return html(
    "article",
    { "data-finding": one.id },
    html("h3", {}, html("span", { class: `priority priority-${one.priority}` }, one.priority), one.title),
    html("p", {}, one.pressure),
    html("ul", {}, ...evidence),
    ...suggestions,
  );
}
