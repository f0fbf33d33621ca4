"""The HTML pages in a browser: search, filters, keyboard, themes, printing, narrow screens, accessibility, attacks."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.api import scan_text
from deadheat.baseline.absence import AbsenceState
from deadheat.baseline.judgement import GateStanding
from deadheat.output import OutputStyle
from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings
from deadheat.output.html.dossier_page import DossierHtmlPage
from deadheat.output.html.report_page import FORMAT
from deadheat.output.links import links_from_remote
from deadheat.serialization import sighting_from_wire
from tests.browser import Page, skip_or_fail
from tests.cases import ROOT
from tools import axe, docs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from deadheat.model import Sighting
    from deadheat.serialization import JsonDict

COUNT, FEW = 2000, 400
# share one browser
pytestmark = pytest.mark.xdist_group("browser")

ATTACK = "</script><script>document.title='x'</script><img src=x onerror=\"document.title='x'\">"
BIDIRECTIONAL = "safe\u202e\u2066gnp.exe\u2069\u200f"
HUGE = "std::map<" * 120_000


def many_findings(count: int) -> Iterator[RaceFinding]:
    """Many races, a few of them new, and some whose names are attacks."""
    [model] = scan_text((ROOT / "go" / "two-goroutines.txt").read_bytes(), "ci.log")
    for number in range(count):
        title = f"read/write race in shop{number:04}.(*Cart): Total / Add"
        verdict = model.verdict._replace(race=f"{number:016x}", title=title)
        standing = GateStanding.NEW if number % 100 == 7 else GateStanding.KNOWN
        report = model.report._replace(test=f"Test{number % 40}")
        sighting = model.with_report(report)._replace(verdict=verdict)
        yield RaceFinding(sighting, number % 97 + 1, ("ci.log",), standing)
    for letter, text in zip("def", (HUGE, BIDIRECTIONAL, ATTACK), strict=True):
        verdict = model.verdict._replace(race=letter * 16, title=text)
        report = model.report._replace(test=text)
        yield RaceFinding(model.with_report(report)._replace(verdict=verdict), 1, (text,), GateStanding.KNOWN, text)


ABSENT = (AbsentRace("00ff", "an old one", AbsenceState.GONE, "TestOld passed"),)


def write_report(
    path: Path, findings: Iterable[RaceFinding] | None = None, absent: tuple[AbsentRace, ...] = ABSENT
) -> Path:
    """A report of these races, or of 2,000."""
    style = OutputStyle(links=links_from_remote("https://github.com/acme/shop.git"))
    races = RaceFindings(many_findings(COUNT) if findings is None else findings, absent)
    path.write_text("".join(FORMAT.render_pieces(races, style)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("report") / "races.html", many_findings(FEW))


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    page = Page()
    try:
        page.resize(1100)
        page.prefer("light")
        yield page
    finally:
        page.close()


def shown_races(page: Page) -> int:
    return int(page.run("document.querySelectorAll('article:not([hidden])').length"))


def first_titles(page: Page) -> list[str]:
    script = "[...document.querySelectorAll('article:not([hidden]) h2')].slice(0, 6).map(e => e.textContent)"
    return list(page.run(script))


def search(page: Page, query: str, order: str = "standing") -> int:
    """Search and sort; return the number of races shown."""
    script = """((words, order) => {
      search.value = words; search.dispatchEvent(new Event("input"));
      document.getElementById("order").value = order;
      document.getElementById("order").dispatchEvent(new Event("change")); })"""
    page.run(f"{script}({query!r}, {order!r})")
    return shown_races(page)


def check_value(page: Page, name: str, value: str) -> int:
    """Checks the box of a filter; return the number of races shown."""
    page.run(f"document.querySelector('input[name={name}][value={json.dumps(value)}]').click()")
    return shown_races(page)


def faults_of(page: Page) -> list[Any]:
    return [e for e in page.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]


# -- the report --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [FEW, pytest.param(COUNT, marks=pytest.mark.soak)])
def test_many_races_load_without_network(page: Page, count: int, tmp_path: Path) -> None:
    """`make bench` measures the time."""
    report = write_report(tmp_path / "races.html", many_findings(count))
    page.open(report)
    requests = [
        event["params"]["request"]["url"] for event in page.events if event["method"] == "Network.requestWillBeSent"
    ]
    assert requests == [report.resolve().as_uri()]
    assert shown_races(page) == count + 3
    assert faults_of(page) == []


def test_search_and_order(page: Page, report: Path) -> None:
    page.open(report)
    assert search(page, "") == FEW + 3
    assert search(page, "shop0042") == 1
    assert search(page, "CART.GO total shop0042") == 1
    assert search(page, "checkout.(*Flow).Submit shop0042") == 1, "functions of the stacks are found"
    assert search(page, "no such thing") == 0
    assert page.run("document.getElementById('none').checkVisibility()") is True
    search(page, "shop0", "title")
    assert [title[19:27] for title in first_titles(page)[:2]] == ["shop0000", "shop0001"]
    search(page, "shop", "seen")
    assert page.run("document.querySelector('article:not([hidden]) .seen').textContent") == "seen 97 times"
    search(page, "shop", "standing")
    standings = "[...document.querySelectorAll('article:not([hidden]) .badge:first-child')].map(e => e.textContent)"
    assert [text for text in page.run(standings) if text in ("new", "known")][:5] == ["new"] * 4 + ["known"]
    search(page, "")


def test_filters_have_counts_and_are_kept_in_the_address(page: Page, report: Path) -> None:
    page.open(report)
    assert check_value(page, "status", "new") == 4
    assert check_value(page, "test", "Test7") == 2, "a filter of another group narrows"
    assert check_value(page, "test", "Test27") == 4, "a second value of the same group widens"
    count = "document.querySelector('input[name=status][value=known]').parentElement.lastElementChild.textContent"
    assert page.run(count) == "16", "what the other filters leave"
    fragment = page.run("location.hash")
    assert sorted(fragment[1:].split("&")) == ["status=new", "test=Test27", "test=Test7"]
    page.open(report, f"{fragment}&q=0307&sort=title")
    assert (shown_races(page), page.run("document.getElementById('order').value")) == (1, "title")
    page.run("document.getElementById('clear').click()")
    assert (shown_races(page), page.run("location.hash")) == (FEW + 3, "#sort=title")


def test_filter_of_one_value_is_not_shown(page: Page, report: Path) -> None:
    legends = page.run("[...document.querySelectorAll('legend')].map(e => e.textContent)")
    assert legends == ["Status", "Test"]


def test_race_is_opened_by_click_and_by_link(page: Page, report: Path) -> None:
    page.open(report, "#0000000000000009")
    assert page.run("[...document.querySelectorAll('article > details[open]')].map(e => e.parentElement.id)") == [
        "0000000000000009"
    ]
    assert 0 <= page.run("document.getElementById('0000000000000009').getBoundingClientRect().top") < 300
    page.run("document.querySelector('[id=\"0000000000000007\"] summary').click()")
    text = page.run("document.getElementById('0000000000000007').innerText")
    for expected in (
        "goroutine 21",
        "cart/cart.go:31",
        "checkout.(*Flow).Submit",
        "No lock on either side",
        "CREATED AT",
    ):
        assert expected in text
    assert page.run("new Promise(r => setTimeout(() => r(location.hash), 50))").count("race=") == 2


def test_keyboard(page: Page, report: Path) -> None:
    page.open(report)
    page.press("/", "/")
    assert page.run("document.activeElement.id") == "search"
    for letter in "shop0042":
        page.press(letter, letter)
    assert shown_races(page) == 1
    page.press("ArrowDown")
    assert page.run("document.activeElement.closest('article').id") == f"{42:016x}"
    page.press("Enter", "\r")
    assert page.run("document.activeElement.parentElement.open") is True
    page.press("ArrowUp")
    assert page.run("document.activeElement.id") == "search"
    page.press("Escape")
    assert shown_races(page) == FEW + 3


def test_copy_button_copies_and_says_so(page: Page, report: Path) -> None:
    page.open(report, "#0000000000000007")
    page.run("document.execCommand = () => { window.copied = document.activeElement.value; return true; }; 1")
    page.run("Object.defineProperty(navigator, 'clipboard', { value: undefined }); 1")
    page.run("document.querySelector('[id=\"0000000000000007\"] .copy').click()")
    assert page.run("window.copied") == "0000000000000007"
    assert page.run("document.getElementById('status').textContent") == "Copied"


def test_page_is_complete_without_scripts(page: Page, report: Path) -> None:
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(report)
        assert shown_races(page) == FEW + 3
        assert page.run("document.querySelector('.controls').checkVisibility()") is False
        assert page.run("document.querySelector('.copy').checkVisibility()") is False
        assert "cart/cart.go:31" in page.run("document.querySelector('article').textContent")
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)


def test_untrusted_text_is_not_executed(page: Page, report: Path) -> None:
    page.open(report, f"#race={'f' * 16}&race={'e' * 16}&race={'d' * 16}")
    assert page.run("document.querySelectorAll('details[open] .body').length") >= 3
    assert "races, 4 of them new" in page.run("document.title")
    assert page.run("document.querySelectorAll('img, article script').length") == 0
    titles = "[...'fed'].map((each) => document.getElementById(each.repeat(16)).querySelector('h2').textContent)"
    shown = page.run(titles)
    assert shown[0].startswith("</script><script>")
    assert shown[1] == "safe\\u202e\\u2066gnp.exe\\u2069\\u200f", "marks that reorder text are escaped"
    assert shown[2].startswith("std::map<std::map<")
    assert len(shown[2]) <= 2000
    assert page.run("document.documentElement.scrollWidth") <= 1100
    assert faults_of(page) == []


def test_themes_follow_the_system_and_the_button(page: Page, report: Path) -> None:
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    page.open(report)
    page.prefer("light")
    light = page.run(colours)
    page.prefer("dark")
    dark = page.run(colours)
    page.run("document.getElementById('theme').click()")
    assert page.run(colours) == light
    page.prefer("light")
    page.run("document.getElementById('theme').click()")
    assert page.run(colours) == dark
    assert len({*light, *dark}) == 4


# -- all pages ---------------------------------------------------------------------------------------


@cache
def example_dossiers() -> tuple[tuple[Sighting, JsonDict], ...]:
    """The dossiers of the examples, from a clone with their history."""
    logs = "examples/shop/logs/orders.log examples/shop/logs/cart.log"
    rows = json.loads(docs.command_output(f"deadheat explain --format json --repo build/shop {logs}"))
    return tuple((sighting_from_wire(row), row) for row in rows)


def small_findings(gated: bool) -> Iterator[RaceFinding]:
    """Races of several detectors, one of them with a dossier."""
    cases = ("go/two-goroutines", "go/method-value", "tsan/anonymous-namespace", "tsan/form-of-2013",
             "tsan/failed-to-restore-the-stack-of-one-access", "miri/deallocation")  # fmt: skip
    sightings = [s for name in cases for s in scan_text((ROOT / f"{name}.txt").read_bytes(), "ci.log")]
    standings = [GateStanding.NEW, GateStanding.KNOWN, GateStanding.MUTED, GateStanding.EXPIRED]
    for number, sighting in enumerate(sightings):
        yield RaceFinding(sighting, number + 1, ("ci.log",), standings[number % 4] if gated else None, "noted" * gated)
    sighting, dossier = example_dossiers()[0]
    yield RaceFinding(sighting, 3, ("ci.log",), GateStanding.NEW if gated else None, "", dossier)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every kind of page, with links."""
    folder = tmp_path_factory.mktemp("pages")
    paths = {
        "scan": write_report(folder / "scan.html", small_findings(False), ()),
        "gate": write_report(folder / "gate.html", small_findings(True)),
        "empty": folder / "empty.html",
    }
    paths["empty"].write_text("".join(FORMAT.render_pieces(RaceFindings(()), OutputStyle())), encoding="utf-8")
    format_page = DossierHtmlPage(OutputStyle(links=links_from_remote("https://github.com/acme/shop.git")))
    for name, dossiers in (("dossier", example_dossiers()[:1]), ("dossiers", example_dossiers()), ("none", ())):
        paths[name] = folder / f"{name}.html"
        rows = [(RaceFinding(sighting, 2, ("ci.log:7", "b.log:9")), dossier) for sighting, dossier in dossiers]
        paths[name].write_text(format_page(rows), encoding="utf-8")
    return paths


