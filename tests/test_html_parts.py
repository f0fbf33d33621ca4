"""The parts of the HTML pages: colours of code, diffs, links in sentences, filters."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat.api import scan_text
from deadheat.output import OutputStyle, escape_html
from deadheat.output.findings import RaceFinding, RaceFindings
from deadheat.output.html.code_colours import coloured_diff, coloured_rows, language_of_file
from deadheat.output.html.components import copy_button
from deadheat.output.html.facets import FacetIndex
from deadheat.output.html.markup import Html, element, link, text
from deadheat.output.html.race_view import RaceView, describe_probability
from deadheat.output.html.report_page import FORMAT
from deadheat.output.links import CodeLinks, links_from_remote
from tests.cases import ROOT

SHA = "8721351dcf024f67532e334b9c46906383e030c2"


def tokens(rows: list[str], language: str) -> list[tuple[str, str]]:
    """The class and text of each coloured token."""
    found = re.findall(r'<span class="(\w+)">(.*?)</span>', "\n".join(coloured_rows(rows, language)))
    return [(name, html.unescape(value)) for name, value in found]


@pytest.mark.parametrize(
    ("file", "row", "expected"),
    [
        ("a.go", 'go s.run("x\\"", 0x1f) // wait', 'keyword:go call:run string:"x\\"" literal:0x1f comment:// wait'),
        ("a.go", "ch := make(chan int, 1_000)", "call:make keyword:chan literal:1_000"),
        ("b.cc", "#include <map>", "directive:#include"),
        ("b.cc", "const auto c = 'x'; /* y */ f();", "keyword:const keyword:auto string:'x' comment:/* y */ call:f"),
        ("b.hpp", "std::lock_guard<std::mutex> lock(mu);", "call:lock"),
        ("c.rs", "fn get<'a>(&'a self) -> u8 { b'x' }", "keyword:fn keyword:self string:'x'"),
        ("d.py", "def f(): return 'x'", ""),
        ("Makefile", "all: # x", ""),
    ],
)
def test_colours_of_code(file: str, row: str, expected: str) -> None:
    assert " ".join(f"{name}:{value}" for name, value in tokens([row], language_of_file(file))) == expected


def test_tokens_of_several_rows_are_complete_in_each_row() -> None:
    rows = ["x := `raw", "second` /* one", "two */ y"]
    coloured = coloured_rows(rows, "go")
    assert len(coloured) == len(rows)
    assert all(row.count("<span") == row.count("</span>") for row in coloured)
    assert coloured[1] == '<span class="string">second`</span> <span class="comment">/* one</span>'


CODE = st.text("ab\"'`\\/*#01 <&>\n\t(){}é\u202e", max_size=60)


@settings(deadline=None)
@given(st.lists(CODE, min_size=1, max_size=5), st.sampled_from(["go", "c", "rust", ""]))
def test_colours_keep_the_text_and_add_spans_only(rows: list[str], language: str) -> None:
    coloured = coloured_rows(rows, language)
    plain = [row.replace("\n", " ").expandtabs(4) for row in rows]
    assert len(coloured) == len(plain)
    for row, expected in zip(coloured, plain, strict=True):
        assert re.sub(r'<span class="\w+">|</span>', "", row) == escape_html(expected)


def test_diff_has_line_numbers_and_marks_without_colours() -> None:
    rows = ["--- a/cart.go", "+++ b/cart.go", "@@ -4,2 +4,3 @@", " func f() {", "-\tx++", "+\tmu.Lock()", "+\tx++"]
    found = [(kind, number, html.unescape(re.sub("<.*?>", "", row))) for kind, number, row in coloured_diff(rows)]
    assert found[2:] == [
        ("hunk", "", "@@ -4,2 +4,3 @@"),
        ("", "4", " func f() {"),
        ("removed", "5", "-    x++"),
        ("added", "5", "+    mu.Lock()"),
        ("added", "6", "+    x++"),
    ]
    assert '<span class="keyword">func</span>' in list(coloured_diff(rows))[3][2]


def view_with(links: CodeLinks | None) -> RaceView:
    [sighting] = scan_text((ROOT / "go" / "two-goroutines.txt").read_bytes(), "ci.log")
    return RaceView(sighting, None, OutputStyle(links=links))


def test_sentences_link_commits_places_and_pull_requests() -> None:
    links = links_from_remote("https://gitlab.com/acme/shop")
    assert links is not None
    known = CodeLinks(
        **{name: getattr(links, name) for name in links.__dataclass_fields__} | {"has_file": "a/b.go".__eq__}
    )
    sentence = view_with(known).sentence(
        f"`{SHA[:11]}` cart: lock (#12, !7; a/b.go:3, other.go:4) &#39; `x<y>` ##5 a#6"
    )
    base = "https://gitlab.com/acme/shop/-"
    assert re.findall(r'<a href="(.*?)">(.*?)</a>', sentence) == [
        (f"{base}/commit/{SHA[:11]}", f"<code>{SHA[:11]}</code>"),
        (f"{base}/issues/12", "#12"),
        (f"{base}/merge_requests/7", "!7"),
        (f"{base}/blob/HEAD/a/b.go#L3", "a/b.go:3"),
    ]
    assert "<code>x&lt;y&gt;</code>" in sentence
    assert "<a" not in view_with(None).sentence(f"`{SHA[:11]}` #12 a/b.go:3")


def test_markup_escapes_text_and_attributes_and_links_to_web_pages_only() -> None:
    attack = '"><script>alert(1)</script>\u202e'
    shown = element("p", text(attack), title=attack, data_x=attack, hidden=False)
    assert "<script" not in shown
    assert "\u202e" not in shown
    assert shown.count(">") == 2
    assert link("javascript:alert(1)", text("x")) == "x"
    assert link("https://host/a", Html("x")) == '<a href="https://host/a">x</a>'
    assert copy_button("x" * 20_000, "the command") == "", "a part of a command is another command"


def test_probability_in_words_and_per_cent() -> None:
    words = [describe_probability(value) for value in (1.0, 0.9, 0.79, 0.5, 0.3, 0.0)]
    assert words == [
        "very likely, 100%", "very likely, 90%", "likely, 79%", "probable, 50%", "possible, 30%", "uncertain, 0%",
    ]  # fmt: skip


def test_filters_are_for_facts_that_differ() -> None:
    races = [[("detector", "Go"), ("package", "a"), ("package", "b")], [("detector", "Go"), ("package", "b")]]
    index = FacetIndex(races)
    assert index.fieldset("detector") == ""
    assert re.findall(r'value="(\w)".*?class="count">(\d)<', index.fieldset("package")) == [("b", "2"), ("a", "1")]
    assert [set(index.numbers_of(race).split()) for race in (0, 1)] == [{"0", "1"}, {"0"}]


def test_report_says_how_many_races_a_limit_left_out() -> None:
    [sighting] = scan_text((ROOT / "go" / "two-goroutines.txt").read_bytes(), "ci.log")
    findings = RaceFindings([RaceFinding(sighting, 1, ("ci.log:1",))], omitted=3)
    assert "3 races more" in "".join(FORMAT.render_pieces(findings, OutputStyle()))
