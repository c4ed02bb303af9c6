// Slices: work on the page that is done in parts, one or a few in each frame.
//
// Owns: what is still to be done of it.
// Invariant: what was begun before is dropped where other work begins.

/** Of all that there are. */
const unfinished = new Set<Slices>();

export class Slices {
  private frame = 0;
  private work: Iterator<undefined, void> | null = null;

  /** `time`: so many milliseconds of small parts are done in one frame; 0: one part is. */
  constructor(private readonly time = 0) {}

  begin(work: Iterator<undefined, void>): void {
    this.work = work;
    this.soon();
  }

  /** The same, its first parts in this frame. */
  beginNow(work: Iterator<undefined, void>): void {
    this.work = work;
    this.step();
  }

  /** The next parts of it now. */
  step(): void {
    const end = this.time && performance.now() + this.time;
    do {
      if (this.work?.next().done) this.work = null;
    } while (this.work && performance.now() < end);
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

/** Work, and what is done with what comes of it, in a part of its own. */
export function* followed<T>(work: Generator<undefined, T>, then: (found: T) => void): Generator<undefined, void> {
  const found = yield* work;
  yield;
  then(found);
}

/** Parts of a list, each as long as one frame takes. */
export function parts<T>(list: readonly T[], size: number): T[][] {
  const found: T[][] = [];
  for (let start = 0; start < list.length; start += size) found.push(list.slice(start, start + size));
  return found;
}
