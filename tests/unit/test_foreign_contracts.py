"""Foreign contracts: names in one language lead to the functions of another, and these back.

Owns: one case for each way to bind, what is no function of another language.
Must not know: how files are looked through.
Invariant: an edge is there from both ends or from none.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of


def _title(snapshot: Snapshot, place: SymbolRef) -> str:
    facts, row = snapshot.facts(place.file), place.definition
    return f"{place.file}:{qualified_name(facts, row) if row >= 0 else ''}"


def _links(files: Mapping[str, str]) -> list[str]:
    snapshot = snapshot_of(files)
    assert snapshot.derivation is not None
    edges = [edge for path in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, path)]
    found: list[str] = []
    for edge in edges:
        if edge.attributes.get("via") == "ffi":
            assert isinstance(edge.source, SymbolRef)
            assert isinstance(edge.target, SymbolRef)
            assert edge in snapshot.derivation.edges_to(snapshot, edge.target)
            possible = " ?" if edge.ambiguous else ""
            found.append(f"{_title(snapshot, edge.source)} -> {_title(snapshot, edge.target)}{possible}")
    return sorted(found)


C = "int shape_area(int a) { return a; }\nstatic int hidden(void) { return 1; }\nint shape_old(int a);\n"
CPP = 'extern "C" {\nint shape_area(int a) { return a; }\n}\nint other(int a) { return a; }\n'


@pytest.mark.parametrize(
    ("path", "code", "links"),
    [
        (
            "S.cs",
            ('class S {\n  [DllImport("shapes", EntryPoint = "shape_area")]\n  static extern int Area(int a);\n'
            '  [LibraryImport("shapes")] internal static partial int shape_area(int a);\n}\n'),
            ["S.cs:S.Area -> c/s.c:shape_area", "S.cs:S.shape_area -> c/s.c:shape_area"],
        ),
        (
            "s.go",
            'package s\n\nimport "C"\n\nfunc Area(a int) int { return int(C.shape_area(C.int(a))) }\n',
            ["s.go:Area -> c/s.c:shape_area"],
        ),
        (
            "s.rs",
            'extern "C" {\n    fn shape_area(a: i32) -> i32;\n    fn hidden() -> i32;\n}\n',
            ["s.rs:shape_area -> c/s.c:shape_area"],
        ),
        (
            "s.rb",
            ("module S\n  extend FFI::Library\n  attach_function :area, :shape_area, [:int], :int\n"
            "  attach_function :shape_old, [:int], :int\nend\n"),
            ["s.rb:S -> c/s.c:shape_area"],
        ),
        (
            "s.py",
            'from cffi import FFI\nffi = FFI()\nffi.cdef("""\n    int shape_area(int a);\n    int no(void);\n""")\n',
            ["s.py: -> c/s.c:shape_area"],
        ),
        (
            "s.py",
            "import ctypes\nlib = ctypes.CDLL('s')\n\ndef run(other):\n    other.shape_old()\n    lib.shape_area(1)\n",
            ["s.py:run -> c/s.c:shape_area"],
        ),
        ("s.py", 'TEXT = """\nint shape_area(int a);\n"""\n', []),
    ],
)  # fmt: skip
def test_bindings_lead_to_functions_of_c(path: str, code: str, links: list[str]) -> None:
    assert _links({"c/s.c": C, path: code}) == links


def test_functions_of_cpp_count_where_they_keep_their_names() -> None:
    uses = "".join(f'[DllImport("s")] static extern int {name}(int a);\n' for name in ("shape_area", "other"))
    code = f"class S {{\n{uses}}}\n"
    assert _links({"s.cpp": CPP, "S.cs": code}) == ["S.cs:S.shape_area -> s.cpp:shape_area"]


def test_the_nearest_of_equals_counts_and_equally_near_ones_are_possible() -> None:
    code = 'class S { [DllImport("s")] static extern int shape_area(int a); }\n'
    files = {"a/x/s.c": C, "b/x/s.c": C, "b/S.cs": code}
    assert _links(files) == ["b/S.cs:S.shape_area -> b/x/s.c:shape_area"]
    assert _links({"a/s.c": C, "b/s.c": C, "S.cs": code}) == [
        "S.cs:S.shape_area -> a/s.c:shape_area ?",
        "S.cs:S.shape_area -> b/s.c:shape_area ?",
    ]


def test_offers_of_rust_and_go() -> None:
    rust = (
        '#[no_mangle]\npub extern "C" fn shape_area(a: i32) -> i32 { a }\n'
        '#[unsafe(export_name = "shape_side")]\npub extern "C" fn side(a: i32) -> i32 { a }\n'
        "pub fn shape_inner() {}\n"
    )
    go = 'package g\n\nimport "C"\n\n//export shape_go\nfunc goShape(a int) int { return a }\n'
    uses = "".join(f'  [DllImport("s")] static extern int {name}(int a);\n' for name in
                   ("shape_area", "shape_side", "shape_inner", "shape_go"))  # fmt: skip
    assert _links({"s.rs": rust, "g.go": go, "S.cs": f"class S {{\n{uses}}}\n"}) == [
        "S.cs:S.shape_area -> s.rs:shape_area",
        "S.cs:S.shape_go -> g.go:goShape",
        "S.cs:S.shape_side -> s.rs:side",
    ]


def test_native_methods_lead_to_what_the_machine_looks_for() -> None:
    java = (
        "package a.b;\nclass Out_er {\n  static class In { native int count(int a); }\n  native void run();\n"
        "  void other() {}\n}\n"
    )
    kotlin = (
        "package a.b\nclass K {\n  companion object { @JvmStatic external fun go(): Int }\n}\nexternal fun top(): Int\n"
    )
    names = (
        "Java_a_b_Out_1er_run", "Java_a_b_Out_1er_00024In_count", "Java_a_b_K_go", "Java_a_b_UtilKt_top",
        "Java_a_b_Out_1er_other",
    )  # fmt: skip
    native = "".join(f"JNIEXPORT jint JNICALL {name}(JNIEnv *env, jobject self) {{ return 0; }}\n" for name in names)
    assert _links({"a/b/Out_er.java": java, "a/b/util.kt": kotlin, "jni/all.c": native}) == [
        "a/b/Out_er.java:Out_er.In.count -> jni/all.c:Java_a_b_Out_1er_00024In_count",
        "a/b/Out_er.java:Out_er.run -> jni/all.c:Java_a_b_Out_1er_run",
        "a/b/util.kt:K.Companion.go -> jni/all.c:Java_a_b_K_go",
        "a/b/util.kt:top -> jni/all.c:Java_a_b_UtilKt_top",
    ]


PYO3 = """
#[pyfunction]
#[pyo3(signature = (a, b=None))]
fn area(a: i32) -> i32 { a }

