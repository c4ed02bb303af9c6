// Contrast of what a page shows, as WCAG 2.1 computes it. Runs in the page: it may use nothing around it.

/** What is below 4.5 (text; 3 where it is large) or 3 (controls, lines, marks of kinds), each once. */
export function contrasts() {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", {
    willReadFrequently: true,
  });
  const known = new Map();
  const colour = (css) => {
    if (!known.has(css)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = css;
      pen.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
      known.set(css, [red, green, blue, alpha / 255]);
    }
    return known.get(css);
  };
  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const light = (one) => {
    const [red, green, blue] = one.map((part) =>
      part / 255 <= 0.03928 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratio = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const SHAPES = ["rect", "path", "circle", "polygon"];
  const filling = (element) => {
    const style = getComputedStyle(element);
    const shape = element instanceof SVGElement && SHAPES.includes(element.tagName);
    const css = shape ? style.fill : element instanceof SVGElement ? "transparent" : style.backgroundColor;
    const [red, green, blue, alpha] = colour(css === "none" ? "transparent" : css);
    return [red, green, blue, alpha * (shape ? Number(style.opacity) * Number(style.fillOpacity) : 1)];
  };
  /** What is painted below an element, at a place in it. */
  const ground = (element, x, y) => {
    const stack = document.elementsFromPoint(x, y);
    const from = stack.indexOf(element);
    if (from < 0) return null; // Something lies over it, or it is not on the screen.
    let found = [0, 0, 0, 0];
    for (const one of [...stack.slice(from + 1), document.documentElement]) {
      const own = filling(one);
      const alpha = found[3] + own[3] * (1 - found[3]);
      if (alpha > 0) {
        found = [0, 1, 2].map((at) => (found[at] * found[3] + own[at] * own[3] * (1 - found[3])) / alpha).concat(alpha);
      }
      if (found[3] > 0.995) break;
    }
    return over(found, colour("Canvas"));
  };
  const problems = new Set();
  const check = (what, value, least) => {
    if (value < least - 0.005) problems.add(`${what}: ${value.toFixed(2)} < ${least}`);
  };
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    const seen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    return seen && box.width > 0 && box.height > 0 && !element.closest(":disabled, .dim") ? box : null;
  };
  const named = (element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""} in .${element.parentElement?.getAttribute("class") ?? ""}`;
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    const control = element.matches("button, input, select, summary");
    const stroke = element.matches(".line .stroke, .import .stroke");
    const mark = element.matches(".stripe");
    if (!(text || control || stroke || mark)) continue;
    const box = shown(element);
    if (!box || element.closest("option, title, script, style")) continue;
    const style = getComputedStyle(element);
    if (stroke || mark) {
      const below = stroke
        ? over(filling(document.body), colour("Canvas"))
        : ground(element, box.x + box.width / 2, box.y + box.height / 2);
      const [red, green, blue, alpha] = colour(mark ? style.fill : style.stroke);
      if (below) check(named(element), ratio(over([red, green, blue, alpha * Number(style.opacity)], below), below), 3);
      continue;
    }
    const below = ground(element, box.x + Math.min(box.width / 2, 12), box.y + box.height / 2);
    if (!below) continue;
    const face = over(filling(element), below);
    if (text) {
      const ink = over(colour(element instanceof SVGElement ? style.fill : style.color), face);
      const large = parseFloat(style.fontSize) >= 24;
      check(`${named(element)} "${element.textContent.trim().slice(0, 24)}"`, ratio(ink, face), large ? 3 : 4.5);
    }
    if (control && !element.matches(".link, .turn, td button") && element.type !== "checkbox") {
      const rim = over(colour(style.borderTopColor), below);
      const bordered = style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0;
      check(`rim of ${named(element)}`, Math.max(bordered ? ratio(rim, below) : 0, ratio(face, below)), 3);
    }
  }
  return [...problems];
}
