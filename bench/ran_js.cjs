// What `ran_js.mjs` puts in: notes who called each function, and how often lines ran. Loaded before everything else.
//
// A function of the copy is known by where its code begins in the script that runs, whatever made this of the file: its
// own frame is on top when it says its number. The caller is the next frame of the copy; frames of other packages, of the
// runtime or of nothing at all between the two are `outside`. What a promise or an event goes on with has no caller.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { isMainThread, threadId } = require("node:worker_threads");

if (process.env.RAN_TABLE && !globalThis.__ran) {
  const { copy, functions, lines, statements } = JSON.parse(fs.readFileSync(process.env.RAN_TABLE, "utf8"));
  const below = fs.realpathSync(copy) + path.sep;
  const known = new Map();
  const pairs = new Map();
  const runs = new Uint32Array(statements);
  const keys = new Map();
  const { captureStackTrace } = Error;
  const raw = (_error, stack) => stack;
  const later = setInterval;
  let changed = false;

  function isOwn(file) {
    let found = keys.get(file);
    if (found === undefined) {
      const plain = file.replace(/^file:\/\//, "").replace(/\?.*$/, "");
      found = plain.startsWith(below) && !plain.includes("node_modules") ? plain : "";
      keys.set(file, found);
    }
    return found;
  }

  const ran = (id) => {
    const [before, limit] = [Error.prepareStackTrace, Error.stackTraceLimit];
    Error.prepareStackTrace = raw;
    Error.stackTraceLimit = 24;
    const holder = {};
    captureStackTrace(holder, ran);
    const { stack } = holder;
    Error.prepareStackTrace = before;
    Error.stackTraceLimit = limit;
    if (!Array.isArray(stack) || stack.length === 0) return;
    known.set(placeOf(stack[0]), id);
    let outside = 0;
    for (let at = 1; at < stack.length; at++) {
      const frame = stack[at];
      if (frame.isAsync()) return;
      const file = frame.getFileName() ?? "";
      const own = file && isOwn(file);
      if (!own) {
        outside = 1;
        continue;
      }
      if (/^<(instance|static)/.test(frame.getFunctionName() ?? "")) continue;
      const caller = known.get(placeOf(frame)) ?? `<module> ${own.slice(below.length)}`;
      const key = `${caller}\n${id}\n${frame.getLineNumber()}\n${outside}`;
      pairs.set(key, (pairs.get(key) ?? 0) + 1);
      changed = true;
      return;
    }
  };

  function placeOf(frame) {
    return `${frame.getFileName()}:${frame.getEnclosingLineNumber()}:${frame.getEnclosingColumnNumber()}`;
  }

  function write() {
    if (!changed) return;
    changed = false;
    const rows = [];
    for (const [key, count] of pairs) {
      const [caller, callee, line, outside] = key.split("\n");
      const end = caller.startsWith("<") ? [caller.slice(9), 1, "<module>"] : functions[caller].slice(0, 3);
      const [file, first, name, kind] = functions[callee];
      rows.push({ call: [end, [file, first, name]], line: Number(line), outside: outside === "1", count, kind });
    }
    for (const [file, line, ids] of lines) {
      const count = Math.min(...ids.map((one) => runs[one]));
      if (count) rows.push({ line: [file, line], count });
    }
    const name = path.join(process.env.RAN_OUT, `${process.pid}-${isMainThread ? 0 : threadId}.jsonl`);
    fs.writeFileSync(name, rows.map((row) => JSON.stringify(row) + "\n").join(""));
  }

  fs.mkdirSync(process.env.RAN_OUT, { recursive: true });
  Object.defineProperty(globalThis, "__ran", { value: ran });
  Object.defineProperty(globalThis, "__at", { value: (id) => void runs[id]++ });
  process.on("exit", write);
  process.on("disconnect", write);
  process.once("SIGTERM", () => process.exit());
  Object.defineProperty(process, "reallyExit", { value: ((end) => (code) => (write(), end.call(process, code)))(process.reallyExit) });
  later(write, 2000).unref();
}
