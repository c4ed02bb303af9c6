// Again: when the question of a picture is asked once more by itself.
//
// Owns: how long it waits, how often an answer that is not whole is asked for.
// Invariant: nobody's own question is overtaken: that one is waited for.

/** News come in bursts: a picture that follows them waits for the last of one. */
const SETTLED = 400;
const MOST_TRIES = 20;
const LONGEST = 5000;

export class Again {
  private timer = 0;
  private tries = 0;

  constructor(private readonly ask: () => void) {}

  soon(delay = SETTLED): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      if (document.body.classList.contains("busy")) this.soon(delay);
      else this.ask();
    }, delay);
  }

  /** Another picture: what was wished for the one before is void. */
  reset(): void {
    window.clearTimeout(this.timer);
    this.tries = 0;
  }

  /** An answer that ended with its time: what was found is kept, so the next one has more. */
  finish(): void {
    if (this.tries >= MOST_TRIES) return;
    this.tries += 1;
    this.soon(Math.min(this.tries * SETTLED, LONGEST));
  }
}
