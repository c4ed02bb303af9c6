// Discovery: which server to start: a setting, the Python of the workspace, the search path, an environment of our own.
//
// Invariant: nothing of the workspace is run to find out; a folder named graphls in it is never imported. Whatever is
// passed over is in the log, with the reason.

import { type ExecFileException, execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import * as settings from "./settings";

export const MINIMUM = "0.1.0";
/** A machine that starts other programs as well may take long for the first words of a Python. */
const PATIENCE = 60_000;
const run = promisify(execFile);

export interface Server {
  command: string;
  args: string[];
  version: string;
  /** Where it was found, for people. */
  origin: string;
}

/** A server that was named or found and can not be used; the message says what to do. */
export class Unusable extends Error {}

/** Where programs run: no folder of the workspace, and one that exists: without it they seem to be missing themselves. */
export function neutralFolder(): string {
  return existsSync(homedir()) ? homedir() : path.parse(process.execPath).root;
}

/** `-P` (Python 3.11): the current folder is not searched for modules. */
const MODULE = ["-P", "-m", "graphls"];

export async function findServer(storage: vscode.Uri, log: vscode.LogOutputChannel): Promise<Server | undefined> {
  const named = settings.path();
  if (named) return demanded(named, [], "the setting graphls.path");
  const interpreter = settings.interpreter();
  if (interpreter) return demanded(interpreter, MODULE, "the setting graphls.interpreter");
  log.info("looking for a server: graphls.path and graphls.interpreter are not set");
  const candidates: [string | undefined, string[], string][] = [
    [await pythonOfWorkspace(), MODULE, "the Python of the workspace"],
    [await onPath("graphls"), [], "the search path"],
    [await existing(privatePython(storage)), MODULE, "its own environment"],
  ];
  let old: Server | undefined;
  for (const [command, args, origin] of candidates) {
    const found = command ? await ask(command, args, origin) : "there is none";
    if (typeof found === "string") {
      log.info(`no server from ${origin}: ${found}`);
    } else {
      if (!older(found.version, MINIMUM)) return found;
      old ??= found;
    }
  }
  if (old) throw tooOld(old);
  return undefined;
}

async function demanded(command: string, args: string[], origin: string): Promise<Server> {
  const found = await ask(command, args, origin);
  if (typeof found === "string") throw new Unusable(`${command} (${origin}) can not be used: ${found}.`);
  if (older(found.version, MINIMUM)) throw tooOld(found);
  return found;
}

function tooOld(server: Server): Unusable {
  const { command, version, origin } = server;
  return new Unusable(`graphls ${version} (${command}, from ${origin}) is too old: ${MINIMUM} or newer is needed.`);
}

/** The server that a command is, or why it is none. */
async function ask(command: string, args: string[], origin: string): Promise<Server | string> {
  try {
    const { stdout } = await run(command, [...args, "--version"], { timeout: PATIENCE, cwd: neutralFolder() });
    const version = /graphls (\d[\w.+-]*)/.exec(stdout)?.[1];
    return version ? { command, args, version, origin } : "it does not say a version of graphls";
  } catch (problem) {
    return reason(problem as ExecFileException & { stderr?: string });
  }
}

function reason({ code, killed, signal, stderr, message }: ExecFileException & { stderr?: string }): string {
  if (killed) return `it was silent for ${PATIENCE / 1000} s`;
  if (code === "ENOENT") return "there is no such program";
  if (code === "EACCES") return "it may not be run";
  const last = stderr?.trim().split("\n").at(-1);
  return `${signal ? `it was ended by ${signal}` : `it ended with ${code}`}: ${last || message.split("\n")[0]}`;
}

/** Compares the numbers in front; what follows them does not count. */
export function older(version: string, than: string): boolean {
  const numbers = (text: string): number[] => text.split(/[^\d]+/, 3).map(Number);
  const [a, b] = [numbers(version), numbers(than)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference) return difference < 0;
  }
  return false;
}

