"""How right links of Protocol Buffers are, by protoc.

    python bench/protobuf_truth.py ROOT [--under FOLDER ...] [--show N]      (pip install grpcio-tools)

protoc reads the files below the folders with all that they import, relative to ROOT, and writes what each name of a type
means, with its place: types of fields, of keys and values of maps, of methods, and what is extended. Files that do not
compile are left out one by one. A type of a file outside of ROOT wants no edge.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.session.memory import snapshot_of

Place = tuple[str, int]
"""A file and a byte of it."""


def compiled(root: Path, files: Sequence[str]) -> tuple[pb.FileDescriptorSet, list[str]]:
    """What protoc says of the files, and which ones it refused."""
    left, refused = list(files), []
    while left:
        with tempfile.NamedTemporaryFile(suffix=".binpb") as out:
            done = subprocess.run(
                [sys.executable, "-m", "grpc_tools.protoc", f"-I{root}", "--include_imports", "--include_source_info",
                 f"--descriptor_set_out={out.name}", *left],
                capture_output=True, text=True, check=False, cwd=root,
            )  # fmt: skip
            if done.returncode == 0:
                found = pb.FileDescriptorSet()
                found.ParseFromString(Path(out.name).read_bytes())
                return found, refused
        bad = {line.split(":")[0].removeprefix(f"{root}/") for line in done.stderr.splitlines() if " warning: " not in line} & set(left)
        if not bad:
            raise SystemExit(done.stderr)
        refused += sorted(bad)
        left = [file for file in left if file not in bad]
    return pb.FileDescriptorSet(), refused


class File:
    """One file with places of what is in it."""

    def __init__(self, root: Path, proto: pb.FileDescriptorProto) -> None:
        self.proto = proto
        self.text = (root / proto.name).read_bytes() if (root / proto.name).is_file() else None
        lines = [0]
        for line in (self.text or b"").splitlines(keepends=True):
            lines.append(lines[-1] + len(line))
        self.places = {tuple(one.path): lines[one.span[0]] + one.span[1] for one in proto.source_code_info.location
                       if self.text is not None and one.span[0] < len(lines)}

    def declared(self) -> Iterator[tuple[str, Place]]:
        prefix = f".{self.proto.package}" if self.proto.package else ""
        for number, message in enumerate(self.proto.message_type):
            yield from self._message(message, (4, number), prefix)
        for number, enum in enumerate(self.proto.enum_type):
            yield from self._named(f"{prefix}.{enum.name}", (5, number))

    def _named(self, name: str, path: tuple[int, ...]) -> Iterator[tuple[str, Place]]:
        if (*path, 1) in self.places:
            yield name, (self.proto.name, self.places[*path, 1])

    def _message(self, message: pb.DescriptorProto, path: tuple[int, ...], prefix: str) -> Iterator[tuple[str, Place]]:
        name = f"{prefix}.{message.name}"
        yield from self._named(name, path)
        for number, one in enumerate(message.nested_type):
            yield from self._message(one, (*path, 3, number), name)
        for number, one in enumerate(message.enum_type):
            yield from self._named(f"{name}.{one.name}", (*path, 4, number))

    def uses(self) -> Iterator[tuple[str, str, Place]]:
        """Kind, the full name that is meant, and the place."""
        for number, message in enumerate(self.proto.message_type):
            yield from self._uses_of(message, (4, number))
        for number, field in enumerate(self.proto.extension):
            yield from self._field(field, (7, number))
        for number, service in enumerate(self.proto.service):
            for at, method in enumerate(service.method):
                for step, name in ((2, method.input_type), (3, method.output_type)):
                    yield from self._use("method", name, (6, number, 2, at, step))

    def _uses_of(self, message: pb.DescriptorProto, path: tuple[int, ...]) -> Iterator[tuple[str, str, Place]]:
        maps = {one.name: one for one in message.nested_type if one.options.map_entry}
        for number, field in enumerate(message.field):
            here = (*path, 2, number)
            entry = maps.get(field.type_name.rpartition(".")[2])
            if entry is not None and field.type_name.endswith(f".{message.name}.{entry.name}"):
                value = entry.field[1]
                if value.type_name and (*here, 6) in self.places and self.text is not None:
                    start = self.places[*here, 6]
                    comma = self.text.index(b",", start) + 1
                    while self.text[comma : comma + 1].isspace():
                        comma += 1
                    yield "map", value.type_name, (self.proto.name, comma)
            else:
                yield from self._field(field, here)
        for number, field in enumerate(message.extension):
            yield from self._field(field, (*path, 6, number))
        for number, one in enumerate(message.nested_type):
            if not one.options.map_entry:
                yield from self._uses_of(one, (*path, 3, number))

    def _field(self, field: pb.FieldDescriptorProto, path: tuple[int, ...]) -> Iterator[tuple[str, str, Place]]:
        if field.type_name and field.type != pb.FieldDescriptorProto.TYPE_GROUP:
            yield from self._use("field", field.type_name, (*path, 6))
        if field.extendee:
            yield from self._use("extended", field.extendee, (*path, 2))

    def _use(self, kind: str, name: str, path: tuple[int, ...]) -> Iterator[tuple[str, str, Place]]:
        if path in self.places:
            yield kind, name, (self.proto.name, self.places[path])


def answers(texts: dict[str, bytes]) -> Iterator[tuple[Place, Place]]:
    """Edges of graphls between files of Protocol Buffers."""
    snapshot = snapshot_of(texts)
    assert snapshot.derivation is not None
    for file in texts:
        for edge in snapshot.derivation.edges_from(snapshot, FilePath(file)):
            target = edge.target
            if edge.kind != "contains" and isinstance(target, DerivedNode):
                for path, start, _ in edge.sites:
                    yield (path, start), (str(target.file), target.start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--under", nargs="*", default=[""])
    parser.add_argument("--show", type=int, default=12)
    chosen = parser.parse_args()
    root = chosen.root.resolve()
    files = sorted({path.relative_to(root).as_posix() for folder in chosen.under for path in (root / folder).rglob("*.proto")})
    found, refused = compiled(root, files)
    read = [File(root, proto) for proto in found.file]
    places = {name: place for file in read if file.text is not None for name, place in file.declared()}
    texts = {file.proto.name: file.text for file in read if file.text is not None}
    given = dict(answers(texts))
    counts: Counter[tuple[str, str]] = Counter()
    odd: list[str] = []
    for file in read:
        for kind, name, place in file.uses() if file.text is not None else ():
            right, answer = places.get(name), given.get(place)
            state = ("right" if answer == right else "wrong") if answer else "missing" if right else "none"
            counts[kind, state] += 1
            if state in ("wrong", "missing"):
                line = texts[place[0]].count(b"\n", 0, place[1]) + 1
                odd.append(f"{state} {kind} {place[0]}:{line} {name} right {right} given {answer}")
    print(f"{len(texts)} files, {len(refused)} refused: {refused[:3]}")
    total: Counter[str] = Counter()
    for (kind, state), count in sorted(counts.items()):
        total[state] += count
        print(f"  {kind} {state}: {count}")
    wanted, answered = total["right"] + total["wrong"] + total["missing"], total["right"] + total["wrong"]
    print(f"{wanted} uses, R {total['right'] / max(wanted, 1):.4f} P {total['right'] / max(answered, 1):.4f}")
    for line in odd[:: max(1, len(odd) // max(chosen.show, 1))][: chosen.show]:
        print("  ", line)


if __name__ == "__main__":
    main()
