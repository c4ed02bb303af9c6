// History: states of a picture that can be gone back to and forward again.

export class History<State> {
  private readonly past: State[] = [];
  private future: State[] = [];

  constructor(private current: State) {}

  get now(): State {
    return this.current;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** What was undone before is forgotten. */
  change(next: State): void {
    this.past.push(this.current);
    this.current = next;
    this.future = [];
  }

  /** Another beginning of the same: what stands, without a step. */
  replace(state: State): void {
    this.current = state;
  }

  undo(): boolean {
    return this.step(this.past, this.future);
  }

  redo(): boolean {
    return this.step(this.future, this.past);
  }

  private step(from: State[], to: State[]): boolean {
    const next = from.pop();
    if (next === undefined) return false;
    to.push(this.current);
    this.current = next;
    return true;
  }
}
