"""Plain names: which files of no language are text, by their names alone.

Owns: endings of files that are never text, and of those that programs leave behind for a moment.
Must not know: any language, contents, the disk.
Invariant: a name that is not known counts as text; who reads the file sees whether it is.
"""

from __future__ import annotations

from typing import Final

_BINARY: Final = frozenset((
    # Pictures, fonts, sound, film.
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".icns", ".bmp", ".tif", ".tiff", ".psd", ".ai", ".eps",
    ".heic", ".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".mp4", ".m4a", ".ogg", ".oga", ".ogv", ".wav", ".flac",
    ".webm", ".mov", ".avi", ".mkv", ".glb", ".blend", ".fbx", ".riv",
    # Archives and packages.
    ".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".br", ".7z", ".rar", ".tar", ".whl", ".egg", ".jar", ".war", ".aar",
    ".apk", ".ipa", ".deb", ".rpm", ".dmg", ".iso", ".crx", ".xpi", ".nupkg", ".gem", ".vsix",
    # What compilers and interpreters write.
    ".pyc", ".pyo", ".pyd", ".so", ".dll", ".dylib", ".exe", ".o", ".a", ".lib", ".obj", ".pdb", ".class", ".wasm",
    ".node", ".bin", ".dex", ".mo", ".gmo", ".gch", ".pch", ".rlib", ".rmeta",
    # Documents and data.
    ".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".db", ".sqlite", ".sqlite3", ".mdb",
    ".parquet", ".feather", ".arrow", ".npy", ".npz", ".pkl", ".pickle", ".h5", ".hdf5", ".pt", ".pth", ".onnx",
    ".safetensors", ".gguf", ".tflite", ".pb", ".shp", ".shx", ".dbf", ".mmdb", ".jks", ".p12", ".pfx", ".der", ".gpg",
))  # fmt: skip
_PASSING: Final = (".tmp", ".temp", ".swp", ".swo", ".swx", ".part", ".crdownload", ".pid", ".lck", "~")


def may_be_text(path: str) -> bool:
    """Whether a file of this name may be text that stays."""
    name = path.rpartition("/")[2].lower()
    if name == ".git":  # in further work trees and in submodules a file, which says where the folder of that name is
        return False
    return name[name.rfind(".") :] not in _BINARY and not name.endswith(_PASSING) and not name.startswith((".#", "#"))
