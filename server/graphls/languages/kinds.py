"""Kinds: numbers of the vocabularies that resolution compares columns with.

Owns: the plain integer of each member that is asked for often.
Must not know: any particular language.
Invariant: numbers come from `facts.kinds`; comparing with a member itself costs ten times as much.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.kinds import DefinitionKind, ExpressionKind, RegionKind, ReturnKind, Role, ScopeKind

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
STARRED_EXPRESSION: Final = int(ExpressionKind.STARRED)
SUBSCRIPT_EXPRESSION: Final = int(ExpressionKind.SUBSCRIPT)
TUPLE_EXPRESSION: Final = int(ExpressionKind.TUPLE)
TYPE_EXPRESSION: Final = int(ExpressionKind.TYPE)
UNION_EXPRESSION: Final = int(ExpressionKind.UNION)

CLASS_DEFINITION: Final = int(DefinitionKind.CLASS)
CONSTANT_DEFINITION: Final = int(DefinitionKind.CONSTANT)
ENUM_MEMBER_DEFINITION: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD_DEFINITION: Final = int(DefinitionKind.FIELD)
FUNCTION_DEFINITION: Final = int(DefinitionKind.FUNCTION)
IMPORT_DEFINITION: Final = int(DefinitionKind.IMPORT)
METHOD_DEFINITION: Final = int(DefinitionKind.METHOD)
PARAMETER_DEFINITION: Final = int(DefinitionKind.PARAMETER)
PROPERTY_DEFINITION: Final = int(DefinitionKind.PROPERTY)
TYPE_ALIAS_DEFINITION: Final = int(DefinitionKind.TYPE_ALIAS)
TYPE_PARAMETER_DEFINITION: Final = int(DefinitionKind.TYPE_PARAMETER)
VARIABLE_DEFINITION: Final = int(DefinitionKind.VARIABLE)

BRANCH_REGION: Final = int(RegionKind.BRANCH)
LOOP_REGION: Final = int(RegionKind.LOOP)

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
IMPORT_ROLE: Final = int(Role.IMPORT)
INHERIT_ROLE: Final = int(Role.INHERIT)
KEYWORD_ROLE: Final = int(Role.KEYWORD)
PATTERN_ROLE: Final = int(Role.PATTERN)
TEXT_ROLE: Final = int(Role.TEXT)
TYPE_ROLE: Final = int(Role.TYPE)
WRITE_ROLE: Final = int(Role.WRITE)

RETURN_RETURN: Final = int(ReturnKind.RETURN)
YIELD_RETURN: Final = int(ReturnKind.YIELD)
