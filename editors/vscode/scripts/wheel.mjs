// Wheel: the server that goes into the extension, as a wheel of plain Python, which installs on any machine.
//
// PYTHON names the interpreter that builds it.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const extension = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = path.join(extension, "server");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const python = process.env.PYTHON ?? "python3";
const repository = path.join(extension, "../..");
const pip = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", folder];
execFileSync(python, [...pip, repository], { stdio: "inherit", env: { ...process.env, GRAPHLS_COMPILE: "0" } });
