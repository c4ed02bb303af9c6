"""Text rules: patterns that read the text of code take time that grows with it, whatever it says.

Owns: texts that make a pattern begin again and again.
Must not know: what rules mean.
Invariant: a text of some ten kB is read at once; a pattern that looks at the rest of the text from each of its
    beginnings would take minutes.
"""

from __future__ import annotations

import re
from typing import cast

import attrs
import pytest

from graphls.analysis.frameworks.code_migrations import migration_rules
from graphls.analysis.frameworks.foreign_uses import foreign_rules
from graphls.analysis.frameworks.model_clients import client_words
from graphls.analysis.frameworks.query_chains import query_rules
from graphls.analysis.frameworks.resolver_uses import resolver_rules
from graphls.analysis.frameworks.sql_strings import created_tables, sql_names, sql_words
from graphls.analysis.frameworks.table_models import model_rules, model_signs
from graphls.analysis.frameworks.text_rpc import text_rpc_rules
from graphls.languages.config.images import command_images
from graphls.languages.config.prisma import read_prisma

_SIZE = 40_000
BEGINNINGS = (
    b'--"\n', b'"select ', b"'''select from ", b"<<A\nselect from ", b'"select from " + ', b'r##"select from ', b'"""',
    b'"select \\"', b"select from insert into ", b"/*", b"/* ", b"[[[[", b"((((", b"{{{{", b"a.", b"a ", b'"', b"\\",
)  # fmt: skip
SIGNS = (
    b'@Table(', b'@Table(a,', b'@Entity({', b'@Column(', b'[Table(', b'#[no_mangle]\n', b'#[pyfunction(',
    b'#[pyclass(', b'#[pyclass(name = "a", ', b'#[[', b'[DllImport(', b'[DllImport(EntryPoint = "a" ',
    b'override ', b'class A : a.b.', b'class A : public B::C::', b'class A : public B::Service { Status ',
    b'Status A(', b'native int ', b'cdef("""a(', b'extern "C" {', b'{"a", (b)', b'//export a\n',
    b'#[async_trait] impl ', b'let a = B::', b'table_name = a #[', b'func (a) TableName() ', b'Table("a", ',
    b'a = b::NewStub(', b'import { ', b'a.b.create ', b'docker build -t a \\\n',
    b'@QueryMapping public ', b'@SchemaMapping(', b'@SchemaMapping @A(b) ', b'@DgsData(parentType = "A") public ',
    b'@a.field("b")\n@c\n', b'a = QueryType(', b'func (a *bResolver) ', b'type("A"', b'@Resolver(', b'@Query(a ',
    b'const a: NonNullable<', b'@strawberry.type(', b'op.create_table("a", ', b'op.alter_column("a", b(c), ',
    b'create_table :a do |t|\n', b't.string :a, :b, ', b'knex.schema.a(b).', b'schema.createTable("a", (t) => {',
    b"Schema::create('a', function (", b'migrations.CreateModel(name="A"', b'("a", models.', b'queryInterface.a(',
    b'knex("a").where(', b'User.objects.filter(', b'select(', b'DB::table("a")->', b'User.where(',
    b'#[napi(a = "b", ', b'#[napi] #[', b'm.def("a", ', b'py::class_<A, ', b'exports.Set("a", ', b'{ "a", NULL, b, ',
    b'{"a", "(I)V", ', b'a = require("b.node") ', b'PYBIND11_MODULE(a, ',
)  # fmt: skip


@pytest.mark.parametrize("piece", [*BEGINNINGS, *SIGNS])
def test_rules_read_any_text_at_once(piece: bytes) -> None:
    text = piece * (_SIZE // len(piece))
    sum(1 for _ in sql_names("a.py", text + b'"select a from b" TABLE'))
    sql_words(b"SELECT FROM select from " + text)
    created_tables(text)
    client_words(b".find .create " + text)
    model_signs(model_rules(), text)
    patterns = [rule.pattern for rule in foreign_rules()]
    patterns += [
        one for rule in text_rpc_rules() for one in (rule.answers, rule.method, rule.client) if one is not None
    ]
    patterns += [one for rule in foreign_rules() for one in (rule.block, rule.receiver) if one is not None]
    for rule in (*resolver_rules(), *migration_rules(), *query_rules()):
        fields = attrs.astuple(rule, recurse=False)
        patterns += [cast("re.Pattern[bytes]", one) for one in fields if isinstance(one, re.Pattern)]
    for pattern in patterns:
        sum(1 for _ in pattern.finditer(text))
    sum(1 for _ in command_images("", text))


@pytest.mark.parametrize(
    "piece", [b"model A {\n", b"model A {\n  a B\n", b'model A { "', b"enum A\n", b"}\n{\n", b"@@index([(("]
)
def test_schemas_are_read_at_once(piece: bytes) -> None:
    read_prisma("a.prisma", piece * (_SIZE // len(piece)))
