// Life: the client from its start to its end: finding a server, starting it, coming back when it dies.
//
// Invariant: at most one client lives; a server that keeps dying is left alone with a message that helps.

import type { ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  State,
  type StaticFeature,
} from "vscode-languageclient/node";
import { createEnvironment, findServer, neutralFolder, type Server, Unusable } from "./discovery";
import { findingOf, IGNORE, SUPPRESS } from "./findingsView";
import * as settings from "./settings";

const FIRST_DELAY = 1000;
const MOST_DEATHS = 5;
const CALM = 180_000;
/** So long a server may take for its first answer before the user is told; the wait goes on. */
const PATIENCE = 30_000;
const LANGUAGES = [
  "python",
  "typescript",
  "typescriptreact",
  "javascript",
  "javascriptreact",
  "go",
  "c",
  "cpp",
  "java",
  "rust",
  "csharp",
  "php",
  "incan",
  "kotlin",
  "lua",
  "shellscript",
  "ruby",
  "swift",
];
/** By name: without an extension for them these files have no language of their own. */
const COMPONENTS = "**/*.{vue,svelte,astro}";
/** Documents whose entries are declarations: they have a language only where some extension brings it. */
const DOCUMENTS = "**/*.{sql,graphql,graphqls,gql,proto}";
const NOTEBOOKS = "**/*.ipynb";

/** What goes wrong is in the log; what a user can do about it is said by Life, once. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    // The library calls every end of the process an error, also one that it asked for itself.
    if (message.endsWith("exited with code 0.")) this.info(message, data, false);
    else super.error(message, data, false);
  }

  /** Ends the process of a server that cannot be asked to stop: the library only asks, and needs an answer. */
  kill(): void {
    const { _serverProcess: process } = this as unknown as { _serverProcess?: ChildProcess };
    process?.kill("SIGKILL");
  }
}

/** Asks for the news of the graph: a server says nothing of its own to who did not. */
const HEARS: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...capabilities.experimental, graphls: { notifications: ["graph/didChange"] } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

/** What the server says when the graph is another one. */
export interface GraphNews {
  revision: number;
  files?: string[];
  truncated?: boolean;
}

export type Phase = "searching" | "missing" | "starting" | "running" | "waiting" | "stopped";

