// Viewport: a drawing that is moved with the pointer and zoomed with the wheel.
//
// Invariant: a step changes one style of what is around the drawing: in the drawing, or on it, the browser would lay out
// all of its text anew.

import { html } from "./dom";

/** What is smaller than this has letters of four points: they say nothing, and each step of a zoom would measure them. */
const FAR = 0.3;

export class Viewport {
  scale = 1;
  left = 0;
  top = 0;

  private readonly sheet: HTMLElement;
  private frame = 0;

  /** `fixed`: what a pointer may be put on without moving the drawing. `moved`: is called after each move. */
  constructor(
    private readonly element: HTMLElement,
    drawing: SVGSVGElement,
    private readonly fixed: string,
    private readonly moved: () => void = () => undefined,
  ) {
    this.sheet = html("div", { class: "sheet" }, drawing);
    element.append(this.sheet);
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("pointerdown", (event) => this.drag(event));
  }

  move(): void {
    cancelAnimationFrame(this.frame);
    this.sheet.classList.toggle("far", this.scale < FAR);
    this.sheet.style.transform = `translate(${this.left}px, ${this.top}px) scale(${this.scale})`;
    this.moved();
  }

  /** Pointers and wheels say more in one frame than is seen of it. */
  private soon(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.move());
  }

  zoom(by: number): void {
    this.zoomAt(by, this.element.clientWidth / 2, this.element.clientHeight / 2);
    this.move();
  }

  private zoomAt(by: number, x: number, y: number): void {
    const scale = Math.min(Math.max(this.scale * by, 0.1), 3);
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = this.element.getBoundingClientRect();
    this.zoomAt(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    this.soon();
  }

  private drag(down: PointerEvent): void {
    if ((down.target as Element).closest(this.fixed)) return;
    this.element.setPointerCapture(down.pointerId);
    const from = { x: down.clientX - this.left, y: down.clientY - this.top };
    const follow = (event: PointerEvent): void => {
      this.left = event.clientX - from.x;
      this.top = event.clientY - from.y;
      this.soon();
    };
    this.element.addEventListener("pointermove", follow);
    const end = (): void => this.element.removeEventListener("pointermove", follow);
    this.element.addEventListener("pointerup", end, { once: true });
    this.element.addEventListener("pointercancel", end, { once: true });
  }
}