OPEN_ALL = "for (const details of document.querySelectorAll('details')) details.open = true;"
USE_FILTERS = (
    "search.value = 'cart'; search.dispatchEvent(new Event('input'));"
    "document.querySelector('.controls input[type=checkbox]').click();"
)


@pytest.mark.parametrize(
    ("name", "theme", "width", "script"),
    [
        ("scan", "light", 1280, ""),
        ("scan", "light", 1280, OPEN_ALL),
        ("scan", "dark", 1280, OPEN_ALL),
        ("scan", "light", 360, OPEN_ALL),
        ("scan", "light", 1280, USE_FILTERS),
        ("gate", "light", 1280, OPEN_ALL),
        ("gate", "dark", 360, OPEN_ALL),
        ("empty", "light", 1280, ""),
        ("dossier", "light", 1280, OPEN_ALL),
        ("dossier", "dark", 1280, OPEN_ALL),
        ("dossier", "light", 360, OPEN_ALL),
        ("dossiers", "light", 1280, OPEN_ALL),
        ("dossiers", "dark", 360, OPEN_ALL),
        ("none", "light", 1280, ""),
    ],
)
def test_page_is_accessible(page: Page, pages: dict[str, Path], name: str, theme: str, width: int, script: str) -> None:
    """Every rule of axe-core holds, those for good practice and the experimental ones included."""
    page.resize(width)
    page.prefer(theme)
    page.open(pages[name])
    page.run(f"{script} 1")
    assert violations(page) == []
    assert page.run("document.documentElement.scrollWidth") <= width, "the page does not scroll sideways"
    page.resize(1100)
    page.prefer("light")


