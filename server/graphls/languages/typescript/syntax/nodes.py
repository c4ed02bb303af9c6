"""Nodes: kinds and fields of the grammars of TypeScript and JavaScript, by numbers that all of them share.

Owns: what extraction compares node kinds with, and the tables that lead there from the numbers of a grammar.
Must not know: what extraction does with them.
Invariant: two kinds have one number here only if they have one name; tables come from the loaded grammar.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graphls.languages.extract.grammars import language

OTHER: Final = 0
"""Kinds that nobody asks for."""
ABSTRACT: Final = 1
ABSTRACT_CLASS_DECLARATION: Final = 2
ACCESSIBILITY_MODIFIER: Final = 3
AND: Final = 4
ARRAY_PATTERN: Final = 5
ARROW_FUNCTION: Final = 6
ASSIGNMENT_PATTERN: Final = 7
ASYNC: Final = 8
AS_EXPRESSION: Final = 9
AWAIT: Final = 10
AWAIT_EXPRESSION: Final = 11
BINARY_EXPRESSION: Final = 12
CALL_EXPRESSION: Final = 13
CALL_SIGNATURE: Final = 14
CATCH_CLAUSE: Final = 15
CLASS: Final = 16
CLASS_DECLARATION: Final = 17
CLASS_HERITAGE: Final = 18
CLASS_STATIC_BLOCK: Final = 19
COMMA: Final = 20
COMMENT: Final = 21
COMPUTED_PROPERTY_NAME: Final = 22
CONSTRUCTOR_TYPE: Final = 23
CONSTRUCT_SIGNATURE: Final = 24
DECORATOR: Final = 25
DEFAULT: Final = 26
DELETE: Final = 27
ENUM_ASSIGNMENT: Final = 28
EQUALS: Final = 29
ERROR: Final = 30
EXPORT_CLAUSE: Final = 31
EXTENDS_CLAUSE: Final = 32
EXTENDS_TYPE_CLAUSE: Final = 33
FIELD_DEFINITION: Final = 34
FINALLY_CLAUSE: Final = 35
FORMAL_PARAMETERS: Final = 36
FUNCTION_EXPRESSION: Final = 37
FUNCTION_SIGNATURE: Final = 38
GENERATOR_FUNCTION: Final = 39
GENERATOR_FUNCTION_DECLARATION: Final = 40
GET: Final = 41
HTML_COMMENT: Final = 42
IDENTIFIER: Final = 43
IF_STATEMENT: Final = 44
IMPLEMENTS_CLAUSE: Final = 45
IMPORT: Final = 46
IMPORT_CLAUSE: Final = 47
IMPORT_REQUIRE_CLAUSE: Final = 48
IMPORT_SPECIFIER: Final = 49
IN: Final = 50
INDEX_SIGNATURE: Final = 51
INSTANCEOF: Final = 52
JSX_ATTRIBUTE: Final = 53
JSX_CLOSING_ELEMENT: Final = 54
JSX_EXPRESSION: Final = 55
JSX_NAMESPACE_NAME: Final = 56
JSX_OPENING_ELEMENT: Final = 57
JSX_TEXT: Final = 58
MAPPED_TYPE_CLAUSE: Final = 59
MEMBER_EXPRESSION: Final = 60
METHOD_DEFINITION: Final = 61
MINUS: Final = 62
NAMED_IMPORTS: Final = 63
NAMESPACE: Final = 64
NAMESPACE_EXPORT: Final = 65
NAMESPACE_IMPORT: Final = 66
NESTED_IDENTIFIER: Final = 67
NEW_EXPRESSION: Final = 68
NOT: Final = 69
NULLISH: Final = 70
NUMBER: Final = 71
OBJECT: Final = 72
OBJECT_ASSIGNMENT_PATTERN: Final = 73
OBJECT_PATTERN: Final = 74
OBJECT_TYPE: Final = 75
OPTIONAL_CHAIN: Final = 76
OPTIONAL_PARAMETER: Final = 77
OR: Final = 78
OVERRIDE_MODIFIER: Final = 79
PAIR: Final = 80
PAIR_PATTERN: Final = 81
PARENTHESIZED_EXPRESSION: Final = 82
PERCENT: Final = 83
PLUS: Final = 84
POWER: Final = 85
PRIVATE_PROPERTY_IDENTIFIER: Final = 86
PROPERTY_IDENTIFIER: Final = 87
PROPERTY_SIGNATURE: Final = 88
PUBLIC_FIELD_DEFINITION: Final = 89
QUESTION: Final = 90
READONLY: Final = 91
REQUIRED_PARAMETER: Final = 92
REST_PATTERN: Final = 93
SATISFIES_EXPRESSION: Final = 94
SET: Final = 95
SHORTHAND_PROPERTY_IDENTIFIER: Final = 96
SHORTHAND_PROPERTY_IDENTIFIER_PATTERN: Final = 97
SLASH: Final = 98
SPREAD_ELEMENT: Final = 99
STAR: Final = 100
STATEMENT_BLOCK: Final = 101
STATEMENT_IDENTIFIER: Final = 102
STATIC: Final = 103
STRING: Final = 104
THIS: Final = 105
TYPE: Final = 106
TYPEOF: Final = 107
TYPE_ANNOTATION: Final = 108
TYPE_ARGUMENTS: Final = 109
TYPE_ASSERTION: Final = 110
TYPE_PARAMETER: Final = 111
TYPE_PARAMETERS: Final = 112
UNARY_EXPRESSION: Final = 113
VAR: Final = 114
VARIABLE_DECLARATION: Final = 115
VARIABLE_DECLARATOR: Final = 116
VOID: Final = 117

CODES: Mapping[str, int] = {
    "abstract": ABSTRACT,
    "abstract_class_declaration": ABSTRACT_CLASS_DECLARATION,
    "accessibility_modifier": ACCESSIBILITY_MODIFIER,
    "&&": AND,
    "array_pattern": ARRAY_PATTERN,
    "arrow_function": ARROW_FUNCTION,
    "assignment_pattern": ASSIGNMENT_PATTERN,
    "async": ASYNC,
    "as_expression": AS_EXPRESSION,
    "await": AWAIT,
    "await_expression": AWAIT_EXPRESSION,
    "binary_expression": BINARY_EXPRESSION,
    "call_expression": CALL_EXPRESSION,
    "call_signature": CALL_SIGNATURE,
    "catch_clause": CATCH_CLAUSE,
    "class": CLASS,
    "class_declaration": CLASS_DECLARATION,
    "class_heritage": CLASS_HERITAGE,
    "class_static_block": CLASS_STATIC_BLOCK,
    ",": COMMA,
    "comment": COMMENT,
    "computed_property_name": COMPUTED_PROPERTY_NAME,
    "constructor_type": CONSTRUCTOR_TYPE,
    "construct_signature": CONSTRUCT_SIGNATURE,
    "decorator": DECORATOR,
    "default": DEFAULT,
    "delete": DELETE,
    "enum_assignment": ENUM_ASSIGNMENT,
    "=": EQUALS,
    "ERROR": ERROR,
    "export_clause": EXPORT_CLAUSE,
    "extends_clause": EXTENDS_CLAUSE,
    "extends_type_clause": EXTENDS_TYPE_CLAUSE,
    "field_definition": FIELD_DEFINITION,
    "finally_clause": FINALLY_CLAUSE,
    "formal_parameters": FORMAL_PARAMETERS,
    "function_expression": FUNCTION_EXPRESSION,
    "function_signature": FUNCTION_SIGNATURE,
    "generator_function": GENERATOR_FUNCTION,
    "generator_function_declaration": GENERATOR_FUNCTION_DECLARATION,
    "get": GET,
    "html_comment": HTML_COMMENT,
    "identifier": IDENTIFIER,
    "if_statement": IF_STATEMENT,
    "implements_clause": IMPLEMENTS_CLAUSE,
    "import": IMPORT,
    "import_clause": IMPORT_CLAUSE,
    "import_require_clause": IMPORT_REQUIRE_CLAUSE,
    "import_specifier": IMPORT_SPECIFIER,
    "in": IN,
    "index_signature": INDEX_SIGNATURE,
    "instanceof": INSTANCEOF,
    "jsx_attribute": JSX_ATTRIBUTE,
    "jsx_closing_element": JSX_CLOSING_ELEMENT,
    "jsx_expression": JSX_EXPRESSION,
    "jsx_namespace_name": JSX_NAMESPACE_NAME,
    "jsx_opening_element": JSX_OPENING_ELEMENT,
    "jsx_text": JSX_TEXT,
    "mapped_type_clause": MAPPED_TYPE_CLAUSE,
    "member_expression": MEMBER_EXPRESSION,
    "method_definition": METHOD_DEFINITION,
    "-": MINUS,
    "named_imports": NAMED_IMPORTS,
    "namespace": NAMESPACE,
    "namespace_export": NAMESPACE_EXPORT,
    "namespace_import": NAMESPACE_IMPORT,
    "nested_identifier": NESTED_IDENTIFIER,
    "new_expression": NEW_EXPRESSION,
    "!": NOT,
    "??": NULLISH,
    "number": NUMBER,
    "object": OBJECT,
    "object_assignment_pattern": OBJECT_ASSIGNMENT_PATTERN,
    "object_pattern": OBJECT_PATTERN,
    "object_type": OBJECT_TYPE,
    "optional_chain": OPTIONAL_CHAIN,
    "optional_parameter": OPTIONAL_PARAMETER,
    "||": OR,
    "override_modifier": OVERRIDE_MODIFIER,
    "pair": PAIR,
    "pair_pattern": PAIR_PATTERN,
    "parenthesized_expression": PARENTHESIZED_EXPRESSION,
    "%": PERCENT,
    "+": PLUS,
    "**": POWER,
    "private_property_identifier": PRIVATE_PROPERTY_IDENTIFIER,
    "property_identifier": PROPERTY_IDENTIFIER,
    "property_signature": PROPERTY_SIGNATURE,
    "public_field_definition": PUBLIC_FIELD_DEFINITION,
    "?": QUESTION,
    "readonly": READONLY,
    "required_parameter": REQUIRED_PARAMETER,
    "rest_pattern": REST_PATTERN,
    "satisfies_expression": SATISFIES_EXPRESSION,
    "set": SET,
    "shorthand_property_identifier": SHORTHAND_PROPERTY_IDENTIFIER,
    "shorthand_property_identifier_pattern": SHORTHAND_PROPERTY_IDENTIFIER_PATTERN,
    "/": SLASH,
    "spread_element": SPREAD_ELEMENT,
    "*": STAR,
    "statement_block": STATEMENT_BLOCK,
    "statement_identifier": STATEMENT_IDENTIFIER,
    "static": STATIC,
    "string": STRING,
    "this": THIS,
    "type": TYPE,
    "typeof": TYPEOF,
    "type_annotation": TYPE_ANNOTATION,
    "type_arguments": TYPE_ARGUMENTS,
    "type_assertion": TYPE_ASSERTION,
    "type_parameter": TYPE_PARAMETER,
    "type_parameters": TYPE_PARAMETERS,
    "unary_expression": UNARY_EXPRESSION,
    "var": VAR,
    "variable_declaration": VARIABLE_DECLARATION,
    "variable_declarator": VARIABLE_DECLARATOR,
    "void": VOID,
}

# Sets of kinds: one bit each.
DECLARES: Final = 1
"""Statements that bind names of their block."""
EXITS: Final = 2
"""Statements that leave the block."""
FUNCTIONS: Final = 4
"""Functions as values."""
RESULTS: Final = 8
"""What takes a type from the place that a function returns it to."""
TYPED_VALUES: Final = 16
"""What takes a type from the member that it is the value of."""
METHODS: Final = 32
"""Members that are called and have no body."""
CONTEXTUAL: Final = 64
"""What takes a type from what it is assigned to."""
PATTERNS: Final = 128
"""What takes a value apart."""
PARTS: Final = 256
"""Patterns and what stands in them."""

_SETS: Mapping[int, tuple[str, ...]] = {
    DECLARES: (
        "lexical_declaration",
        "class_declaration",
        "function_declaration",
        "generator_function_declaration",
        "using_declaration",
        "enum_declaration",
        "interface_declaration",
        "type_alias_declaration",
    ),
    EXITS: ("return_statement", "throw_statement", "break_statement", "continue_statement"),
    FUNCTIONS: ("arrow_function", "function_expression", "generator_function"),
    RESULTS: ("object", "array", "parenthesized_expression", "ternary_expression", "arrow_function"),
    TYPED_VALUES: ("object", "array", "arrow_function", "function_expression", "parenthesized_expression"),
    METHODS: ("method_signature", "abstract_method_signature", "call_signature", "construct_signature"),
    CONTEXTUAL: ("arrow_function", "function_expression", "generator_function", "object", "array"),
    PATTERNS: ("object_pattern", "array_pattern"),
    PARTS: ("object_pattern", "array_pattern", "pair_pattern", "rest_pattern", "assignment_pattern"),
}


F_: Final = 0
F_ALIAS: Final = 1
F_ALTERNATIVE: Final = 2
F_ARGUMENTS: Final = 3
F_BODY: Final = 4
F_CLOSE_TAG: Final = 5
F_CONDITION: Final = 6
F_CONSEQUENCE: Final = 7
F_CONSTRAINT: Final = 8
F_CONSTRUCTOR: Final = 9
F_DECLARATION: Final = 10
F_FUNCTION: Final = 11
F_INDEX: Final = 12
F_KEY: Final = 13
F_KIND: Final = 14
F_LEFT: Final = 15
F_NAME: Final = 16
F_OBJECT: Final = 17
F_OPEN_TAG: Final = 18
F_OPERATOR: Final = 19
F_PARAMETER: Final = 20
F_PATTERN: Final = 21
F_PROPERTY: Final = 22
F_RETURN_TYPE: Final = 23
F_RIGHT: Final = 24
F_SOURCE: Final = 25
F_TYPE: Final = 26
F_TYPE_ARGUMENTS: Final = 27
F_VALUE: Final = 28
_FIELDS = (
    "",
    "alias",
    "alternative",
    "arguments",
    "body",
    "close_tag",
    "condition",
    "consequence",
    "constraint",
    "constructor",
    "declaration",
    "function",
    "index",
    "key",
    "kind",
    "left",
    "name",
    "object",
    "open_tag",
    "operator",
    "parameter",
    "pattern",
    "property",
    "return_type",
    "right",
    "source",
    "type",
    "type_arguments",
    "value",
)

ERROR_KIND: Final = 65535
"""Number of the node that holds what could not be parsed."""


def _marks() -> Mapping[str, int]:
    made: dict[str, int] = {}
    for mark, names in _SETS.items():
        for name in names:
            made[name] = made.get(name, 0) | mark
    return made


MARKS: Mapping[str, int] = _marks()


def by_kind(grammar: str, named: Mapping[str, int], other: int) -> list[int]:
    """Numbers that kinds have by their names, by the number of the kind in a grammar."""
    loaded = language(grammar)
    found = [named.get(loaded.node_kind_for_id(number) or "", other) for number in range(loaded.node_kind_count)]
    found.extend([other] * (ERROR_KIND - len(found)))
    found.append(named.get("ERROR", other))
    return found


def fields(grammar: str) -> list[int]:
    """The numbers of fields in a grammar, by those they have here; 0 where it has none of that name."""
    loaded = language(grammar)
    return [loaded.field_id_for_name(name) or 0 for name in _FIELDS]
