"""Dossiers as Markdown bug reports, in the sections that maintainers ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import plugins
from deadheat.model import ActorState
from deadheat.output import code_block, code_span, dossier_sentences, escape_markdown
from deadheat.printable import split_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access, Actor, Frame, Report, Sighting
    from deadheat.output.dossier_sentences import JsonDict

_MAX_FRAMES = 12
_FENCE_LANGUAGES = {"sql": "sql", "go": "go"}


class DossierMarkdown:
    """Dossiers in the sections of an issue template."""

    def __call__(self, number: int, sighting: Sighting, dossier: JsonDict) -> str:
        return "\n".join(_markdown_lines(sighting, dossier)) + "\n\n"


def _markdown_lines(sighting: Sighting, dossier: JsonDict) -> Iterator[str]:
    report = sighting.report
    yield f"# {escape_markdown(sighting.verdict.title)}"
    yield ""
    damage = f"; text damaged: {', '.join(report.damage)}" if report.damage else ""
    detector_name = plugins.display_name(report.detector)
    yield f"Race {code_span(sighting.verdict.race)}, from {escape_markdown(detector_name + damage)}."
    yield from _markdown_section("1. Minimal reproduce step", _markdown_reproduction(dossier))
    yield from _markdown_section(
        "2. What did you expect to see?", _markdown_paragraphs([dossier["narrative"]["expected"]])
    )
    yield from _markdown_section("3. What did you see instead", _markdown_observation(report, dossier))
    yield from _markdown_section(
        "4. What is your version?", _markdown_bullets(dossier_sentences.describe_version(dossier))
    )
    yield from _markdown_section("Cause", _markdown_cause(dossier))
    yield from _markdown_section("Evidence", _markdown_bullets(dossier_sentences.cause_evidence(dossier)))
    yield from _markdown_section("Remedy", _markdown_bullets(dossier_sentences.describe_remedy(dossier)))
    yield from _markdown_section("Fixed by", _markdown_bullets(dossier_sentences.describe_fixes(dossier)))
    if dossier.get("fix_diff", ()):
        yield from ("", code_block("\n".join(dossier.get("fix_diff", ())), "diff"))
    yield from _markdown_section("Verified", _markdown_bullets(dossier_sentences.describe_verifications(dossier)))
    yield from _markdown_section(
        "Introduced by", _markdown_bullets(dossier_sentences.describe_introducing_commits(dossier))
    )
    yield from _markdown_section(
        "Similar fixes in this repository", _markdown_bullets(dossier_sentences.describe_similar_fixes(dossier))
    )
    yield from _markdown_section("Dependency", _markdown_bullets(dossier_sentences.describe_dependency(dossier)))
    yield from _markdown_section(
        "What the document claims",
        _markdown_bullets(
            dossier_sentences.describe_checked_claims(dossier)
            + dossier_sentences.describe_unchecked_claims(sighting, dossier)
        ),
    )
    yield from _markdown_section("Stale frames", _markdown_bullets(dossier_sentences.describe_stale_frames(dossier)))
    yield from _markdown_section("Owners", _markdown_bullets(dossier_sentences.describe_owners(dossier)))
    yield from _markdown_section("Related races", [f"- {code_span(race)}" for race in dossier["related"]])
    yield from _markdown_section("Not checked", _markdown_bullets(dossier_sentences.describe_missing_facts(dossier)))


def _markdown_section(title: str, body: list[str]) -> Iterator[str]:
    if body:
        yield from ("", f"### {title}", "", *body)


def _markdown_paragraphs(sentences: list[str]) -> list[str]:
    return [_markdown_sentence(sentence) for sentence in sentences if sentence]


def _markdown_bullets(sentences: list[str]) -> list[str]:
    return [f"- {_markdown_sentence(sentence)}" for sentence in sentences]


def _markdown_reproduction(dossier: JsonDict) -> list[str]:
    commands = dossier_sentences.reproduction_commands(dossier)
    note = escape_markdown(dossier_sentences.reproduction_note(dossier))
    if not commands:
        return [note]
    reproduction = dossier["reproduce"]
    if reproduction["claimed"] and reproduction["at"]:
        first, *steps = commands
        language = _FENCE_LANGUAGES.get(reproduction["framework"], "text")
        return [code_block(first, "sh"), "", note, "", code_block("\n".join(steps), language)]
    return [code_block("\n".join(commands), "sh"), "", note]


def _markdown_observation(report: Report, dossier: JsonDict) -> list[str]:
    lines = [_markdown_sentence(dossier["narrative"]["saw"])]
    actors = {actor.id: actor for actor in report.actors}
    for access in report.accesses:
        lines += ["", code_block(_access_stack_text(access, actors.get(access.actor)), "text")]
    variable_sentences = dossier_sentences.describe_variable(dossier)
    lines += ["", f"Variable: {_markdown_sentence(variable_sentences[0])}", *_markdown_bullets(variable_sentences[1:])]
    for snippet in [s for s in dossier["snippets"] if _is_access_site(s, report)][:2]:
        location = f"{snippet['path']}:{snippet['site']['line']}"
        lines += ["", f"{code_span(location)}:", "", code_block(_numbered_source(snippet), "text")]
    return lines


def _is_access_site(snippet: JsonDict, report: Report) -> bool:
    site = snippet["site"]
    return any(
        access.site and (access.site.file, access.site.line) == (site["file"], site["line"])
        for access in report.accesses
    )


def _numbered_source(snippet: JsonDict) -> str:
    """Numbered source lines with a marker at the racing line."""
    racing = snippet["site"]["line"]
    return "\n".join(
        f"{'>' if number == racing else ' '} {number:5} {row.expandtabs(4)}".rstrip()
        for number, row in enumerate(snippet["lines"], snippet["first"])
    )


def _access_stack_text(access: Access, actor: Actor | None) -> str:
    address = f" at {access.address}" if access.address else ""
    state = f" ({actor.state})" if actor and actor.state is not ActorState.UNKNOWN else ""
    lines = [f"{access.op}{address} by {access.actor or 'an unknown actor'}{state}"]
    lines += _frame_lines(access.stack)
    if actor and actor.created_at:
        lines += ["created at", *_frame_lines(actor.created_at)]
    return "\n".join(lines)


def _frame_lines(stack: tuple[Frame, ...]) -> list[str]:
    live = [frame for frame in stack if not frame.stale]
    lines = [f"  {f.function}  {f.file}{f':{f.line}' if f.line is not None else ''}" for f in live[:_MAX_FRAMES]]
    omitted, stale_count = len(live) - _MAX_FRAMES, len(stack) - len(live)
    notes = [f"{omitted} more"] * (omitted > 0) + [f"{stale_count} stale"] * (stale_count > 0)
    return [*lines, f"  … {', '.join(notes)}"] if notes else lines


def _markdown_cause(dossier: JsonDict) -> list[str]:
    first, *rest = dossier_sentences.describe_cause(dossier)
    return [_markdown_sentence(first), *([""] if rest else []), *_markdown_bullets(rest)]


def _markdown_sentence(text: str) -> str:
    """Escapes a sentence and turns text between backticks into code spans."""
    return "".join(code_span(part) if is_code else escape_markdown(part) for part, is_code in split_code(text))
