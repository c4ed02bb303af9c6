// Minimap: the whole of a large picture, small, with the part that is seen; a press on it goes there.

import { svg } from "./dom";

/** Fewer boxes are found without it. */
const LEAST = 100;
const WIDTH = 180;
const HEIGHT = 130;

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Minimap {
  readonly element = svg("svg", { class: "minimap", "aria-hidden": "true" });
  private readonly boxes = svg("g");
  private readonly seen = svg("rect", { class: "seen" });

  constructor(private readonly go: (x: number, y: number) => void) {
    this.element.append(this.boxes, this.seen);
    this.element.style.display = "none";
    this.element.addEventListener("pointerdown", (event) => this.press(event));
    this.element.addEventListener("pointermove", (event) => event.buttons === 1 && this.press(event));
  }

  draw(boxes: readonly Area[], frames: readonly Area[], width: number, height: number): void {
    this.element.style.display = boxes.length < LEAST ? "none" : "";
    if (boxes.length < LEAST) return;
    const scale = Math.min(WIDTH / width, HEIGHT / height);
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.element.setAttribute("width", String(Math.max(width * scale, 20)));
    this.element.setAttribute("height", String(Math.max(height * scale, 20)));
    this.seen.setAttribute("stroke-width", String(2 / scale));
    // One path for all of them: hundreds of elements would be drawn with each move.
    const outline = ({ x, y, width: w, height: h }: Area): string => `M${x} ${y}h${w}v${h}h${-w}z`;
    this.boxes.replaceChildren(
      svg("path", { class: "frames", d: frames.map(outline).join("") }),
      svg("path", { class: "boxes", d: boxes.map(outline).join("") }),
    );
  }

  frame(x: number, y: number, width: number, height: number): void {
    for (const [name, value] of Object.entries({ x, y, width, height })) {
      this.seen.setAttribute(name, String(value));
    }
  }

  private press(event: PointerEvent): void {
    const matrix = this.element.getScreenCTM();
    if (!matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    this.go(x, y);
  }
}
