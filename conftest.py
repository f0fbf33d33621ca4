"""Tests and their child processes import deadheat from `src/`; with DEADHEAT_INSTALLED=1, the installed package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if os.environ.get("DEADHEAT_INSTALLED") != "1":
    SOURCES = str(Path(__file__).parent / "src")
    sys.path.insert(0, SOURCES)
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in (SOURCES, os.environ.get("PYTHONPATH")) if path)
