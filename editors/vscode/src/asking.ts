// Asking: requests to the server, what they are about, what becomes of refusals.

import * as vscode from "vscode";
import { ResponseError } from "vscode-languageclient/node";
import type { Life } from "./life";
import type { Found, Subject } from "./wire";

/** A question that has no answer; the message is for people. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly candidates: string[] = [],
    /** `data.code` of the server's answer: stable, unlike the words. */
    readonly code = "",
  ) {
    super(message);
  }
}

interface Reason {
  candidates?: string[];
  code?: string;
}

export async function ask<Answer>(life: Life, method: string, params: object): Promise<Answer> {
  const client = life.client;
  if (!client) throw new Refusal("The server does not run. Its state is in the status bar.");
  const known = client.initializeResult?.capabilities.experimental?.graphls?.methods as string[] | undefined;
  if (known && !known.includes(method)) throw new Refusal(`This server does not answer ${method}. Update it.`);
  try {
    return await client.sendRequest<Answer>(method, params);
  } catch (problem) {
    const data = problem instanceof ResponseError ? (problem.data as Reason | undefined) : undefined;
    throw new Refusal(problem instanceof Error ? problem.message : String(problem), data?.candidates, data?.code);
  }
}

/** What is under the cursor. */
export function here(): Subject {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Refusal("Open a source file and put the cursor on a name.");
  const { line, character } = editor.selection.active;
  return { textDocument: { uri: editor.document.uri.toString() }, position: { line, character } };
}

/** A question about a subject; of several meanings the user chooses one. */
export async function about<Answer>(subject: Subject, then: (subject: Subject) => Promise<Answer>): Promise<Answer> {
  try {
    return await then(subject);
  } catch (problem) {
    if (!(problem instanceof Refusal) || !problem.candidates.length) throw problem;
    const chosen = await vscode.window.showQuickPick(problem.candidates, { placeHolder: problem.message });
    if (!chosen) throw new vscode.CancellationError();
    return then({ symbol: chosen });
  }
}

/** A symbol of the workspace, found while its name is typed. */
export function chooseSymbol(life: Life, placeholder: string): Promise<Subject | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { id: string }>();
  pick.placeholder = placeholder;
  pick.matchOnDescription = true;
  let turn = 0;
  pick.onDidChangeValue(async (text) => {
    turn += 1;
    const mine = turn;
    if (!text.trim()) return;
    const found = await ask<Found>(life, "graph/find", { text, limit: 50 }).catch(() => undefined);
    if (mine !== turn || !found) return;
    pick.items = found.matches.map(({ node }) => ({
      id: node.id,
      label: node.name,
      description: `${node.subkind ?? node.kind} ${node.symbol}`,
      alwaysShow: true,
    }));
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      resolve(chosen ? { node: chosen.id } : undefined);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** A command whose refusals become messages. */
export function told<Args extends unknown[]>(
  run: (...args: Args) => Promise<unknown>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await run(...args);
    } catch (problem) {
      if (problem instanceof vscode.CancellationError) return;
      void vscode.window.showWarningMessage(`graphls: ${problem instanceof Error ? problem.message : problem}`);
    }
  };
}
