// Ran, for JavaScript and TypeScript: a copy of a tree in which each function says that it runs.
//
//     node bench/ran_js.mjs ROOT COPY TYPESCRIPT
//     RAN_TABLE=COPY/.ran.json RAN_OUT=FOLDER NODE_OPTIONS="--require BENCH/ran_js.cjs" TESTS IN COPY
//     python bench/ran.py FOLDER GRAPH_OF_ROOT
//
// TYPESCRIPT is a folder that has the package `typescript` (its parser reads JavaScript too). All that is put in stands
// on the line that it is put into, so that lines stay. `node_modules` is linked, not copied, at each level.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [root, copy, folder] = process.argv.slice(2).map((one) => path.resolve(one));
const ts = createRequire(path.join(folder, "x.js"))("typescript");
const CODE = /(?<!\.d)\.[cm]?[jt]sx?$/;
const LEFT_OUT = new Set([".git", "node_modules", "dist", "coverage"]);
const functions = [];
const lines = [];
let statements = 0;

function go(from, to) {
  fs.mkdirSync(to, { recursive: true });
  for (const one of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, one.name), path.join(to, one.name)];
    if (one.name === "node_modules") {
      fs.rmSync(target, { force: true, recursive: true });
      fs.symlinkSync(source, target);
    } else if (LEFT_OUT.has(one.name)) {
      continue;
    } else if (one.isDirectory()) {
      go(source, target);
    } else if (one.isSymbolicLink()) {
      fs.rmSync(target, { force: true });
      fs.symlinkSync(fs.readlinkSync(source), target);
    } else if (CODE.test(one.name)) {
      fs.writeFileSync(target, instrumented(path.relative(root, source), fs.readFileSync(source, "utf8")));
    } else {
      fs.copyFileSync(source, target);
    }
  }
}

