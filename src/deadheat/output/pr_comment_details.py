"""What a comment on a pull request folds below each new race: its dossier, its stacks, and how to mute it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deadheat import plugins
from deadheat.output import code_block, code_span, dossier_sentences
from deadheat.output.ci_formats import access_stack_lines
from deadheat.output.comment_markup import comment_element, comment_sentence
from deadheat.output.findings import format_sighting_count, ordered_accesses
from deadheat.output.likely_causes import describe_likely_cause
from deadheat.printable import shorten
from deadheat.shell import format_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.output import JobContext, OutputStyle
    from deadheat.output.findings import RaceFinding

JsonDict = dict[str, Any]
MAX_NAME = 300  # characters of a title, a test, a reason
_MAX_SNIPPETS = 2
_DEFAULT_BASELINE = "races.jsonl"
# "A Tester <tester@example.com>": a comment on a public page names no addresses
_MAIL_ADDRESS = re.compile(r" ?<[^<>]*>")


def shorten_name(text: str) -> str:
    return shorten(text, MAX_NAME)


class RaceDetails:
    """The folded section of a race, in full or without code and stacks."""

    def __init__(self, finding: RaceFinding, style: OutputStyle) -> None:
        self._finding, self._style = finding, style
        self._dossier = finding.dossier or _dossier_of_report(finding)

    def render(self, in_full: bool) -> str:
        title, cause = shorten_name(self._finding.sighting.verdict.title), describe_likely_cause(self._finding)
        summary = f"{comment_element(title)} – {_element_sentence(cause)}" if cause else comment_element(title)
        blocks = self._full_blocks() if in_full else self._brief_blocks()
        body = "\n\n".join(filter(None, blocks))
        return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>\n\n"

    def _brief_blocks(self) -> Iterator[str]:
        yield self._facts()
        yield from _bullet_block("Cause", dossier_sentences.describe_cause(self._dossier))
        yield from _bullet_block("What to change", dossier_sentences.describe_remedy(self._dossier))
        yield from self._mute_block()

    def _full_blocks(self) -> Iterator[str]:
        dossier = self._dossier
        facts, *conclusions, mute = self._brief_blocks()
        yield facts
        yield from conclusions
        yield from _bullet_block("Evidence", dossier_sentences.cause_evidence(dossier))
        if dossier["variable"] is not None:
            yield from _bullet_block("Variable", dossier_sentences.describe_variable(dossier))
        yield from self._code_blocks()
        yield from self._stack_block()
        if dossier["pin"] is not None:
            yield from _bullet_block("Version", dossier_sentences.describe_version(dossier))
            if dossier["fixed_by"]:
                yield from _bullet_block("Fixed by", dossier_sentences.describe_fixes(dossier))
            yield from _bullet_block("Introduced by", dossier_sentences.describe_introducing_commits(dossier))
            owners = dossier_sentences.describe_owners(dossier)
            yield from _bullet_block("Owners", [_MAIL_ADDRESS.sub("", owner) for owner in owners])
        if commands := dossier_sentences.reproduction_commands(dossier):
            yield "**To reproduce it**"
            yield code_block("\n".join(commands), "sh")
        yield mute

    def _facts(self) -> str:
        finding, report = self._finding, self._finding.sighting.report
        facts = [
            f"Race {code_span(finding.sighting.verdict.race)}",
            comment_sentence(plugins.display_name(report.detector)),
        ]
        facts += [f"test {code_span(shorten_name(report.test))}"] if report.test else []
        seen = format_sighting_count(finding.sighting_count)
        facts.append(f"{seen}, first at {code_span(shorten_name(finding.locations[0]))}" if finding.locations else seen)
        return ", ".join(facts)

    def _code_blocks(self) -> Iterator[str]:
        """The racing lines with the code around them."""
        sites = {(a.site.file, a.site.line) for a in self._finding.sighting.report.accesses if a.site}
        snippets = [s for s in self._dossier["snippets"] if (s["site"]["file"], s["site"]["line"]) in sites]
        for snippet in snippets[:_MAX_SNIPPETS]:
            yield _linked_code(code_span(f"{snippet['path']}:{snippet['site']['line']}"), self._snippet_url(snippet))
            yield code_block(_numbered_source(snippet))

    def _snippet_url(self, snippet: JsonDict) -> str:
        links, pin = self._style.links_for_clone(self._dossier["repo"]), self._dossier["pin"]
        commit = pin["surest"]["last"] if pin else ""
        return links.file_url(snippet["path"], snippet["site"]["line"], commit) if links else ""

    def _stack_block(self) -> Iterator[str]:
        report = self._finding.sighting.report
        actors = {actor.id: actor for actor in report.actors}
        stacks = [
            "\n".join(access_stack_lines(access, actors.get(access.actor), self._style.root))
            for access in ordered_accesses(self._finding)
        ]
        if stacks:
            yield "**Stacks**"
            yield code_block("\n\n".join(stacks))

    def _mute_block(self) -> Iterator[str]:
        command = _mute_command(self._style.job, self._finding.sighting.verdict.race)
        yield f"**To mute it**, in the checkout, with the reason:\n\n{code_block(command, 'sh')}" if command else ""


def _dossier_of_report(finding: RaceFinding) -> JsonDict:
    """What the report alone tells."""
    from deadheat.repo.dossier import build_dossier, dossier_to_json  # slow to import

    return dossier_to_json(build_dossier(finding.sighting.report, ()))


def _mute_command(job: JobContext, race: str) -> str | None:
    """A command that adds a mute to the baseline."""
    baseline = job.baseline or _DEFAULT_BASELINE
    return format_command("deadheat", "gate", "mute", race, "--baseline", baseline, "--reason", "TICKET-1")


def _bullet_block(title: str, sentences: Iterable[str]) -> Iterator[str]:
    bullets = "\n".join(f"- {comment_sentence(sentence)}" for sentence in sentences)
    if bullets:
        yield f"**{title}**\n\n{bullets}"


def _element_sentence(text: str) -> str:
    """The title of a cause, whose code is between backticks."""
    return comment_element(text.replace("`", ""))


def _numbered_source(snippet: JsonDict) -> str:
    """Numbered source lines with a mark at the racing line."""
    racing = snippet["site"]["line"]
    return "\n".join(
        f"{'>' if number == racing else ' '} {number:5} {row.expandtabs(4)}".rstrip()
        for number, row in enumerate(snippet["lines"], snippet["first"])
    )


def _linked_code(code: str, url: str) -> str:
    return f"[{code}](<{url}>)" if url else code
