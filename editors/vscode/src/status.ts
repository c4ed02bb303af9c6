// Status: the item in the status bar, and what a click on it shows.

import * as vscode from "vscode";
import { ask } from "./asking";
import type { Life, Phase } from "./life";
import type { Checker, Status } from "./wire";

const PAUSE = 300;
const AGAIN = 1000;

const PHASES: Record<Phase, string> = {
  searching: "$(sync~spin) graphls",
  starting: "$(sync~spin) graphls",
  running: "$(type-hierarchy) graphls",
  waiting: "$(warning) graphls restarts",
  missing: "$(warning) graphls missing",
  stopped: "$(circle-slash) graphls stopped",
};

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("graphls.status", vscode.StatusBarAlignment.Right, 90);
  private readonly heard: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly life: Life) {
    this.item.name = "graphls";
    this.item.command = "graphls.showStatus";
    this.heard = [life.onPhase(() => this.phase()), life.onGraph(() => this.later(PAUSE))];
    this.phase();
    this.item.show();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of [...this.heard, this.item]) one.dispose();
  }

  private phase(): void {
    const { phase, server } = this.life;
    this.item.text = PHASES[phase];
    this.item.tooltip = server ? `graphls ${server.version}: ${phase}` : `graphls: ${phase}`;
    const bad = phase === "missing" || phase === "stopped";
    this.item.backgroundColor = bad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (phase === "running") this.later(0);
  }

  private later(pause: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), pause);
  }

  private async refresh(): Promise<void> {
    const answer = await ask<Status>(this.life, "graph/status", {}).catch(() => undefined);
    if (!answer) return;
    const { stage = "ready", done = 0, total = 0 } = answer.session ?? {};
    const busy = total > 0 && done < total;
    const mark = answer.fresh ? "$(type-hierarchy)" : "$(sync~spin)";
    const share = busy ? `${Math.floor((100 * done) / total)}%` : `r${answer.revision}`;
    this.item.text = `${busy ? "$(sync~spin)" : mark} graphls ${share}`;
    this.item.tooltip = lines(answer, this.life.server?.version).join("\n");
    if (busy || stage === "indexing" || !answer.fresh) this.later(AGAIN);
  }

  async menu(): Promise<void> {
    const answer = await ask<Status>(this.life, "graph/status", {}).catch(() => undefined);
    const facts = answer ? lines(answer, this.life.server?.version) : [`The server: ${this.life.phase}`];
    const separator = { label: "", kind: vscode.QuickPickItemKind.Separator };
    const steps = [
      { label: "$(debug-restart) Restart", run: () => this.life.restart() },
      { label: "$(output) Show Log", run: () => this.life.log.show() },
      { label: "$(add) Create an Environment for the Server", run: () => this.life.install() },
    ];
    // The server brings this command, so it is there as long as the server is.
    const rescan = {
      label: "$(refresh) Read All Files Anew",
      run: () => vscode.commands.executeCommand("graphls.rescan"),
    };
    const offered = this.life.client ? [...steps, rescan] : steps;
    const items = [...facts.map((label) => ({ label, run: undefined })), separator, ...offered];
    const chosen = await vscode.window.showQuickPick(items, { title: "graphls" });
    if (chosen && "run" in chosen) await chosen.run?.();
  }
}

function checker({ name, version, state, problem, asked, answered }: Checker): string {
  const said = asked ? `, ${answered} of ${asked} questions answered` : "";
  return `checker ${[name, version].filter(Boolean).join(" ")}: ${state}${said}${problem ? `: ${problem}` : ""}`;
}

function lines(answer: Status, version = "?"): string[] {
  const { status, session } = answer;
  const state = answer.fresh ? "fresh" : `${answer.pendingCount} changed files not read yet`;
  const found = [
    `graphls ${version}, revision ${answer.revision}, ${state}`,
    `${status.files} files, ${status.indexed} indexed, ${status.skippedCount ?? 0} skipped`,
  ];
  if (status.dirty.length) found.push(`not saved: ${status.dirty.join(", ")}`);
  if (session) found.push(`stage ${session.stage}${session.total ? ` ${session.done}/${session.total}` : ""}`);
  const checkers = (session?.checkers ?? []).map(checker);
  return [...found, ...(checkers.length ? checkers : ["no checker is asked"]), ...(session?.problems ?? [])];
}
