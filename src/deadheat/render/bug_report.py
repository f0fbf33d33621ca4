"""A dossier as a Markdown bug report that is ready to file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import registry
from deadheat.model import State
from deadheat.render import facts
from deadheat.render.escape import code, fence, markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access, Actor, Frame, Report, Sighting
    from deadheat.render.facts import Plain

_FRAMES = 12
_LANGUAGES = {"sql": "sql", "go": "go"}


class BugReport:
    """Dossiers in the sections of an issue template."""

    def __call__(self, number: int, sighting: Sighting, told: Plain) -> str:
        return "\n".join(_lines(sighting, told)) + "\n\n"


def _lines(sighting: Sighting, told: Plain) -> Iterator[str]:
    report = sighting.report
    yield f"# {markdown(sighting.verdict.title)}"
    yield ""
    damage = f"; text damaged: {', '.join(report.damage)}" if report.damage else ""
    found = registry.called(report.detector)
    yield f"Race {code(sighting.verdict.race)}, from {markdown(found + damage)}."
    yield from _section("1. Minimal reproduce step", _reproduce(told))
    yield from _section("2. What did you expect to see?", _prose([told["narrative"]["expected"]]))
    yield from _section("3. What did you see instead", _seen(report, told))
    yield from _section("4. What is your version?", _bullets(facts.version(told)))
    yield from _section("Cause", _cause(told))
    yield from _section("Evidence", _bullets(facts.evidence(told)))
    yield from _section("Remedy", _bullets(facts.remedy(told)))
    yield from _section("Fixed by", _bullets(facts.fixed(told)))
    yield from _section("Introduced by", _bullets(facts.introduced(told)))
    yield from _section("Similar fixes in this repository", _bullets(facts.similar(told)))
    yield from _section("Dependency", _bullets(facts.module(told)))
    yield from _section(
        "What the document claims", _bullets(facts.checked(told) + facts.unchecked(sighting, told))
    )
    yield from _section("Stale frames", _bullets(facts.stale(told)))
    yield from _section("Owners", _bullets(facts.owners(told)))
    yield from _section("Related races", [f"- {code(race)}" for race in told["related"]])
    yield from _section("Not checked", _bullets(facts.unknown(told)))


def _section(title: str, body: list[str]) -> Iterator[str]:
    if body:
        yield from ("", f"### {title}", "", *body)


def _prose(sentences: list[str]) -> list[str]:
    return [_spans(sentence) for sentence in sentences if sentence]


def _bullets(sentences: list[str]) -> list[str]:
    return [f"- {_spans(sentence)}" for sentence in sentences]


def _reproduce(told: Plain) -> list[str]:
    commands = facts.command(told)
    note = markdown(facts.command_note(told))
    if not commands:
        return [note]
    found = told["reproduce"]
    if found["claimed"] and found["at"]:
        first, *steps = commands
        language = _LANGUAGES.get(found["framework"], "text")
        return [fence(first, "sh"), "", note, "", fence("\n".join(steps), language)]
    return [fence("\n".join(commands), "sh"), "", note]


def _seen(report: Report, told: Plain) -> list[str]:
    lines = [_spans(told["narrative"]["saw"])]
    actors = {actor.id: actor for actor in report.actors}
    for access in report.accesses:
        lines += ["", fence(_stack(access, actors.get(access.actor)), "text")]
    what = facts.variable(told)
    lines += ["", f"Variable: {_spans(what[0])}", *_bullets(what[1:])]
    for snippet in [s for s in told["snippets"] if _is_site(s, report)][:2]:
        place = f"{snippet['path']}:{snippet['site']['line']}"
        lines += ["", f"{code(place)}:", "", fence(_code(snippet), "text")]
    return lines


def _is_site(snippet: Plain, report: Report) -> bool:
    site = snippet["site"]
    return any(
        a.site and (a.site.file, a.site.line) == (site["file"], site["line"])
        for a in report.accesses
    )


def _code(snippet: Plain) -> str:
    """Numbered source lines with a marker at the racing line."""
    racing = snippet["site"]["line"]
    return "\n".join(
        f"{'>' if number == racing else ' '} {number:5} {row.expandtabs(4)}".rstrip()
        for number, row in enumerate(snippet["lines"], snippet["first"])
    )


def _stack(access: Access, actor: Actor | None) -> str:
    at = f" at {access.address}" if access.address else ""
    state = f" ({actor.state})" if actor and actor.state is not State.UNKNOWN else ""
    lines = [f"{access.op}{at} by {access.actor or 'an unknown actor'}{state}"]
    lines += _frames(access.stack)
    if actor and actor.created_at:
        lines += ["created at", *_frames(actor.created_at)]
    return "\n".join(lines)


def _frames(stack: tuple[Frame, ...]) -> list[str]:
    live = [frame for frame in stack if not frame.stale]
    lines = [
        f"  {f.function}  {f.file}{f':{f.line}' if f.line is not None else ''}"
        for f in live[:_FRAMES]
    ]
    more, stale = len(live) - _FRAMES, len(stack) - len(live)
    notes = [f"{more} more"] * (more > 0) + [f"{stale} stale"] * (stale > 0)
    return [*lines, f"  … {', '.join(notes)}"] if notes else lines


def _cause(told: Plain) -> list[str]:
    first, *rest = facts.cause(told)
    return [_spans(first), *([""] if rest else []), *_bullets(rest)]


def _spans(text: str) -> str:
    """Escapes a sentence and turns text between backticks into code spans."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return markdown(text)
    return "".join(code(p) if at % 2 else markdown(p) for at, p in enumerate(parts))
