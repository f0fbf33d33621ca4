"""The parts that all pages are built from; each is a function from text to markup. `page.css` has their looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.output.html.code_colours import coloured_diff, coloured_rows, language_of_file
from deadheat.output.html.markup import EMPTY, Html, element, join, text
from deadheat.printable import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.output.dossier_sentences import JsonDict

# what is copied at most: a command, an id, a place
_MAX_COPIED_LENGTH = 10_000


def badge(label: str, kind: str = "") -> Html:
    """A label in a frame. `kind` is `bad`, `good` or nothing; the label alone says what it means."""
    return element("span", text(label), class_=f"badge {kind}".rstrip())


def copy_button(value: str, what: str) -> Html:
    """A button that copies a text; it is hidden without the script. A part of a text is never copied."""
    if len(value) > _MAX_COPIED_LENGTH:
        return EMPTY
    return element(
        "button", Html("Copy"), type="button", class_="copy", data_copy=visible_text(value, "\n"),
        aria_label=f"Copy {what}",
    )  # fmt: skip


def fact_list(facts: Iterable[tuple[str, Html]]) -> Html:
    """Terms with their values."""
    rows = [join((element("dt", text(name)), element("dd", value))) for name, value in facts if value]
    return element("dl", *rows, class_="facts") if rows else EMPTY


def bullet_list(items: Sequence[Html]) -> Html:
    return element("ul", *(element("li", item) for item in items), class_="bullets") if items else EMPTY


def section(level: int, title: str, *content: Html, class_: str = "") -> Html:
    """A part of a race with a heading; empty without content."""
    body = join(content)
    return element("section", element(f"h{level}", text(title)), body, class_=class_) if body else EMPTY


def folded(summary: str, *content: Html, class_: str = "") -> Html:
    return element("details", element("summary", text(summary)), *content, class_=class_)


def command_block(commands: Sequence[str], what: str) -> Html:
    """Commands for a shell, with a button that copies them."""
    if not commands:
        return EMPTY
    rows = join((element("span", text(line), class_="command") for line in commands), "\n")
    return element("div", element("pre", element("code", rows)), copy_button("\n".join(commands), what), class_="block")


def code_listing(snippet: JsonDict, label: str) -> Html:
    """Source lines with their numbers; the marked line has an arrow, and a word for screen readers."""
    marked = snippet["site"]["line"]
    rows = coloured_rows(snippet["lines"], language_of_file(snippet["path"]))
    lines = [_code_line(number, row, number == marked) for number, row in enumerate(rows, snippet["first"])]
    return element("pre", element("code", *lines), class_="listing", tabindex="0", role="group", aria_label=label)


def _code_line(number: int, row: Html, is_marked: bool) -> Html:
    if is_marked:
        mark = '<span class="hidden">racing line </span>'
        return Html(f'<span class="line marked"><span class="number">{number}</span>{mark}{row}\n</span>')
    return Html(f'<span class="line"><span class="number">{number}</span>{row}\n</span>')


def diff_listing(rows: Sequence[str], label: str) -> Html:
    lines = [
        Html(f'<span class="line {kind}"><span class="number">{number}</span>{row}\n</span>')
        for kind, number, row in coloured_diff(rows)
    ]
    return element("pre", element("code", *lines), class_="listing diff", tabindex="0", role="group", aria_label=label)
