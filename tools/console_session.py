"""Runs the console sessions of a documentation page, in order, and puts in what they print now.

A session is a fenced block of the language `console`. Its lines that begin with `$ ` are commands, which may continue
after a backslash; the other lines are what they print. All sessions of a page share one shell, in a copy of the
examples.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.compile(r"(?P<open>^`{3,})console\n(?P<body>.*?)^(?P=open)$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)$", re.MULTILINE)
# what a page may use
_COPIED_FOLDERS = ("examples", "samples")
_END_MARK = "\x1eend of output\x1e"
_WIDTH = 100


def session_commands(text: str) -> list[str]:
    """The commands of all sessions of a page."""
    return [match["command"] for block in _BLOCK.finditer(text) for match in _COMMAND.finditer(block["body"])]


def with_session_outputs(text: str) -> str:
    """The page with what its commands print now; unchanged without sessions."""
    commands = session_commands(text)
    if not commands:
        return text
    outputs = iter(run_commands(commands))

    def replace_block(block: re.Match[str]) -> str:
        body = "".join(f"$ {match['command']}\n{next(outputs)}" for match in _COMMAND.finditer(block["body"]))
        return f"{block['open']}console\n{body}{block['open']}"

    return _BLOCK.sub(replace_block, text)


def run_commands(commands: list[str]) -> Iterator[str]:
    """What each command prints, on either stream, in one shell."""
    with tempfile.TemporaryDirectory(prefix="deadheat-session-") as folder:
        for name in _COPIED_FOLDERS:
            shutil.copytree(ROOT / name, Path(folder, name))
        programs = Path(folder, ".bin")
        programs.mkdir()
        program = programs / "deadheat"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m deadheat "$@"\n')
        program.chmod(0o755)
        after = f"__status=$?; printf '%s' '{_END_MARK}'; (exit $__status)"
        script = "".join(f"{command}\n{after}\n" for command in commands)
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=_environment(programs, folder), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
        )  # fmt: skip
        outputs = done.stdout.split(_END_MARK)
        yield from outputs[: len(commands)]


def _environment(programs: Path, home: str) -> dict[str, str]:
    """The environment of a new user in a terminal of a usual width."""
    paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    if os.environ.get("DEADHEAT_INSTALLED") == "1":
        paths = paths[1:]
    return {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONIOENCODING": "utf-8",
        "HOME": home,
        "COLUMNS": str(_WIDTH),
        "LC_ALL": "C.UTF-8",
    }
