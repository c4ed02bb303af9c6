# What of msgpack is used here. Decoded values are objects until they are checked.
from collections.abc import Callable
from typing import Final

class UnpackException(Exception): ...
class UnpackValueError(UnpackException, ValueError): ...
class OutOfData(UnpackException): ...
class FormatError(ValueError, UnpackException): ...
class StackError(ValueError, UnpackException): ...
class ExtraData(UnpackValueError): ...

version: Final[tuple[int, int, int]]

def packb(
    o: object,
    *,
    default: Callable[[object], object] | None = ...,
    use_bin_type: bool = ...,
    use_single_float: bool = ...,
    strict_types: bool = ...,
    unicode_errors: str | None = ...,
) -> bytes: ...
def unpackb(
    packed: bytes | bytearray | memoryview,
    *,
    object_hook: Callable[[dict[object, object]], object] | None = ...,
    list_hook: Callable[[list[object]], object] | None = ...,
    ext_hook: Callable[[int, bytes], object] = ...,
    use_list: bool = ...,
    raw: bool = ...,
    strict_map_key: bool = ...,
    unicode_errors: str | None = ...,
    max_str_len: int = ...,
    max_bin_len: int = ...,
    max_array_len: int = ...,
    max_map_len: int = ...,
    max_ext_len: int = ...,
) -> object: ...
