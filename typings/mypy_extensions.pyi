from collections.abc import Callable
from typing import TypeVar

_C = TypeVar("_C", bound=type)

def mypyc_attr(*attrs: str, allow_interpreted_subclasses: bool = ...) -> Callable[[_C], _C]: ...
