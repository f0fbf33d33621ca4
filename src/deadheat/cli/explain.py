"""`deadheat explain`: prints the dossier of each race in the given documents."""

from __future__ import annotations

import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import code_links
from deadheat.cli.options import was_given
from deadheat.cli.progress import show_progress
from deadheat.errors import DeadheatError, unexpected_fault
from deadheat.grouping.race_assignment import assign_races
from deadheat.model import Sighting
from deadheat.path_maps import map_sighting
from deadheat.printable import format_json
from deadheat.sources import file_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from deadheat.errors import UnreadableError
    from deadheat.model import Report
    from deadheat.output.findings import RaceFinding
    from deadheat.repo.clone import Clone
    from deadheat.repo.document_claims import DocumentHints
    from deadheat.repo.dossier import Dossier
    from deadheat.repo.mining import RaceFix
    from deadheat.serialization import JsonDict
    from deadheat.sources.archive_limits import ArchiveLimits
    from deadheat.sources.file_listing import FileEntry
    from deadheat.sources.files import SourceDocuments

_EXAMPLES = """examples:
  deadheat explain issue.md --repo ~/src/tidb
  deadheat explain ci.log --repo . --repo ~/src/grpc-go    a race in a dependency, with its code
  deadheat explain issue.md --repo . --at v5.2.2 --issue 30468 --format json

exit status: 0 done, with races or without, 2 wrong usage, 3 nothing could be read
"""


def add_explain_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "explain",
        help="print the dossier of each race in files or a pipe",
        description="Prints what is known about each race: first the answer (variable, cause, missing order, affected"
        " versions, fix, owner), then both racing lines, evidence, remedy and history, and the stacks last.",
        epilog=_EXAMPLES,
    )
    cli.add_path_arguments(command)
    command.add_argument("--repo", action="append", default=[], metavar="DIR", help="a clone of the code; may repeat")
    command.add_argument(
        "--at", action="append", default=[], metavar="REV", help="a revision or date to check first; may repeat"
    )
    command.add_argument(
        "--issue", action="append", default=[], metavar="N", help="number of the race in the issue tracker; may repeat"
    )
    command.add_argument("--lake", metavar="DIR", help="a lake with past fixes from `deadheat mine`, and verifications")
    command.add_argument(
        "--format", choices=("html", "json", "markdown", "text"), default="text",
        help="default: text",
    )  # fmt: skip
    code_links.add_link_template_option(command)
    cli.add_frames_option(command)
    cli.add_map_option(command)
    command.add_argument("--diff", action="store_true", help="text: show the diff of the fix, where one is certain")
    command.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    command.add_argument("--quiet", action="store_true", help="no progress and no warnings")
    command.set_defaults(run=run_explain, brief=False)


def run_explain(args: argparse.Namespace) -> int:
    # slow imports that only this command needs
    from deadheat.cli import scan as cli_scan
    from deadheat.repo.clone import Clone
    from deadheat.repo.document_claims import DocumentHints, revisions_in_log
    from deadheat.repo.dossier import with_configured_owners

    entries = list(file_listing.list_entries(args.paths))
    sightings, faults, log_heads = _read_sightings(entries, args.archive_limits)
    sightings = [map_sighting(sighting, tuple(args.map)) for sighting in sightings]
    if not args.quiet:
        for fault in faults:
            cli.print_to_stderr(str(fault))
    hints = DocumentHints(tuple(args.at), tuple(args.issue))
    with ExitStack() as stack:
        progress = stack.enter_context(show_progress(args.quiet, "reading the clone"))
        clones = [stack.enter_context(Clone(path, progress.show_count)) for path in args.repo]
        if not args.quiet:
            _warn_unknown_revisions(args.at, clones)
        repos = [clone.main.commits[0] for clone in clones if clone.main.tip]
        past_fixes = _load_past_fixes_if_any(args, repos)
        owner_rules = args.configuration.owner_rules if args.configuration else ()
        reports_by_log: dict[str, dict[Report, None]] = {}
        for sighting in sightings:
            reports_by_log.setdefault(sighting.uri, {})[sighting.report] = None
        dossiers = []
        findings = _best_sightings(sightings, cli_scan.line_finder(entries))
        for number, finding in enumerate(findings, 1):
            progress.start_phase(f"race {number} of {len(findings)}" if len(findings) > 1 else "explaining the race")
            sighting = finding.sighting
            log_hints = replace(hints, same_log=tuple(reports_by_log[sighting.uri]))
            if sighting.document is None:
                log_hints = log_hints.merge_with(
                    DocumentHints(revisions_in_log(bytes(log_heads.get(sighting.uri, b""))))
                )
            dossier = with_configured_owners(_build_dossier(sighting, clones, log_hints), owner_rules)
            dossiers.append((finding, _with_similar_fixes(dossier, past_fixes)))
    _write_dossiers(args, dossiers, _load_verifications(args, dossiers))
    return cli.EXIT_ENVIRONMENT if faults and not dossiers else cli.EXIT_NOTHING


