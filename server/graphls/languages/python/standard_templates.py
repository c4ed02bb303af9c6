"""Standard templates: methods of the standard library that call methods which classes below them override, and what
functions of it call on their arguments.

Owns: those whose documentation says so; stubs have no bodies that would show it.
Must not know: workspaces, how classes are found.
Invariant: keys are the dotted names under which the stubs define the methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

_PARSED: Final = (
    "handle_starttag", "handle_startendtag", "handle_endtag", "handle_data", "handle_entityref", "handle_charref",
    "handle_comment", "handle_decl", "handle_pi", "unknown_decl",
)  # fmt: skip
_COMMANDS: Final = ("preloop", "precmd", "onecmd", "postcmd", "postloop", "default", "emptyline", "completedefault")
_SERVED: Final = (
    "get_request", "verify_request", "process_request", "finish_request", "shutdown_request", "close_request",
    "handle_error", "handle_timeout", "service_actions",
)  # fmt: skip
_FIELDS: Final = ("parse", "get_field", "get_value", "convert_field", "format_field", "check_unused_args")
_READ: Final = ("readinto", "readall")

_CONTAINERS: Final[Mapping[str, Sequence[str]]] = {
    "builtins.dict.__getitem__": ("__missing__",),
    "typing.Mapping.__contains__": ("__getitem__",),
    "typing.Mapping.keys": ("__iter__",),
    "typing.Mapping.__eq__": ("__iter__", "__getitem__"),
    "typing.MutableMapping.clear": ("__iter__", "__getitem__", "__delitem__"),
    "typing.Sequence.__iter__": ("__getitem__",),
    "typing.Sequence.__contains__": ("__iter__",),
    "typing.Sequence.__reversed__": ("__len__", "__getitem__"),
    "typing.MutableSequence.__iadd__": ("extend", "insert"),
    "typing.MutableSequence.remove": ("index", "__delitem__"),
    "typing.MutableSequence.reverse": ("__len__", "__getitem__", "__setitem__"),
    "typing.MutableSequence.clear": ("pop", "__getitem__", "__delitem__"),
    "typing.AbstractSet.__contains__": ("__iter__",),
    "typing.AbstractSet.__le__": ("__len__", "__iter__"),
    "typing.AbstractSet.__lt__": ("__len__", "__le__"),
    "typing.AbstractSet.__ge__": ("__len__", "__contains__"),
    "typing.AbstractSet.__gt__": ("__len__", "__ge__"),
    "typing.AbstractSet.__eq__": ("__len__", "__le__"),
    "typing.AbstractSet.__and__": ("_from_iterable", "__contains__"),
    "typing.AbstractSet.__or__": ("_from_iterable", "__iter__"),
    "typing.AbstractSet.__sub__": ("_from_iterable", "__iter__"),
    "typing.AbstractSet.__xor__": ("_from_iterable", "__iter__", "__contains__"),
    "typing.MutableSet.remove": ("__contains__", "discard"),
    "typing.MutableSet.pop": ("__iter__", "discard"),
    "typing.MutableSet.clear": ("pop",),
    "typing.MutableSet.__ior__": ("add",),
    "typing.MutableSet.__iand__": ("__iter__", "discard"),
    "typing.MutableSet.__ixor__": ("__contains__", "add", "discard"),
    "typing.MutableSet.__isub__": ("discard",),
    "typing.Generator.__next__": ("send",),
    "typing.Generator.close": ("throw",),
}
"""What abstract containers say of their mixin methods; those of `get`, `update` and the like are constructs."""

STANDARD_TEMPLATES: Final[Mapping[str, Sequence[str]]] = {
    "threading.Thread.start": ("run",),
    "multiprocessing.process.BaseProcess.start": ("run",),
    "html.parser.HTMLParser.feed": _PARSED,
    "html.parser.HTMLParser.close": _PARSED,
    "cmd.Cmd.cmdloop": _COMMANDS,
    "cmd.Cmd.onecmd": ("parseline", "default", "emptyline"),
    "socketserver.BaseServer.serve_forever": _SERVED,
    "socketserver.BaseServer.handle_request": _SERVED,
    "socketserver.BaseRequestHandler.__init__": ("setup", "handle", "finish"),
    "http.server.BaseHTTPRequestHandler.handle": ("handle_one_request",),
    "json.encoder.JSONEncoder.encode": ("default", "iterencode"),
    "json.encoder.JSONEncoder.iterencode": ("default",),
    "logging.Handler.handle": ("filter", "acquire", "emit", "release"),
    "logging.StreamHandler.emit": ("format", "flush", "handleError"),
    "logging.FileHandler.emit": ("format", "flush", "handleError"),
    "logging.Formatter.format": ("usesTime", "formatTime", "formatMessage", "formatException", "formatStack"),
    "logging.LoggerAdapter.log": ("process", "isEnabledFor"),
    **{
        f"logging.LoggerAdapter.{name}": ("log", "process")
        for name in ("debug", "info", "warning", "error", "exception", "critical")
    },
    "string.Formatter.format": ("vformat", *_FIELDS),
    "string.Formatter.vformat": _FIELDS,
    "ast.NodeVisitor.visit": ("generic_visit",),
    "ast.NodeVisitor.generic_visit": ("visit",),
    "ast.NodeTransformer.generic_visit": ("visit",),
    "argparse.ArgumentParser.parse_args": ("parse_known_args", "error", "exit", "convert_arg_line_to_args"),
    "argparse.ArgumentParser.parse_known_args": ("error", "exit", "convert_arg_line_to_args"),
    "argparse.ArgumentParser.error": ("print_usage", "exit"),
    "argparse.ArgumentParser.print_help": ("format_help",),
    "argparse.ArgumentParser.print_usage": ("format_usage",),
    "unittest.case.TestCase.run": ("setUp", "tearDown", "defaultTestResult"),
    "unittest.case.TestCase.debug": ("setUp", "tearDown"),
    "_io._RawIOBase.read": _READ,
    "_io._RawIOBase.readall": ("read", "readinto"),
    **dict.fromkeys(
        ("_io._IOBase.readline", "_io._IOBase.readlines", "_io._IOBase.__next__"), ("read", "readinto", "readline")
    ),
    "_io._IOBase.__exit__": ("close",),
    "configparser.RawConfigParser.read": ("_read", "optionxform"),
    "configparser.RawConfigParser.get": ("optionxform",),
    "configparser.RawConfigParser.set": ("optionxform",),
    "_pickle.Pickler.dump": ("persistent_id", "reducer_override"),
    "_pickle.Unpickler.load": ("persistent_load", "find_class"),
    "code.InteractiveConsole.interact": ("raw_input", "push", "write", "resetbuffer"),
    "code.InteractiveConsole.push": ("runsource",),
    "code.InteractiveInterpreter.runsource": ("runcode", "showsyntaxerror"),
    "code.InteractiveInterpreter.runcode": ("showtraceback",),
    "code.InteractiveInterpreter.showtraceback": ("write",),
    "code.InteractiveInterpreter.showsyntaxerror": ("write",),
    "contextlib.ContextDecorator.__call__": ("_recreate_cm", "__enter__", "__exit__"),
    "http.cookiejar.CookieJar.extract_cookies": ("make_cookies", "set_cookie"),
    "http.cookiejar.CookieJar.add_cookie_header": ("_cookies_for_request", "__iter__", "clear_expired_cookies"),
    "http.cookiejar.CookieJar.clear_expired_cookies": ("__iter__", "clear"),
    "http.cookiejar.CookieJar.__len__": ("__iter__",),
    **_CONTAINERS,
}
"""Method -> the methods of the same object that it may call."""


_ENTERED: Final = frozenset(("__enter__", "__exit__"))
_READABLE: Final = frozenset(("read", "readline", "readinto"))
_WRITABLE: Final = frozenset(("write",))
_ORDERED: Final = frozenset(("__lt__",))
_COOKIE_REQUEST: Final = frozenset((
    "get_full_url", "get_host", "get_type", "unverifiable", "origin_req_host", "has_header", "get_header",
    "header_items", "add_unredirected_header",
))  # fmt: skip
_AS_TEXT: Final = frozenset(("__str__",))

STANDARD_MEMBERS: Final[Mapping[str, Mapping[str, Set[str]]]] = {
    "contextlib._BaseExitStack.enter_context": {"0": _ENTERED, "cm": _ENTERED},
    "contextlib.AsyncExitStack.enter_async_context": {"0": frozenset(("__aenter__", "__aexit__"))},
    "contextlib.closing": {"0": frozenset(("close",)), "thing": frozenset(("close",))},
    "contextlib.aclosing": {"0": frozenset(("aclose",)), "thing": frozenset(("aclose",))},
    "http.cookiejar.CookieJar.extract_cookies": {
        "0": frozenset(("info",)), "response": frozenset(("info",)), "1": _COOKIE_REQUEST, "request": _COOKIE_REQUEST,
    },
    "http.cookiejar.CookieJar.add_cookie_header": {"0": _COOKIE_REQUEST, "request": _COOKIE_REQUEST},
    "http.cookiejar.CookieJar.make_cookies": {
        "0": frozenset(("info",)), "response": frozenset(("info",)), "1": _COOKIE_REQUEST, "request": _COOKIE_REQUEST,
    },
    "json.dump": {"1": _WRITABLE, "fp": _WRITABLE},
    "json.load": {"0": _READABLE, "fp": _READABLE},
    "pickle.dump": {"1": _WRITABLE, "file": _WRITABLE},
    "pickle.load": {"0": _READABLE, "file": _READABLE},
    "csv.writer": {"0": _WRITABLE},
    "builtins.print": {"file": frozenset(("write", "flush"))},
    "shutil.copyfileobj": {"0": _READABLE, "fsrc": _READABLE, "1": _WRITABLE, "fdst": _WRITABLE},
    "random.Random.shuffle": {"0": frozenset(("__getitem__", "__setitem__", "__len__"))},
    "random.Random.choice": {"0": frozenset(("__getitem__", "__len__"))},
    "heapq.heappush": {"1": _ORDERED},
    "bisect.insort": {"1": _ORDERED, "x": _ORDERED},
    "bisect.bisect": {"1": _ORDERED, "x": _ORDERED},
    "traceback.print_exception": {"0": _AS_TEXT, "1": _AS_TEXT, "exc": _AS_TEXT, "value": _AS_TEXT},
    "traceback.format_exception": {"0": _AS_TEXT, "1": _AS_TEXT, "exc": _AS_TEXT, "value": _AS_TEXT},
}  # fmt: skip
"""Function or class -> the argument, by position and by name -> the members of it that run."""
