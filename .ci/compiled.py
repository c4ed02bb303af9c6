"""Compiled: do the compiled modules of the installed package say the same as their sources?

Owns: comparing facts, links and an export of real and of hostile files, one form against the other, of every language.
Must not know: what the files mean.
Invariant: where a C compiler and headers are, an installed package that is not compiled fails here.

    python -I .ci/compiled.py server
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

SAYS = """
import sys
from hashlib import blake2b
from pathlib import Path
from graphls.facts.codec import encode
from graphls.languages.compiled import compiled
from graphls.session.memory import snapshot_of
sys.setrecursionlimit(8_000)  # as workers do
root = Path(sys.argv[1])
files = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.*"))}
snapshot = snapshot_of(files)
digest = blake2b()
for path in snapshot.files():
    for part in (snapshot.facts(path), snapshot.surface(path), snapshot.links(path)):
        digest.update(encode(part))
for path, problem in snapshot.reader.problems.items():
    sys.exit(f"{path}: {problem}")
print(compiled(), digest.hexdigest())
"""
TYPESCRIPT = """
class A { go() { return 1; } }
let made;
made = new A();
made.go();
export function f(x: unknown) { if (x instanceof A) { x.go(); } }
"""
HOSTILE = {
    "brackets": "(" * 100_000,
    "closed": "x = " + "(" * 50_000 + ")" * 50_000,
    "operators": "x = " + " + ".join(["a"] * 20_000),
    "attributes": "x = a" + ".b" * 20_000,
    "calls": "x = a" + "()" * 20_000,
    "nots": "x = " + "not " * 20_000 + "a",
    "conditions": "x = " + "".join(f"a if b{n} else " for n in range(5_000)) + "c",
    "lambdas": "x = " + "lambda: " * 20_000 + "a",
    "blocks": "".join(" " * n + f"if a{n}:\n" for n in range(3_000)) + " " * 3_000 + "pass",
    "annotations": "x: " + "list[" * 20_000 + "int" + "]" * 20_000,
    "bases": "".join(f"class C{n}(C{n - 1}): pass\n" for n in range(1, 3_000)) + "C2999().x",
    "names": "".join(f"x{n} = x{n - 1}\n" for n in range(1, 3_000)) + "x2999.y",
}
HOSTILE_TYPESCRIPT = {
    "empty comment": "/**/function f() {}\nclass A { /**/m() {} }\nf('\nexports.a = '",
    "conditions": "if (" + "(" * 5_000 + "a" + ")" * 5_000 + ") b;",
    "denied": "if (" + "!" * 5_000 + "a) b;",
    "waits": "const a = " + "await " * 5_000 + "b;",
    "operators": "x = " + " + ".join(["a"] * 20_000),
    "both": "if (" + " && ".join(["a instanceof B"] * 5_000) + ") a.c;",
    "attributes": "x = a" + ".b" * 20_000,
    "calls": "x = a" + "()" * 20_000,
    "arrows": "x = " + "() => " * 5_000 + "a",
    "objects": "x = " + "{a: " * 5_000 + "1" + "}" * 5_000,
    "choices": "x = " + "a ? b : " * 5_000 + "c",
    "names": "namespace a" + ".b" * 5_000 + " { export const c = 1 }",
    "types": "type A = " + "B<" * 5_000 + "C" + ">" * 5_000,
    "unions": "type A = " + " | ".join(["B"] * 20_000),
    "patterns": "const " + "{a: " * 5_000 + "b" + "}" * 5_000 + " = c;",
    "bases": "class C0 {}\n"
    + "".join(f"class C{n} extends C{n - 1} {{}}\n" for n in range(1, 3_000))
    + "new C2999().x;",
    "bounds": "function f<T extends U, U extends T>(x: T) { const y = new x(); y.c; x(z => z.b); new x(w => w.d).e; }",
    "values": "const x0 = 1;\n" + "".join(f"const x{n} = x{n - 1};\n" for n in range(1, 3_000)) + "x2999.y;",
}

HOSTILE_GO = {
    "brackets": "var x = " + "(" * 20_000,
    "operators": "var x = " + " + ".join(["a"] * 20_000),
    "attributes": "var x = a" + ".b" * 20_000,
    "calls": "var x = a" + "()" * 20_000,
    "types": "var x " + "[]" * 5_000 + "T",
    "literals": "var x = " + "[]A{" * 2_000 + "}" * 2_000,
    "functions": "var x = " + "func() { x := " * 1_000 + "1" + " }" * 1_000,
    "embedded": "type C0 struct{}\n"
    + "".join(f"type C{n} struct{{ C{n - 1} }}\n" for n in range(1, 2_000))
    + "var x = C1999{}.x\n",
    "aliases": "".join(f"type A{n} = A{(n + 1) % 500}\n" for n in range(500)) + "var y A0\nvar z = y.b",
    "values": "".join(f"var x{n} = x{n - 1}\n" for n in range(1, 2_000)) + "var y = x1999.y",
}
HOSTILE_JAVA = {
    "brackets": "class A { Object x = " + "(" * 20_000,
    "operators": "class A { int x = " + " + ".join(["a"] * 20_000) + "; }",
    "attributes": "class A { Object x = a" + ".b" * 20_000 + "; }",
    "calls": "class A { Object x = a" + ".b()" * 5_000 + "; }",
    "lambdas": "class A { Object x = " + "a -> " * 2_000 + "a; }",
    "choices": "class A { Object x = " + "a ? b : " * 5_000 + "c; }",
    "types": "class A { " + "B<" * 2_000 + "C" + ">" * 2_000 + " x; }",
    "nested": "class A { " * 2_000 + "}" * 2_000,
    "bases": "class C0 { int x; }\n"
    + "".join(f"class C{n} extends C{n - 1} {{}}\n" for n in range(1, 2_000))
    + "class Z { int y = new C1999().x; }",
    "circle": "".join(f"class D{n} extends D{(n + 1) % 500} {{}}\n" for n in range(500))
    + "class Z { int y = new D0().x; }",
    "values": "class A { static int x0 = 1;\n"
    + "".join(f"static int x{n} = x{n - 1};\n" for n in range(1, 2_000))
    + "Object y = x1999.y; }",
}
HOSTILE_C = {
    "brackets": "int x = " + "(" * 20_000,
    "operators": "int x = " + " + ".join(["a"] * 20_000) + ";",
    "attributes": "int f(void) { return a" + "->b" * 20_000 + "; }",
    "calls": "int f(void) { return a" + "()" * 20_000 + "; }",
    "pointers": "int " + "*" * 20_000 + "x;",
    "declarators": "int " + "(" * 2_000 + "x" + ")" * 2_000 + ";",
    "conditions": "#if A\n" * 2_000 + "int x;\n" + "#endif\n" * 2_000,
    "blocks": "int f(void) { " + "{ " * 3_000 + "}" * 3_000 + " }",
    "structs": "struct A0 { int x; };\n"
    + "".join(f"struct A{n} {{ struct A{n - 1} a; }};\n" for n in range(1, 1_000))
    + "int f(struct A999 *p) { return p"
    + "->a" * 999
    + ".x; }",
    "aliases": "".join(f"typedef A{(n + 1) % 500} A{n};\n" for n in range(500)) + "int f(A0 *p) { return p->x; }",
    "words": "int f(void) { " + "WORD(a) " * 2_000 + "}",
}


def said(source: str | None, arguments: list[str], script: str = "") -> bytes:
    """What one form prints: the installed one, or the sources in a folder."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if source is not None:
        environment["PYTHONPATH"] = source
    command = [sys.executable, *(["-c", script] if script else ["-m", "graphls", "--no-cache"]), *arguments]
    done = subprocess.run(command, capture_output=True, check=False, env=environment, cwd=tempfile.gettempdir())
    if done.returncode:
        raise SystemExit(f"{source or 'installed'}: ended with {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return done.stdout


def main() -> int:
    source = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(source, "graphls", "languages")
        shutil.copytree(sample, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        for path in Path(source).parent.glob("editors/vscode/src/*.ts"):
            shutil.copy(path, folder)
        fixtures = Path(source).parent / "fixtures"
        shutil.copytree(fixtures, folder, dirs_exist_ok=True)
        Path(folder, "narrowed.ts").write_text(TYPESCRIPT)
        for name, text in HOSTILE.items():
            Path(folder, f"{name}.py").write_text(text)
        for name, text in HOSTILE_TYPESCRIPT.items():
            Path(folder, f"{name}.ts").write_text(text)
        for name, text in HOSTILE_GO.items():
            Path(folder, f"{name}.go").write_text(f"package hostile\n{text}")
        for name, text in HOSTILE_JAVA.items():
            Path(folder, f"{name}.java").write_text(f"package hostile.{name};\n{text}")
        for name, text in HOSTILE_C.items():
            Path(folder, f"{name}.c").write_text(text)
        form, installed = said(None, [folder], SAYS).decode().split()
        plain, expected = said(source, [folder], SAYS).decode().split()
    # What else an export is made of is not compiled: it is the same where facts and links are. That of a few files goes
    # through the command, its workers and answers about single uses.
    export = ["export", "--root", str(fixtures), "--mode", "allow-errors"]
    exported = [said(place, export) for place in (None, source)]
    headers = Path(sysconfig.get_paths()["include"], "Python.h").exists()
    if form == "False" and shutil.which("cc") and headers:
        print("not compiled, although a compiler is here: GRAPHLS_COMPILE=1 pip install . says why")
        return 1
    if plain != "False" or installed != expected or exported[0] != exported[1]:
        print(f"the installed package ({form}: {installed[:16]}) and its sources ({plain}: {expected[:16]}) differ")
        return 1
    print(f"compiled: {form}; facts, links and an export are the same ({len(exported[0]):,} bytes)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