function instrumented(file, text) {
  const kind = /\.[cm]?ts$/.test(file) ? ts.ScriptKind.TS : ts.ScriptKind.TSX;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const put = []; // [offset, order, text]
  const owners = new Map(); // line -> statements and functions whose runs are runs of the line
  const lineOf = (offset) => tree.getLineAndCharacterOfPosition(offset).line + 1;

  function own(start, end, at, inner) {
    for (let line = lineOf(start); line <= lineOf(end); line++) {
      const known = owners.get(line);
      // What is further inside stands for the lines that begin inside of it; where both begin on one line, both count.
      if (known === undefined || (inner && lineOf(start) < line)) owners.set(line, [at]);
      else if (inner && lineOf(start) === line) known.push(at);
    }
  }

  function visit(node, names) {
    if (node.body !== undefined && ts.isFunctionLike(node)) return inFunction(node, names);
    if (ts.isClassLike(node)) names = [...names, node.name?.text ?? nameOf(node)];
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || node.declare) return;
    if (isCounted(node)) {
      const at = statements++;
      own(node.getStart(tree), node.end, at, true);
      const isAlone = !(ts.isBlock(node.parent) || ts.isSourceFile(node.parent) || ts.isCaseOrDefaultClause(node.parent) || ts.isModuleBlock(node.parent));
      put.push([node.getStart(tree), 1, `${isAlone ? "{" : ""}globalThis.__at?.(${at});`]);
      if (isAlone) put.push([node.end, -1, "}"]);
    }
    ts.forEachChild(node, (one) => visit(one, names));
  }

  function isCounted(node) {
    const holder = node.parent;
    if (!ts.isStatement(node) || ts.isBlock(node) || ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return false;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isExportAssignment(node) || ts.isModuleDeclaration(node)) return false;
    if (ts.isImportEqualsDeclaration(node) || ts.isEnumDeclaration(node) || ts.isEmptyStatement(node)) return false;
    if (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Ambient) return false;
    if (isDirective(node)) return false;
    if (ts.isLabeledStatement(holder)) return false;
    return true;
  }

  function isDirective(node) {
    if (!ts.isExpressionStatement(node) || !ts.isStringLiteral(node.expression)) return false;
    return ts.isSourceFile(node.parent) || (ts.isBlock(node.parent) && ts.isFunctionLike(node.parent.parent));
  }

  function inFunction(node, names) {
    const described = describedBy(node);
    let name = ts.isConstructorDeclaration(node) ? "constructor" : node.name ? nameText(node.name) : nameOf(node);
    if (described) name = described.text;
    const whole = [...names, name];
    const id = functions.length;
    const first = described ?? node.name ?? node;
    const kind = described && accessOf(node) === "get" ? "implicit" : kindOf(node, name);
    functions.push([file, lineOf(first.getStart(tree)), whole.join("."), kind]);
    for (const one of node.parameters) visit(one, whole);
    const { body } = node;
    if (ts.isBlock(body)) {
      const after = body.statements.filter(isDirective).at(-1)?.end ?? body.getStart(tree) + 1;
      put.push([after, 0, `;globalThis.__ran?.(${id});`]);
      ts.forEachChild(body, (one) => visit(one, whole));
    } else {
      const at = statements++;
      own(body.getStart(tree), body.end, at, true);
      put.push([body.getStart(tree), 0, `(globalThis.__ran?.(${id}),globalThis.__at?.(${at}),`]);
      put.push([body.end, -2, ")"]);
      visit(body, whole);
    }
  }

  function accessOf(node) {
    const named = ts.isMethodDeclaration(node) ? node : node.parent;
    return named.parent && ts.isObjectLiteralExpression(named.parent) && named.name && ts.isIdentifier(named.name) ? named.name.text : "";
  }

  // `x` of `Object.defineProperty(o, "x", { get() {} })` and `Object.defineProperties(o, { x: { get() {} } })`.
  function describedBy(node) {
    if (!["get", "value"].includes(accessOf(node))) return undefined;
    const descriptor = (ts.isMethodDeclaration(node) ? node : node.parent).parent;
    const call = descriptor.parent;
    if (ts.isCallExpression(call) && call.arguments[2] === descriptor && call.expression.getText(tree) === "Object.defineProperty")
      return ts.isStringLiteral(call.arguments[1]) ? call.arguments[1] : undefined;
    const whole = call.parent?.parent;
    if (!ts.isPropertyAssignment(call) || !ts.isIdentifier(call.name) || !whole || !ts.isCallExpression(whole)) return undefined;
    return whole.arguments[1] === call.parent && whole.expression.getText(tree) === "Object.defineProperties" ? call.name : undefined;
  }

  function nameText(name) {
    if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name)) return name.text;
    const text = name.getText(tree);
    return text.startsWith("[") ? text : `<${text}>`;
  }

  function nameOf(node) {
    let inner = node;
    while (ts.isParenthesizedExpression(inner.parent) || ts.isAsExpression(inner.parent) || ts.isSatisfiesExpression?.(inner.parent)) inner = inner.parent;
    const holder = inner.parent;
    if ((ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isPropertyDeclaration(holder)) && holder.initializer === inner)
      return nameText(holder.name);
    if (ts.isBinaryExpression(holder) && holder.right === inner && holder.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      if (ts.isIdentifier(holder.left)) return holder.left.text;
      if (ts.isPropertyAccessExpression(holder.left)) return holder.left.name.text;
      if (ts.isElementAccessExpression(holder.left)) return `[${holder.left.argumentExpression.getText(tree)}]`;
    }
    return "<anonymous>";
  }

  function kindOf(node, name) {
    if (ts.isGetAccessor(node) || ts.isSetAccessor(node)) return "implicit";
    if (ts.isConstructorDeclaration(node)) return "constructor";
    if (name.startsWith("[Symbol.") || ["toString", "toJSON", "valueOf"].includes(name)) return "implicit";
    return "";
  }

  visit(tree, []);
  for (const [line, ids] of owners) lines.push([file, line, ids]);
  put.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const out = [];
  let done = 0;
  for (const [offset, , what] of put) {
    out.push(text.slice(done, offset), what);
    done = offset;
  }
  out.push(text.slice(done));
  return out.join("");
}

go(root, copy);
fs.writeFileSync(path.join(copy, ".ran.json"), JSON.stringify({ copy, functions, lines, statements }));
console.log(`${functions.length} functions, ${statements} statements`);
