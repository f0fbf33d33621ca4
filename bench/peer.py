"""Another reader of race reports, measured in the same run where a program of it is at hand."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Peer:
    """A command that is given a file, reads its reports, and prints how many and in how many seconds."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)

    def seconds(self, path: Path, count: int, times: int = 3) -> float:
        """The least time that it takes for the `count` reports of a file."""
        took = []
        for _ in range(times):
            done = subprocess.run([*self._command, str(path)], stdout=subprocess.PIPE, text=True, check=True)
            reports, seconds = done.stdout.split()
            if int(reports) != count:
                sys.exit(f"bench: the peer found {reports} of {count} reports")
            took.append(float(seconds))
        return min(took)