#[pyclass(name = "Shape", frozen)]
struct RustShape {}

#[pymodule]
#[pyo3(name = "_shapes")]
fn shapes_module(m: &Bound<'_, PyModule>) -> PyResult<()> { Ok(()) }
"""
METHODS = """
static PyObject *shape_side(PyObject *self, PyObject *args) { return NULL; }
static PyMethodDef methods[] = {
    {"side", (PyCFunction)shape_side, METH_VARARGS, "side"},
    {NULL, NULL, 0, NULL}
};
PyMODINIT_FUNC PyInit__sides(void) { return NULL; }
"""
PYTHON = """
from pkg._shapes import area, Shape as S, absent
from . import _sides

def run():
    return area(1) + _sides.side(S()) + other_sides.side()

def area_of(area):
    return area
"""


def test_modules_of_other_languages_offer_what_they_list() -> None:
    plain = PYTHON[: PYTHON.index("def area_of")]
    files = {"src/lib.rs": PYO3, "src/sides.c": METHODS, "pkg/__init__.py": "", "pkg/m.py": plain, "a.md": "_sides\n"}
    assert _links(files) == [
        "pkg/m.py: -> src/lib.rs:RustShape",
        "pkg/m.py: -> src/lib.rs:area",
        "pkg/m.py:run -> src/lib.rs:RustShape",
        "pkg/m.py:run -> src/lib.rs:area",
        "pkg/m.py:run -> src/sides.c:shape_side",
    ]
    # A name that the file binds once more may mean something else.
    assert "pkg/m.py:run -> src/lib.rs:area" not in _links({**files, "pkg/m.py": PYTHON})
    assert _links({**files, "src/lib.rs": PYO3.replace("_shapes", "_others")}) == [
        "pkg/m.py:run -> src/sides.c:shape_side"
    ]


def test_modules_of_cpp_for_python() -> None:
    cpp = (
        "#include <pybind11/pybind11.h>\nint add(int a) { return a; }\nclass Shape {};\n"
        "PYBIND11_MODULE(_shapes, m) {\n"
        '  m.def("plus", &add, "adds");\n  m.def("twice", [](int a) { return a; });\n'
        '  py::class_<Shape, Base>(m, "Form").def("area", &Shape::area);\n}\n'
    )
    python = (
        "from pkg._shapes import Form, nothing, plus, twice\n\n\ndef run():\n    return plus(Form(), twice(nothing))\n"
    )
    sources, targets = ("r.py:", "r.py:run"), ("s.cpp:", "s.cpp:Shape", "s.cpp:add")
    assert _links({"s.cpp": cpp, "r.py": python}) == [f"{one} -> {other}" for one in sources for other in targets]


@pytest.mark.parametrize(
    ("path", "code", "target"),
    [
        (
            "a.cc",
            ("#include <napi.h>\nNapi::Value Area(const Napi::CallbackInfo& i) { return i; }\n"
            'Napi::Object Init(Napi::Env env, Napi::Object exports) {\n'
            '  exports.Set(Napi::String::New(env, "area"), Napi::Function::New(env, Area));\n  return exports;\n}\n'),
            "a.cc:Area",
        ),
        (
            "a.c",
            ("#include <node_api.h>\nstatic napi_value Area(napi_env env, napi_callback_info i) { return 0; }\n"
            "static napi_property_descriptor all[] = {\n"
            '  { "area", NULL, Area, NULL, NULL, NULL, napi_default, NULL },\n};\n'),
            "a.c:Area",
        ),
        (
            "a.cc",
            "void Area(const I& i) {}\nvoid Init(v8::Local<v8::Object> t) { Nan::SetMethod(t, \"area\", Area); }\n",
            "a.cc:Area",
        ),
        ("a.rs", "#[napi]\npub fn area(a: u32) -> u32 { a }\n", "a.rs:area"),
    ],
)  # fmt: skip
def test_addons_of_node(path: str, code: str, target: str) -> None:
    script = "const addon = require('bindings')('a');\nfunction run(other) { other.area(); return addon.area(1); }\n"
    assert _links({path: code, "r.js": script}) == [f"r.js:run -> {target}"]
    script = 'const addon = require("./build/Release/a.node");\nmodule.exports.run = () => addon.area(1);\n'
    assert [link.partition(" -> ")[2] for link in _links({path: code, "r.js": script})] == [target]
    plain = "const addon = require('./other');\nfunction run() { return addon.area(1); }\n"
    assert _links({path: code, "r.js": plain}) == []


def test_types_that_a_tool_wrote_for_an_addon() -> None:
    rust = (
        '#[napi(js_name = "total")]\npub fn sum_all(a: u32) -> u32 { a }\n#[napi]\npub async fn make_it() {}\n'
        "#[napi]\npub struct Shape {}\n#[napi]\nimpl Shape {\n  #[napi]\n  pub fn area(&self) -> u32 { 1 }\n}\n"
    )
    types = (
        "/* auto-generated by NAPI-RS */\nexport declare class Shape {\n  area(): number\n}\n"
        "export declare function total(a: number): number\nexport declare function makeIt(): Promise<void>\n"
        "export declare function area(): number\n"
    )
    assert _links({"src/lib.rs": rust, "index.d.ts": types}) == [
        "index.d.ts:Shape -> src/lib.rs:Shape",
        "index.d.ts:makeIt -> src/lib.rs:make_it",
        "index.d.ts:total -> src/lib.rs:sum_all",
    ]


def test_native_methods_that_a_program_registers() -> None:
    java = "package a.b;\nclass Shape {\n  private native int area(int x);\n  native void other();\n}\n"
    cpp = (
        "static jint real_area(JNIEnv* env, jobject o, jint x) { return x; }\n"
        'static JNINativeMethod methods[] = {\n  {"area", "(I)I", (void*) real_area},\n};\n'
        'int JNI_OnLoad() { return reg(env->FindClass("a/b/Shape"), methods, 1); }\n'
    )
    assert _links({"Shape.java": java, "s.cpp": cpp}) == ["Shape.java:Shape.area -> s.cpp:real_area"]
    two = cpp + 'jclass more(JNIEnv* e) { return e->FindClass("a/b/Other"); }\n'
    assert _links({"Shape.java": java, "s.cpp": two}) == []
