"""The HTML report in a browser: search, order, details, themes, and a narrow screen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.api import scan_text
from deadheat.baseline.absence import AbsenceState
from deadheat.baseline.judgement import GateStanding
from deadheat.output import OutputStyle
from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings
from deadheat.output.html_report import FORMAT
from tests.browser import Page
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 2000
# share one browser
pytestmark = pytest.mark.xdist_group("browser")


def many_findings() -> Iterator[RaceFinding]:
    """Many races, a few of them new, and one whose name is an attack."""
    [model] = scan_text((ROOT / "go" / "two-goroutines.txt").read_bytes(), "ci.log")
    for number in range(COUNT):
        title = f"read/write race in shop{number:04}.(*Cart): Total / Add"
        verdict = model.verdict._replace(race=f"{number:016x}", title=title)
        standing = GateStanding.NEW if number % 500 == 7 else GateStanding.KNOWN
        yield RaceFinding(model._replace(verdict=verdict), number % 97 + 1, ("ci.log",), standing)
    attack = "</script><script>document.title='x'</script><img src=x onerror=\"document.title='x'\">"
    verdict = model.verdict._replace(race="f" * 16, title=attack)
    report = model.report._replace(test=attack)
    yield RaceFinding(model.with_report(report)._replace(verdict=verdict), 1, (attack,), GateStanding.KNOWN, attack)


def write_report(path: Path) -> Path:
    findings = RaceFindings(many_findings(), (AbsentRace("00ff", "an old one", AbsenceState.GONE, "TestOld passed"),))
    path.write_text("".join(FORMAT.render_pieces(findings, OutputStyle())), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("report") / "races.html")


@pytest.fixture(scope="module")
def page(report: Path) -> Iterator[Page]:
    page = Page()
    try:
        page.resize(1100)
        page.prefer("light")
        page.open(report)
        yield page
    finally:
        page.close()


def first_titles(page: Page) -> list[str]:
    script = "[...document.querySelectorAll('article .title')].slice(0, 6).map(e => e.textContent)"
    return list(page.run(script))


def search(page: Page, query: str, order: str = "standing") -> int:
    """Search and sort; return the number of races shown."""
    script = """((words, order) => {
      search.value = words; search.dispatchEvent(new Event("input"));
      document.getElementById("order").value = order;
      document.getElementById("order").dispatchEvent(new Event("change"));
      return document.querySelectorAll("article").length })"""
    return int(page.run(f"{script}({query!r}, {order!r})"))


def save_screenshot(page: Page, name: str) -> None:
    """Save a screenshot for manual inspection."""
    if folder := os.environ.get("DEADHEAT_PICTURES"):
        page.picture(Path(folder) / f"{name}.png")


def test_two_thousand_races_load_without_network(page: Page, report: Path) -> None:
    """`make bench` measures the time."""
    requests = [
        event["params"]["request"]["url"] for event in page.events if event["method"] == "Network.requestWillBeSent"
    ]
    assert requests == [report.resolve().as_uri()]
    assert page.run("document.querySelectorAll('article').length") == COUNT + 1
    save_screenshot(page, "list")


def test_search_and_order(page: Page) -> None:
    assert search(page, "") == COUNT + 1
    assert search(page, "shop0042") == 1
    assert search(page, "CART.GO total shop0042") == 1
    assert search(page, "no such thing") == 0
    assert page.run("document.querySelector('.none').textContent") == "No race matches."
    search(page, "shop", "title")
    assert [title[19:27] for title in first_titles(page)[:2]] == ["shop0000", "shop0001"]
    search(page, "shop", "seen")
    count_text = page.run("document.querySelector('article .seen').textContent")
    assert count_text == "seen 97 times"
    search(page, "shop", "standing")
    standings = "[...document.querySelectorAll('article .standing')].map(e => e.textContent)"
    assert page.run(standings)[:5] == ["new"] * 4 + ["known"]
    search(page, "")


def test_race_is_opened_by_click_and_by_link(page: Page, report: Path) -> None:
    script = "document.getElementById('{}').firstElementChild.click()"
    page.run(script.format("0000000000000007"))
    drawn = page.run("document.querySelectorAll('#\\\\30 000000000000007 svg circle').length")
    assert drawn == 8
    text = page.run("document.getElementById('0000000000000007').textContent")
    for expected in ("goroutine 21", "cart/cart.go:31", "checkout.(*Flow).Submit", "created at"):
        assert expected in text
    save_screenshot(page, "race")
    page.run(script.format("0000000000000007"))
    assert page.run("document.querySelectorAll('section').length") == 0
    page.open(report, "#0000000000000009")
    assert page.run("document.querySelectorAll('section').length") == 1
    top = page.run("document.getElementById('0000000000000009').getBoundingClientRect().top")
    assert 0 <= top < 300


def test_untrusted_text_is_not_executed(page: Page, report: Path) -> None:
    page.open(report, "#ffffffffffffffff")
    assert page.run("document.querySelectorAll('section').length") == 1
    assert page.run("document.title").startswith("deadheat: ")
    assert page.run("document.querySelectorAll('img, section script').length") == 0
    shown = page.run("document.querySelector('#ffffffffffffffff .title').textContent")
    assert shown.startswith("</script><script>")
    assert _errors(page) == []


def _errors(page: Page) -> list[Any]:
    return [e for e in page.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]


def test_themes_follow_the_system_and_the_button(page: Page, report: Path) -> None:
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    page.open(report, "#0000000000000007")
    page.prefer("light")
    light = page.run(colours)
    page.prefer("dark")
    dark = page.run(colours)
    save_screenshot(page, "dark")
    page.run("document.getElementById('theme').click()")
    assert page.run(colours) == light
    page.prefer("light")
    page.run("document.getElementById('theme').click()")
    assert page.run(colours) == dark
    assert len({*light, *dark}) == 4


def test_narrow_screen_needs_no_horizontal_scrolling(page: Page, report: Path) -> None:
    page.resize(360, 740)
    page.open(report, "#0000000000000007")
    assert page.run("document.documentElement.scrollWidth") <= 360
    assert page.run("document.querySelector('section').getBoundingClientRect().width") > 300
    save_screenshot(page, "narrow")
    page.resize(1100)