def _build_dossier(sighting: Sighting, clones: list[Clone], hints: DocumentHints) -> Dossier:
    """The dossier of a race; from the report alone if anything goes wrong in a clone."""
    from deadheat.repo.document_claims import hints_from_document
    from deadheat.repo.dossier import build_dossier

    hints = hints.merge_with(hints_from_document(sighting.document))
    try:
        return build_dossier(sighting.report, clones, hints)
    except Exception as error:
        if not clones:
            raise
        part = f"race {sighting.verdict.race} is explained without the code"
        cli.print_to_stderr(str(unexpected_fault(error, sighting.uri, part)))
        return build_dossier(sighting.report, (), hints)


def _warn_unknown_revisions(revisions: list[str], clones: list[Clone]) -> None:
    """Warns about revisions that no clone has."""
    from deadheat.baseline import is_date

    for name in revisions:
        if not is_date(name) and not any(clone.resolve_revision(name) for clone in clones):
            cli.print_to_stderr(f"--at {name}: not a date and not a revision in a --repo; ignored")


def _load_past_fixes_if_any(args: argparse.Namespace, repos: list[str]) -> list[RaceFix]:
    """The past fixes; the lake of a configuration file need not exist yet."""
    try:
        return _load_past_fixes(args.lake, repos, args.quiet)
    except DeadheatError as error:
        if was_given(args, "lake"):
            raise
        if not args.quiet:
            cli.print_to_stderr(f"past fixes are not used: {error}")
        return []


def _load_past_fixes(lake_path: str | None, repos: list[str], quiet: bool) -> list[RaceFix]:
    """The fixes in a lake; if clones are given, only those of the same repositories."""
    if lake_path is None:
        return []
    from deadheat.cli import spark_and_lake
    from deadheat.repo.mining import fix_from_row

    lake = spark_and_lake.open_lake(lake_path).require("mine REPO")
    with spark_and_lake.requires_extra("lake"):
        from deadheat.lake import queries
    rows = queries.list_fixes(lake)
    if not rows and not quiet:
        cli.print_to_stderr(f"{lake.uri}: has no past fixes; run `deadheat mine REPO --lake DIR` first")
    return [fix_from_row(row) for row in rows if not repos or row["repo"] in repos]


def _with_similar_fixes(dossier: Dossier, past_fixes: list[RaceFix]) -> Dossier:
    from deadheat.repo.mining import similar_fixes

    if not past_fixes:
        return dossier
    variable = dossier.variable
    query = similar_fixes.build_query(
        dossier.report,
        [variable.name] if variable else [],
        variable.owner if variable else None,
        dossier.causes[0].cause if dossier.causes else None,
    )
    own_fixes = [fix.commit for fix in dossier.fixed_by if fix.is_convincing]
    return replace(dossier, similar_fixes=tuple(similar_fixes.find_similar(query, past_fixes, own_fixes)))


def _load_verifications(
    args: argparse.Namespace, dossiers: list[tuple[RaceFinding, Dossier]]
) -> dict[str, list[JsonDict]]:
    """The verifications of these races that the lake has; the lake of a configuration file need not be readable."""
    if not args.lake or not dossiers:
        return {}
    from deadheat.cli import kept_verifications

    races = {finding.sighting.verdict.race for finding, _ in dossiers}
    try:
        return kept_verifications.verifications_by_race(args.lake, races)
    except DeadheatError:
        if was_given(args, "lake"):
            raise
        return {}  # why is said for the past fixes


def _write_dossiers(
    args: argparse.Namespace, dossiers: list[tuple[RaceFinding, Dossier]], verifications: dict[str, list[JsonDict]]
) -> None:
    from deadheat.cli.scan import style_from_options
    from deadheat.output.dossier_markdown import DossierMarkdown
    from deadheat.output.dossier_text import DossierText
    from deadheat.output.html.dossier_page import DossierHtmlPage
    from deadheat.repo.dossier import dossier_to_json

    family_members = _family_members(dossiers)
    rows = []
    for finding, dossier in dossiers:
        sighting = finding.sighting
        fields = dossier_to_json(dossier, family_members.get(sighting.verdict.race, ()))
        fields["verifications"] = verifications.get(sighting.verdict.race, [])
        rows.append((finding._replace(sighting=_with_stale_frames(sighting, dossier)), fields))
    if args.format == "json":
        print(format_json([_dossier_to_json(finding.sighting, fields) for finding, fields in rows], indent=1))
    elif args.format == "html":
        format_page = DossierHtmlPage(code_links.style_for_clones(args))
        sys.stdout.write(format_page(rows))
    elif args.format == "markdown":
        format_markdown = DossierMarkdown()
        for number, (finding, fields) in enumerate(rows, 1):
            sys.stdout.write(format_markdown(number, finding.sighting, fields))
    else:
        style = style_from_options(args)
        if not rows and style.is_terminal:
            print(f"no race found in {cli.format_count(len(args.paths), 'input')}")
        format_text = DossierText(style, args.diff)
        for number, (finding, fields) in enumerate(rows, 1):
            sys.stdout.write(format_text(finding, fields, number if len(rows) > 1 else 0))


