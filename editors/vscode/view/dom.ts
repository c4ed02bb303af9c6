// Dom: making elements. Text is always set as text: names from source can not become structure.

export const SVG = "http://www.w3.org/2000/svg";

type Attributes = Record<string, string | number | boolean | undefined>;

function fill(element: Element, attributes: Attributes, children: (Node | string)[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  fill(element, attributes, children);
  return element;
}

export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** An attribute that is as it was costs no style of the page. */
export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Whether Tab goes to an element. */
export function stopsAt(element: Element, stops: boolean): void {
  setAttribute(element, "tabindex", stops ? "0" : "-1");
}

/** Pressed with the pointer or, where it has the focus, by Enter or Space. */
export function pressed(element: SVGElement, words: string, press: () => void): SVGElement {
  for (const [name, value] of Object.entries({ role: "button", "aria-label": words })) {
    element.setAttribute(name, value);
  }
  element.addEventListener("click", press);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    press();
  });
  return element;
}
