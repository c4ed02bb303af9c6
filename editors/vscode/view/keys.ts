// Keys: which key does what in a picture, and how that is said.

import { html } from "./dom";

export const KEYS: readonly [string, string][] = [
  ["arrows", "go to the next node"],
  ["Shift+Tab", "go to its links, Enter tells where they come from"],
  ["Enter", "open the source"],
  ["Space, e, double click", "expand"],
  ["x", "collapse"],
  ["h, H", "hide; show what was hidden"],
  ["u, U", "undo, redo"],
  ["c", "make it the middle"],
  ["i", "impact of it"],
  ["t", "trace from the middle to it"],
  ["g", "group by module, by class, not at all"],
  ["l", "list beside the picture"],
  ["r", "refresh"],
  ["Backspace", "back"],
  ["+ − 0", "zoom, show everything"],
  ["/", "search, Enter: next"],
  ["Escape", "close, leave the search"],
];

export function helpPage(): HTMLElement {
  const keys = KEYS.map(([key, words]) => html("div", {}, html("kbd", {}, key), words));
  return html(
    "div",
    { class: "help", hidden: true, role: "dialog", "aria-label": "Keys" },
    html("b", {}, "Keys"),
    ...keys,
  );
}

/** Whether a key belongs to what has the focus rather than to the picture. */
export function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as Element;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (target.matches?.("input, select, textarea, summary")) return true;
  return Boolean(target.matches?.("button, .frame.group")) && (event.key === "Enter" || event.key === " ");
}