def _family_members(dossiers: list[tuple[RaceFinding, Dossier]]) -> dict[str, list[str]]:
    """The other races in the family of each race, by race id."""
    from deadheat.grouping.races import family_keys, find_families

    races = {found.sighting.verdict.race: list(family_keys(dossier.report)) for found, dossier in dossiers}
    return {
        race: [other for other in family.races if other != race]
        for family in find_families(races)
        for race in family.races
    }


def _read_sightings(
    entries: list[FileEntry | UnreadableError], limits: ArchiveLimits | None
) -> tuple[list[Sighting], list[UnreadableError], dict[str, bytearray]]:
    """The sightings, the faults, and the beginning of each document by its name."""
    from deadheat.api import read_opened_documents
    from deadheat.errors import UnreadableError, limit_faults
    from deadheat.sources import files

    sightings: list[Sighting] = []
    faults: list[UnreadableError] = []
    heads: dict[str, bytearray] = {}
    for entry in entries:
        if isinstance(entry, UnreadableError):
            faults.append(entry)
            continue
        documents = _keep_heads(files.open_documents(files.FileRange(entry), None, limits), heads)
        for item in limit_faults(read_opened_documents(documents), entry.uri):
            if isinstance(item, UnreadableError):
                faults.append(item)
            elif isinstance(item, Sighting):
                sightings.append(item)
    return assign_races(sightings), faults, heads


def _keep_heads(documents: SourceDocuments, heads: dict[str, bytearray]) -> SourceDocuments:
    """Passes the documents on and keeps the first bytes of each."""
    from deadheat.errors import UnreadableError
    from deadheat.repo.document_claims import LOG_HEAD_BYTES
    from deadheat.text.window import DocumentRange, OpenedDocument

    def keep_while_reading(head: bytearray, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        def read_and_keep(size: int) -> bytes:
            chunk = read(size)
            head.extend(chunk[: max(0, LOG_HEAD_BYTES - len(head))])
            return chunk

        return read_and_keep

    for document in documents:
        if isinstance(document, OpenedDocument):
            head = heads[document.uri] = bytearray(document.head)
            yield document._replace(read=keep_while_reading(head, document.read))
            continue
        if isinstance(document, DocumentRange):
            with suppress(UnreadableError):
                heads[document.uri] = bytearray(document.read_between(0, LOG_HEAD_BYTES))
        yield document


def _best_sightings(sightings: list[Sighting], line_of: Callable[[str, int], int | None]) -> list[RaceFinding]:
    """Each race with the report that `scan` shows, the one with most frames of equals, and where it was seen."""
    from deadheat.output.findings import RaceFinding, format_place
    from deadheat.output.race_counts import MAX_PLACES, ReportPlace

    by_race: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        by_race.setdefault(sighting.verdict.race, []).append(sighting)
    findings = []
    for members in by_race.values():
        places = [ReportPlace(member.uri, member.span.offset) for member in members[:MAX_PLACES]]
        locations = tuple(format_place(place, line_of) for place in places)
        findings.append(RaceFinding(min(members, key=_sighting_rank), len(members), locations))
    return findings


def _sighting_rank(sighting: Sighting) -> tuple[int, tuple[bool, str], int]:
    from deadheat.grouping.fingerprint import title_rank
    from deadheat.output.race_counts import damage_score

    frame_count = sum(len(access.stack) for access in sighting.report.accesses)
    return damage_score(sighting), title_rank(sighting.verdict.title), -frame_count


def _with_stale_frames(sighting: Sighting, dossier: Dossier) -> Sighting:
    """The sighting with the report of the dossier, in which stale frames are marked."""
    return sighting.with_report(dossier.report)


def _dossier_to_json(sighting: Sighting, dossier: JsonDict) -> JsonDict:
    from deadheat import serialization

    return serialization.sighting_to_wire(sighting) | dossier
