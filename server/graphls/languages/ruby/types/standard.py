"""Standard: what the core of Ruby brings.

Owns: names of constants, of methods that every object and every class has, of variables that the interpreter sets.
Must not know: the workspace.
Invariant: what the workspace declares comes before any of these.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.inference import BUILTIN
from graphls.languages.declared.values import Outside, Value
from graphls.languages.ruby.syntax.records import RELATION

CONSTANTS: Final = frozenset((
    "ARGV", "ArgumentError", "Array", "BasicObject", "Benchmark", "BigDecimal", "Bignum", "Binding",
    "CROSS_COMPILING", "CSV", "Class", "ClosedQueueError", "Comparable", "Complex", "ConditionVariable", "Coverage",
    "Data", "Date", "DateTime", "Digest", "Dir", "ENV", "EOFError", "ERB", "Encoding", "EncodingError",
    "Enumerable", "Enumerator", "Errno", "Etc", "Exception", "FalseClass", "Fiber", "FiberError", "File",
    "FileTest", "FileUtils", "Fixnum", "Float", "FloatDomainError", "Forwardable", "FrozenError", "GC", "Gem",
    "Hash", "IO", "IOError", "IndexError", "Integer", "Interrupt", "JSON", "Kernel", "KeyError", "LoadError",
    "LocalJumpError", "Logger", "Marshal", "MatchData", "Math", "Method", "Minitest", "Module", "Monitor", "Mutex",
    "NameError", "Net", "NilClass", "NoMatchingPatternError", "NoMatchingPatternKeyError", "NoMemoryError",
    "NoMethodError", "NotImplementedError", "Numeric", "Object", "ObjectSpace", "Open3", "OpenSSL", "OpenStruct",
    "OptionParser", "Pathname", "Proc", "Process", "Psych", "Queue", "RUBYGEMS_ACTIVATION_MONITOR",
    "RUBY_COPYRIGHT", "RUBY_DESCRIPTION", "RUBY_ENGINE", "RUBY_ENGINE_VERSION", "RUBY_PATCHLEVEL", "RUBY_PLATFORM",
    "RUBY_RELEASE_DATE", "RUBY_REVISION", "RUBY_VERSION", "Ractor", "Rake", "Random", "Range", "RangeError",
    "Rational", "RbConfig", "Refinement", "Regexp", "RegexpError", "Ripper", "RubyVM", "RuntimeError", "STDERR",
    "STDIN", "STDOUT", "ScriptError", "SecureRandom", "SecurityError", "Set", "Shellwords", "Signal",
    "SignalException", "Singleton", "SizedQueue", "Socket", "StandardError", "StopIteration", "String", "StringIO",
    "Struct", "Symbol", "SyntaxError", "SystemCallError", "SystemExit", "SystemStackError", "Tempfile", "Test",
    "Thread", "ThreadError", "ThreadGroup", "Time", "Timeout", "TracePoint", "TrueClass", "TypeError", "URI",
    "UnboundMethod", "UncaughtThrowError", "UnicodeNormalize", "Warning", "YAML", "ZeroDivisionError", "Zlib",
))  # fmt: skip
OBJECT_METHODS: Final = frozenset((
    "Array", "Complex", "Float", "Hash", "Integer", "Rational", "String", "__callee__", "__dir__", "__id__",
    "__method__", "__send__", "abort", "at_exit", "autoload", "autoload?", "binding", "block_given?", "caller",
    "caller_locations", "catch", "class", "clone", "define_singleton_method", "display", "dup", "enum_for", "eql?",
    "equal?", "eval", "exec", "exit", "exit!", "extend", "fail", "fork", "format", "freeze", "frozen?", "gem",
    "gem_original_require", "gets", "global_variables", "hash", "initialize", "initialize_clone", "initialize_copy",
    "initialize_dup", "inspect", "instance_eval", "instance_exec", "instance_of?", "instance_variable_defined?",
    "instance_variable_get", "instance_variable_set", "instance_variables", "is_a?", "iterator?", "itself",
    "kind_of?", "lambda", "load", "local_variables", "loop", "method", "method_missing", "methods", "nil?",
    "object_id", "open", "p", "pp", "print", "printf", "private_methods", "proc", "protected_methods",
    "public_method", "public_methods", "public_send", "putc", "puts", "raise", "rand", "readline", "readlines",
    "remove_instance_variable", "require", "require_relative", "respond_to?", "respond_to_missing?", "select",
    "send", "set_trace_func", "singleton_class", "singleton_method", "singleton_method_added",
    "singleton_method_removed", "singleton_method_undefined", "singleton_methods", "sleep", "spawn", "sprintf",
    "srand", "syscall", "system", "taint", "tainted?", "tap", "test", "then", "throw", "to_enum", "to_s",
    "trace_var", "trap", "trust", "untaint", "untrace_var", "untrust", "untrusted?", "using", "warn", "yield_self",
))  # fmt: skip
"""Methods that every object has."""
CLASS_METHODS: Final = frozenset((
    "alias_method", "allocate", "ancestors", "append_features", "attr", "attr_accessor", "attr_reader",
    "attr_writer", "autoload", "autoload?", "class_eval", "class_exec", "class_variable_defined?",
    "class_variable_get", "class_variable_set", "class_variables", "const_defined?", "const_get", "const_missing",
    "const_set", "const_source_location", "constants", "define_method", "deprecate_constant", "extend",
    "extend_object", "extended", "freeze", "include", "include?", "included", "included_modules", "initialize",
    "initialize_clone", "initialize_copy", "inspect", "instance_method", "instance_methods", "method_added",
    "method_defined?", "method_removed", "method_undefined", "module_eval", "module_exec", "module_function",
    "name", "new", "prepend", "prepend_features", "prepended", "private", "private_class_method",
    "private_constant", "private_instance_methods", "private_method_defined?", "protected",
    "protected_instance_methods", "protected_method_defined?", "public", "public_class_method", "public_constant",
    "public_instance_method", "public_instance_methods", "public_method_defined?", "refine",
    "remove_class_variable", "remove_const", "remove_method", "ruby2_keywords", "singleton_class?", "subclasses",
    "superclass", "to_s", "undef_method", "using",
))  # fmt: skip
"""Methods that every class and module has besides."""
VARIABLES: Final = frozenset((
    "$!", "$$", "$&", "$'", "$*", "$+", "$,", "$-0", "$-F", "$-I", "$-W", "$-a", "$-d", "$-i", "$-l", "$-p", "$-v",
    "$-w", "$.", "$/", "$0", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$:", "$;", "$<", "$=", "$>",
    "$?", "$@", "$DEBUG", "$FILENAME", "$LOADED_FEATURES", "$LOAD_PATH", "$PROGRAM_NAME", "$VERBOSE", "$_", "$`",
    "$stderr", "$stdin", "$stdout", "$~",
))  # fmt: skip
_ELEMENT: Final = frozenset((
    "[]", "first", "last", "sample", "min", "max", "min_by", "max_by", "find", "detect", "pop", "shift", "fetch", "dig",
    "at", "delete_at", "find!", "second", "third", "sole", "take!", "delete",
))  # fmt: skip
_SAME: Final = frozenset((
    "select", "filter", "reject", "sort", "sort_by", "reverse", "uniq", "compact", "take", "drop", "shuffle", "to_a",
    "each", "each_with_index", "take_while", "drop_while", "rotate", "lazy", "force", "select!", "reject!", "sort!",
    "sort_by!", "uniq!", "compact!", "reverse!", "push", "<<", "append", "unshift", "concat", "+", "-", "|", "&",
    "each_entry", "with_index", "map", "flat_map", "each_value", "delete_if", "keep_if", "merge", "merge!", "slice",
    "except", "compare_by_identity", "each_pair", "to_h",
))  # fmt: skip
"""Without a block the ones that give something for each element give what goes through all of them."""
_OTHERS: Final = frozenset((
    "each_index", "times", "fetch", "each_slice", "each_cons", "inject", "reduce", "transform_keys", "each_key",
    "product", "combination", "permutation", "pack", "sum", "zip", "cycle", "bsearch_index",
))  # fmt: skip
"""They hand out something else than one element first."""
_PAIRS: Final = frozenset(("sort", "sort!", "min", "max", "minmax"))
_VALUES: Final = frozenset(("each_value", "transform_values", "transform_values!", "filter_map_values"))


RECORD: Final = "ActiveRecord::Base"
_ONE_RECORD: Final = frozenset((
    "find", "find_by", "find_by!", "first", "last", "first!", "last!", "take", "take!", "create", "create!", "build",
    "new", "find_or_create_by", "find_or_create_by!", "find_or_initialize_by", "create_or_find_by", "create_with",
    "sole", "find_sole_by", "second", "third",
))  # fmt: skip
_RECORDS: Final = frozenset((
    "all", "where", "order", "limit", "offset", "includes", "joins", "left_joins", "left_outer_joins", "preload",
    "eager_load", "not", "group", "having", "distinct", "none", "unscoped", "references", "select", "reorder",
    "rewhere", "reverse_order", "lock", "readonly", "merge", "or", "and", "find_each", "in_order_of", "from",
    "with_deleted", "strict_loading", "annotate", "unscope", "extending", "load", "reload", "page", "per",
))  # fmt: skip
_OTHERWISE: Final = frozenset((
    "has_many", "has_one", "belongs_to", "has_and_belongs_to_many", "scope", "abstract_class=", "table_name=",
    "count", "pluck", "exists?", "sum", "average", "maximum", "minimum", "ids", "pick", "update_all", "delete_all",
    "destroy_all", "insert_all", "upsert_all", "insert_all!", "transaction", "connection", "table_name", "column_names",
    "any?", "none?", "many?", "empty?", "primary_key", "reset_column_information", "human_attribute_name", "insert",
    "upsert", "delete_by", "destroy_by", "update", "update!", "destroy", "find_by_sql", "count_by_sql",
    "sanitize_sql", "arel_table", "validates", "validate", "before_save", "after_save", "before_create", "after_create",
    "after_commit", "before_validation", "after_destroy", "before_destroy", "enum", "accepts_nested_attributes_for",
    "store_accessor", "serialize", "attribute", "default_scope", "ignored_columns", "after_initialize",
))  # fmt: skip
"""What else a class of records answers."""


def is_of_records(name: str) -> bool:
    """Whether every class of records has a method."""
    return name in _ONE_RECORD or name in _RECORDS or name in _OTHERWISE


def is_like(one: Outside, other: Value | None) -> bool:
    """Whether a container may be another one of which nobody knows what it holds."""
    return isinstance(other, Outside) and other.dotted == one.dotted


def given_back(holder: Outside, name: str) -> Value | None:
    """What a message to a container gives; None: not known."""
    kind, held = holder.dotted.removeprefix(BUILTIN), holder.arguments[0]
    if kind == "Hash":
        if name == "values":
            return Outside(f"{BUILTIN}Array", (held,))
        if name in ("[]", "fetch", "dig", "delete", "store"):
            return held
        return holder if name in _SAME and name not in ("map", "flat_map", "sort_by", "to_a", "sort") else None
    if kind == RELATION and (name in _ONE_RECORD or name in _RECORDS):
        return held if name in _ONE_RECORD else holder
    if name in _ELEMENT:
        return held
    return holder if name in _SAME else None


def handed_out(holder: Outside, name: str, at: int) -> Value | None:
    """What a container hands to a block at a position; None: not known."""
    kind, held = holder.dotted.removeprefix(BUILTIN), holder.arguments[0]
    if kind == "Hash":
        if name in _VALUES:
            return held if not at else None
        return held if at == 1 and name not in _OTHERS else None
    if name in ("each_slice", "each_cons"):
        return holder if not at else None
    if name in ("inject", "reduce"):
        return held if at == 1 else None
    if name in _OTHERS:
        return None
    return held if not at or (at == 1 and name in _PAIRS) else None


def mapped(name: str, given: Value | None) -> Value | None:
    """What a container of what a block gives is."""
    if given is None:
        return None
    if name == "flat_map" and isinstance(given, Outside):
        return given if given.dotted == f"{BUILTIN}Array" else Outside(f"{BUILTIN}Array", (given,))
    return Outside(f"{BUILTIN}Array", (given,))
