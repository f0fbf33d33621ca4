"""Untrusted text stays text in every format that shows it."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import deadheat
from deadheat import output
from deadheat.model import Access, Actor, Frame, Op, Origin, Report, ReportSource, Span, Verdict, new_sighting
from deadheat.output import OutputStyle
from deadheat.output.html import race_diagram
from deadheat.output.html.race_view import RaceView
from deadheat.printable import visible_text
from tests.cases import ROOT

HOSTILE = "<script>alert(1)</script> \"'> ]]> --> `x` ```\n# @octocat [a](j:x) | \x1b[31m \u202e \0"
ANY = st.text(st.characters(), max_size=40) | st.text("`|\\<>&\"'@/:w.\n\0\x1b", max_size=20)


class PageText(HTMLParser):
    """The text and elements of an HTML page."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


@settings(deadline=None)
@given(ANY)
def test_html_shows_the_text_and_makes_no_element(text: str) -> None:
    page = PageText()
    page.feed(f"<p title='{output.escape_html(text)}'>{output.escape_html(text)}</p>")
    page.close()
    assert page.tags == ["p"]
    assert page.text == visible_text(text, "\n\t")


@settings(deadline=None)
@given(ANY)
def test_xml_is_well_formed(text: str) -> None:
    element = ElementTree.fromstring(f'<a b="{output.escape_html(text)}">{output.escape_html(text)}</a>')
    assert len(element) == 0
    assert (element.text or "") == visible_text(text, "\n\t")


@settings(deadline=None)
@given(ANY)
def test_text_cannot_end_its_code_span_or_block(text: str) -> None:
    span = output.code_span(text)
    ticks = re.match("`+", span)
    assert ticks
    assert span.endswith(ticks[0])
    inside = span[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall("`+", inside)
    assert "\n" not in span
    first, *inside_fence, last = output.code_block(text).split("\n")
    assert first.startswith(last)
    assert not any(line.strip().startswith(last) for line in inside_fence)


@settings(deadline=None)
@given(ANY)
def test_markdown_is_one_line_without_markup(text: str) -> None:
    escaped = output.escape_markdown(text)
    assert "\n" not in escaped
    bare = escaped.replace("<!-- -->", "")
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>|]", bare)
    assert not re.search(r"@\w", escaped)


# characters that begin or end markup, and their neighbours
MARKUP = st.text("`|\\<>&;\"'@/:w.-=#+*_~[]()!$12 \nlt", max_size=30)


@settings(deadline=None)
@given(ANY | MARKUP)
def test_markdown_renders_as_the_text(text: str) -> None:
    # blanks at the ends of a line are not rendered
    text = text.strip()
    shown, marked = "", []
    for token in MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(output.escape_markdown(text)):
        for part in [token, *(token.children or ())]:
            if part.type in ("text", "text_special"):
                shown += part.content
            elif part.type not in ("paragraph_open", "inline", "paragraph_close"):
                marked += [part.content] if part.content != "<!-- -->" else []
    assert not marked
    assert shown.split() == visible_text(text).split()


def test_prose_is_escaped_minimally() -> None:
    prose = "2021-12-11: stale (34 frames) in v5.4.0, 1) then + or - or #30701!"
    assert output.escape_markdown(prose) == prose
    assert output.escape_markdown("1. a_b") == "1\\. a\\_b"


def test_control_characters_and_mentions_are_escaped() -> None:
    for escape_function in (
        *(output.escape_html, output.escape_markdown, output.escape_markdown_element),
        *(output.code_span, output.code_table_cell, output.code_block),
    ):
        assert not {"\x1b", "\u202e", "\0"} & set(escape_function(HOSTILE)), escape_function.__name__
    for escape_function in (output.escape_markdown, output.escape_markdown_element):
        assert "@<!-- -->octocat" in escape_function(HOSTILE)


def test_backslash_is_used_only_where_markdown_removes_it() -> None:
    assert output.code_span("a|b") == "`a|b`"
    assert output.code_table_cell("a|b") == "`a\\|b`"
    assert html.unescape(output.escape_markdown_element("<T> (*C).`do_it`")) == "<T> (*C).`do_it`"
    assert not re.search(r"[\\`*_<>]", output.escape_markdown_element("<T> (*C).`do_it`"))


# -- diagram ----------------------------------------------------------------------------------------


def make_frame(function: str, line: int | None = 7) -> Frame:
    return Frame(function, "p", "p/f.go", line, Origin.USER)


def diagram_html(report: Report) -> str:
    sighting = new_sighting(ReportSource(report), Verdict("t", "f", "r"), "ci.log", Span(0, 0))
    return race_diagram.diagram_html(RaceView(sighting, None, OutputStyle()))


def test_diagram_shows_both_actors_from_start_to_access() -> None:
    [sighting] = deadheat.scan((ROOT / "go" / "two-goroutines.txt").read_bytes(), diagnose=False)
    diagram = ElementTree.fromstring(diagram_html(sighting.report))
    shown = " ".join(text for text in diagram.itertext() if text.strip())
    for expected in (
        "goroutine 21",
        "goroutine 20",
        "write",
        "read",
        "cart/cart.go:31",
        "Common caller",
        "checkout.(*Flow).Start",
    ):
        assert expected in shown
    assert diagram_html(sighting.report).count('<li class="access">') == 2


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_diagram_of_any_number_of_accesses(count: int) -> None:
    accesses = tuple(Access(Op.WRITE, f"t{n}", (make_frame(f"f{n}"),), site=make_frame(f"f{n}")) for n in range(count))
    diagram = diagram_html(Report("tsan", "data-race", accesses))
    assert diagram.count('<li class="access">') == min(count, 2)


@settings(deadline=None)
@given(ANY, ANY)
def test_diagram_is_well_formed(name: str, actor: str) -> None:
    access = Access(Op.READ, actor, (make_frame(name, None),), site=make_frame(name, None))
    report = Report("go", "data-race", (access, access), (Actor(actor, created_at=(make_frame(name),)),))
    diagram = ElementTree.fromstring(diagram_html(report))
    elements = {"div", "h4", "span", "small", "ol", "li", "p", "b", "code"}
    assert {element.tag for element in diagram.iter()} <= elements