# what the pages do not aim at: contrast of level AAA
SKIPPED_RULES = ("color-contrast-enhanced",)


def violations(page: Page) -> list[str]:
    path = axe.axe_script()
    if path is None:
        skip_or_fail(axe.HOW_TO_GET_IT)
    page.run(path.read_text(encoding="utf-8") + ";1")
    script = """(async () => {
      const isUsed = (rule) => !SKIPPED.includes(rule.ruleId);
      const rules = Object.fromEntries(axe.getRules().map((rule) => [rule.ruleId, { enabled: isUsed(rule) }]));
      const result = await axe.run(document, { rules, resultTypes: ["violations"] });
      return result.violations.flatMap((rule) => rule.nodes.map((node) =>
        `${rule.id}: ${node.html.slice(0, 200)} ${node.any.map((check) => check.message).join(" ").slice(0, 200)}`));
    })()""".replace("SKIPPED", json.dumps(SKIPPED_RULES))
    return list(page.run(script))


def test_axe_finds_a_fault(page: Page, pages: dict[str, Path]) -> None:
    """The check itself works: a field without a label and text without contrast are found."""
    page.open(pages["empty"])
    page.run("const field = document.createElement('input'); document.querySelector('main').append(field); 1")
    assert any(text.startswith("label:") for text in violations(page))


