// Viewport: a layer of a drawing that is moved with the pointer and zoomed with the wheel.

export class Viewport {
  scale = 1;
  left = 0;
  top = 0;

  /** `fixed`: what a pointer may be put on without moving the layer. `moved`: is called after each move. */
  constructor(
    private readonly element: SVGSVGElement,
    private readonly layer: SVGGElement,
    private readonly fixed: string,
    private readonly moved: () => void = () => undefined,
  ) {
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("pointerdown", (event) => this.drag(event));
  }

  move(): void {
    this.layer.setAttribute("transform", `translate(${this.left} ${this.top}) scale(${this.scale})`);
    this.moved();
  }

  zoom(by: number, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2): void {
    const scale = Math.min(Math.max(this.scale * by, 0.1), 3);
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.move();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = this.element.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
  }

  private drag(down: PointerEvent): void {
    if ((down.target as Element).closest(this.fixed)) return;
    this.element.setPointerCapture(down.pointerId);
    const from = { x: down.clientX - this.left, y: down.clientY - this.top };
    const follow = (event: PointerEvent): void => {
      this.left = event.clientX - from.x;
      this.top = event.clientY - from.y;
      this.move();
    };
    this.element.addEventListener("pointermove", follow);
    const end = (): void => this.element.removeEventListener("pointermove", follow);
    this.element.addEventListener("pointerup", end, { once: true });
    this.element.addEventListener("pointercancel", end, { once: true });
  }
}
