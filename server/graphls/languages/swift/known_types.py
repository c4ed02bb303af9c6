"""Known types: protocols of the standard library that code conforms to, with all their members.

Owns: these lists.
Must not know: who asks.
Invariant: a list is whole.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.known_members import known_members

KNOWN_MEMBERS: Final = known_members(
    ("Swift", "Foundation", "?"),
    {
        **dict.fromkeys(("Sendable", "Copyable", "Escapable", "BitwiseCopyable", "AnyObject"), ""),
        "CaseIterable": "allCases AllCases",
        "Codable": "init encode CodingKeys",
        "Comparable": "< <= > >= ==",
        "CustomDebugStringConvertible": "debugDescription",
        "CustomStringConvertible": "description",
        "Decodable": "init CodingKeys",
        "Encodable": "encode CodingKeys",
        "Equatable": "== !=",
        "Error": "localizedDescription _domain _code _userInfo",
        "Hashable": "hash hashValue == !=",
        "Identifiable": "id ID",
        "LosslessStringConvertible": "init description",
        "RawRepresentable": "rawValue init RawValue",
    },
)
