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
from deadheat.model import Access, Actor, Frame, Op, Origin, Report
from deadheat.output import escape, race_diagram
from tests.cases import ROOT

HOSTILE = "<script>alert(1)</script> \"'> ]]> --> `x` ```\n# @octocat [a](j:x) | \x1b[31m \u202e \0"
ANY = st.text(st.characters(), max_size=40) | st.text("`|\\<>&\"'@/:w.\n\0\x1b", max_size=20)


class Texts(HTMLParser):
    """What a browser would show of a page, and the elements in it."""

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
    page = Texts()
    page.feed(f"<p title='{escape.escape_html(text)}'>{escape.escape_html(text)}</p>")
    page.close()
    assert page.tags == ["p"]
    assert page.text == escape.replace_unprintable(text, "\n\t")


@settings(deadline=None)
@given(ANY)
def test_xml_is_well_formed_whatever_the_text(text: str) -> None:
    made = ElementTree.fromstring(f'<a b="{escape.escape_xml(text)}">{escape.escape_xml(text)}</a>')
    assert len(made) == 0


@settings(deadline=None)
@given(ANY)
def test_a_code_span_and_a_fence_cannot_be_ended_by_their_text(text: str) -> None:
    span = escape.code_span(text)
    ticks = re.match("`+", span)
    assert ticks
    assert span.endswith(ticks[0])
    inside = span[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall("`+", inside)
    assert "\n" not in span
    first, *inside_fence, last = escape.code_block(text).split("\n")
    assert first.startswith(last)
    assert not any(line.strip().startswith(last) for line in inside_fence)


@settings(deadline=None)
@given(ANY)
def test_markdown_is_one_line_without_markup(text: str) -> None:
    escaped = escape.escape_markdown(text)
    assert "\n" not in escaped
    bare = escaped.replace("<!-- -->", "")
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>|]", bare)
    assert not re.search(r"@\w", escaped)


# whatever begins or ends markup, and what stands beside it
MARKUP = st.text("`|\\<>&;\"'@/:w.-=#+*_~[]()!$12 \nlt", max_size=30)


@settings(deadline=None)
@given(ANY | MARKUP)
def test_a_reader_of_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    # what stands at the beginning of a line decides most, blanks there are nobody's text
    text = text.strip()
    shown, marked = "", []
    for token in MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(escape.escape_markdown(text)):
        for part in [token, *(token.children or ())]:
            if part.type in ("text", "text_special"):
                shown += part.content
            elif part.type not in ("paragraph_open", "inline", "paragraph_close"):
                marked += [part.content] if part.content != "<!-- -->" else []
    assert not marked
    assert shown.split() == escape.replace_unprintable(text).split()


def test_prose_has_no_more_backslashes_than_it_needs() -> None:
    prose = "2021-12-11: stale (34 frames) in v5.4.0, 1) then + or - or #30701!"
    assert escape.escape_markdown(prose) == prose
    assert escape.escape_markdown("1. a_b") == "1\\. a\\_b"


def test_nothing_is_left_that_a_terminal_or_a_page_obeys() -> None:
    for made in (
        *(escape.escape_html, escape.escape_xml, escape.escape_markdown, escape.escape_markdown_element),
        *(escape.code_span, escape.code_table_cell, escape.code_block),
    ):
        assert not {"\x1b", "\u202e", "\0"} & set(made(HOSTILE)), made.__name__
    for made in (escape.escape_markdown, escape.escape_markdown_element):
        assert "@<!-- -->octocat" in made(HOSTILE)


def test_a_backslash_stands_only_where_markdown_takes_it_away() -> None:
    assert escape.code_span("a|b") == "`a|b`"
    assert escape.code_table_cell("a|b") == "`a\\|b`"
    assert html.unescape(escape.escape_markdown_element("<T> (*C).`do_it`")) == "<T> (*C).`do_it`"
    assert not re.search(r"[\\`*_<>]", escape.escape_markdown_element("<T> (*C).`do_it`"))


# -- the picture ------------------------------------------------------------------------------------


def frame(function: str, line: int | None = 7) -> Frame:
    return Frame(function, "p", "p/f.go", line, Origin.USER)


def test_the_picture_has_both_lanes_from_start_to_access() -> None:
    [sighting] = deadheat.scan((ROOT / "go" / "two-goroutines.txt").read_bytes(), diagnose=False)
    drawn = ElementTree.fromstring(race_diagram.render_svg(sighting.report))
    shown = " ".join(text for text in drawn.itertext() if text.strip())
    for told in ("goroutine 21", "goroutine 20", "WRITE", "READ", "cart/cart.go:31", "started in"):
        assert told in shown
    assert race_diagram.render_svg(sighting.report).count('r="7"') == 2


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_any_number_of_accesses_makes_a_picture(count: int) -> None:
    accesses = tuple(Access(Op.WRITE, f"t{n}", (frame(f"f{n}"),)) for n in range(count))
    drawn = race_diagram.render_svg(Report("tsan", "data-race", accesses))
    assert drawn.count('r="7"') == min(count, 3)


@settings(deadline=None)
@given(ANY, ANY)
def test_the_picture_is_well_formed_whatever_the_names(name: str, actor: str) -> None:
    access = Access(Op.READ, actor, (frame(name, None),), site=frame(name, None))
    report = Report("go", "data-race", (access, access), (Actor(actor, created_at=(frame(name),)),))
    drawn = ElementTree.fromstring(escape._INVALID_IN_XML.sub("", race_diagram.render_svg(report)))
    assert {element.tag for element in drawn.iter()} <= {"svg", "g", "title", "circle", "text", "path"}
