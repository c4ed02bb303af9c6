"""Standard: what Lua and the programs that run it bring.

Owns: names of globals of the language and of hosts; what functions from outside give back that is known here.
Must not know: the workspace.
Invariant: what a file of the workspace declares for itself comes before any of these.
"""

from __future__ import annotations

from typing import Final

LANGUAGE: Final = frozenset((
    "_ENV", "_G", "_VERSION", "assert", "bit", "bit32", "collectgarbage", "coroutine", "debug", "dofile", "error",
    "getfenv", "getmetatable", "io", "ipairs", "jit", "load", "loadfile", "loadstring", "math", "module", "newproxy",
    "next", "os", "package", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen", "rawset", "require", "select",
    "setfenv", "setmetatable", "string", "table", "tonumber", "tostring", "type", "unpack", "utf8", "warn", "xpcall",
    "arg",
))  # fmt: skip
"""Globals of Lua 5.1 to 5.4 and of LuaJIT."""
HOSTS: Final = frozenset((
    "vim", "ngx", "ndk", "describe", "it", "before_each", "after_each", "setup", "teardown", "lazy_setup",
    "lazy_teardown", "strict_setup", "strict_teardown", "pending", "finally", "insulate", "expose", "spy", "stub",
    "mock", "match", "context", "test", "spec", "love", "redis", "KEYS", "ARGV", "cjson", "cmsgpack", "wrk", "haproxy",
    "core", "minetest", "hs", "awesome", "client", "screen", "tag", "playdate", "rockspec_format", "MiniTest",
))  # fmt: skip
"""Globals that programs which run Lua give it: Neovim, OpenResty, busted, LÖVE, Redis, HAProxy and others."""
STRINGS: Final = frozenset((
    "byte", "char", "dump", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack", "packsize", "rep",
    "reverse", "sub", "unpack", "upper",
))  # fmt: skip
FIRST: Final = frozenset(("assert", "vim.deepcopy", "rawget"))
"""Functions that give back their first argument, or a copy of it."""
REST: Final = frozenset(("vim.tbl_extend", "vim.tbl_deep_extend"))
"""Functions that give back their other arguments, joined."""
