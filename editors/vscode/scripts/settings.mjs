// Settings: writes the settings of the server, from docs/settings.schema.json, into package.json.
// usage: node settings.mjs [--check]
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const manifestFile = path.join(here, "../package.json");
const schema = JSON.parse(readFileSync(path.join(here, "../../../docs/settings.schema.json"), "utf8"));

const OWN = {
  "graphls.path": {
    type: "string",
    default: "",
    scope: "machine-overridable",
    markdownDescription:
      "The `graphls` executable. Empty: the one of the workspace's Python, on the search path, or in an environment of the extension.",
  },
  "graphls.interpreter": {
    type: "string",
    default: "",
    scope: "machine-overridable",
    markdownDescription: "A Python that has graphls installed; used when `#graphls.path#` is empty.",
  },
  "graphls.args": {
    type: "array",
    items: { type: "string" },
    default: [],
    scope: "machine-overridable",
    markdownDescription: "More arguments for `graphls serve`.",
  },
  "graphls.package": {
    type: "string",
    default: "",
    scope: "machine",
    markdownDescription:
      "What pip installs when the extension makes an environment: a name, a version, or the path of a wheel. Empty: the wheel that comes with the extension.",
  },
  "graphls.notifications": {
    type: "boolean",
    default: true,
    scope: "window",
    markdownDescription: "Say when the server is missing or keeps stopping.",
  },
  "graphls.trace.server": {
    type: "string",
    enum: ["off", "messages", "verbose"],
    default: "off",
    scope: "window",
    markdownDescription: "Write the messages between editor and server to the channel *graphls Trace*.",
  },
};

function* leaves(properties, prefix) {
  for (const [name, about] of Object.entries(properties)) {
    const key = `${prefix}.${name}`;
    if (about.properties) yield* leaves(about.properties, key);
    else yield [key, about];
  }
}

const titles = {
  files: "Files",
  python: "Python",
  index: "Index",
  cache: "Cache",
  checker: "Checker",
  tests: "Tests",
  findings: "Findings",
  pack: "Packs",
  server: "Server",
  log: "Log",
};
const sections = [{ title: "graphls", properties: { ...OWN } }];
for (const [key, about] of leaves(schema.properties, "graphls")) {
  const [, group, rest] = key.split(".");
  const title = rest ? (titles[group] ?? group) : "graphls";
  let section = sections.find((one) => one.title === title);
  if (!section) {
    section = { title, properties: {} };
    sections.push(section);
  }
  // What one of several folders may say for itself.
  const { description, "x-perFolder": perFolder, ...shape } = about;
  const scope = perFolder ? "resource" : "window";
  section.properties[key] = { ...shape, scope, markdownDescription: description };
}

const before = readFileSync(manifestFile, "utf8");
const manifest = JSON.parse(before);
manifest.contributes.configuration = sections;
const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
const unknown = restricted.filter((key) => !sections.some((section) => key in section.properties));
if (unknown.length) {
  console.log(`restrictedConfigurations names settings that do not exist: ${unknown.join(", ")}`);
  process.exit(1);
}
if (process.argv[2] === "--check") {
  const same = JSON.stringify(JSON.parse(before)) === JSON.stringify(manifest);
  if (!same) console.log("package.json lags behind docs/settings.schema.json: run npm run settings in editors/vscode");
  process.exit(same ? 0 : 1);
}
writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
