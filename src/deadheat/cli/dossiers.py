"""`--repo` of `gate` and `run`: the dossiers of the races that fail, made with the code."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from deadheat import cli
from deadheat.cli.progress import show_progress
from deadheat.errors import DeadheatError, unexpected_fault

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from deadheat.cli.progress import ProgressLine
    from deadheat.codeowners import OwnerRule
    from deadheat.output.findings import RaceFinding
    from deadheat.repo.clone import Clone
    from deadheat.repo.document_claims import DocumentHints
    from deadheat.serialization import JsonDict

# a dossier takes up to some seconds
MAX_DOSSIERS: Final = 20


def add_repo_option(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--repo", action="append", default=[], metavar="DIR",
        help=f"text, html, sarif, pr-comment: a clone of the code, to explain the first {MAX_DOSSIERS} races that fail;"
        " may repeat",
    )  # fmt: skip


def with_dossiers(
    findings: Sequence[RaceFinding], paths: Sequence[str], quiet: bool, owner_rules: Sequence[OwnerRule] = ()
) -> list[RaceFinding]:
    """The findings, of which the first ones that fail have a dossier if clones are given."""
    failing = [number for number, finding in enumerate(findings) if finding.fails]
    if not paths or not failing:
        return list(findings)
    made: dict[int, JsonDict] = {}
    try:
        with show_progress(quiet, "reading the clone") as progress:
            _make_dossiers(findings, failing[:MAX_DOSSIERS], paths, made, owner_rules, progress)
    except DeadheatError as error:  # no clone, no git, no tree-sitter
        cli.print_to_stderr(f"{error}; {cli.format_count(len(failing) - len(made), 'race')} shown without the code")
    if len(failing) > MAX_DOSSIERS and not quiet:
        cli.print_to_stderr(
            f"only the first {MAX_DOSSIERS} of {len(failing)} races that fail were looked up in the code"
        )
    return [
        finding._replace(dossier=made[number]) if number in made else finding for number, finding in enumerate(findings)
    ]


def _make_dossiers(
    findings: Sequence[RaceFinding],
    numbers: list[int],
    paths: Sequence[str],
    made: dict[int, JsonDict],
    owner_rules: Sequence[OwnerRule],
    progress: ProgressLine,
) -> None:
    """Adds a dossier for each number, with the other races of the same log as hints."""
    from deadheat.repo.clone import Clone  # slow to import
    from deadheat.repo.document_claims import DocumentHints

    reports_by_log: dict[str, list[int]] = {}
    for number in numbers:
        reports_by_log.setdefault(findings[number].sighting.uri, []).append(number)
    with ExitStack() as stack:
        clones = [stack.enter_context(Clone(path, progress.show_count)) for path in paths]
        for same_log in reports_by_log.values():
            reports = tuple(dict.fromkeys(findings[number].sighting.report for number in same_log))
            # the code that ran is usually the one that is checked out
            hints = DocumentHints(revisions=("HEAD",), same_log=reports)
            for number in same_log:
                progress.start_phase(f"race {numbers.index(number) + 1} of {len(numbers)}")
                if (dossier := _dossier_of(findings[number], clones, hints, owner_rules)) is not None:
                    made[number] = dossier


def _dossier_of(
    finding: RaceFinding, clones: list[Clone], hints: DocumentHints, owner_rules: Sequence[OwnerRule]
) -> JsonDict | None:
    """The dossier of a race; None if anything unexpected happens, which is reported."""
    from deadheat.repo.document_claims import hints_from_document
    from deadheat.repo.dossier import build_dossier, dossier_to_json, with_configured_owners

    sighting = finding.sighting
    hints = hints.merge_with(hints_from_document(sighting.document))
    try:
        return dossier_to_json(with_configured_owners(build_dossier(sighting.report, clones, hints), owner_rules))
    except DeadheatError:
        raise
    except Exception as error:  # noqa: BLE001, a defect in an explanation must not hide a race
        part = f"race {sighting.verdict.race} is shown without the code"
        cli.print_to_stderr(str(unexpected_fault(error, sighting.uri, part)))
        return None
