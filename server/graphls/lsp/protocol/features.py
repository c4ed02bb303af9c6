"""Features: how a handler is declared and what it is given.

Owns: the declaration values and decorators, the contexts of requests and notifications.
Must not know: transports, framing, which features exist, the session's class.
Invariant: a handler sees one snapshot; declaring a feature changes nothing outside the value that is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

import attrs
from lsprotocol import types

from graphls.facts.cached_property import cached_property
from graphls.facts.lines import Encoding
from graphls.graph.request_budget import RequestBudget
from graphls.lsp.protocol.progress import PartialResults, WorkDone
from graphls.lsp.protocol.scheduling import CancelToken, Kind

SnapshotT = TypeVar("SnapshotT")
SnapshotT_co = TypeVar("SnapshotT_co", covariant=True)


class SessionLike(Protocol[SnapshotT_co]):
    """What the protocol asks of a session. Both calls may come from any thread."""

    def snapshot(self, about: str | None = None) -> SnapshotT_co:
        """A snapshot that contains every change applied before the call; for a request `about` one document, named by
        its URI, perhaps without those of other documents, which it then names."""
        ...

    def is_slow(self, about: str | None = None) -> bool:
        """Whether such a snapshot takes long at this moment. Answers at once."""
        ...

    def is_unread(self) -> bool:
        """Whether files of the workspace are still to be read. Answers at once."""
        ...

    def snapshot_soon(self, since: float) -> SnapshotT_co:
        """A snapshot with the edits that are read in the time that an answer may wait, from a moment of the monotonic
        clock on; the others are named in it."""
        ...

    def wait_until_read(self, check: Callable[[], None]) -> None:
        """Waits for these, seconds at most; `check` raises where nobody wants the answer any more."""
        ...

    def looked(self, freshness: Any, *, patient: bool, about: str | None = None, whole: bool = False) -> SnapshotT_co:
        """A snapshot as fresh as a request wants it; `patient`: it may wait for what is about to be read. Edits that
        are slow to read are waited for as long as a request may take, and then named; those of the document that it is
        `about`, and for an answer that is `whole` all, until they are read."""
        ...

    def at_commit(self, reference: str) -> SnapshotT_co:
        """A snapshot of a commit in place of that of the files."""
        ...

    def budget(self) -> RequestBudget | None:
        """How much work a request that begins now may do; None: as much as it takes."""
        ...

    def recovery(self) -> Callable[[], bool]:
        """For a request that begins now, should it fail without a fault of the client: puts right what may be to blame,
        and answers whether another try is worth it. Not called on the loop."""
        ...

    def close(self) -> None:
        """Stop threads and child processes; seconds at most."""
        ...


SessionT = TypeVar("SessionT", bound=SessionLike[Any])


@attrs.frozen(slots=False)
class RequestContext(Generic[SessionT, SnapshotT]):
    """What a request handler may use. Runs in a worker thread unless its kind is `loop`."""

    session: SessionT
    cancel: CancelToken
    encoding: Encoding
    client: types.ClientCapabilities
    progress: WorkDone
    partial: PartialResults
    take_snapshot: Callable[[], SnapshotT] = attrs.field(repr=False)
    take_newest: Callable[[], SnapshotT] = attrs.field(repr=False)
    """A snapshot with every edit of every document. Raises MustWait, which is no failure, where this request should not
    be the one that waits for it: it begins anew where it may."""
    take_soon: Callable[[], SnapshotT] = attrs.field(repr=False)
    """The same with the edits that are read in the time that a list may wait; the others are pending."""
    tell: Callable[[str], None] = attrs.field(repr=False)
    """Says something to the user, beside an answer that has no place for it."""

    @cached_property
    def snapshot(self) -> SnapshotT:
        """The one snapshot of this request, taken when first asked for; later changes are not in it."""
        return self.take_snapshot()


@attrs.frozen
class NotificationContext(Generic[SessionT]):
    """What a notification handler may use. Runs on the loop, in the order of the messages: be quick."""

    session: SessionT
    encoding: Encoding
    client: types.ClientCapabilities


Handler = Callable[[Any, Any], Any]


@attrs.frozen
class Feature:
    """One method and its handler. `params` and `result` are message classes of an own method."""

    method: str
    kind: Kind
    handler: Handler
    options: Any = None
    params: type | None = None
    result: type | None = None
    own: bool = False
    whole: bool = False
    """Its answer is all or nothing: it takes as much work as it takes."""
    one_document: bool = False
    """It is about the document that its params name: edits of others that are slow to read are not waited for, unless
    its handler asks for them."""
    workspace: bool = False
    """Its answer lists places of the whole workspace, and cannot say what is missing: right after the start it waits
    until files are read."""


@attrs.frozen
class NotificationHandler:
    """One notification of the client and its handler.

    `broken(context, raw_params)` is called instead when the params do not fit: a change that is dropped must be known.
    """

    method: str
    handler: Handler
    broken: Handler | None = None


@attrs.frozen
class Command:
    """One command of workspace/executeCommand; its params are the list of arguments."""

    name: str
    kind: Kind
    handler: Handler


def feature(
    method: str,
    *,
    kind: Kind = "read",
    options: Any = None,
    one_document: bool = False,
    workspace: bool = False,
    whole: bool = False,
) -> Callable[[Handler], Feature]:
    """Declare a standard request: `handler(context, params) -> result`. `one_document`, `workspace`, `whole`: see
    `Feature`.

    Kinds: `quick` (hover, definition), `read` (lists), `long` (exports, packs: a lane of its own), `loop` (no waiting);
    `slow` is what `quick` and `read` are while they wait for an open file to be read.
    """
    return lambda handler: Feature(
        method, kind, handler, options, whole=whole, one_document=one_document, workspace=workspace
    )


def custom(
    method: str, params: type | None, result: type | None, *, kind: Kind = "read", whole: bool = False
) -> Callable[[Handler], Feature]:
    """Declare an own request with attrs classes; their fields are camelCase on the wire."""
    return lambda handler: Feature(method, kind, handler, None, params, result, own=True, whole=whole)


def notification(method: str, *, broken: Handler | None = None) -> Callable[[Handler], NotificationHandler]:
    """Declare a notification: `handler(context, params) -> None`."""
    return lambda handler: NotificationHandler(method, handler, broken)


def command(name: str, *, kind: Kind = "read") -> Callable[[Handler], Command]:
    """Declare a command: `handler(context, arguments) -> result`."""
    return lambda handler: Command(name, kind, handler)


Declaration = Feature | NotificationHandler | Command
Declarations = Sequence[Declaration]
