// Formats Lua files as stylua does, or with --check says which are not formatted.
// usage: node lua-format.mjs [--check] FOLDER...
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Config, formatCode, IndentType, OutputVerification } from "@johnnymorganz/stylua";

function* files(at) {
  if (statSync(at).isDirectory()) {
    for (const name of readdirSync(at).sort()) yield* files(path.join(at, name));
  } else if (at.endsWith(".lua")) yield at;
}

function config() {
  const wanted = Config.new();
  wanted.column_width = 120;
  wanted.indent_type = IndentType.Spaces;
  wanted.indent_width = 2;
  return wanted;
}

const check = process.argv[2] === "--check";
let stale = 0;
for (const folder of process.argv.slice(check ? 3 : 2)) {
  for (const file of files(folder)) {
    const before = readFileSync(file, "utf8");
    const after = formatCode(before, config(), undefined, OutputVerification.None);
    if (before === after) continue;
    stale += 1;
    if (check) console.log(`${file} is not formatted`);
    else writeFileSync(file, after);
  }
}
process.exit(check && stale ? 1 : 0);
