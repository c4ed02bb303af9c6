"""Recall: statements and members whose text an earlier reading of the same file has seen.

Owns: which of them are kept, under what they are found again.
Must not know: what is in them, who edits.
Invariant: with a memory or without, of any earlier text, extraction gives the same facts.

What a statement of the module or a member of its classes says depends on its text, and on the few things about the
reader that are part of `Key`; apart from that only on where it stands.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, TypeAlias, final

from tree_sitter import Node

from graphls.facts.file_facts import FileFacts
from graphls.languages.broken import with_problems
from graphls.languages.draft import D_BODY, D_FLAGS, D_KIND, D_NAME, D_SCOPE, D_START, U_NAME, U_ROLE, USE
from graphls.languages.patching import Found, edited_spot, replaced
from graphls.languages.pieces import (
    OCCURRENCES,
    OUTER_DEFINITIONS,
    OUTER_SCOPES,
    Laid,
    Memory,
    Piece,
    Spot,
    extents,
)
from graphls.languages.typescript.draft import (
    CLASS_SCOPE,
    FUNCTION,
    FUNCTION_SCOPE,
    LAMBDA_SCOPE,
    METHOD,
    OBJECT_SCOPE,
    READ,
    WAITING,
    Draft,
    Expando,
    Frame,
    Rule,
)
from graphls.languages.typescript.expandos import sets_only
from graphls.languages.typescript.finish import as_uses, in_source_order, syntax_problems

Key: TypeAlias = tuple[bytes, int, str, int, int, int, int, bool]
"""Text, number of nodes, documentation, kind of the scope, depth, flags of bindings and uses, whether it was mended."""

SHORTEST: Final = 200
"""Bytes of what is worth keeping."""
_BLANKS: Final = b" \t\r\n"


def recalled(draft: Draft, node: Node, rule: Rule) -> bool:
    """Reads a node from memory, or into it; False where it must be read as if there were none."""
    memory = draft.memory
    if memory is None or draft.script or node.has_error or not _outside(draft):
        return False
    start, end = node.start_byte, node.end_byte
    if end - start < SHORTEST:
        return False
    key = _key(draft, node)
    if b"infer" in key[0]:
        return False
    piece = memory.recall(key)
    if piece is None:
        said = _read(draft, node, rule)
        if said.problems or said.heirs or said.exports_given():
            return False
        piece = Piece(said, start)
    memory.keep(key, piece)
    first = extents(draft)
    _put(draft, piece, start)
    memory.note(draft, Spot(key, piece, _stand(draft, memory, rule)), node, first)
    return True


@final
class Stand:
    """Where the reader stood when it came to a stretch."""

    def __init__(self, draft: Draft, rule: Rule) -> None:
        self.scope = draft.scope
        self.rule = rule
        self.reader: Draft = _around(draft)

    def same(self, draft: Draft, rule: Rule) -> bool:
        """Whether the reader stands so again."""
        reader = self.reader
        return (
            self.scope == draft.scope
            and self.rule is rule
            and (reader.depth, reader.bind_flags, reader.use_flags) == (draft.depth, draft.bind_flags, draft.use_flags)
            and _doc(reader) == _doc(draft)
        )


def _stand(draft: Draft, memory: Memory, rule: Rule) -> Stand:
    last = memory.last_stand()
    return last if isinstance(last, Stand) and last.same(draft, rule) else Stand(draft, rule)


def patched(data: bytes, root: Node, memory: Memory) -> FileFacts | None:
    """The facts of a text of which one stretch says something else than when it was read last; None where more may.
    `root`: of the text itself, not of one that was mended."""
    laid = memory.laid
    if laid is None or not memory.first_try(data):
        return None
    found = edited_spot(laid, data, root)
    if found is None:
        return None
    spot, stand = found.spot, found.spot.stand
    if found.least > spot.end and laid.data[spot.end : spot.end + 1] not in _BLANKS:
        # What follows at once would have moved too.
        return None
    if not isinstance(stand, Stand):
        return None
    reader = stand.reader
    reader.data = data
    key = _key(reader, found.node)
    piece = None if found.node.has_error else memory.known.get(key)
    if piece is None and b"infer" not in key[0]:
        said = _read(reader, found.node, stand.rule)
        piece = None if said.problems or said.heirs or said.exports_given() else Piece(said, found.node.start_byte)
    reader.data = b""
    if piece is None:
        return None
    made = _replaced(memory, laid, found, key, piece)
    if made is None and not found.node.has_error:
        # The whole file is read next, and meets it.
        memory.known[key] = piece
    if made is not None and root.has_error:
        made = laid.said = with_problems(made, laid.texts, syntax_problems(data, root, False))
    return made


def _replaced(memory: Memory, laid: Laid, found: Found, key: Key, piece: Piece) -> FileFacts | None:
    before, now = _settled(found.spot.piece, laid), _settled(piece, laid)
    if before is None or now is None or not _alone(before, now):
        return None
    return replaced(memory, found, key, piece, (before, now))


def _settled(piece: Piece, laid: Laid) -> Piece | None:
    """What a piece says in this file; None where the file decides more of it than that members set declare nothing."""
    said = piece.said
    if not isinstance(said, Draft):
        return None
    if not said.expandos:
        return piece
    if not sets_only(said, laid.facts, laid.texts):
        return None
    if piece.settled is None:
        piece.settled = Piece(as_uses(said, OUTER_SCOPES), piece.start)
    return piece.settled


def _alone(before: Piece, now: Piece) -> bool:
    """Whether what a stretch says has no part in what only the whole file decides."""
    said, old = now.said, before.said
    if not isinstance(said, Draft) or not isinstance(old, Draft):
        return False
    return not _signs(said) and not _signs(old) and _offered(said) == _offered(old) and _plain(said)


def _plain(said: Draft) -> bool:
    """Whether uses that begin at one place are in the order in which a whole file has them, sorted or not."""
    flat = said.occurrences
    starts = flat[::USE]
    if len(set(starts)) == len(starts):
        return True
    order = sorted(range(0, len(flat), USE), key=lambda at: flat[at])
    for one, other in pairwise(order):
        same = flat[one] == flat[other]
        if same and flat[one + 1] == flat[other + 1]:
            same = flat[one + U_NAME] != flat[other + U_NAME] or flat[one + U_ROLE] >= flat[other + U_ROLE]
        elif same:
            same = flat[one + 1] > flat[other + 1]
        if same:
            return False
    return True


def _signs(said: Draft) -> bool:
    """Whether a signature without a body stands around, where others of its name may."""
    with_body = {metric[0] for metric in said.metrics}
    for number, row in enumerate(said.definitions):
        outer = number >= OUTER_DEFINITIONS and row[D_SCOPE] < OUTER_SCOPES
        if outer and row[D_KIND] in (FUNCTION, METHOD) and row[D_BODY] >= 0 and number not in with_body:
            return True
    return False


def _offered(said: Draft) -> list[tuple[int, str, int, int]]:
    """What a stretch binds in the scopes around it."""
    rows = said.definitions[OUTER_DEFINITIONS:]
    return [
        (row[D_SCOPE], said.strings[row[D_NAME]], row[D_KIND], row[D_FLAGS])
        for row in rows
        if row[D_SCOPE] < OUTER_SCOPES
    ]


def _key(draft: Draft, node: Node) -> Key:
    return (
        draft.data[node.start_byte : node.end_byte],
        # What is broken, the text alone does not decide: it is never found under this.
        -1 if node.has_error else node.descendant_count,
        _doc(draft),
        draft.scopes[draft.scope][0],
        draft.depth,
        draft.bind_flags,
        draft.use_flags,
        draft.mended,
    )


def _doc(draft: Draft) -> str:
    return draft.strings[draft.doc] if draft.doc >= 0 else "\0"


def _outside(draft: Draft) -> bool:
    """Whether no function is around: bodies of functions are measured as a whole, with whatever is declared in them."""
    scope = draft.scope
    if scope == 0:
        return not draft.frame.function
    if draft.scopes[scope][0] != CLASS_SCOPE or draft.owner != draft.scopes[scope][4]:
        return False
    while scope > 0:
        if draft.scopes[scope][0] in (FUNCTION_SCOPE, LAMBDA_SCOPE, OBJECT_SCOPE):
            return False
        scope = draft.scopes[scope][1]
    return True


def _around(draft: Draft) -> Draft:
    """A reader that stands where another one does, with nothing read."""
    inside = 0 if draft.scope == 0 else OUTER_SCOPES - 1
    made = Draft(b"", rules=draft.rules, kinds=draft.kinds, script=False, ambient=draft.ambient, frame=Frame(-1, False))
    around = list(draft.scopes[draft.scope])
    around[1], around[4] = (0, 0) if inside else (-1, -1)
    made.scopes += [list(draft.scopes[0]), around]
    made.definitions.append(list(draft.definitions[draft.owner]) if draft.owner >= 0 else [0] * 15)
    made.scope, made.owner, made.depth = inside, -1 if draft.owner < 0 else 0, draft.depth
    made.bind_flags, made.use_flags = draft.bind_flags, draft.use_flags
    made.doc = made.text(draft.strings[draft.doc]) if draft.doc >= 0 else -1
    return made


def _read(draft: Draft, node: Node, rule: Rule) -> Draft:
    """A draft of the node alone."""
    said = _around(draft)
    said.data = draft.data
    said.full = (node.start_byte, node.end_byte) if said.scope else (0, 0)
    rule(said, node, 0, READ)
    if not said.expandos and not said.heirs:
        # What stands inside, the stretch alone decides.
        _settle(said)
    # Facts refer to no text of their own: the bytes of a file that has changed since are let go of.
    said.data = b""
    return said


def _settle(said: Draft) -> None:
    """Puts rows in source order, where that leaves alone which binding of a name is the first."""
    starts = [row[D_START] for row in said.definitions]
    names = {(row[D_SCOPE], row[D_NAME]) for row in said.definitions}
    if starts == sorted(starts) or len(names) == len(said.definitions):
        in_source_order(said, OUTER_SCOPES)


def _put(draft: Draft, piece: Piece, start: int) -> None:
    placed = piece.put(draft, start)
    said = piece.said
    if not isinstance(said, Draft):
        return
    for expando in said.expandos:
        definition = placed.definitions[expando.definition]
        draft.definitions[definition][D_SCOPE] = WAITING
        base = placed.strings[expando.base] if expando.base >= 0 else -1
        use = tuple([placed.value(what, value) for what, value in zip(OCCURRENCES, expando.use, strict=True)])
        scope = placed.scopes[expando.scope]
        draft.expandos.append(
            Expando(base, scope, expando.prototype, definition=definition, use=use, called=expando.called)
        )
