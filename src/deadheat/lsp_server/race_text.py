"""What the server says about a race. All text of reports, logs and repositories in it is inert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat.model import ReportSource, Sighting, Span, Verdict
from deadheat.output import code_block, code_span, dossier_sentences, escape_markdown
from deadheat.output.findings import RaceFinding, describe_access, summarize_causes
from deadheat.output.likely_causes import describe_first_remedy, without_marks
from deadheat.printable import shorten, split_code, visible_text
from deadheat.shell import format_command, path_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.lsp_server.race_entries import RaceEntry
    from deadheat.lsp_server.settings import ServerSettings
    from deadheat.model import Actor

    JsonDict = dict[str, Any]

_MAX_PART = 400
# `escape_markdown` breaks mentions and links by a comment, which editors show as text
_COMMENT, _WORD_JOINER = "<!-- -->", "\u2060"


def _finding(entry: RaceEntry, dossier: JsonDict | None = None) -> RaceFinding:
    verdict = Verdict(entry.title, entry.fingerprint, entry.race)
    sighting = Sighting(ReportSource(entry.report), verdict, entry.log, Span(0, 0), None, entry.causes)
    return RaceFinding(sighting, entry.sighting_count, (), dossier=dossier)


def plain_text(text: str) -> str:
    """Text for a message, a lens or a title, which editors show as it is."""
    return shorten(visible_text(text), _MAX_PART)


def diagnostic_message(entry: RaceEntry, index: int, dossier: JsonDict | None = None) -> str:
    """The title, the cause with its probability, the other accesses, and why it is muted."""
    lines = [plain_text(entry.title)]
    if cause := cause_text(entry, dossier):
        lines.append(f"Cause: {plain_text(without_marks(cause))}")
    others = [access for number, access in enumerate(entry.report.accesses) if number != index]
    lines += [f"Other access: {plain_text(describe_access(access, ''))}" for access in others]
    if entry.standing:
        lines.append(plain_text(f"{entry.standing}: {entry.note}" if entry.note else str(entry.standing)))
    return "\n".join(lines)


def cause_text(entry: RaceEntry, dossier: JsonDict | None = None) -> str:
    """`No lock on either side (81%)`; empty for what is no data race."""
    return dossier_sentences.summarize_cause(dossier) if dossier else summarize_causes(entry.causes)


def access_message(entry: RaceEntry, index: int) -> str:
    return plain_text(describe_access(entry.report.accesses[index], ""))


def creation_message(actor: Actor) -> str:
    return plain_text(f"{actor.id or 'the thread'} is created here")


def lens_title(entry: RaceEntry) -> str:
    """`race seen 14 times, last in run 1234 on 2026-11-19`."""
    if not entry.sighting_count:
        return plain_text(f"race in the baseline ({entry.standing})")
    times = "once" if entry.sighting_count == 1 else f"{entry.sighting_count} times"
    muted = ", muted" if entry.is_muted else ""
    return plain_text(f"race seen {times}, last in {entry.last_run}{muted}")


def hover_markdown(entry: RaceEntry, dossier: JsonDict | None = None) -> str:
    """The summary of the dossier, or of the report if there is no dossier yet."""
    report = entry.report
    parts = [f"**{_sentence(entry.title)}**"]
    cause = cause_text(entry, dossier)
    parts.append(f"Cause: {_sentence(cause)}" if cause else "Cause: unknown")
    parts.append("\n".join(f"- {_sentence(describe_access(access, ''))}" for access in report.accesses))
    if dossier:
        sentences = [
            *dossier_sentences.describe_variable(dossier)[:1],
            dossier_sentences.summarize_versions(dossier),
            dossier_sentences.summarize_fix(dossier),
            *dossier_sentences.describe_owners(dossier)[:1],
        ]
        parts.append("\n".join(f"- {_sentence(sentence)}" for sentence in sentences if sentence))
    if report.accesses and report.detector and (remedy := describe_first_remedy(_finding(entry, dossier))):
        parts.append(f"To fix it: {_sentence(remedy)}")
    if entry.standing:
        parts.append(_sentence(f"{entry.standing}: {entry.note}" if entry.note else str(entry.standing)))
    if dossier and (commands := dossier_sentences.reproduction_commands(dossier)):
        parts.append(code_block("\n".join(commands)[:_MAX_PART], "sh"))
    parts.append(f"Race {code_span(entry.race)}, {_sentence(lens_title(entry).removeprefix('race '))}")
    return "\n\n".join(part for part in parts if part)


def _sentence(text: str) -> str:
    """Escapes a sentence; text between backticks becomes code."""
    parts = split_code(shorten(text, 2 * _MAX_PART))
    return "".join(code_span(part) if is_code else _prose(part) for part, is_code in parts)


def _prose(text: str) -> str:
    return escape_markdown(text).replace(_COMMENT, _WORD_JOINER)


def reproduction_words(entry: RaceEntry, settings: ServerSettings, repos: Sequence[str]) -> list[str]:
    """The arguments of `deadheat` that reproduce a race; none if its report is in no log and no lake."""
    if entry.log:
        source = [path_word(entry.log), f"--race={entry.race}"]
    elif settings.lake and entry.sighting_count:
        source = [entry.race, f"--lake={settings.lake}"]
    else:
        return []
    return ["reproduce", *source, *(f"--repo={repo}" for repo in repos)] if repos else []


def reproduction_command(
    entry: RaceEntry, settings: ServerSettings, repos: Sequence[str], dossier: JsonDict | None = None
) -> str:
    """The command to copy: that of `deadheat reproduce`, else that of the dossier; empty if there is none."""
    words = reproduction_words(entry, settings, repos)
    command = format_command("deadheat", *words) if words else None
    if command is None and dossier:
        command = "\n".join(dossier_sentences.reproduction_commands(dossier))
    return command or ""
