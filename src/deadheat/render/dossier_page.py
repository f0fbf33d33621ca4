"""Dossiers as one HTML page that needs nothing else: no script, no link, no font, no picture file."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from deadheat import registry
from deadheat.render import facts
from deadheat.render.drawing import drawing
from deadheat.render.escape import html

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.model import Sighting
    from deadheat.render.facts import Plain

# nothing is loaded, whatever a document may have smuggled in
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Page:
    """All dossiers of a run, one below the other."""

    def __call__(self, told: Iterable[tuple[Sighting, Plain]]) -> str:
        pairs = list(told)
        title = pairs[0][0].verdict.title if len(pairs) == 1 else f"{len(pairs)} races"
        style = files("deadheat.render").joinpath("dossier.css").read_text("utf-8")
        body = "\n".join(_article(sighting, plain) for sighting, plain in pairs)
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="referrer" content="no-referrer">'
            f"<title>{html(title)}</title>\n<style>\n{style}</style></head>\n<body><main>\n"
            f"{body or '<p>No race was found.</p>'}\n"
            "<footer>Made by deadheat. Every statement is from a frame, a line or a commit; what a"
            " document claims is said to be a claim.</footer></main></body></html>\n"
        )


def _article(sighting: Sighting, told: Plain) -> str:
    return "\n".join(["<article>", *_parts(sighting, told), "</article>"])


def _parts(sighting: Sighting, told: Plain) -> Iterator[str]:
    report = sighting.report
    yield f"<h1>{html(sighting.verdict.title)}</h1>"
    chips = [report.kind, registry.called(report.detector), report.test]
    chips += [f"text damaged: {', '.join(report.damage)}"] if report.damage else []
    chips += [f"race {sighting.verdict.race}"]
    yield f'<ul class="chips">{"".join(f"<li>{html(c)}</li>" for c in chips if c)}</ul>'
    yield _lead(told)
    yield "<h2>What raced</h2>"
    yield drawing(report, told["snippets"], spans(facts.variable(told)[0]))
    for title, lines in (
        ("What was expected", [told["narrative"]["expected"]]),
        ("What was seen", [told["narrative"]["saw"], *facts.variable(told)[1:]]),
        ("Cause", facts.cause(told)),
        ("Evidence", facts.evidence(told)),
        ("Remedy", facts.remedy(told)),
    ):
        yield _section(title, lines)
    yield _reproduce(told)
    for title, lines in (
        ("Version", facts.version(told)),
        ("Fixed by", facts.fixed(told)),
        ("Came with", facts.introduced(told)),
        ("How its like was fixed here", facts.similar(told)),
        ("In the dependency", facts.module(told)),
        ("What the document claims", facts.checked(told) + facts.unchecked(sighting, told)),
        ("Frames that are not true", facts.stale(told)),
        ("Who should look", facts.owners(told)),
        ("Related races", told["related"]),
        ("Not looked at", facts.unknown(told)),
    ):
        yield _section(title, lines)


def _lead(told: Plain) -> str:
    """The answers in a line each."""
    rows = (
        ("variable", facts.variable(told)[0]),
        ("cause", facts.cause(told)[0]),
        ("version", facts.version(told)[0]),
        ("fixed by", facts.brief_fix(told)),
    )
    body = "".join(f"<dt>{label}</dt><dd>{spans(text)}</dd>" for label, text in rows)
    return f'<dl class="lead">{body}</dl>'


def _section(title: str, lines: list[str]) -> str:
    if not lines:
        return ""
    if len(lines) == 1:
        return f"<h2>{title}</h2><p>{spans(lines[0])}</p>"
    return f"<h2>{title}</h2><ul>{''.join(f'<li>{spans(line)}</li>' for line in lines)}</ul>"


def _reproduce(told: Plain) -> str:
    commands = facts.command(told)
    block = f"<pre><code>{html(chr(10).join(commands))}</code></pre>" if commands else ""
    return f"<h2>To see it again</h2>{block}<p>{html(facts.command_note(told))}</p>"


def spans(text: str) -> str:
    """A sentence; what stands between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return html(text)
    return "".join(
        f"<code>{html(part)}</code>" if at % 2 else html(part) for at, part in enumerate(parts)
    )