export class Life implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("graphls", { log: true });
  readonly trace = vscode.window.createOutputChannel("graphls Trace", { log: true });
  private readonly phases = new vscode.EventEmitter<Phase>();
  private readonly changes = new vscode.EventEmitter<GraphNews>();
  readonly onPhase = this.phases.event;
  readonly onGraph = this.changes.event;
  phase: Phase = "stopped";
  server: Server | undefined;
  private running: LanguageClient | undefined;
  private deaths: number[] = [];
  private timer: NodeJS.Timeout | undefined;
  private queue: Promise<void> = Promise.resolve();
  /** Ends the wait for a server that has not answered yet. */
  private giveUp: () => void = () => undefined;

  constructor(
    private readonly storage: vscode.Uri,
    private readonly extension: vscode.Uri,
  ) {}

  get client(): LanguageClient | undefined {
    return this.phase === "running" ? this.running : undefined;
  }

  /** Waits for a server that is being looked for or started; others are said by who asks them. */
  async ready(): Promise<void> {
    while (this.phase === "searching" || this.phase === "starting") {
      await new Promise<void>((resolve) => {
        const heard = this.onPhase(() => {
          heard.dispose();
          resolve();
        });
      });
    }
  }

  start(): Promise<void> {
    return this.queued(() => this.begin());
  }

  restart(): Promise<void> {
    this.deaths = [];
    this.giveUp();
    return this.queued(async () => {
      await this.end();
      await this.begin();
    });
  }

  /** Another Python was chosen: a server that would be found again goes on. */
  reconsider(): Promise<void> {
    return this.queued(async () => {
      const found = await findServer(this.storage, this.log).catch(() => undefined);
      const same = found?.command === this.server?.command && found?.version === this.server?.version;
      if (this.client && same) return;
      this.deaths = [];
      await this.end();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    this.giveUp();
    return this.queued(() => this.end());
  }

  /** The user's settings of the server changed. */
  configure(): void {
    // The server asks for them then, for each folder.
    void this.client?.sendNotification("workspace/didChangeConfiguration", { settings: {} });
  }

  async install(): Promise<void> {
    try {
      await createEnvironment(this.storage, this.extension, this.log);
      await this.restart();
    } catch (problem) {
      this.complain(problem);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    void this.stop();
    this.phases.dispose();
    this.changes.dispose();
    this.log.dispose();
    this.trace.dispose();
  }

  private queued(task: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(task, task);
    return this.queue;
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    this.phases.fire(phase);
  }

  private async begin(): Promise<void> {
    clearTimeout(this.timer);
    this.enter("searching");
    try {
      this.server = await findServer(this.storage, this.log);
    } catch (problem) {
      this.server = undefined;
      this.enter("missing");
      return this.complain(problem);
    }
    if (!this.server) {
      this.enter("missing");
      return this.offer("graphls: no server was found. The log says where it was looked for.");
    }
    const { command, args, version, origin } = this.server;
    this.log.info(`graphls ${version} from ${origin}: ${[command, ...args].join(" ")}`);
    this.enter("starting");
    const client = this.made(this.server);
    this.running = client;
    client.onNotification("graph/didChange", (news: GraphNews) => this.changes.fire(news));
    try {
      if (await this.answered(client)) this.enter("running");
    } catch (problem) {
      this.log.error(String(problem));
      if (this.running === client) this.died(client);
    }
  }

  /** Waits for the first answer of a server; false: it was given up, and its process is gone. */
  private async answered(client: QuietClient): Promise<boolean> {
    const words = "graphls was started and has not answered for half a minute. The log says more.";
    const patience = setTimeout(() => this.say(words, "Restart", "Show Log"), PATIENCE);
    const givenUp = new Promise<boolean>((resolve) => {
      this.giveUp = () => resolve(false);
    });
    try {
      const started = client.start().then(() => true);
      // Once given up nobody waits for what becomes of it.
      started.catch(() => undefined);
      if (await Promise.race([started, givenUp])) return true;
      this.log.warn("the server was given up before it answered");
      if (this.running === client) this.running = undefined;
      client.kill();
      return false;
    } finally {
      clearTimeout(patience);
      this.giveUp = () => undefined;
    }
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer);
    const client = this.running;
    this.running = undefined;
    this.enter("stopped");
    try {
      if (client && client.state !== State.Stopped) await client.stop();
      await client?.dispose();
    } catch (problem) {
      this.log.warn(`stopping: ${problem}`);
    }
  }

  private made(server: Server): QuietClient {
    const args = [...server.args, "serve", ...settings.extraArguments()];
    const executable = { command: server.command, args, options: { cwd: neutralFolder() } };
    const options: LanguageClientOptions = {
      documentSelector: [
        ...LANGUAGES.map((language) => ({ scheme: "file", language })),
        { scheme: "file", pattern: COMPONENTS },
        { scheme: "file", pattern: DOCUMENTS },
        // The server takes notebooks cell by cell; requests name cells.
        { scheme: "vscode-notebook-cell", pattern: NOTEBOOKS },
      ],
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      initializationOptions: () => settings.serverSection(),
      initializationFailedHandler: (problem) => {
        this.log.error(`initialize: ${problem.message}`);
        return false;
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          setTimeout(() => this.died(client));
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      middleware: {
        // What the server would write has a word for the reason: the command asks for it first.
        provideCodeActions: async (document, range, context, token, next) => {
          const offered = (await next(document, range, context, token)) ?? [];
          for (const one of offered) {
            if (!(one instanceof vscode.CodeAction && SUPPRESS.test(one.title))) continue;
            const { title } = one;
            one.command = { title, command: IGNORE, arguments: [findingOf(one), document.uri.toString(), range] };
            delete one.edit;
          }
          return offered;
        },
        resolveCodeAction: (item, token, next) => (item.command?.command === IGNORE ? item : next(item, token)),
        workspace: {
          configuration: (params) =>
            params.items.map((item) => {
              const folder = item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined;
              return item.section === "graphls" ? settings.serverSection(folder) : null;
            }),
        },
      },
    };
    const client: QuietClient = new QuietClient("graphls", "graphls", executable, options);
    client.registerFeature(HEARS);
    return client;
  }

  private died(client: LanguageClient): void {
    if (client !== this.running) return;
    this.running = undefined;
    void Promise.resolve(client.dispose()).catch(() => undefined);
    const now = Date.now();
    this.deaths = [...this.deaths.filter((at) => now - at < CALM), now];
    if (this.deaths.length > MOST_DEATHS) {
      this.enter("stopped");
      this.say("graphls keeps stopping and is left alone. The log says why.", "Show Log", "Restart");
      return;
    }
    const delay = FIRST_DELAY * 2 ** (this.deaths.length - 1);
    this.log.warn(`the server stopped; it starts again in ${delay / 1000} s`);
    this.enter("waiting");
    this.timer = setTimeout(() => void this.start(), delay);
  }

  // Words

  private complain(problem: unknown): void {
    this.log.error(String(problem));
    const words = problem instanceof Unusable ? problem.message : "The server could not be found: the log says why.";
    this.offer(`graphls: ${words}`);
  }

  private offer(words: string): void {
    const advice = vscode.workspace.isTrusted ? "" : " Until the workspace is trusted, its Python is not asked.";
    // A server that a setting names is started whatever environment there is.
    const named = settings.path() || settings.interpreter();
    this.say(words + advice, ...(named ? [] : ["Create Environment"]), "Settings", "Show Log");
  }

  private say(words: string, ...choices: string[]): void {
    if (!settings.notifications()) return;
    void vscode.window.showWarningMessage(words, ...choices).then((chosen) => {
      if (chosen === "Create Environment") void this.install();
      else if (chosen === "Restart") void this.restart();
      else if (chosen === "Show Log") this.log.show();
      else if (chosen === "Settings") void vscode.commands.executeCommand("workbench.action.openSettings", "graphls.");
    });
  }
}
