// Builds the extension and the view. The view is one script and one style sheet, for the panel of the editor and for
// the pages of `graphls view`; the Python package carries the built files, so that installing it needs no npm.
// usage: node esbuild.mjs [--check | --dev]    --check: are the files in the Python package current?
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const assets = path.join(here, "../../server/graphls/cli/viewing/assets");
const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: !process.argv.includes("--dev"),
  legalComments: "none",
  logLevel: "warning",
  charset: "ascii",
};
const view = [
  { ...shared, entryPoints: ["view/main.ts"], format: "iife", target: "es2022", outfile: path.join(assets, "view.js") },
  { ...shared, entryPoints: ["view/style.css"], outfile: path.join(assets, "view.css") },
];

/** Licences of everything that was built in. */
function notices({ inputs }) {
  const packages = Object.keys(inputs).map((name) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name));
  const folders = [
    ...new Map(packages.filter(Boolean).map(([folder, name]) => [name, path.join(here, folder)])),
  ].sort();
  return folders
    .map(([name, folder]) => {
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      const text = file ? readFileSync(path.join(folder, file), "utf8") : "";
      const { version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
      return `${name} ${version} (${license})\n\n${text.trim().replace(/\r/g, "")}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

async function build(options, noticesFile) {
  const { metafile } = await esbuild.build({ ...options, metafile: true });
  if (noticesFile) writeFileSync(noticesFile, notices(metafile));
}

if (process.argv.includes("--check")) {
  const built = await Promise.all(view.map((options) => esbuild.build({ ...options, write: false })));
  const stale = built
    .flatMap(({ outputFiles }) => outputFiles)
    .filter((file) => readFileSync(file.path, "utf8") !== file.text);
  for (const file of stale) console.log(`${path.basename(file.path)} is not current: run npm run build`);
  process.exit(stale.length ? 1 : 0);
}

const extension = {
  ...shared,
  entryPoints: ["src/extension.ts"],
  platform: "node",
  format: "cjs",
  target: "node18",
  external: ["vscode"],
  outfile: path.join(here, "dist/extension.js"),
};
const [script, style] = view;
await build(script, path.join(assets, "NOTICES.txt"));
await build(style);
await build({ ...style, outfile: path.join(here, "dist/view.css") });
await build({ ...script, outfile: path.join(here, "dist/view.js") });
await build(extension, path.join(here, "dist/NOTICES-extension.txt"));
copyFileSync(path.join(assets, "NOTICES.txt"), path.join(here, "dist/NOTICES-view.txt"));
