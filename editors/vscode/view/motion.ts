// Motion: what moved is seen to move. Whoever asked the system for less of it gets none.

const LASTS = 260;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");
/** More elements than these would stutter rather than move. */
const MOST = 600;

interface Spot {
  x: number;
  y: number;
}

let begun = 0;
let counted = 0;

/** All that moves in one frame counts: beyond a bound it is simply there. */
function allowed(): boolean {
  const now = performance.now();
  if (now - begun > LASTS) [begun, counted] = [now, 0];
  counted += 1;
  return counted <= MOST && !CALM.matches;
}

export function glide(element: SVGElement, from: Spot, to: Spot): void {
  if (Math.abs(from.x - to.x) + Math.abs(from.y - to.y) < 1 || !allowed()) return;
  const at = ({ x, y }: Spot): Keyframe => ({ transform: `translate(${x}px, ${y}px)` });
  element.animate([at(from), at(to)], { duration: LASTS, easing: "ease-in-out" });
}

export function appear(element: SVGElement): void {
  if (allowed()) element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: LASTS, easing: "ease-in" });
}
