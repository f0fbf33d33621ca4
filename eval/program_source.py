"""Present the source of a corpus program to the diagnosis in the same form as a clone, without git."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from corpus.label_go import variant_source
from deadheat.repo.code_diagnosis import PinnedCode
from deadheat.repo.file_versions import is_exported
from deadheat.repo.likely_variable import likely_variable
from deadheat.repo.racing_lines import find_racing_lines
from deadheat.repo.syntax.declarations import CommitTree
from deadheat.repo.variable import find_variable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deadheat.model import Frame, Report

_COMMIT = "here"


class ProgramSource(CommitTree):
    """A commit tree in memory, with the methods of a clone that the diagnosis uses."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.commit = _COMMIT
        self.files = files
        self.git: Any = SimpleNamespace(read_object=files.get)

    def folder_contents(self, path: str) -> dict[str, bytes]:
        above = path.rpartition("/")[0]
        return {p: text for p, text in self.files.items() if p.rpartition("/")[0] == above}

    def folder_paths(self, path: str) -> list[str]:
        return list(self.folder_contents(path))

    def folder_files_declaring(self, name: str, path: str) -> dict[str, bytes]:
        return {p: text for p, text in self.folder_contents(path).items() if p.endswith(".go")}

    def files_declaring(self, name: str, path: str) -> dict[str, bytes]:
        same_folder = self.folder_files_declaring(name, path)
        others = {p: text for p, text in self.files.items() if p.endswith(".go")}
        return same_folder | others if is_exported(name) else same_folder

    def paths_of(self, frame: Frame) -> list[str]:
        """The file with the longest path that is a suffix of the frame's path, else the files of that name."""
        printed = (frame.path or frame.file).replace("\\", "/")
        suffix_matches = [p for p in self.files if printed == p or printed.endswith(f"/{p}")]
        name_matches = [p for p in self.files if p.rpartition("/")[2] == printed]
        return sorted(suffix_matches, key=len, reverse=True)[:1] or name_matches

    def blobs_at(self, commits: Iterable[str], paths: Iterable[str]) -> dict[tuple[str, str], str]:
        return {(_COMMIT, path): path for path in paths if path in self.files}


def pinned_code(program: ProgramSource, report: Report) -> PinnedCode:
    """The code that the diagnosis reads for a report of the program."""
    clone: Any = program
    racing_lines = find_racing_lines(clone, program, report)

    def find_file(frame: Frame) -> tuple[str, bytes] | None:
        return next(((p, program.files[p]) for p in program.paths_of(frame)), None)

    variable = find_variable(program, racing_lines, report) or likely_variable(program, racing_lines)
    return PinnedCode(find_file, program.files.get, program, racing_lines, variable)


def load_source(folder: Path, recording: str) -> ProgramSource:
    """The source of the program variant that was recorded."""
    if folder.parent.name == "go":
        texts = variant_source(folder, recording)
        return ProgramSource({path: text.encode() for path, text in texts.items()})
    paths = [p for p in folder.iterdir() if p.suffix in (".c", ".cc", ".h", ".rs", ".cpp")]
    return ProgramSource({path.name: path.read_bytes() for path in paths})