@pytest.mark.parametrize("name", ["scan", "dossiers"])
def test_printed_page_has_everything(page: Page, pages: dict[str, Path], name: str) -> None:
    page.open(pages[name])
    try:
        page.call("Emulation.setEmulatedMedia", media="print")
        page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        hidden = """[...document.querySelectorAll("article .stack, article .diagram, article pre, .frames li")]
          .filter((part) => !part.checkVisibility({ contentVisibilityAuto: true })).map((part) => part.className)"""
        assert page.run(hidden) == []
        assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        controls = "[...document.querySelectorAll('.controls, .copy, #theme')].filter((e) => e.checkVisibility())"
        assert page.run(f"{controls}.length") == 0
    finally:
        page.call("Emulation.setEmulatedMedia", media="")


def test_dossier_shows_code_in_colours_with_marked_lines(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["dossier"])
    colours = """["keyword", "call", "comment"].map((name) => {
      const token = document.querySelector(`.listing .${name}`);
      return token && getComputedStyle(token).color; })"""
    assert len({*page.run(colours)}) == 3
    marked = page.run("[...document.querySelectorAll('.panel .marked')].map(e => e.textContent)")
    assert len(marked) == 2
    assert all("racing line" in row for row in marked), "not only by colour"


def test_index_leads_to_each_dossier(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["dossiers"])
    targets = page.run("[...document.querySelectorAll('nav a')].map(e => e.getAttribute('href'))")
    assert len(targets) == 2
    assert page.run(f"{json.dumps(targets)}.every((target) => document.getElementById(target.slice(1)))") is True
