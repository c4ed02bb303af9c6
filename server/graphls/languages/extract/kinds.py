"""Kinds: numbers of the vocabularies that resolution compares columns with.

Owns: the plain integer of each member that is asked for often.
Must not know: any particular language.
Invariant: numbers come from `facts.kinds`; comparing with a member itself costs ten times as much.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.kinds import (
    DefinitionFlag,
    DefinitionKind,
    ExpressionKind,
    RegionKind,
    ReturnKind,
    Role,
    ScopeKind,
)

AWAIT_EXPRESSION: Final = int(ExpressionKind.AWAIT)
CALL_EXPRESSION: Final = int(ExpressionKind.CALL)
COLLECTION_EXPRESSION: Final = int(ExpressionKind.COLLECTION)
ELEMENT_EXPRESSION: Final = int(ExpressionKind.ELEMENT)
ENTER_EXPRESSION: Final = int(ExpressionKind.ENTER)
EXCEPTION_EXPRESSION: Final = int(ExpressionKind.EXCEPTION)
FUNCTION_EXPRESSION: Final = int(ExpressionKind.FUNCTION)
ITEM_EXPRESSION: Final = int(ExpressionKind.ITEM)
LAMBDA_EXPRESSION: Final = int(ExpressionKind.LAMBDA)
LITERAL_EXPRESSION: Final = int(ExpressionKind.LITERAL)
MEMBER_EXPRESSION: Final = int(ExpressionKind.MEMBER)
MODULE_EXPRESSION: Final = int(ExpressionKind.MODULE)
NAME_EXPRESSION: Final = int(ExpressionKind.NAME)
NARROWED_EXPRESSION: Final = int(ExpressionKind.NARROWED)
OBJECT_EXPRESSION: Final = int(ExpressionKind.OBJECT)
OPERATION_EXPRESSION: Final = int(ExpressionKind.OPERATION)
PARAMETER_EXPRESSION: Final = int(ExpressionKind.PARAMETER)
STARRED_EXPRESSION: Final = int(ExpressionKind.STARRED)
SUBSCRIPT_EXPRESSION: Final = int(ExpressionKind.SUBSCRIPT)
TUPLE_EXPRESSION: Final = int(ExpressionKind.TUPLE)
TYPE_EXPRESSION: Final = int(ExpressionKind.TYPE)
UNION_EXPRESSION: Final = int(ExpressionKind.UNION)

CLASS_DEFINITION: Final = int(DefinitionKind.CLASS)
CONSTANT_DEFINITION: Final = int(DefinitionKind.CONSTANT)
ENUM_DEFINITION: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER_DEFINITION: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD_DEFINITION: Final = int(DefinitionKind.FIELD)
FUNCTION_DEFINITION: Final = int(DefinitionKind.FUNCTION)
IMPORT_DEFINITION: Final = int(DefinitionKind.IMPORT)
INTERFACE_DEFINITION: Final = int(DefinitionKind.INTERFACE)
METHOD_DEFINITION: Final = int(DefinitionKind.METHOD)
NAMESPACE_DEFINITION: Final = int(DefinitionKind.NAMESPACE)
PARAMETER_DEFINITION: Final = int(DefinitionKind.PARAMETER)
PROPERTY_DEFINITION: Final = int(DefinitionKind.PROPERTY)
TYPE_ALIAS_DEFINITION: Final = int(DefinitionKind.TYPE_ALIAS)
TYPE_PARAMETER_DEFINITION: Final = int(DefinitionKind.TYPE_PARAMETER)
VARIABLE_DEFINITION: Final = int(DefinitionKind.VARIABLE)

ABSTRACT_FLAG: Final = int(DefinitionFlag.ABSTRACT)
ASYNC_FLAG: Final = int(DefinitionFlag.ASYNC)
DEFAULTED_FLAG: Final = int(DefinitionFlag.DEFAULTED)
DEFAULT_EXPORT_FLAG: Final = int(DefinitionFlag.DEFAULT_EXPORT)
EXPORTED_FLAG: Final = int(DefinitionFlag.EXPORTED)
GENERATOR_FLAG: Final = int(DefinitionFlag.GENERATOR)
OVERLOAD_FLAG: Final = int(DefinitionFlag.OVERLOAD)
SETTER_FLAG: Final = int(DefinitionFlag.SETTER)
STATIC_FLAG: Final = int(DefinitionFlag.STATIC)
TYPE_ONLY_FLAG: Final = int(DefinitionFlag.TYPE_ONLY)
VARIADIC_FLAG: Final = int(DefinitionFlag.VARIADIC)

BRANCH_REGION: Final = int(RegionKind.BRANCH)
LOOP_REGION: Final = int(RegionKind.LOOP)

BLOCK_SCOPE: Final = int(ScopeKind.BLOCK)
CLASS_SCOPE: Final = int(ScopeKind.CLASS)
COMPREHENSION_SCOPE: Final = int(ScopeKind.COMPREHENSION)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
MODULE_SCOPE: Final = int(ScopeKind.MODULE)
NAMESPACE_SCOPE: Final = int(ScopeKind.NAMESPACE)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)
TYPE_PARAMETERS_SCOPE: Final = int(ScopeKind.TYPE_PARAMETERS)

CALL_ROLE: Final = int(Role.CALL)
DECORATE_ROLE: Final = int(Role.DECORATE)
EXPORT_ROLE: Final = int(Role.EXPORT)
IMPLEMENT_ROLE: Final = int(Role.IMPLEMENT)
IMPORT_ROLE: Final = int(Role.IMPORT)
INHERIT_ROLE: Final = int(Role.INHERIT)
KEYWORD_ROLE: Final = int(Role.KEYWORD)
PATTERN_ROLE: Final = int(Role.PATTERN)
READ_ROLE: Final = int(Role.READ)
RENDER_ROLE: Final = int(Role.RENDER)
TEXT_ROLE: Final = int(Role.TEXT)
TYPE_ROLE: Final = int(Role.TYPE)
WRITE_ROLE: Final = int(Role.WRITE)

RETURN_RETURN: Final = int(ReturnKind.RETURN)
YIELD_RETURN: Final = int(ReturnKind.YIELD)
FUNCTION_RETURN: Final = int(ReturnKind.FUNCTION)
