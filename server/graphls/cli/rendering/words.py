"""Words: small pieces of text that every answer needs.

Owns: making text from source harmless, numbers with nouns, sizes, provenance marks.
Must not know: layout, colours, the graph.
Invariant: no control character of a workspace reaches the terminal.
"""

from __future__ import annotations


def visible(text: str) -> str:
    """The text on one line, with everything that does not print spelled out."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _spelled(letter) for letter in text)


def _spelled(letter: str) -> str:
    if letter in "\n\t\r":
        return " "
    number = ord(letter)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def block(text: str) -> list[str]:
    """The lines of a text, each harmless; indentation stays."""
    return [visible(line.replace("\t", "    ")) for line in text.split("\n")]


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def wrong_with(diagnostics: int) -> str:
    """`2 diagnostics`; nothing where there are none."""
    return counted(diagnostics, "diagnostic") if diagnostics else ""


def sized(size: float) -> str:
    """Bytes in a unit that people read."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def mark(provenance: str, confidence: float, *, ambiguous: bool, resolved: bool) -> str:
    """`!` checked, `~` inferred (with how sure, unless certain), `?` ambiguous; nothing where no name was resolved."""
    if ambiguous:
        return f"?{_share(confidence)}"
    if provenance == "compiler_checked":
        return "!"
    return f"~{_share(confidence)}" if resolved else ""


def _share(confidence: float) -> str:
    return "" if confidence >= 1 else f"{confidence:.2f}".removeprefix("0").rstrip("0")


def branches_taken(covered: int | None, branches: int | None) -> str:
    """How many ways on tests took; nothing where there are none or nobody knows."""
    return f"{covered} of {counted(branches, 'branch', 'branches')}" if branches else ""
