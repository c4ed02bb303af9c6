"""Known types: traits of the standard library that code implements, with all their members.

Owns: these lists.
Must not know: who asks.
Invariant: a list is whole, stable members and unstable ones that have stood for years.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.known_members import known_members

_ARITHMETIC: Final = (
    "Add", "Sub", "Mul", "Div", "Rem", "Neg", "Not", "BitAnd", "BitOr", "BitXor", "Shl", "Shr",
)  # fmt: skip
_IN_PLACE: Final = {
    "AddAssign": "add_assign", "SubAssign": "sub_assign", "MulAssign": "mul_assign", "DivAssign": "div_assign",
    "RemAssign": "rem_assign", "BitAndAssign": "bitand_assign", "BitOrAssign": "bitor_assign",
    "BitXorAssign": "bitxor_assign", "ShlAssign": "shl_assign", "ShrAssign": "shr_assign",
}  # fmt: skip
KNOWN_MEMBERS: Final = known_members(
    ("std", "core", "alloc"),
    {
        **dict.fromkeys(("Send", "Sync", "Sized", "Unpin", "Copy", "UnwindSafe", "RefUnwindSafe", "Sealed"), ""),
        **dict.fromkeys(
            ("Display", "Debug", "LowerHex", "UpperHex", "Binary", "Octal", "Pointer", "LowerExp", "UpperExp"), "fmt"
        ),
        **{name: f"{name.lower()} Output" for name in _ARITHMETIC},
        **_IN_PLACE,
        "Any": "type_id",
        "AsMut": "as_mut",
        "AsRef": "as_ref",
        "Borrow": "borrow",
        "BorrowMut": "borrow_mut",
        "Clone": "clone clone_from",
        "Default": "default",
        "Deref": "deref Target",
        "DerefMut": "deref_mut",
        "Drop": "drop",
        "Eq": "assert_receiver_is_total_eq assert_fields_are_eq",
        "Error": "source description cause provide type_id",
        "Extend": "extend extend_one extend_reserve",
        "From": "from",
        "FromIterator": "from_iter",
        "FromStr": "from_str Err",
        "Future": "poll Output",
        "Hash": "hash hash_slice",
        "Hasher": "finish write write_u8 write_u16 write_u32 write_u64 write_u128 write_usize write_i8 write_i16 "
        "write_i32 write_i64 write_i128 write_isize write_length_prefix write_str",
        "Index": "index Output",
        "IndexMut": "index_mut",
        "Into": "into",
        "IntoIterator": "into_iter Item IntoIter",
        "Ord": "cmp max min clamp",
        "PartialEq": "eq ne",
        "PartialOrd": "partial_cmp lt le gt ge",
        "Termination": "report",
        "ToOwned": "to_owned clone_into Owned",
        "ToString": "to_string",
        "TryFrom": "try_from Error",
        "TryInto": "try_into Error",
        "Wake": "wake wake_by_ref",
    },
)
