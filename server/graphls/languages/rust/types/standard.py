"""Standard: what names of Rust's standard library mean without an import, and what its types hand out.

Owns: the prelude; methods that give back what a value holds; what they give to closures.
Must not know: the workspace.
Invariant: a method that is not listed decides nothing.

How results are written: `0`, `1` are type arguments of the receiver, `self` the receiver, `r` what the closure gives,
`a`, `b` the types of arguments; behind these `0` is their first type argument, `e` what they hold. `Option(0)` is the
type of that name; `Iter` stands for any iterator, `[]` for slices, `()` for tuples. Behind `|` is what a closure is
given, with its position among the arguments in front where that is not the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OPTION: Final = "std.option.Option"
RESULT: Final = "std.result.Result"
ITERATOR: Final = "std.iter.Iterator"
VEC: Final = "std.vec.Vec"
STRING: Final = "std.string.String"

PRELUDE_TYPES: Final[dict[str, str]] = {
    "Option": OPTION, "Result": RESULT, "Vec": VEC, "String": STRING, "Box": "std.boxed.Box",
    "Some": f"{OPTION}.Some", "None": f"{OPTION}.None", "Ok": f"{RESULT}.Ok", "Err": f"{RESULT}.Err",
    "drop": "std.mem.drop", "ToString": "std.string.ToString", "ToOwned": "std.borrow.ToOwned",
    "Iterator": ITERATOR, "IntoIterator": "std.iter.IntoIterator", "Extend": "std.iter.Extend",
    "FromIterator": "std.iter.FromIterator", "DoubleEndedIterator": "std.iter.DoubleEndedIterator",
    "ExactSizeIterator": "std.iter.ExactSizeIterator", "Clone": "std.clone.Clone", "Copy": "std.marker.Copy",
    "Send": "std.marker.Send", "Sync": "std.marker.Sync", "Sized": "std.marker.Sized", "Unpin": "std.marker.Unpin",
    "Drop": "std.ops.Drop", "Fn": "std.ops.Fn", "FnMut": "std.ops.FnMut", "FnOnce": "std.ops.FnOnce",
    "AsyncFn": "std.ops.AsyncFn", "AsyncFnMut": "std.ops.AsyncFnMut", "AsyncFnOnce": "std.ops.AsyncFnOnce",
    "AsRef": "std.convert.AsRef", "AsMut": "std.convert.AsMut", "Into": "std.convert.Into",
    "From": "std.convert.From", "TryFrom": "std.convert.TryFrom", "TryInto": "std.convert.TryInto",
    "Default": "std.default.Default", "Eq": "std.cmp.Eq", "PartialEq": "std.cmp.PartialEq", "Ord": "std.cmp.Ord",
    "PartialOrd": "std.cmp.PartialOrd", "Debug": "std.fmt.Debug", "Hash": "std.hash.Hash",
}  # fmt: skip
PRIMITIVES: Final = frozenset((
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64", "f16", "f128", "never", "!",
))  # fmt: skip
MACROS: Final = frozenset((
    "assert", "assert_eq", "assert_ne", "cfg", "column", "compile_error", "concat", "dbg", "debug_assert",
    "debug_assert_eq", "debug_assert_ne", "env", "eprint", "eprintln", "file", "format", "format_args", "include",
    "include_bytes", "include_str", "is_x86_feature_detected", "line", "matches", "module_path", "option_env", "panic",
    "print", "println", "stringify", "thread_local", "todo", "unimplemented", "unreachable", "vec", "write", "writeln",
    "global_asm", "asm", "concat_idents", "addr_of", "addr_of_mut", "pin", "is_aarch64_feature_detected",
))  # fmt: skip
CRATES: Final = frozenset(("std", "core", "alloc", "proc_macro", "test"))
POINTERS: Final = frozenset((
    "Box", "Rc", "Arc", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard", "Cow", "Pin",
    "ManuallyDrop", "LazyLock", "LazyCell", "Lazy", "MappedMutexGuard", "AssertUnwindSafe", "Reverse",
))  # fmt: skip
"""Types that stand for what they hold."""
TRAIT_METHODS: Final[dict[str, str]] = {
    "clone": "std.clone.Clone", "clone_from": "std.clone.Clone", "to_string": "std.string.ToString",
    "to_owned": "std.borrow.ToOwned", "into": "std.convert.Into", "try_into": "std.convert.TryInto",
    "as_ref": "std.convert.AsRef", "as_mut": "std.convert.AsMut", "borrow": "std.borrow.Borrow",
    "borrow_mut": "std.borrow.BorrowMut", "eq": "std.cmp.PartialEq", "ne": "std.cmp.PartialEq",
    "cmp": "std.cmp.Ord", "partial_cmp": "std.cmp.PartialOrd", "lt": "std.cmp.PartialOrd", "le": "std.cmp.PartialOrd",
    "gt": "std.cmp.PartialOrd", "ge": "std.cmp.PartialOrd", "max": "std.cmp.Ord", "min": "std.cmp.Ord",
    "clamp": "std.cmp.Ord", "hash": "std.hash.Hash", "fmt": "std.fmt.Debug", "default": "std.default.Default",
    "from": "std.convert.From", "try_from": "std.convert.TryFrom", "type_id": "std.any.Any",
    "from_iter": "std.iter.FromIterator",
    "into_iter": "std.iter.IntoIterator", "extend": "std.iter.Extend",
}  # fmt: skip
"""Methods of traits that anything may implement, mostly by `derive`."""
_SELF_METHODS: Final = frozenset(("clone", "to_owned", "max", "min", "clamp", "by_ref", "borrow", "borrow_mut"))

_ITER: Final = (
    "filter:self|0 skip_while:self|0 take_while:self|0 inspect:self|0 rev:self skip:self take:self step_by:self "
    "chain:self cycle:self fuse:self peekable:self by_ref:self into_iter:self iter:self copied:self cloned:self "
    "map:Iter(r)|0 filter_map:Iter(r0)|0 flat_map:Iter(re)|0 flatten:Iter(0e) map_while:Iter(r0)|0 "
    "scan:Iter(r0)|1b:0 enumerate:Iter(()(usize,0)) zip:Iter(()(0,ae)) next:Option(0) last:Option(0) "
    "nth:Option(0) next_back:Option(0) peek:Option(0) peek_mut:Option(0) next_if:Option(0)|0 next_if_eq:Option(0) "
    "find:Option(0)|0 find_map:r|0 position:Option(usize)|0 rposition:Option(usize)|0 max:Option(0) min:Option(0) "
    "max_by_key:Option(0)|0 min_by_key:Option(0)|0 max_by:Option(0)|0,0 min_by:Option(0)|0,0 any:bool|0 "
    "all:bool|0 for_each:()()|0 try_for_each:r|0 fold:a|1:a,0 try_fold:r|1:a,0 reduce:Option(0)|0,0 count:usize "
    "collect:Collected(0) sum:0 product:0 partition:()(Collected(0),Collected(0))|0 unzip:? size_hint:? "
    "rfind:Option(0)|0 sorted:self sorted_by:self|0,0 sorted_by_key:self|0 dedup:self unique:self next_chunk:? "
    "array_chunks:? intersperse:self is_sorted:bool eq:bool cmp:? zip_eq:Iter(()(0,ae)) join:String map_ok:? "
    "tuple_windows:?"
)
_SEQ: Final = (
    "iter:Iter(0) iter_mut:Iter(0) into_iter:Iter(0) drain:Iter(0) first:Option(0) last:Option(0) "
    "first_mut:Option(0) last_mut:Option(0) get:Option(0) get_mut:Option(0) pop:Option(0) pop_front:Option(0) "
    "pop_back:Option(0) front:Option(0) back:Option(0) front_mut:Option(0) back_mut:Option(0) remove:0 "
    "swap_remove:0 len:usize is_empty:bool as_slice:[](0) as_mut_slice:[](0) as_ref:self as_mut:self "
    "to_vec:Vec(0) into_boxed_slice:Box([](0)) chunks:Iter([](0)) windows:Iter([](0)) chunks_exact:Iter([](0)) "
    "split_at:()([](0),[](0)) split_at_mut:()([](0),[](0)) split_first:Option(()(0,[](0))) "
    "split_last:Option(()(0,[](0))) split_off:self clone:self to_owned:Vec(0) contains:bool concat:? join:? "
    "retain:()()|0 retain_mut:()()|0 sort_by:()()|0,0 sort_by_key:()()|0 sort_unstable_by:()()|0,0 "
    "sort_unstable_by_key:()()|0 sort_by_cached_key:()()|0 dedup_by_key:()()|0 "
    "binary_search_by:Result(usize,usize)|0 binary_search_by_key:Result(usize,usize)|1:0 partition_point:usize|0 "
    "iter_many:? splice:Iter(0) get_unchecked:0 get_unchecked_mut:0 peek:Option(0) peek_mut:Option(0) insert:bool "
    "get_or_insert_with:0 union:Iter(0) intersection:Iter(0) difference:Iter(0) take:Option(0) replace:Option(0) "
    "rsplitn:Iter([](0))|1:0 split:Iter([](0))|0 range:Iter(0) first_chunk:? deref:[](0) map:[](r)|0 "
    "extract_if:Iter(0) repeat:Vec(0) into_vec:Vec(0) leak:[](0) as_deref:self"
)
_MAP: Final = (
    "iter:Iter(()(0,1)) iter_mut:Iter(()(0,1)) into_iter:Iter(()(0,1)) drain:Iter(()(0,1)) keys:Iter(0) "
    "into_keys:Iter(0) values:Iter(1) values_mut:Iter(1) into_values:Iter(1) get:Option(1) get_mut:Option(1) "
    "remove:Option(1) insert:Option(1) get_or_insert_with:1 contains_key:bool len:usize is_empty:bool "
    "entry:Entry(0,1) get_key_value:Option(()(0,1)) remove_entry:Option(()(0,1)) retain:()()|0,1 clone:self "
    "first_key_value:Option(()(0,1)) last_key_value:Option(()(0,1)) pop_first:Option(()(0,1)) "
    "pop_last:Option(()(0,1)) range:Iter(()(0,1)) range_mut:Iter(()(0,1)) shift_remove:Option(1) "
    "swap_remove:Option(1) get_index:Option(()(0,1)) or_insert:1 or_insert_with:1 or_default:1 "
    "or_insert_with_key:1|0 and_modify:self|1 key:0"
)
_ENTRY: Final = (
    "or_insert:1 or_insert_with:1 or_default:1 or_insert_with_key:1|0 and_modify:self|1 key:0 get:1 get_mut:1 "
    "into_mut:1 insert:1 remove:1 insert_entry:self"
)
_OPTION: Final = (
    "unwrap:0 expect:0 unwrap_or:0 unwrap_or_default:0 unwrap_or_else:0 unwrap_unchecked:0 as_ref:self "
    "as_mut:self as_deref:self as_deref_mut:self cloned:self copied:self clone:self take:self replace:self "
    "insert:0 get_or_insert:0 get_or_insert_with:0 get_or_insert_default:0 map:Option(r)|0 and_then:r|0 "
    "filter:self|0 or:self or_else:self xor:self and:a ok_or:Result(0,a) ok_or_else:Result(0,r) map_or:a|1:0 "
    "map_or_else:r|1:0 is_some:bool is_none:bool is_some_and:bool|0 is_none_or:bool|0 iter:Iter(0) "
    "iter_mut:Iter(0) into_iter:Iter(0) flatten:0 zip:Option(()(0,a0)) transpose:? inspect:self|0 take_if:self|0 "
    "unzip:? as_slice:[](0) to_owned:self"
)
_RESULT: Final = (
    "unwrap:0 expect:0 unwrap_or:0 unwrap_or_default:0 unwrap_or_else:0|1 unwrap_unchecked:0 unwrap_err:1 "
    "expect_err:1 ok:Option(0) err:Option(1) as_ref:self as_mut:self as_deref:self as_deref_mut:self cloned:self "
    "copied:self clone:self map:Result(r,1)|0 map_err:Result(0,r)|1 and_then:r|0 and:a or:a "
    "or_else:Result(0,r1)|1 map_or:a|1:0 map_or_else:r|0:1;1:0 is_ok:bool is_err:bool is_ok_and:bool|0 "
    "is_err_and:bool|1 iter:Iter(0) into_iter:Iter(0) context:Result(0,?) with_context:Result(0,?) inspect:self|0 "
    "inspect_err:self|1 transpose:? flatten:0"
)
_LOCK: Final = (
    "lock:Result(MutexGuard(0),?) read:Result(MutexGuard(0),?) write:Result(MutexGuard(0),?) "
    "try_lock:Result(MutexGuard(0),?) into_inner:Result(0,?) get_mut:Result(0,?)"
)
_CELL: Final = (
    "borrow:Ref(0) borrow_mut:Ref(0) into_inner:0 get:0 get_mut:0 take:0 replace:0 set:()() "
    "try_borrow:Result(Ref(0),?) try_borrow_mut:Result(Ref(0),?)"
)
_ONCE: Final = (
    "get:Option(0) get_or_init:0 get_mut:Option(0) take:Option(0) into_inner:Option(0) set:? get_or_try_init:?"
)
_POINTER: Final = (
    "clone:self as_ref:0 as_mut:0 borrow:0 borrow_mut:0 deref:0 deref_mut:0 into_inner:0 to_owned:0 into_owned:0 "
    "as_deref:0 to_mut:0 get_mut:0 upgrade:Option(self) downgrade:self unwrap_or_clone:0"
)
_WEAK: Final = "upgrade:Option(Rc(0)) clone:self"
_RANGE: Final = "contains:bool is_empty:bool start:0 end:0"
_STR: Final = (
    "chars:Iter(char) bytes:Iter(u8) char_indices:Iter(()(usize,char)) lines:Iter(str) split:Iter(str) "
    "split_whitespace:Iter(str) splitn:Iter(str) rsplit:Iter(str) rsplitn:Iter(str) split_terminator:Iter(str) "
    "split_inclusive:Iter(str) split_ascii_whitespace:Iter(str) matches:Iter(str) "
    "match_indices:Iter(()(usize,str)) as_bytes:[](u8) into_bytes:Vec(u8) to_vec:Vec(u8) trim:str trim_start:str "
    "trim_end:str as_str:str to_string:String to_owned:String to_lowercase:String to_uppercase:String "
    "replace:String len:usize is_empty:bool find:Option(usize) rfind:Option(usize) strip_prefix:Option(str) "
    "strip_suffix:Option(str) split_once:Option(()(str,str)) rsplit_once:Option(()(str,str)) get:Option(str) "
    "starts_with:bool ends_with:bool contains:bool split_at:()(str,str) clone:self into_string:String "
    "iter:Iter(u8) as_ref:self to_ascii_lowercase:String to_ascii_uppercase:String trim_matches:str "
    "trim_start_matches:str trim_end_matches:str repeat:String as_mut_str:str pop:Option(char) drain:Iter(char) "
    "remove:char"
)
_SENDER: Final = (
    "send:Result(()(),?) try_send:Result(()(),?) clone:self recv:Result(0,?) try_recv:Result(0,?) iter:Iter(0) "
    "try_iter:Iter(0) into_iter:Iter(0) recv_timeout:Result(0,?)"
)
_JOIN: Final = "join:Result(0,?)"


def _table(text: str) -> Mapping[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for entry in text.split(" "):
        name, _, rest = entry.partition(":")
        result, _, closure = rest.partition("|")
        if name:
            found[name] = (result, closure)
    return found


_TABLES: Final[dict[str, Mapping[str, tuple[str, str]]]] = {
    "Iterator": _table(_ITER + " " + _RANGE), "[]": _table(_SEQ), "Map": _table(_MAP), "Option": _table(_OPTION),
    "Result": _table(_RESULT), "Lock": _table(_LOCK), "Cell": _table(_CELL), "Once": _table(_ONCE),
    "Pointer": _table(_POINTER), "Weak": _table(_WEAK), "str": _table(_STR), "Channel": _table(_SENDER),
    "Join": _table(_JOIN), "Entry": _table(_ENTRY),
}  # fmt: skip
_FAMILIES: Final[dict[str, str]] = {
    "Iterator": "Iterator", "DoubleEndedIterator": "Iterator", "ExactSizeIterator": "Iterator", "Peekable": "Iterator",
    "Range": "Iterator", "RangeInclusive": "Iterator", "IntoIterator": "Iterator", "Iter": "Iterator",
    "IntoIter": "Iterator", "IterMut": "Iterator", "Rev": "Iterator", "Drain": "Iterator", "Take": "Iterator",
    "Skip": "Iterator", "Fuse": "Iterator",
    "[]": "[]", "Vec": "[]", "VecDeque": "[]", "HashSet": "[]", "BTreeSet": "[]", "BinaryHeap": "[]",
    "LinkedList": "[]", "SmallVec": "[]", "IndexSet": "[]", "ArrayVec": "[]", "AHashSet": "[]", "FxHashSet": "[]",
    "ThinVec": "[]",
    "HashMap": "Map", "BTreeMap": "Map", "IndexMap": "Map", "AHashMap": "Map", "FxHashMap": "Map", "DashMap": "Map",
    "Entry": "Entry", "OccupiedEntry": "Entry", "VacantEntry": "Entry",
    "Option": "Option", "Result": "Result", "Mutex": "Lock", "RwLock": "Lock", "RefCell": "Cell", "Cell": "Cell",
    "OnceCell": "Once", "OnceLock": "Once", "Weak": "Weak", "str": "str", "String": "str",
    "Sender": "Channel", "Receiver": "Channel", "SyncSender": "Channel", "JoinHandle": "Join",
    "ScopedJoinHandle": "Join",
}  # fmt: skip
MAPS: Final = frozenset(("HashMap", "BTreeMap", "IndexMap", "AHashMap", "FxHashMap", "DashMap"))
HOMES: Final[dict[str, str]] = {
    "Option": OPTION, "Result": RESULT, "Iter": ITERATOR, "Vec": VEC, "String": STRING, "Box": "std.boxed.Box",
    "Rc": "std.rc.Rc", "Ref": "std.cell.Ref", "MutexGuard": "std.sync.MutexGuard",
    "Entry": "std.collections.hash_map.Entry", "Range": "std.ops.Range",
}  # fmt: skip
MADE_OF_ARGUMENT: Final = frozenset((
    "Box.new", "Rc.new", "Arc.new", "Mutex.new", "RwLock.new", "RefCell.new", "Cell.new", "Cow.Borrowed", "Cow.Owned",
    "Box.pin", "Pin.new", "OnceCell.from", "Arc.from", "Rc.from", "Box.from", "ManuallyDrop.new", "Wrapping", "Reverse",
    "AssertUnwindSafe", "Arc.clone", "Rc.clone",
))  # fmt: skip
"""Functions whose result holds what they are given."""
SAME: Final = frozenset((
    "mem.take", "mem.replace", "cmp.max", "cmp.min", "hint.black_box", "convert.identity", "Arc.clone", "Rc.clone",
    "Clone.clone", "Iterator.by_ref", "BufReader.new", "BufWriter.new", "Pin.new_unchecked",
))  # fmt: skip


def family(name: str) -> str:
    """Under which table the methods of a type are, by its last name; "" for none."""
    return "Pointer" if name in POINTERS else _FAMILIES.get(name, "")


def result_of(family_name: str, method: str) -> str:
    """What a method gives, as written; "" where that is not known."""
    table = _TABLES.get(family_name)
    found = table.get(method) if table is not None else None
    if found is None and family_name and method in _SELF_METHODS:
        return "self"
    return found[0] if found is not None else ""


def closure_part(family_name: str, method: str, position: int, index: int) -> str:
    """What the closure at a position gets as one of its parameters, as written; "" where that is not known."""
    table = _TABLES.get(family_name)
    found = table.get(method) if table is not None else None
    if found is None or not found[1]:
        return ""
    for group in found[1].split(";"):
        at, colon, parts = group.rpartition(":")
        if colon and at.rstrip("b") != str(position):
            continue
        if not colon and position:
            continue
        items = parts.split(",")
        return items[index] if index < len(items) else ""
    return ""
