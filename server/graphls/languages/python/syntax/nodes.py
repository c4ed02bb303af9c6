"""Nodes: the kinds of the Python grammar, by number.

Owns: the numbers that extraction compares node kinds with.
Must not know: what extraction does with them.
Invariant: numbers come from the loaded grammar, never from memory of a version.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.extract.grammars import kind


def _kind(name: str) -> int:
    return kind("python", name)


ARGUMENTS: Final = _kind("argument_list")
AS_PATTERN: Final = _kind("as_pattern")
AS_TARGET: Final = _kind("as_pattern_target")
ASSIGNMENT: Final = _kind("assignment")
ATTRIBUTE: Final = _kind("attribute")
BINARY: Final = _kind("binary_operator")
BLOCK: Final = _kind("block")
BOOLEAN: Final = _kind("boolean_operator")
BREAK: Final = _kind("break_statement")
CALL: Final = _kind("call")
CASE_CLAUSE: Final = _kind("case_clause")
CASE_PATTERN: Final = _kind("case_pattern")
CHEVRON: Final = _kind("chevron")
CLASS_DEFINITION: Final = _kind("class_definition")
CLASS_PATTERN: Final = _kind("class_pattern")
COMMENT: Final = _kind("comment")
COMPARISON: Final = _kind("comparison_operator")
CONSTRAINED_TYPE: Final = _kind("constrained_type")
CONTINUATION: Final = _kind("line_continuation")
CONTINUE: Final = _kind("continue_statement")
DECORATOR: Final = _kind("decorator")
DEFAULT_PARAMETER: Final = _kind("default_parameter")
DICT_PATTERN: Final = _kind("dict_pattern")
DICTIONARY_SPLAT: Final = _kind("dictionary_splat")
DICTIONARY_SPLAT_PATTERN: Final = _kind("dictionary_splat_pattern")
DOTTED_NAME: Final = _kind("dotted_name")
ELIF: Final = _kind("elif_clause")
ELSE: Final = _kind("else_clause")
EXCEPT: Final = _kind("except_clause")
LAMBDA: Final = _kind("lambda")
EXPRESSION_LIST: Final = _kind("expression_list")
FINALLY: Final = _kind("finally_clause")
FOR_IN: Final = _kind("for_in_clause")
FUNCTION_DEFINITION: Final = _kind("function_definition")
GENERATOR: Final = _kind("generator_expression")
IDENTIFIER: Final = _kind("identifier")
IF_CLAUSE: Final = _kind("if_clause")
INTERPOLATION: Final = _kind("interpolation")
KEYWORD_ARGUMENT: Final = _kind("keyword_argument")
KEYWORD_PATTERN: Final = _kind("keyword_pattern")
KEYWORD_SEPARATOR: Final = _kind("keyword_separator")
LIST: Final = _kind("list")
LIST_PATTERN: Final = _kind("list_pattern")
LIST_SPLAT: Final = _kind("list_splat")
LIST_SPLAT_PATTERN: Final = _kind("list_splat_pattern")
AWAIT: Final = _kind("await")
NAMED: Final = _kind("named_expression")
NONE_LITERAL: Final = _kind("none")
NOT: Final = _kind("not_operator")
PAIR: Final = _kind("pair")
PARAMETERS: Final = _kind("parameters")
PARENTHESIZED: Final = _kind("parenthesized_expression")
PATTERN_LIST: Final = _kind("pattern_list")
POSITIONAL_SEPARATOR: Final = _kind("positional_separator")
RAISE: Final = _kind("raise_statement")
RELATIVE_IMPORT: Final = _kind("relative_import")
RETURN: Final = _kind("return_statement")
SET: Final = _kind("set")
SPLAT_PATTERN: Final = _kind("splat_pattern")
SPLAT_TYPE: Final = _kind("splat_type")
STRING: Final = _kind("string")
STRING_CONTENT: Final = _kind("string_content")
SUBSCRIPT: Final = _kind("subscript")
TUPLE: Final = _kind("tuple")
TUPLE_EXPRESSION: Final = _kind("tuple_expression")
TUPLE_PATTERN: Final = _kind("tuple_pattern")
GENERIC_TYPE: Final = _kind("generic_type")
MEMBER_TYPE: Final = _kind("member_type")
UNION_TYPE: Final = _kind("union_type")
TYPE: Final = _kind("type")
TYPE_PARAMETER: Final = _kind("type_parameter")
TYPED_DEFAULT_PARAMETER: Final = _kind("typed_default_parameter")
TYPED_PARAMETER: Final = _kind("typed_parameter")
UNION_PATTERN: Final = _kind("union_pattern")
WILDCARD_IMPORT: Final = _kind("wildcard_import")
ALIASED_IMPORT: Final = _kind("aliased_import")
WITH_CLAUSE: Final = _kind("with_clause")
WITH_ITEM: Final = _kind("with_item")

EXTRAS: Final = frozenset((COMMENT, CONTINUATION))
"""Kinds that may stand between any two nodes."""

TUPLES: Final = frozenset((TUPLE, EXPRESSION_LIST, TUPLE_EXPRESSION))
SEQUENCE_TARGETS: Final = frozenset(
    (PATTERN_LIST, TUPLE_PATTERN, LIST_PATTERN, TUPLE, LIST, EXPRESSION_LIST, TUPLE_EXPRESSION)
)
EXITS: Final = frozenset((RETURN, RAISE, BREAK, CONTINUE))
