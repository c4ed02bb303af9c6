"""Lua: facts, modules and types of files of Lua, with the annotations of LuaLS and EmmyLua.

Owns: nothing by itself.
Must not know: other languages.
Invariant: importing it loads no grammar.
"""
