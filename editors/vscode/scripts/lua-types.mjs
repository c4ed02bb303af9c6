// Checks the types of Lua files with the EmmyLua language server: opens each, prints what it says, fails on any word.
// usage: node lua-types.mjs SERVER RUNTIME FOLDER...    RUNTIME is Neovim's, whose annotations the files use; the
// first folder holds .emmyrc.json
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const client = createRequire(import.meta.url).resolve("vscode-languageclient/node");
const rpc = createRequire(client)("vscode-jsonrpc/node");
const HINT = 4;

const [, , server, runtime, ...given] = process.argv;
const folders = given.map((folder) => path.resolve(folder));
const asUri = (at) => pathToFileURL(at).href;

function* files(at) {
  if (statSync(at).isDirectory()) {
    for (const name of readdirSync(at).sort()) yield* files(path.join(at, name));
  } else if (at.endsWith(".lua")) yield at;
}

const args = ["--editor", "neovim", "--log-level", "error", "--log-path", "none", "--resources-path", "none"];
const env = { ...process.env, VIMRUNTIME: path.resolve(runtime), HOME: tmpdir() };
const child = spawn(server, args, { env, stdio: ["pipe", "pipe", "ignore"] });
const ended = new Promise((_, reject) => {
  child.on("error", reject);
  child.on("exit", (code, signal) => reject(new Error(`${server} ended with ${code ?? signal}`)));
});
ended.catch(() => undefined);
const asked = (answer) => Promise.race([answer, ended]);
const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(child.stdout),
  new rpc.StreamMessageWriter(child.stdin),
);
connection.onRequest((method, params) => (method === "workspace/configuration" ? params.items.map(() => null) : null));
connection.listen();

await asked(
  connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: asUri(folders[0]),
    capabilities: { textDocument: { diagnostic: {} }, workspace: { configuration: true, workspaceFolders: true } },
    workspaceFolders: folders.map((folder) => ({ uri: asUri(folder), name: path.basename(folder) })),
  }),
);
await connection.sendNotification("initialized", {});
let counted = 0;
let problems = 0;
for (const file of folders.flatMap((folder) => [...files(folder)])) {
  const uri = asUri(file);
  const textDocument = { uri, languageId: "lua", version: 1, text: readFileSync(file, "utf8") };
  await connection.sendNotification("textDocument/didOpen", { textDocument });
  const answer = await asked(connection.sendRequest("textDocument/diagnostic", { textDocument: { uri } }));
  counted += 1;
  for (const { range, severity, code, message } of answer.items) {
    if (severity === HINT) continue;
    problems += 1;
    const { line, character } = range.start;
    console.log(`${path.relative(process.cwd(), file)}:${line + 1}:${character + 1} ${code}: ${message}`);
  }
}
console.log(`${counted} Lua files, ${problems} problems`);
child.removeAllListeners("exit");
child.kill();
connection.dispose();
process.exit(problems || !counted ? 1 : 0);
