"""Toml text: a text of TOML as plain values, in time that grows with the text.

Owns: what is not handed to the parser.
Must not know: whose text it is, what its keys mean.
Invariant: raises TOMLDecodeError and nothing else, for whatever text.
"""

from __future__ import annotations

import re
from typing import Final

_MOST_PARTS: Final = 100
"""Parts of one dotted key. The parser takes the square of them: 9 seconds for a key of 50,000 bytes."""
_SEGMENT: Final = r"""(?:[\w-]+|"[^"\n]{0,200}"|'[^'\n]{0,200}')"""
_DOTTED: Final = re.compile(rf"{_SEGMENT}(?:[ \t]*+\.[ \t]*+{_SEGMENT})*+")


def toml_values(text: str) -> dict[str, object]:
    """The values of a text. Raises tomllib.TOMLDecodeError."""
    import tomllib  # many workspaces have no such file

    if any(one.group().count(".") >= _MOST_PARTS for one in _DOTTED.finditer(text)):
        raise tomllib.TOMLDecodeError(f"a key of more than {_MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise tomllib.TOMLDecodeError(str(error)) from None
