// Hosts: the editor around the view, or the page alone.

import type { Host, Picture, Question, Spot } from "./model";

interface Editor {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): Editor;

export type FromEditor =
  | { type: "picture"; picture: Picture }
  | { type: "busy" }
  | { type: "problem"; message: string }
  | { type: "answer"; id: number; picture: Picture }
  | { type: "refusal"; id: number; message: string };

export type ToEditor =
  | { type: "ready" }
  | { type: "ask"; id: number; question: Question }
  | { type: "open"; spot: Spot }
  | { type: "shown"; title: string; root: string | null }
  | { type: "follow"; on: boolean }
  | { type: "save"; svg: string; name: string };

export function inEditor(): boolean {
  return typeof acquireVsCodeApi === "function";
}

export class EditorHost implements Host {
  readonly asks = true;
  readonly opens = true;
  readonly follows = true;
  private readonly editor = acquireVsCodeApi();
  private readonly waiting = new Map<number, { done(picture: Picture): void; failed(problem: Error): void }>();
  private last = 0;

  onPicture(show: (picture: Picture) => void, meanwhile: (words: string | null) => void): void {
    window.addEventListener("message", (event: MessageEvent<FromEditor>) => {
      const message = event.data;
      if (message.type === "picture") return show(message.picture);
      if (message.type === "busy") return meanwhile(null);
      if (message.type === "problem") return meanwhile(message.message);
      const asked = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.type === "answer") asked?.done(message.picture);
      else asked?.failed(new Error(message.message));
    });
    this.post({ type: "ready" });
  }

  ask(question: Question): Promise<Picture> {
    this.last += 1;
    const id = this.last;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.post({ type: "ask", id, question });
    });
  }

  open(spot: Spot): void {
    this.post({ type: "open", spot });
  }

  shown({ title, root }: Picture): void {
    this.post({ type: "shown", title, root: root ?? null });
  }

  follow(on: boolean): void {
    this.post({ type: "follow", on });
  }

  save(svg: string, name: string): void {
    this.post({ type: "save", svg, name });
  }

  private post(message: ToEditor): void {
    this.editor.postMessage(message);
  }
}

/** A page with its picture in it. When it was served, the server answers more. */
export class PageHost implements Host {
  readonly opens = false;
  readonly follows = false;
  readonly asks = location.protocol === "http:";

  onPicture(show: (picture: Picture) => void): void {
    const text = document.getElementById("graphls-picture")?.textContent;
    if (text) show(JSON.parse(text) as Picture);
  }

  async ask(question: Question): Promise<Picture> {
    const answer = await fetch(`ask${location.search}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(question),
    });
    const said = (await answer.json()) as Picture | { error: string };
    if ("error" in said) throw new Error(said.error);
    return said;
  }

  open(): void {}

  shown({ title }: Picture): void {
    document.title = `${title} - graphls`;
  }

  follow(): void {}

  save(svg: string, name: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
