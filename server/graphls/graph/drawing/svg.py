"""Svg: a scheme as a picture of its own, in the look of the view, light and dark.

Owns: colours, sizes of text, curves, the legend, escaping.
Must not know: how places are found, what was asked.
Invariant: no text can become markup; nothing is loaded; the same scheme gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil
from xml.sax.saxutils import escape

import attrs

from graphls.graph.control_escapes import escape_line
from graphls.graph.drawing.blocks import BoxBlock, blocks_of
from graphls.graph.drawing.layers import Gaps, LayeredLayout, LayerPoint, Pair, Size, layered_layout
from graphls.graph.drawing.scheme import Box, Line, Scheme

_HEIGHT = 46
_LABEL = 18
_MARGIN = 20
_FOOT = 20
_MOST_NAME, _MOST_UNDER = 34, 40
_MOST_LABELS = 150
_NARROW_EM, _EM, _WIDE_EM = 0.4, 0.66, 0.98
_NARROW, _WIDE = frozenset("ijl.,:;'|!()[]{}ft "), frozenset("mwMW@%")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_LIGHT = {
    "ground": "#ffffff", "box": "#f3f4f6", "edge": "#b9bec7", "text": "#1d2127", "faint": "#5b6370",
    "accent": "#0a63c9", "type": "#b35c00", "callable": "#652d90", "value": "#00608a", "module": "#44505f",
    "test": "#2a7d3c", "other": "#5b6370", "calls": "#0a63c9", "types": "#b35c00", "imports": "#0f7a70",
    "tests": "#2a7d3c", "uses": "#7b8494", "depth-0": "#0a63c9", "depth-1": "#c22f2f", "depth-2": "#cf6a12",
    "depth-3": "#b08a00", "depth-4": "#5f8f2f", "depth-5": "#2f8f7a", "depth-6": "#6b7280",
}  # fmt: skip
_DARK = {
    "ground": "#1a1c20", "box": "#24272d", "edge": "#4d5462", "text": "#e3e6eb", "faint": "#a2a9b6",
    "accent": "#58a6ff", "type": "#ee9d28", "callable": "#c792ea", "value": "#75beff", "module": "#c5cad3",
    "test": "#7fd18c", "other": "#a2a9b6", "calls": "#6cb2ff", "types": "#f0a44b", "imports": "#4fc9bb",
    "tests": "#7fd18c", "uses": "#8b94a5", "depth-0": "#58a6ff", "depth-1": "#ff7b72", "depth-2": "#ffa657",
    "depth-3": "#e3c04a", "depth-4": "#8fc75c", "depth-5": "#4fc3b0", "depth-6": "#a2a9b6",
}  # fmt: skip
_PLAIN = frozenset({"ground", "box", "edge", "text", "faint", "accent"})
_DEEPEST = 6
_STYLE = """text{font:600 13px system-ui,"Segoe UI","DejaVu Sans",sans-serif;fill:var(--text)}
.small,.said{font-weight:400;font-size:11px;fill:var(--faint)}
.body{fill:var(--box);stroke:var(--edge)}.outside .body{stroke-dasharray:4 3}
.frame{fill:none;stroke:var(--edge);stroke-dasharray:3 3}
.depth .body{stroke:var(--hue);stroke-width:2}.root .body{stroke:var(--accent);stroke-width:3}
.stripe{fill:var(--hue)}.line{fill:none;stroke:var(--hue);stroke-width:1.5}
.inferred{stroke-dasharray:6 4}.ambiguous{stroke-dasharray:2 4}
.label rect{fill:var(--ground);stroke:var(--hue);stroke-opacity:.45}.label text{text-anchor:middle}"""
_BOX_WORDS = (
    ("type", "type"), ("callable", "function"), ("value", "value"), ("module", "module"), ("test", "test"),
    ("other", "other"),
)  # fmt: skip
_LINE_WORDS = (
    ("calls", "calls"), ("types", "types"), ("imports", "imports"), ("tests", "tests"), ("uses", "other uses"),
)  # fmt: skip
_TRUST_WORDS = (("sure", "certain"), ("inferred", "confidence below 1"), ("ambiguous", "one of several"))


@attrs.frozen
class _Point:
    x: float
    y: float


@attrs.frozen
class _Frame:
    """Places on the page."""

    places: LayeredLayout
    sizes: Mapping[str, Size]
    labels: Mapping[Pair, Size]
    down: bool
    left: float

    def at(self, point: LayerPoint) -> _Point:
        x, y = (point.across, point.along) if self.down else (point.along, point.across)
        return _Point(x + self.left, y + _MARGIN)

    def path(self, pair: Pair) -> list[_Point]:
        """From the side of the source that faces the target; straight through every rank, bent between them."""
        source, target = self.places.boxes[pair[0]], self.places.boxes[pair[1]]
        forth = 1 if target.along > source.along else -1
        halves = self.places.halves
        leaving = (self.sizes[pair[0]].along / 2, halves[pair[0]])
        points = [LayerPoint(source.along + forth * off, source.across) for off in leaving]
        for bend, half in self.places.lines[pair]:
            points += [
                LayerPoint(along, bend.across) for along in (bend.along - forth * half, bend.along + forth * half)
            ]
        reaching = (halves[pair[1]], self.sizes[pair[1]].along / 2)
        points += [LayerPoint(target.along - forth * off, target.across) for off in reaching]
        corners = [self.at(bend) for bend in points]
        # A last step of no length would leave the head of the arrow without a direction.
        return [point for point, after in pairwise(corners) if point != after] + corners[-1:]


def svg(scheme: Scheme) -> Iterator[str]:
    """The document, in pieces."""
    blocks = blocks_of(scheme, _width, _HEIGHT)
    block_boxes = {box.id for block in blocks for column in block.columns for box in column}
    alone = [box for box in scheme.boxes if box.id not in block_boxes]
    lines = {(block.line.source, block.line.target): block.line for block in blocks}
    for line in scheme.lines:
        if line.source != line.target and not block_boxes & {line.source, line.target}:
            lines[line.source, line.target] = line
    labelled = len(lines) <= _MOST_LABELS
    sizes = {box.id: _size(_width(box), _HEIGHT, down=scheme.down) for box in alone}
    sizes |= {block.id: _size(*block.size, down=scheme.down) for block in blocks}
    labels = {
        pair: _size(_label_width(line), _LABEL, down=scheme.down) if line.label and labelled else Size(0, 0)
        for pair, line in lines.items()
    }
    places = layered_layout(sizes, labels, Gaps(ranks=18.0 if scheme.down else 26.0))
    wide, high = (places.across, places.along) if scheme.down else (places.along, places.across)
    foot = [
        *_legend(scheme),
        *((_text_width(text, 11), _footer_text(text)) for text in (_heading(scheme), *scheme.notes)),
    ]
    width = max(wide, *(across for across, _ in foot)) + 2 * _MARGIN
    frame = _Frame(places, sizes, labels, scheme.down, (width - wide) / 2)
    yield from _opening(scheme.title, width, high + 2 * _MARGIN + _FOOT * len(foot))
    yield from (_line(line, frame.path(pair), down=scheme.down) for pair, line in lines.items())
    yield from (_box(box, frame.at(places.boxes[box.id])) for box in alone)
    yield from (drawn for block in blocks for drawn in _block(block, frame.at(places.boxes[block.id])))
    yield from (_label(line, frame.at(places.labels[pair])) for pair, line in lines.items() if labels[pair].along)
    for number, (_, drawn) in enumerate(foot):
        y = high + 2 * _MARGIN + _FOOT * number + 12
        yield f'<g transform="translate({_MARGIN} {_number(y)})">{drawn}</g>\n'
    yield "</svg>\n"


def _opening(title: str, width: float, height: float) -> Iterator[str]:
    light, dark = (";".join(f"--{name}:{value}" for name, value in colours.items()) for colours in (_LIGHT, _DARK))
    families = "".join(f".{name}{{--hue:var(--{name})}}" for name in _LIGHT if name not in _PLAIN)
    size = f'width="{_number(width)}" height="{_number(height)}" viewBox="0 0 {_number(width)} {_number(height)}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<title>{_text(title)}</title>\n'
    yield f"<style>\nsvg{{{light}}}\n@media(prefers-color-scheme:dark){{svg{{{dark}}}}}\n"
    yield f"{_STYLE}\n{families}\n</style>\n"
    yield '<defs><marker id="arrow" orient="auto" markerUnits="userSpaceOnUse" viewBox="0 0 8 8" refX="7.5" refY="4"'
    yield ' markerWidth="9" markerHeight="9"><path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker></defs>\n'
    yield '<rect width="100%" height="100%" fill="var(--ground)"/>\n'


def _line(line: Line, corners: Sequence[_Point], *, down: bool) -> str:
    path = [f"M{_number(corners[0].x)} {_number(corners[0].y)}"]
    for one, other in pairwise(corners):
        if down:
            bends = _Point(one.x, (one.y + other.y) / 2), _Point(other.x, (one.y + other.y) / 2)
        else:
            bends = _Point((one.x + other.x) / 2, one.y), _Point((one.x + other.x) / 2, other.y)
        path.append("C" + " ".join(f"{_number(point.x)} {_number(point.y)}" for point in (*bends, other)))
    return f'<path class="line {line.family} {line.trust}" d="{"".join(path)}" marker-end="url(#arrow)"/>\n'


def _box(box: Box, middle: _Point) -> str:
    width = _width(box)
    depth = None if box.depth is None else f"depth depth-{min(box.depth, _DEEPEST)}"
    classes = [depth or box.family, *(["root"] if box.root else []), *(["outside"] if box.outside else [])]
    at = f"translate({_number(middle.x - width / 2)} {_number(middle.y - _HEIGHT / 2)})"
    return (
        f'<g class="{" ".join(classes)}" transform="{at}">'
        f'<rect class="body" width="{width}" height="{_HEIGHT}" rx="6"/>'
        f'<rect class="stripe" x="6" y="6" width="5" height="{_HEIGHT - 12}" rx="2.5"/>'
        f'<text x="18" y="20">{_text(_truncate(box.name, _MOST_NAME))}</text>'
        f'<text class="small" x="18" y="36">{_text(_truncate(box.under, _MOST_UNDER))}</text></g>\n'
    )


def _block(block: BoxBlock, middle: _Point) -> Iterator[str]:
    width, height = block.size
    corner = f'x="{_number(middle.x - width / 2)}" y="{_number(middle.y - height / 2)}"'
    yield f'<rect class="frame" {corner} width="{width}" height="{height}" rx="10"/>\n'
    yield from (_box(box, _Point(middle.x + x, middle.y + y)) for box, x, y in block.places())


def _label(line: Line, middle: _Point) -> str:
    width = _label_width(line)
    at = f"translate({_number(middle.x)} {_number(middle.y)})"
    return (
        f'<g class="label {line.family}" transform="{at}">'
        f'<rect x="{_number(-width / 2)}" y="{-_LABEL // 2}" width="{width}" height="{_LABEL}" rx="{_LABEL // 2}"/>'
        f'<text class="small" y="4">{_text(line.label)}</text></g>\n'
    )


# Foot


def _heading(scheme: Scheme) -> str:
    return f"{scheme.title}: {len(scheme.boxes)} nodes, {len(scheme.lines)} lines"


def _footer_text(text: str) -> str:
    return f'<text class="small">{_text(text)}</text>'


def _steps(depth: int) -> str:
    return "changed" if not depth else f"{depth} step" + ("s" if depth > 1 else "")


def _legend(scheme: Scheme) -> Iterator[tuple[float, str]]:
    """Rows of what colours and strokes mean, with their widths; only those that occur."""
    depths = sorted({min(box.depth, _DEEPEST) for box in scheme.boxes if box.depth is not None})
    families = {box.family for box in scheme.boxes}
    if depths:
        signs = [(f"depth-{depth}", _steps(depth)) for depth in depths]
    else:
        signs = [(family, words) for family, words in _BOX_WORDS if family in families]
    drawn = [
        (words, f'<rect class="stripe {family}" y="-9" width="5" height="12" rx="2.5"/>', 5) for family, words in signs
    ]
    kinds, trusts = {line.family for line in scheme.lines}, {line.trust for line in scheme.lines}
    stroke = '<path class="line {}" d="M0 -4H24"/>'
    drawn += [(words, stroke.format(family), 24) for family, words in _LINE_WORDS if family in kinds]
    drawn += [(words, stroke.format(f"uses {trust}"), 24) for trust, words in _TRUST_WORDS if trust in trusts]
    x = 0.0
    parts: list[str] = []
    for words, sign, across in drawn:
        parts.append(
            f'<g transform="translate({_number(x)} 0)">{sign}<text class="small" x="{across + 5}">{words}</text></g>'
        )
        x += across + 5 + _text_width(words, 11) + 14
    if parts:
        yield x, "".join(parts)


# Text


def _size(width: float, height: float, *, down: bool) -> Size:
    return Size(height, width) if down else Size(width, height)


def _width(box: Box) -> int:
    name = _text_width(_truncate(box.name, _MOST_NAME), 13) * 1.08
    return ceil(max(name, _text_width(_truncate(box.under, _MOST_UNDER), 11), 60)) + 30


def _label_width(line: Line) -> int:
    return ceil(_text_width(line.label, 11)) + 16


def _text_width(text: str, size: int) -> float:
    """About as wide as the widest of the usual fonts draws it."""
    return size * sum(
        0.4 if sign in _NARROW else 0.98 if sign in _WIDE or not sign.isascii() else 0.66 for sign in text
    )


def _truncate(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", escape_line(" ".join(text.split()))))


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
