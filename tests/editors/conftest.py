"""Sample code that editors open is no test of ours."""

from __future__ import annotations

collect_ignore = ["data"]
