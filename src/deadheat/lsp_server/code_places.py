"""Finds the lines of races in the workspace, and makes dossiers. Runs in the worker process.

With a clone, a frame is a line of the file at the commit that fits the report. Without one, or if no commit fits, it is
a line of the file on disk. The server follows these lines to the text in the editor.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.model import ReportSource, Sighting, Span, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.lsp_server.race_entries import RaceEntry
    from deadheat.model import Access, Actor, Frame, Report
    from deadheat.repo.clone import Clone
    from deadheat.repo.pinning import Pin

    JsonDict = dict[str, Any]

_MAX_FILE_BYTES = 1 << 23
_MAX_PATH_PARTS = 40


class CodePlace(NamedTuple):
    """A line of a version of a file."""

    path: str  # of the file in the workspace
    line: int  # in the version, counted from 1
    function_line: int  # where its function begins; 0 if that is not known
    version: str  # a key of `PlacedRaces.versions`


class RacePlaces(NamedTuple):
    """The lines of one race; None for one that is not in the workspace."""

    accesses: tuple[CodePlace | None, ...]
    creations: tuple[CodePlace | None, ...]  # of the actors
    commit: str = ""


@dataclass(frozen=True, slots=True)
class PlacedRaces:
    """The lines of some races, and the content of the versions that they are in."""

    places: tuple[RacePlaces, ...]
    versions: dict[str, bytes]
    faults: tuple[str, ...] = ()


class RaceDossier(NamedTuple):
    """A dossier as Markdown and as JSON."""

    markdown: str
    fields: JsonDict


class CodeReader:
    """Reads the clones and folders of a workspace. Clones are kept open until they change."""

    def __init__(self) -> None:
        self._clones: dict[str, tuple[str, Clone]] = {}
        self.reports_by_log: dict[str, tuple[Report, ...]] = {}

    def close(self) -> None:
        for _, clone in self._clones.values():
            clone.close()
        self._clones.clear()

    def place_races(self, entries: Sequence[RaceEntry], roots: Sequence[str], repos: Sequence[str]) -> PlacedRaces:
        clones, faults = self._open_clones(repos)
        placer = _RacePlacer(roots, clones, self.reports_by_log)
        places = tuple(placer.place_race(entry) for entry in entries)
        return PlacedRaces(places, placer.versions, tuple(faults))

    def make_dossier(self, entry: RaceEntry, repos: Sequence[str]) -> RaceDossier:
        from deadheat.output.dossier_markdown import DossierMarkdown
        from deadheat.repo.document_claims import DocumentHints
        from deadheat.repo.dossier import build_dossier, dossier_to_json

        clones, _ = self._open_clones(repos)
        hints = DocumentHints(entry.revisions or ("HEAD",), same_log=self.reports_by_log.get(entry.log, ()))
        try:
            dossier = build_dossier(entry.report, clones, hints)
        except Exception:  # noqa: BLE001, the report alone still tells something
            dossier = build_dossier(entry.report, (), hints)
        fields = dossier_to_json(dossier)
        verdict = Verdict(entry.title, entry.fingerprint, entry.race)
        sighting = Sighting(ReportSource(dossier.report), verdict, entry.log, Span(0, 0), None, entry.causes)
        return RaceDossier(DossierMarkdown()(1, sighting, fields), fields)

    def _open_clones(self, repos: Sequence[str]) -> tuple[list[Clone], list[str]]:
        clones, faults = [], []
        for path in repos:
            try:
                clones.append(self._open_clone(path))
            except (DeadheatError, ImportError, OSError) as error:
                faults.append(str(error) if isinstance(error, DeadheatError) else f"{path}: {error}")
        return clones, faults

    def _open_clone(self, path: str) -> Clone:
        from deadheat.repo.clone import Clone
        from deadheat.repo.remote import read_checkout

        checkout = read_checkout(path)
        commit = checkout.commit if checkout else ""
        known = self._clones.get(path)
        if known is not None and known[0] == commit:
            return known[1]
        if known is not None:
            known[1].close()
            del self._clones[path]
        clone = Clone(path)
        self._clones[path] = commit, clone
        return clone


class _RacePlacer:
    def __init__(
        self, roots: Sequence[str], clones: Sequence[Clone], reports_by_log: dict[str, tuple[Report, ...]]
    ) -> None:
        self._roots = [os.path.realpath(root) for root in roots]
        self._clones, self._reports_by_log = clones, reports_by_log
        self.versions: dict[str, bytes] = {}

    def place_race(self, entry: RaceEntry) -> RacePlaces:
        report = entry.report
        clone, pin = self._best_pin(entry)
        frames = [*map(_frame_of_access, report.accesses), *map(_frame_of_creation, report.actors)]
        places = [frame and self._place_frame(frame, clone, pin) for frame in frames]
        count = len(report.accesses)
        commit = pin.best_window.last if pin else ""
        return RacePlaces(tuple(places[:count]), tuple(places[count:]), commit)

    def _best_pin(self, entry: RaceEntry) -> tuple[Clone | None, Pin | None]:
        from deadheat.repo.dossier import count_racing_sites
        from deadheat.repo.pinning import find_pin

        found: list[tuple[int, int, int, Clone, Pin]] = []
        for clone in self._clones:
            with suppress(Exception):  # a damaged clone: the files on disk are used
                same_log = self._reports_by_log.get(entry.log, ())
                if pin := find_pin(clone, entry.report, entry.revisions or ("HEAD",), same_log):
                    found.append((count_racing_sites(entry.report, clone), pin.fitting_count, len(found), clone, pin))
        if not found:
            return None, None
        *_, clone, pin = max(found)
        return clone, pin

    def _place_frame(self, frame: Frame, clone: Clone | None, pin: Pin | None) -> CodePlace | None:
        if clone is not None and pin is not None and frame not in pin.misfits:
            with suppress(Exception):
                if place := self._place_in_clone(frame, clone, pin.best_window.last):
                    return place
        try:
            return self._place_on_disk(frame)
        except (OSError, ValueError):  # such as a NUL in a path
            return None

    def _place_in_clone(self, frame: Frame, clone: Clone, commit: str) -> CodePlace | None:
        from deadheat.repo.file_versions import paths_after

        for (_, path), blob in clone.blobs_at([commit], clone.paths_of(frame)).items():
            source = clone.git.read_object(blob)
            if source is None:
                continue
            position = clone.main.position_of(commit)
            current = paths_after(clone, path, position)[-1].path if position is not None else path
            for candidate in dict.fromkeys((current, path)):
                full = self._confined(os.path.join(clone.git.clone_path, candidate))
                if full is not None:
                    return self._place(full, frame, source, f"{clone.git.clone_path}:{blob}")
        return None

    def _place_on_disk(self, frame: Frame) -> CodePlace | None:
        printed = (frame.path or frame.file).replace("\\", "/")
        for candidate in self._candidates(printed):
            full = self._confined(candidate)
            if full is None or os.stat(full).st_size > _MAX_FILE_BYTES:
                continue
            with open(full, "rb") as file:
                source = file.read(_MAX_FILE_BYTES)
            return self._place(full, frame, source, f"{full}:disk")
        return None

    def _candidates(self, printed: str) -> Iterator[str]:
        """The path itself, and below each root the whole path, then its ends, the longest first."""
        if printed.startswith("/"):
            yield printed
        parts = [part for part in printed.split("/") if part not in ("", ".")][-_MAX_PATH_PARTS:]
        if ".." in parts:
            return
        for root in self._roots:
            # a name alone is too little if the report has folders
            for start in range(max(1, len(parts) - 1)):
                yield os.path.join(root, *parts[start:])

    def _confined(self, path: str) -> str | None:
        """The real path of a regular file in the workspace."""
        full = os.path.realpath(path)
        is_inside = any(full.startswith(os.path.join(root, "")) for root in self._roots)
        return full if is_inside and os.path.isfile(full) else None  # noqa: PTH113

    def _place(self, path: str, frame: Frame, source: bytes, version: str) -> CodePlace | None:
        span = _function_span(frame, source)
        line = frame.line or (span[0] if span else None)
        if line is None or line > source.count(b"\n") + 1:
            return None
        self.versions[version] = source
        return CodePlace(path, line, span[0] if span and span[0] <= line <= span[1] else 0, version)


def _function_span(frame: Frame, source: bytes) -> tuple[int, int] | None:
    """The extent of the function of a frame; None if it is not found, or no parser is installed."""
    from deadheat.repo.pinning import line_claims
    from deadheat.repo.syntax.parser import language_of_path

    language = language_of_path(frame.file)
    if language is None:
        return None
    with suppress(Exception):  # no tree-sitter, or a file that it cannot parse
        name = line_claims.declaration_name(frame.function, language)
        if name and language == "go":
            return line_claims.go_function_lines(name, source)
        if name:
            return line_claims.span_around(frame.line or 0, line_claims.function_extents(language, source, name))
    return None


def _frame_of_access(access: Access) -> Frame | None:
    return access.site or next(iter(access.stack), None)


def _frame_of_creation(actor: Actor) -> Frame | None:
    """The innermost frame of the user in the stack that created an actor."""
    own = [frame for frame in actor.created_at if frame.origin == "user" and not frame.stale]
    return next(iter(own or actor.created_at), None)