interface PythonExtension {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(of: unknown): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

async function pythonExtension(): Promise<PythonExtension | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    return await extension?.activate();
  } catch {
    return undefined;
  }
}

/** The interpreter that the Python extension has chosen; a workspace that is not trusted chooses none. */
export async function pythonOfWorkspace(): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) return undefined;
  const environments = (await pythonExtension())?.environments;
  const active = environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  if (!environments || !active) return undefined;
  try {
    return (await environments.resolveEnvironment(active))?.executable?.uri?.fsPath ?? active.path;
  } catch {
    return active.path;
  }
}

export async function onPythonChange(then: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonExtension())?.environments?.onDidChangeActiveEnvironmentPath?.(then);
}

/** An executable on the search path; parts that are relative to the current folder do not count. */
export async function onPath(name: string): Promise<string | undefined> {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    for (const ending of endings) {
      const found = await existing(path.join(folder, name + ending));
      if (found) return found;
    }
  }
  return undefined;
}

async function existing(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}

export function privatePython(storage: vscode.Uri): string {
  const inside = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  return path.join(storage.fsPath, "environment", ...inside);
}

async function suitablePython(): Promise<string | undefined> {
  const names = ["python3", "python3.13", "python3.12", "python3.11", "python"];
  const found = await Promise.all(names.map((name) => onPath(name)));
  for (const candidate of [settings.interpreter(), await pythonOfWorkspace(), ...found]) {
    if (!candidate) continue;
    try {
      const check = "import sys; sys.exit(sys.version_info < (3, 11))";
      await run(candidate, ["-I", "-c", check], { timeout: PATIENCE, cwd: neutralFolder() });
      return candidate;
    } catch {
      // Too old, or no Python: the next one.
    }
  }
  return undefined;
}

/** What pip installs: what the setting names, else the wheel that came with the extension. Never a bare name that
 * nobody chose: whoever owns it on an index would decide what runs here. */
async function installed(extension: vscode.Uri): Promise<string> {
  const named = settings.packageName();
  if (named) return named;
  const folder = vscode.Uri.joinPath(extension, "server");
  const files = await vscode.workspace.fs.readDirectory(folder).then(undefined, () => []);
  const wheel = files.map(([name]) => name).find((name) => name.endsWith(".whl"));
  if (!wheel)
    throw new Unusable("This extension came without a server. Set graphls.package to what pip is to install.");
  return vscode.Uri.joinPath(folder, wheel).fsPath;
}

/** Make an environment of our own and install the server there. One that works goes on when nothing can be fetched. */
export async function createEnvironment(
  storage: vscode.Uri,
  extension: vscode.Uri,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const wanted = await installed(extension);
  const python = await suitablePython();
  if (!python) throw new Unusable("No Python 3.11 or newer was found. Install one, or set graphls.interpreter.");
  const folder = path.join(storage.fsPath, "environment");
  const options = { location: vscode.ProgressLocation.Notification, title: "graphls", cancellable: true };
  await vscode.window.withProgress(options, async (progress, token) => {
    const stopped = new AbortController();
    token.onCancellationRequested(() => stopped.abort());
    const step = async (message: string, command: string, args: string[]): Promise<void> => {
      progress.report({ message });
      log.info(`${command} ${args.join(" ")}`);
      const { stdout, stderr } = await run(command, args, { signal: stopped.signal, cwd: neutralFolder() });
      log.info(`${stdout}${stderr}`.trim());
    };
    try {
      await vscode.workspace.fs.createDirectory(storage);
      const works = typeof (await ask(privatePython(storage), MODULE, "")) !== "string";
      if (!works) await step("making an environment", python, ["-I", "-m", "venv", "--clear", folder]);
      const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--upgrade", "--force-reinstall"];
      await step("installing the server", privatePython(storage), [...pip, wanted]);
    } catch (problem) {
      log.error(String(problem));
      throw new Unusable(
        token.isCancellationRequested ? "Stopped." : "The server could not be installed: the log says why.",
      );
    }
  });
}
