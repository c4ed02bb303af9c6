// Extension: everything put together.

import * as vscode from "vscode";
import type { Location, Position } from "vscode-languageclient/node";
import { about, chooseSymbol, here, told } from "./asking";
import { ChangesView } from "./changesView";
import { onPythonChange } from "./discovery";
import { BASELINE, FindingsView, IGNORE, SUPPRESS } from "./findingsView";
import { GraphPanel, VIEW } from "./graphPanel";
import { Life } from "./life";
import { Pages, SCHEME } from "./pages";
import { impact, map, neighborhood, trace } from "./pictures";
import * as settings from "./settings";
import { StatusItem } from "./status";
import { TourView } from "./tourView";
import type { Finding } from "./wire";

let life: Life | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const alive = new Life(context.globalStorageUri, context.extensionUri);
  life = alive;
  const panel = new GraphPanel(context.extensionUri, alive);
  const findings = new FindingsView(alive);
  const changes = new ChangesView(alive);
  const tour = new TourView(alive);
  const pages = new Pages(alive);
  const status = new StatusItem(alive);
  context.subscriptions.push(panel, findings, changes, tour, status, alive);
  context.subscriptions.push(vscode.window.registerWebviewPanelSerializer(VIEW, panel));
  context.subscriptions.push(vscode.workspace.registerTextDocumentContentProvider(SCHEME, pages));

  const commands: Record<string, (...args: never[]) => Promise<unknown>> = {
    "graphls.showGraph": async () => panel.show(about(here(), (subject) => neighborhood(alive, subject))),
    "graphls.showImpact": async () => panel.show(about(here(), (subject) => impact(alive, subject))),
    "graphls.showTrace": async () => {
      const source = here();
      const target = await chooseSymbol(alive, "Trace to which symbol?");
      if (target) await panel.show(about(source, (subject) => trace(alive, subject, target)));
    },
    "graphls.findSymbol": async () => {
      const subject = await chooseSymbol(alive, "Show the graph around which symbol?");
      if (subject) await panel.show(neighborhood(alive, subject));
    },
    "graphls.showMap": async () => panel.show(map(alive)),
    "graphls.showChangedImpact": () => changes.run((picture) => panel.show(Promise.resolve(picture))),
    "graphls.showTour": () => tour.run(),
    "graphls.goToEntry": () => tour.choose(),
    "graphls.makeContextPack": () => pages.pack(),
    "graphls.copyPage": () => pages.copy(),
    "graphls.exportGraph": () => pages.export(),
    "graphls.refreshFindings": () => findings.refresh(),
    "graphls.suppressFinding": (finding?: Finding) => findings.act(finding, SUPPRESS),
    [IGNORE]: (id: string, uri: string, range: vscode.Range) => findings.actAt(id, { uri, range }, SUPPRESS),
    "graphls.baselineFinding": (finding?: Finding) => findings.act(finding, BASELINE),
    "graphls.showStatus": () => status.menu(),
    "graphls.restart": () => alive.restart(),
    "graphls.showLog": async () => alive.log.show(),
    "graphls.createEnvironment": () => alive.install(),
    "graphls.showReferences": showReferences,
    "graphls.showEvidence": showEvidence,
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(name, told(run as (...args: unknown[]) => Promise<unknown>)),
    );
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (settings.needsRestart(event)) void alive.restart();
      else if (event.affectsConfiguration("graphls")) alive.configure();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void alive.restart()),
  );
  void onPythonChange(() => void alive.reconsider()).then((heard) => heard && context.subscriptions.push(heard));
  void alive.start();
}

export async function deactivate(): Promise<void> {
  await life?.stop();
}

// Commands that code lenses and code actions of the server name.

async function showReferences(uri: string, position: Position, locations: Location[]): Promise<void> {
  const at = new vscode.Position(position.line, position.character);
  const shown = locations.map(converted);
  await vscode.commands.executeCommand("editor.action.showReferences", vscode.Uri.parse(uri), at, shown);
}

async function showEvidence(title: string, locations: Location[]): Promise<void> {
  const shown = locations.map(converted);
  const [first] = shown;
  if (!first) throw new Error(`${title}: no evidence is left.`);
  await vscode.window.showTextDocument(first.uri, { selection: first.range });
  if (shown.length > 1) {
    await vscode.commands.executeCommand("editor.action.peekLocations", first.uri, first.range.start, shown, "peek");
  }
}

function converted({ uri, range }: Location): vscode.Location {
  const { start, end } = range;
  const lines = new vscode.Range(start.line, start.character, end.line, end.character);
  return new vscode.Location(vscode.Uri.parse(uri), lines);
}
