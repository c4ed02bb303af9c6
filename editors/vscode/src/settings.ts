// Settings: what the user chose, for the extension itself and for the server.
//
// Invariant: the server is sent only what someone set; its own defaults and the files of the workspace stand otherwise.

import * as vscode from "vscode";
import manifest from "../package.json";

/** Settings of the extension; the server knows nothing of them. */
const OWN = new Set([
  "graphls.path",
  "graphls.interpreter",
  "graphls.args",
  "graphls.package",
  "graphls.notifications",
  "graphls.trace.server",
]);
const RESTRICTED = new Set<string>(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations);
const KEYS = manifest.contributes.configuration.flatMap((section) => Object.keys(section.properties));

type Tree = { [key: string]: Tree | unknown };

/** What someone set: the nearest scope wins; a workspace that is not trusted says nothing about restricted keys. */
function chosen(key: string, folder?: vscode.Uri): unknown {
  if (folder) return vscode.workspace.getConfiguration(undefined, folder).inspect(key)?.workspaceFolderValue;
  const found = vscode.workspace.getConfiguration(undefined, null).inspect(key);
  const near = !RESTRICTED.has(key) || vscode.workspace.isTrusted;
  return (near ? found?.workspaceValue : undefined) ?? found?.globalValue;
}

/** The `graphls` section for the server: for all folders, or what one of several folders says for itself. */
export function serverSection(folder?: vscode.Uri): Tree {
  const section: Tree = {};
  for (const key of KEYS) {
    const value = OWN.has(key) ? undefined : chosen(key, folder);
    if (value === undefined) continue;
    const [, ...path] = key.split(".");
    let at = section;
    for (const part of path.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Tree;
    }
    at[path.at(-1) ?? ""] = value;
  }
  return section;
}

function text(key: string): string {
  const value = chosen(`graphls.${key}`);
  return typeof value === "string" ? expanded(value) : "";
}

export function path(): string {
  return text("path");
}

export function interpreter(): string {
  return text("interpreter");
}

export function extraArguments(): string[] {
  const value = chosen("graphls.args");
  return Array.isArray(value) ? value.map((one) => expanded(String(one))) : [];
}

/** What pip installs into an environment of our own, where the user chose it. */
export function packageName(): string {
  return text("package");
}

export function notifications(): boolean {
  return vscode.workspace.getConfiguration("graphls").get("notifications", true);
}

/** Settings whose change needs another process. */
export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  return ["path", "interpreter", "args"].some((key) => event.affectsConfiguration(`graphls.${key}`));
}

function expanded(value: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return value
    .replace(/\$\{workspaceFolder\}/g, folder)
    .replace(/\$\{userHome\}|^~(?=[\\/])/g, process.env.HOME ?? process.env.USERPROFILE ?? "")
    .replace(/\$\{env:(\w+)\}/g, (_, name: string) => process.env[name] ?? "");
}
