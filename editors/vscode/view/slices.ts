// Slices: work on the page that is done in parts, one in each frame.
//
// Owns: what is still to be done of it.
// Invariant: what was begun before is dropped where other work begins.

/** Of all that there are. */
const unfinished = new Set<Slices>();

export class Slices {
  private frame = 0;
  private work: Iterator<undefined, void> | null = null;

  begin(work: Iterator<undefined, void>): void {
    this.work = work;
    this.soon();
  }

  /** The next part of it now. */
  step(): void {
    if (this.work?.next().done) this.work = null;
    this.soon();
  }

  /** All of it now: somebody needs the page as it will be. */
  finish(): void {
    while (this.work && !this.work.next().done);
    this.work = null;
    this.soon();
  }

  private soon(): void {
    cancelAnimationFrame(this.frame);
    if (this.work) unfinished.add(this);
    else unfinished.delete(this);
    document.body.classList.toggle("unfinished", unfinished.size > 0);
    if (!this.work) return;
    this.frame = requestAnimationFrame(() => this.step());
  }
}

/** Parts of a list, each as long as one frame takes. */
export function parts<T>(list: readonly T[], size: number): T[][] {
  const found: T[][] = [];
  for (let start = 0; start < list.length; start += size) found.push(list.slice(start, start + size));
  return found;
}
