"""The comment on a pull request: complete while it fits, within the limit of GitHub, and without links from input."""

from __future__ import annotations

import html
import re
import shlex
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from deadheat import cli
from deadheat.baseline.absence import AbsenceState
from deadheat.baseline.judgement import GateStanding
from deadheat.output import JobContext, OutputStyle
from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings
from deadheat.output.links import CodeLinks
from deadheat.output.pr_comment import FORMAT, MAX_COMMENT, NOTHING_NEW_MARK, comment_length
from tests.cases import ROOT
from tests.test_hostile_names import (
    HOSTILE,
    NAMES,
    ORDINARY,
    Names,
    dossier,
    dossier_with,
    markdown_structure,
    sighting_with,
    workflow_commands,
)
from tests.test_output_formats import TITLE, case_text, findings_of_all_cases, make_findings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["dossier"]  # a fixture
Capture = pytest.CaptureFixture[str]
GONE = AbsentRace("00ff", "an old one", AbsenceState.GONE, "TestOld passed")
NOT_RUN = AbsentRace("11ff", "a skipped one", AbsenceState.NOT_RUN, "TestSkipped was skipped")


def render_comment(
    races: Iterable[RaceFinding], absent: tuple[AbsentRace, ...] = (), links: CodeLinks | None = None, **job: Any
) -> str:
    style = OutputStyle(job=JobContext(**job), links=links)
    return "".join(FORMAT.render_pieces(RaceFindings(races, absent), style))


def new_race(name: str = "go/two-goroutines.txt") -> RaceFinding:
    [finding] = make_findings(case_text(name), standing=GateStanding.NEW)
    return finding


def known_race() -> RaceFinding:
    [finding] = make_findings(case_text("go/method-value.txt"), standing=GateStanding.KNOWN, note="SHOP-12")
    return finding


