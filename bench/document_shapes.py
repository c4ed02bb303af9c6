"""Document shapes: configuration and documents whose parts repeat, nest or point at each other as often as one likes.

Owns: for each shape, the files of a workspace in which it occurs `n` times.
Must not know: what is measured.
Invariant: the length of the text grows in proportion to `n`; the text is a function of `n` alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from declared_shapes import Shape, lines, many

DOCUMENTS: Mapping[str, Shape] = {
    "markdown headings": lambda n: {"a.md": lines(n, lambda i: f"# Head {i}\n\n`a.py` and `m.f{i}`\n\n")},
    "markdown headings going down": lambda n: {"a.md": lines(n, lambda i: f"{'#' * (6 - i % 6)} Head {i}\n")},
    "markdown of one heading": lambda n: {"a.md": "# Head\n" + lines(n, lambda i: f"## Head {i}\n")},
    "markdown links": lambda n: {"a.md": lines(n, lambda i: f"# H{i}\n[a](#h{(i + 1) % n}) [b](./b.md#x{i})\n")},
    "markdown brackets": lambda n: {"a.md": "[" * n + "]" * n + "(" * n + "\n"},
    "markdown back quotes": lambda n: {"a.md": "`" * n + "a" + "`\n" * n},
    "markdown fences": lambda n: {"a.md": lines(n, lambda i: f"```python\nimport m{i}\nm{i}.f()\n```\n")},
    "markdown open fences": lambda n: {"a.md": "```sh\npytest a.py\n" * n + "~~~\n"},
    "markdown comments": lambda n: {"a.md": "<!-- " * n + "\n"},
    "rst headings": lambda n: {"a.rst": lines(n, lambda i: f"Head {i}\n{'=~-'[i % 3] * 9}\n\n:func:`f{i}`\n\n")},
    "rst of one heading": lambda n: {"a.rst": "Head\n=======\n\n" + lines(n, lambda i: f"Head {i}\n~~~~~~~~~~~\n\n")},
    "rst modules": lambda n: {"a.rst": lines(n, lambda i: f".. module:: m{i}\n.. function:: f{i}\n")},
    "rst labels": lambda n: {"a.rst": lines(n, lambda i: f".. _a{i}:\n\n:ref:`a{(i + 1) % n}`\n\n")},
    "rst back quotes": lambda n: {"a.rst": ":func:`" * n + "<" * n + "\n"},
    "yaml keys": lambda n: {"a.yaml": lines(n, lambda i: f"k{i}: ./a/b{i}.py\n")},
    "yaml nested": lambda n: {"a.yaml": lines(min(n, 90), lambda i: " " * i + f"k{i}:\n") + "# filling\n" * n},
    "yaml lists": lambda n: {"a.yaml": "k:\n" + lines(n, lambda i: f"  - a: {i}\n    b: ./b{i}.py\n")},
    "yaml anchors": lambda n: {"a.yaml": lines(n, lambda i: f"k{i}: &a{i}\n  x: *a{max(i - 1, 0)}\n")},
    "yaml flow nested": lambda n: {"a.yaml": "k: " + "[" * n + "]" * n + "\n"},
    "yaml compose": lambda n: {
        "compose.yaml": "services:\n" + lines(n, lambda i: f"  s{i}:\n    depends_on: [s{(i + 1) % n}]\n    build: ./d{i}\n")
    },
    "yaml workflow": lambda n: {
        ".github/workflows/a.yml": "jobs:\n"
        + lines(n, lambda i: f"  j{i}:\n    needs: [j{(i + 1) % n}]\n    steps:\n      - run: pytest a{i}.py\n")
    },
    "json objects": lambda n: {"a.json": '{"$ref": "#/a",\n' + lines(n, lambda i: f'"k{i}": {{"$ref": "#/k{(i + 1) % n}"}},\n') + '"z": 1}\n'},
    "json quotes": lambda n: {"a.json": '{"a": "' + '\\"' * n},
    "json nested": lambda n: {"a.json": '{"a":' * n + "1" + "}" * n + "\n"},
    "json package": lambda n: {
        "package.json": '{"scripts": {\n' + lines(n, lambda i: f'"s{i}": "npm run s{(i + 1) % n} && node a{i}.js",\n') + '"z": "x"}}\n'
    },
    "toml tables": lambda n: {"a.toml": lines(n, lambda i: f"[t{i}]\nk = './a{i}.py'\n")},
    "toml project": lambda n: {
        "pyproject.toml": "[project]\nname='a'\n[project.scripts]\n" + lines(n, lambda i: f"s{i} = 'm{i}:f'\n")
    },
    "toml arrays": lambda n: {"a.toml": "[[t]]\nk = 1\n" * n},
    "toml nested": lambda n: {"a.toml": "a = " + "[" * n + "]" * n + "\n"},
    "ini sections": lambda n: {"a.ini": lines(n, lambda i: f"[s{i}]\nk = ./a{i}.py\n")},
    "environment": lambda n: {".env": lines(n, lambda i: f"A{i}=${{A{(i + 1) % n}}}\n")},
    "makefile rules": lambda n: {"Makefile": lines(n, lambda i: f"t{i}: t{(i + 1) % n} a{i}.py\n\tpython a{i}.py $(V{i})\n")},
    "makefile of one rule": lambda n: {"Makefile": "t: " + lines(n, lambda i: f"\\\n a{i}.py ") + "\n"},
    "makefile variables": lambda n: {"Makefile": lines(n, lambda i: f"V{i} = $(V{(i + 1) % n})\n")},
    "docker stages": lambda n: {
        "Dockerfile": lines(n, lambda i: f"FROM s{max(i - 1, 0)} AS s{i}\nCOPY --from=s{max(i - 1, 0)} a{i} b\nRUN python a{i}.py\n")
    },
    "docker of one command": lambda n: {"Dockerfile": "FROM a\nRUN a" + lines(n, lambda i: f" && \\\n python a{i}.py") + "\n"},
    "hcl blocks": lambda n: {"a.tf": lines(n, lambda i: f'resource "a" "b{i}" {{\n  x = a.b{(i + 1) % n}.id\n}}\n')},
    "hcl nested": lambda n: {"a.tf": "a {\n" * n + "}\n" * n},
    "html elements": lambda n: {"a.html": lines(n, lambda i: f'<a href="./b{i}.html">x</a><script src="a{i}.js"></script>\n')},
    "html comments": lambda n: {"a.html": "<!-- " * n + "\n"},
    "html open": lambda n: {"a.html": "<a " * n + 'href="' * n + "\n"},
    "css": lambda n: {"a.css": lines(n, lambda i: f'@import "b{i}.css";\n.a{{ background: url(c{i}.png) }}\n')},
    "css open": lambda n: {"a.css": "url(" * n + "\n"},
    "graphql types": lambda n: {"a.graphql": "type Query { a: T0 }\n" + lines(n, lambda i: f"type T{i} {{ f(x: I = {{a: V}}): T{(i + 1) % n} }}\n")},
    "graphql selections": lambda n: {"a.graphql": "type Query { a: Query }\n", "q.graphql": "{" + " a {" * n + " b " + "}" * n + "}"},
    "graphql fields": lambda n: {
        "a.graphql": "type Query {\n" + lines(n, lambda i: f"  f{i}: Query\n") + "}\n",
        "q.graphql": "{\n" + lines(n, lambda i: f"  f{i} {{ f{(i + 1) % n} }}\n") + "}\n",
    },
    "graphql operations in files": lambda n: {
        "a.graphql": "type Query { a: Query }\n", **{f"q{i}.graphql": "{ a { a } }\n" for i in range(n // 16)}
    },
    "graphql schemas in folders": lambda n: {
        f"d{i}/{name}.graphql": text for i in range(n // 16) for name, text in (("a", "type Query { a: Query }\n"), ("q", "{ a { a } }\n"))
    },
    "graphql in a line": lambda n: {"a.graphql": "scalar A " * n},
    "graphql broken": lambda n: {"a.graphql": lines(n, lambda i: f"type T{i} {{ a: ")},
    "sql tables": lambda n: {"a.sql": lines(n, lambda i: f"CREATE TABLE t{i} (a int REFERENCES t{(i + 1) % n} (a));\n")},
    "sql columns": lambda n: {"a.sql": "CREATE TABLE t (\n" + lines(n, lambda i: f"c{i} int,\n") + "z int);\n"},
    "sql unions": lambda n: {"a.sql": "CREATE TABLE t (a int);\n" + "SELECT a FROM t UNION\n" * n + "SELECT a FROM t;\n"},
    "sql joins": lambda n: {"a.sql": "SELECT a FROM t0" + lines(n, lambda i: f" JOIN t{i} x{i} ON x{i}.a = b\n") + ";\n"},
    "sql migrations": lambda n: {f"m/{i}.sql": f"ALTER TABLE t ADD COLUMN c{i} int;\nSELECT c{i} FROM t;\n" for i in range(n)},
    "sql made again": lambda n: {f"m/{i}.sql": "CREATE TABLE t (a int);\nSELECT a FROM t;\n" for i in range(n)},
    "protobuf messages": lambda n: {
        "a.proto": 'syntax = "proto3";\npackage p;\n' + lines(n, lambda i: f"message M{i} {{\n  M{(i + 1) % n} f = 1;\n}}\n")
    },
    "protobuf nested": lambda n: {"a.proto": "message M {\n" * n + "}\n" * n},
    "protobuf service": lambda n: {
        "a.proto": "service S {\n" + lines(n, lambda i: f"  rpc F{i} (A) returns (stream B);\n") + "}\n"
    },
    "protobuf keywords": lambda n: {"a.proto": "message a " * n},
    "protobuf blanks": lambda n: {"a.proto": "\nmessage" + " " * n},
    "makefile words": lambda n: {"Makefile": "ifeq :=" + "@" * n},
    "makefile blanks": lambda n: {"Makefile": "endef" + " " * n},
    "makefile inclusions": lambda n: {"Makefile": "include :" * n},
    "markdown back quotes of one": lambda n: {"a.md": "`" * n},
    "sql functions": lambda n: {
        "a.sql": lines(n, lambda i: f"CREATE FUNCTION f{i}() RETURNS int AS $$ SELECT a FROM t{i}; $$ LANGUAGE sql;\n")
    },
    "requirements": lambda n: {"requirements.txt": lines(n, lambda i: f"p{i}==1.0\n-r r{i}.txt\n")},
    "many documents": lambda n: many(n // 8, lambda i: f"d/a{i}.md", lambda i: f"# A\n[b](a{(i + 1) % (n // 8)}.md)\n"),
}  # fmt: skip
