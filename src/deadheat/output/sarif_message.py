"""The message of a SARIF result: cause, accesses with links to their locations, and what to change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deadheat.output import code_span, escape_markdown
from deadheat.output.findings import describe_access, format_sighting_count
from deadheat.output.likely_causes import describe_first_remedy, describe_likely_cause, without_marks
from deadheat.output.sarif_limits import MAX_MESSAGE_PART
from deadheat.printable import shorten, split_code, visible_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Access
    from deadheat.output.findings import RaceFinding

# "{0}" is a placeholder
_BRACE = re.compile(r"[{}]")


def result_message(finding: RaceFinding, accesses: Sequence[Access], root: str) -> dict[str, Any]:
    """The message as plain text, whose first sentence is the title on GitHub, and as Markdown."""
    title, cause = finding.sighting.verdict.title, describe_likely_cause(finding)
    heading = shorten(f"{cause}: {title}" if cause else title, MAX_MESSAGE_PART)
    texts = [shorten(describe_access(access, root), MAX_MESSAGE_PART) for access in accesses]
    remedy = shorten(describe_first_remedy(finding), MAX_MESSAGE_PART)
    race, standing = finding.sighting.verdict.race, f"{finding.standing} race" if finding.standing else "race"
    standing, count = f"{standing[:1].upper()}{standing[1:]}", format_sighting_count(finding.sighting_count)
    sites = [_link(access, text, number) for number, (access, text) in enumerate(zip(accesses, texts, strict=True), 1)]
    sentences = [escape_message(without_marks(heading)), "; ".join(sites)]
    plain = [f"{sentence}." for sentence in sentences if sentence]
    plain += [f"To fix it: {escape_message(without_marks(remedy))}"] if remedy else []
    markdown = [f"**{_to_markdown(heading)}**", "\n".join(f"- {escape_markdown(text)}" for text in texts)]
    markdown += [f"To fix it: {_to_markdown(remedy)}" if remedy else "", f"{standing} {code_span(race)}, {count}."]
    return {
        "text": " ".join([*plain, f"{standing} {escape_message(race)}, {count}."]),
        "markdown": _double_braces("\n\n".join(filter(None, markdown))),
    }


def escape_message(text: str) -> str:
    """Escapes placeholders, "{0}", and links, "[text](1)"."""
    return _double_braces(visible_text(text)).replace("](", "] (")


def _double_braces(text: str) -> str:
    return _BRACE.sub(lambda match: match[0] * 2, text)


def _link(access: Access, text: str, number: int) -> str:
    """`[write](1) by goroutine 7 in cart.(*Cart).Add`: a link to the related location with this number."""
    details = escape_message(text.removeprefix(access.op))
    return f"[{access.op}]({number}){details}" if access.site else f"{access.op}{details}"


def _to_markdown(text: str) -> str:
    """Escapes a sentence and turns text between backticks into code spans."""
    return "".join(code_span(part) if is_code else escape_markdown(part) for part, is_code in split_code(text))
