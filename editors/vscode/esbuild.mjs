// Builds the extension and the view. The view is one script and one style sheet, for the panel of the editor and for
// the pages of `graphls view`; the Python package carries the built files, so that installing it needs no npm.
// usage: node esbuild.mjs [--check | --dev]    --check: are the files in the Python package current?
import { readFileSync } from "node:fs";
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

if (process.argv.includes("--check")) {
  const built = await Promise.all(view.map((options) => esbuild.build({ ...options, write: false })));
  const stale = built
    .flatMap(({ outputFiles }) => outputFiles)
    .filter((file) => readFileSync(file.path, "utf8") !== file.text);
  for (const file of stale)
    console.log(`${path.basename(file.path)} is not current: run npm run build in editors/vscode`);
  process.exit(stale.length ? 1 : 0);
}

await Promise.all(view.map((options) => esbuild.build(options)));
await Promise.all([
  esbuild.build({ ...view[0], outfile: path.join(here, "dist/view.js") }),
  esbuild.build({ ...view[1], outfile: path.join(here, "dist/view.css") }),
  esbuild.build({
    ...shared,
    entryPoints: ["src/extension.ts"],
    platform: "node",
    format: "cjs",
    target: "node18",
    external: ["vscode"],
    outfile: path.join(here, "dist/extension.js"),
  }),
]);
