"""The sources of a program of the corpus as diagnosis reads those of a clone; no git in between."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from corpus.label_go import variant_source
from deadheat.repo.code_diagnosis import PinnedCode
from deadheat.repo.file_versions import is_exported
from deadheat.repo.racing_lines import find_racing_lines
from deadheat.repo.syntax.declarations import CommitTree
from deadheat.repo.variable import find_variable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deadheat.model import Frame, Report

_AT = "here"


class Sources(CommitTree):
    """A tree whose files are at hand; it also answers what is asked of a clone."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.commit = _AT
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
        near = self.folder_files_declaring(name, path)
        others = {p: text for p, text in self.files.items() if p.endswith(".go")}
        return near | others if is_exported(name) else near

    def paths_of(self, frame: Frame) -> list[str]:
        """The files whose path ends a frame's, the longest first."""
        printed = (frame.path or frame.file).replace("\\", "/")
        fits = [p for p in self.files if printed == p or printed.endswith(f"/{p}")]
        bare = [p for p in self.files if p.rpartition("/")[2] == printed]
        return sorted(fits, key=len, reverse=True)[:1] or bare

    def blobs_at(self, commits: Iterable[str], paths: Iterable[str]) -> dict[tuple[str, str], str]:
        return {(_AT, path): path for path in paths if path in self.files}


def source(sources: Sources, report: Report) -> PinnedCode:
    """What the rules may ask about a report of the program."""
    clone: Any = sources
    both = find_racing_lines(clone, sources, report)

    def find(frame: Frame) -> tuple[str, bytes] | None:
        return next(((p, sources.files[p]) for p in sources.paths_of(frame)), None)

    return PinnedCode(find, sources.files.get, sources, both, find_variable(sources, both, report))


def sources_of(folder: Path, recording: str) -> Sources:
    """The sources that a recording of a program ran."""
    if folder.parent.name == "go":
        texts = variant_source(folder, recording)
        return Sources({path: text.encode() for path, text in texts.items()})
    paths = [p for p in folder.iterdir() if p.suffix in (".c", ".cc", ".h", ".rs", ".cpp")]
    return Sources({path.name: path.read_bytes() for path in paths})
