"""Settings: everything that a user may choose, as one frozen tree.

Owns: the settings, their defaults, documents and kinds; parsing and merging raw tables.
Must not know: files, TOML, JSON, editors, who reads a setting.
Invariant: parsing and merging are pure and never raise; a problem names its key, what was found and what is expected.
"""

from __future__ import annotations

from graphls.settings.folders import in_first, of_folders, overlaid, without_own
from graphls.settings.merge import leaves_workspace, merge
from graphls.settings.parse import OPTIONS, SettingProblem, parse_settings
from graphls.settings.restarts import needs_restart
from graphls.settings.services import SERVICES
from graphls.settings.similarity import SimilaritySettings
from graphls.settings.tree import (
    CacheSettings,
    FilesSettings,
    FindingsSettings,
    HealthSettings,
    IndexSettings,
    LogSettings,
    PackSettings,
    PythonSettings,
    Settings,
    TypeCheckerSettings,
)

__all__ = [
    "OPTIONS",
    "SERVICES",
    "CacheSettings",
    "FilesSettings",
    "FindingsSettings",
    "HealthSettings",
    "IndexSettings",
    "LogSettings",
    "PackSettings",
    "PythonSettings",
    "SettingProblem",
    "Settings",
    "SimilaritySettings",
    "TypeCheckerSettings",
    "in_first",
    "leaves_workspace",
    "merge",
    "needs_restart",
    "of_folders",
    "overlaid",
    "parse_settings",
    "without_own",
]
