"""Recognises one race among the reports of a trial: by its identity, and after a renaming by its variable and sites.

The identity is that of the gate: reports are grouped with those of the race that is sought, so that moved lines, other
callers and one-sided reports count as there. If a function was renamed between the old and the new code, the
identity differs. Then a report counts if it has the same variable, its sites are in the same files, and each function
that differs is no longer declared in the new code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.grouping import races
from deadheat.grouping.race_assignment import group_sightings
from deadheat.repo.pinning import line_claims
from deadheat.repo.racing_lines import find_racing_lines
from deadheat.repo.syntax.parser import language_of_path
from deadheat.repo.variable import find_variable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deadheat.model import Report, Sighting
    from deadheat.repo.clone import Clone
    from deadheat.repo.dossier import Dossier
    from deadheat.repo.racing_lines import RacingLine

IDENTITY = "identity"


class RecognisedRaces(NamedTuple):
    """The races of one trial."""

    is_this: bool
    how: str  # IDENTITY, or what was renamed; empty if this race was not seen
    others: dict[str, str]  # titles by id
    example: Sighting | None  # a report of this race, else of another one


class _Side(NamedTuple):
    """One side of a race for the comparison after a renaming."""

    function: str
    path: str
    text: str  # of the racing line


class RenamedSearch:
    """Compares the variable and the sites of reports of new code with those of the race that is sought."""

    def __init__(self, dossier: Dossier, clone: Clone, new_commit: str, new_tree: Path) -> None:
        self._variable = dossier.variable
        self._sides = [_side_of(line) for line in dossier.racing_lines]
        self._clone, self._commit, self._tree = clone, new_commit, new_tree

    def describe_match(self, report: Report) -> str:
        """What was renamed if the report is the race that is sought; empty if it is not."""
        if len(self._sides) != 2 or len(report.accesses) != 2:
            return ""
        code = self._clone.tree_at(self._commit)
        lines = find_racing_lines(self._clone, code, report)
        if len(lines) != 2:
            return ""
        variable = find_variable(code, lines, report)
        old = self._variable
        same_variable = bool(variable and old and (variable.name, variable.owner) == (old.name, old.owner))
        sides = [_side_of(line) for line in lines]
        for first, second in (sides, sides[::-1]):
            pairs = [(self._sides[0], first), (self._sides[1], second)]
            if all(self._may_be_same(old_side, new_side, same_variable) for old_side, new_side in pairs):
                renamed = {f"{a.function} is now {b.function}" for a, b in pairs if a.function != b.function}
                if renamed:
                    return ", ".join(sorted(renamed))
        return ""

    def _may_be_same(self, old: _Side, new: _Side, same_variable: bool) -> bool:
        if old.path.rpartition("/")[0] != new.path.rpartition("/")[0] or not (same_variable or old.text == new.text):
            return False
        return old.function == new.function or not self._is_declared(old.function, old.path)

    def _is_declared(self, function: str, path: str) -> bool:
        """Whether a Go function is still in the package of a file."""
        folder = (self._tree / path).parent
        files = folder.glob("*.go") if folder.is_dir() else ()
        return any(line_claims.go_function_lines(function, file.read_bytes()) is not None for file in files)


def _side_of(line: RacingLine) -> _Side:
    name = line_claims.declaration_name(line.frame.function, language_of_path(line.path) or "go")
    return _Side(name, line.path, line.text.decode("utf-8", "replace").strip())


class SoughtRace:
    """The race that is sought, by its reports."""

    def __init__(self, sightings: Sequence[Sighting]) -> None:
        self.title = sightings[0].verdict.title
        self.report = sightings[0].report
        self._evidence = group_sightings(sightings)
        self._names = {sighting.verdict.race for sighting in self._evidence.sightings}
        self.id = races.race_ids(self._evidence.facts)[next(iter(self._names))]
        self._seen = races.empty_facts()  # of all trials, so that other races keep their ids
        self._seen.add(self._evidence.facts)

    @property
    def has_two_sides(self) -> bool:
        return len(self.report.accesses) > 1

    def recognise(self, sightings: Sequence[Sighting], renamed: RenamedSearch | None = None) -> RecognisedRaces:
        """Tell this race from others in the reports of one trial."""
        is_go = self.report.detector == "go"
        sightings = [each for each in sightings if not is_go or each.report.detector in ("go", "go-fatal")]
        if not sightings:
            return RecognisedRaces(False, "", {}, None)
        grouped = group_sightings(sightings)
        if len(self._seen.variants) < _MAX_VARIANTS:
            self._seen.add(grouped.facts)
            facts = self._seen
        else:
            facts = races.empty_facts()
            facts.add(self._evidence.facts)
            facts.add(grouped.facts)
        ids = races.race_ids(facts, dict.fromkeys(self._evidence.facts.variants, 0))
        sought = {ids[name] for name in self._names}
        how, example = "", None
        others: dict[str, str] = {}
        for sighting in grouped.sightings:
            race = ids[sighting.verdict.race]
            if race in sought:
                how, example = IDENTITY, sighting
            elif renamed is not None and (match := renamed.describe_match(sighting.report)):
                if not how:
                    how, example = match, sighting
            else:
                others[race] = sighting.verdict.title
                example = example or sighting
        return RecognisedRaces(bool(how), how, others, example)


_MAX_VARIANTS = 2_000
