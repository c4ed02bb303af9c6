// Hosts: the editor around the view, or the page alone.

import type { Host, Kept, News, Picture, Question, Spot } from "./model";

interface Editor {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** How often a page asks for news, in milliseconds. */
const NEWS = 3000;

declare function acquireVsCodeApi(): Editor;

export type FromEditor =
  | { type: "picture"; picture: Picture }
  | { type: "busy" }
  | ({ type: "news" } & News)
  | { type: "problem"; message: string }
  | { type: "answer"; id: number; picture: Picture }
  | { type: "refusal"; id: number; message: string };

export type ToEditor =
  | { type: "ready" }
  | { type: "ask"; id: number; question: Question }
  | { type: "open"; spot: Spot }
  | { type: "shown"; title: string; root: string | null }
  | { type: "follow"; on: boolean }
  | { type: "copy"; text: string }
  /** `base64`: the content is no text. */
  | { type: "save"; content: string; base64: boolean; name: string };

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
  private readonly hearers: ((news: News) => void)[] = [];

  onPicture(show: (picture: Picture) => void, meanwhile: (words: string | null) => void): void {
    window.addEventListener("message", (event: MessageEvent<FromEditor>) => {
      const message = event.data;
      if (message.type === "picture") return show(message.picture);
      if (message.type === "busy") return meanwhile(null);
      if (message.type === "problem") return meanwhile(message.message);
      if (message.type === "news") {
        for (const heard of this.hearers) heard(message);
        return;
      }
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

  save(content: string | Blob, name: string): void {
    if (typeof content === "string") {
      this.post({ type: "save", content, base64: false, name });
      return;
    }
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      this.post({ type: "save", content: String(reader.result).replace(/^.*?,/, ""), base64: true, name });
    });
    reader.readAsDataURL(content);
  }

  copy(text: string): void {
    this.post({ type: "copy", text });
  }

  keep(kept: Kept): void {
    this.editor.setState(kept);
  }

  kept(): Kept | null {
    return (this.editor.getState() as Kept | undefined) ?? null;
  }

  onNews(heard: (news: News) => void): void {
    this.hearers.push(heard);
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
  /** Of the picture that is shown. */
  private revision = 0;

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

  shown({ title, standing }: Picture): void {
    this.revision = standing.revision;
    document.title = `${title} - graphls`;
  }

  follow(): void {}

  save(content: string | Blob, name: string): void {
    const link = document.createElement("a");
    const type = name.endsWith(".svg") ? "image/svg+xml" : "text/plain";
    link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  copy(text: string): void {
    void navigator.clipboard.writeText(text);
  }

  keep(): void {}

  kept(): null {
    return null;
  }

  /** A page that was served asks now and then whether the graph is another one, while somebody looks at it. */
  onNews(heard: (news: News) => void): void {
    if (!this.asks) return;
    setInterval(async () => {
      if (document.visibilityState !== "visible" || !this.revision) return;
      const answer = await fetch(`news${location.search}&since=${this.revision}`).catch(() => null);
      if (answer?.ok) heard((await answer.json()) as News);
    }, NEWS);
  }
}