class PageText(HTMLParser):
    """The texts of a page outside code, in the pieces that a code host looks for references in; and its links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.links: list[str] = []
        self._code = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in ("code", "pre")
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.pieces.append("")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in ("code", "pre")
        self.pieces.append("")

    def handle_comment(self, data: str) -> None:
        self.pieces.append("")

    def handle_data(self, data: str) -> None:
        if not self._code:
            self.pieces[-1:] = [f"{self.pieces[-1] if self.pieces else ''}{data}"]


def page_of(text: str) -> PageText:
    return PageText(MarkdownIt("commonmark").enable(["strikethrough", "table"]).render(text))


# what GitHub and GitLab make a link or a notification of
REFERENCE = re.compile(r"@\w|[\w/]#\w|(?<!\w)[#!%~$&]\w|\bGH-\d|://|www\.\w", re.IGNORECASE)


# -- content ----------------------------------------------------------------------------------------


def test_comment_counts_new_known_and_gone_races() -> None:
    text = render_comment([new_race(), known_race()], (GONE, NOT_RUN))
    assert text.startswith("<!-- deadheat pr-comment -->\n### 🔴 deadheat: 1 new race (1 known, 1 gone, 1 not run)\n")
    assert NOTHING_NEW_MARK not in text
    page = page_of(text)
    shown = " ".join(page.pieces)
    for part in (TITLE, "No lock on either side", "1 known race ", "2 known races that were not found", "an old one"):
        assert part.strip() in re.sub(r"\s+", " ", shown)
    assert text.count("<details>") == text.count("</details>") == 3


def test_details_have_cause_remedy_stacks_and_commands() -> None:
    text = render_comment([new_race()], baseline="known races.jsonl")
    assert "Nothing orders the write of the variable in `(*Cart).Add`" in text
    assert "Put a `sync.Mutex` next to the variable" in text
    assert "    cart.(*Cart).Add  cart/cart.go:31" in text
    assert "```sh\ngo run -race ./cmd/shopd\n```" in text
    race = new_race().sighting.verdict.race
    assert f"deadheat gate mute {race} --baseline 'known races.jsonl' --reason TICKET-1\n" in text


def test_shown_command_mutes_the_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    (tmp_path / "ci.log").write_bytes(case_text("go/two-goroutines.txt"))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["gate", "--baseline", "b c", "--format", "pr-comment", "ci.log"]) == 1
    [command] = re.findall("^deadheat gate .*", capsys.readouterr().out, re.MULTILINE)
    assert cli.main(shlex.split(command)[1:]) == 0
    assert cli.main(["gate", "--baseline", "b c", "ci.log"]) == 0


def test_comment_without_a_new_race_says_that_the_others_are_gone() -> None:
    text = render_comment([known_race()], (GONE,))
    assert text.startswith(
        f"<!-- deadheat pr-comment -->\n{NOTHING_NEW_MARK}\n### ✅ deadheat: no new race (1 known, 1 gone)\n"
    )
    assert "for an earlier run were not found in this one" in text
    assert "✅ deadheat: no new race\n" in render_comment([])


def test_races_of_a_scan_are_new(capsys: Capture) -> None:
    assert cli.main(["scan", "--format", "pr-comment", "--key", "unit tests", str(ROOT / "go/two-goroutines.txt")]) == 1
    text = capsys.readouterr().out
    assert text.startswith("<!-- deadheat pr-comment unit tests -->\n### 🔴 deadheat: 1 new race\n\nJob `unit tests`\n")


@pytest.mark.parametrize("key", ["-->", "a--b", "-a", "a\n", "<b>", "x" * 101, "é"])
def test_key_that_would_end_the_marker_is_rejected(key: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        cli.main(["scan", f"--key={key}", "x"])
    assert "is not a key" in capsys.readouterr().err


def test_places_are_links_if_the_code_host_is_known() -> None:
    links = CodeLinks("https://git.example.com/shop/blob/{commit}/{file}", "#L{line}", default_commit="abc1234")
    page = page_of(render_comment([new_race()], links=links))
    base = "https://git.example.com/shop/blob/abc1234/cart/cart.go"
    assert page.links == [f"{base}#L31", f"{base}#L40"]


def test_dossier_of_a_clone_is_shown(dossier: dict[str, Any]) -> None:
    sighting, fields = dossier_with(dossier, "zork")
    links = CodeLinks("https://git.example.com/{commit}/{file}", "#L{line}")
    text = render_comment([RaceFinding(sighting, 1, ("ci.log:3",), GateStanding.NEW, "", fields)], links=links)
    assert "func (z *zork) Close() { z.zork = 0 }" in text
    for title in ("Version", "Fixed by", "Owners", "Variable"):
        assert f"\n**{title}**\n" in text
    commit = fields["pin"]["surest"]["last"]
    assert f"(<https://git.example.com/{commit}/zork/zork.go#L5>)" in text
    assert "git checkout" in text
    assert "- A Tester: " in text
    assert "example.com>" not in text.replace("zork.example.com", "")


# -- limits -----------------------------------------------------------------------------------------


def test_details_are_left_out_before_races() -> None:
    warnings: list[str] = []
    races = [*findings_of_all_cases()]
    text = render_comment(races, 50 * (GONE,), warn=warnings.append)
    assert MAX_COMMENT * 0.9 < comment_length(text) <= MAX_COMMENT
    assert text.count("| **new** |") == len(races)
    omitted = len(races) - text.count("<details><summary>") + 1
    assert f"*The details of {omitted} races are left out: a comment may have 65,536 characters.*" in text
    assert warnings == [f"pr-comment: The details of {omitted} races are left out: GitHub accepts 65,536 characters"]
    assert text.count("<details>") == text.count("</details>")


def test_races_are_left_out_if_the_table_is_too_long() -> None:
    warnings: list[str] = []
    text = render_comment((new_race() for _ in range(5_000)), 5_000 * (GONE,), warn=warnings.append)
    assert comment_length(text) <= MAX_COMMENT
    assert "### 🔴 deadheat: 5,000 new races (5,000 gone)" in text
    shown = text.count("| **new** |")
    assert shown > 100
    assert f"*{5_000 - shown:,} more new races are left out" in text
    assert len(warnings) == 2


def test_section_without_code_and_stacks_is_shorter() -> None:
    [finding] = make_findings(case_text("go/two-goroutines.txt"))
    report = finding.sighting.report
    long_stack = 30 * tuple(frame._replace(function=frame.function + 2_000 * "x") for frame in report.accesses[0].stack)
    accesses = tuple(access._replace(stack=long_stack) for access in report.accesses)
    text = render_comment([finding._replace(sighting=finding.sighting.with_report(report._replace(accesses=accesses)))])
    assert comment_length(text) < 5_000
    assert "**What to change**" in text
    assert "**Stacks**" not in text


@settings(deadline=None, max_examples=30)
@given(st.lists(st.builds(Names, *4 * [st.text(min_size=1, max_size=3_000)]), max_size=40), st.booleans())
def test_comment_is_never_too_long(names: list[Names], is_new: bool) -> None:
    standing = GateStanding.NEW if is_new else GateStanding.KNOWN
    races = [RaceFinding(sighting_with(each), 2, (each.other,), standing, each.other) for each in names]
    absent = tuple(AbsentRace("00", each.other, AbsenceState.GONE, each.other) for each in names)
    text = render_comment(races, absent)
    assert comment_length(text) <= MAX_COMMENT
    assert text.count("<details>") == text.count("</details>")


# -- hostile names ----------------------------------------------------------------------------------


def comment_with(names: Names) -> str:
    new = RaceFinding(sighting_with(names), 2, (names.other,), GateStanding.NEW)
    known = new._replace(standing=GateStanding.MUTED, note=names.other)
    return render_comment([new, known], (AbsentRace("00", names.other, AbsenceState.GONE, names.other),))


@settings(deadline=None, max_examples=60)
@given(HOSTILE)
@example(Names("#1", "a#1", "!1", "acme/shop#12 @octocat GH-12 ~bug %1 $2 &3 www.x.y http://x a@b.c"))
@example(Names("/close", "/merge", "/approve", "/close"))
def test_hostile_names_make_no_markup_and_no_reference(names: Names) -> None:
    text = comment_with(names)
    (expected, _), (kinds, _) = (markdown_structure(each) for each in (comment_with(ORDINARY), text))
    without_code = [
        [kind for kind in each if "summary" not in kind and kind != "code_inline"] for each in (expected, kinds)
    ]
    assert "link_open" not in kinds
    assert without_code[0] == without_code[1]
    page = page_of(text)
    assert [piece for piece in page.pieces if REFERENCE.search(html.unescape(piece))] == []
    assert page.links == []
    assert workflow_commands(text) == []
    # GitLab runs a line that begins with a slash
    assert not re.search(r"^/\w", text, re.MULTILINE)
    assert text.replace("\n", "").isprintable()


@settings(deadline=None, max_examples=25)
@given(NAMES)
def test_hostile_names_in_a_dossier_make_no_reference(dossier: dict[str, Any], name: str) -> None:
    sighting, fields = dossier_with(dossier, name)
    links = CodeLinks("https://git.example.com/{commit}/{file}", "#L{line}")
    text = render_comment([RaceFinding(sighting, 1, (name,), GateStanding.NEW, "", fields)], links=links)
    page = page_of(text)
    assert [piece for piece in page.pieces if REFERENCE.search(html.unescape(piece))] == []
    assert all(link.startswith("https://git.example.com/") for link in page.links)
    assert not re.search(r"^/\w", text, re.MULTILINE)
    kinds, _ = markdown_structure(text)
    assert not {"image", "heading_open"} & {*kinds[3:]}
