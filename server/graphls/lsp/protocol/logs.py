"""Logs: what the server writes to standard error.

Owns: the format of a line, which libraries may speak.
Must not know: the protocol, the client.
Invariant: one record starts one line; standard output is never written to.
"""

from __future__ import annotations

import logging
import sys

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def log_to_stderr(level: int = logging.INFO) -> None:
    """Set up logging for a server process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("graphls").setLevel(level)
    # pygls logs every message it sees, params included.
    logging.getLogger("pygls").setLevel(logging.ERROR)
