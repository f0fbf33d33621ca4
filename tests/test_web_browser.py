"""The dashboard in a browser: triage, live changes, keyboard, two people, no scripts, narrow, dark, accessibility."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import urlopen

import pytest

from tests.browser import require_chromium, skip_or_fail
from tests.dashboards import log_entry, serving, small_lake
from tests.local_lakes import add_documents
from tools import axe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.xdist_group("web-browser")
TIMEOUT = 20_000


class Server(NamedTuple):
    """A dashboard in a process of its own, and its lake."""

    address: str
    lake: Path

    def json(self, path: str) -> Any:
        with urlopen(f"{self.address}api/v1/{path}") as response:
            return json.load(response)

    def race(self, query: str = "") -> str:
        return str(self.json(f"races?{query}")["races"][0]["race"])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("web")
    small_lake(folder / "lake")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEADHEAT_CACHE", str(folder / "cache"))
        with serving("--lake", folder / "lake") as address:
            server = Server(address, folder / "lake")
            yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=require_chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    context = new_context(browser, server)
    yield context
    context.close()


def new_context(browser: Browser, server: Server, **options: Any) -> BrowserContext:
    context = browser.new_context(base_url=server.address, **options)
    context.set_default_timeout(TIMEOUT)
    return context


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console", lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None
    )
    yield page
    assert faults == []


def wait_for_index(server: Server) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if server.json("runs")["is_indexed"]:
            return
        time.sleep(0.1)
    raise AssertionError("the index is not complete")


def test_from_the_list_to_fixed_and_back_after_a_new_ingest(page: Page, server: Server) -> None:
    wait_for_index(server)
    page.goto("/races?sort=sightings")
    title = page.locator(".rows-list h2 a").first.inner_text()
    page.locator(".rows-list h2 a").first.click()
    assert page.locator("h1").inner_text() == title
    page.get_by_label("Status").select_option("fixed")
    page.get_by_label("Fixed in commit").fill("abc1234")
    page.get_by_label("Assignee").fill("kim")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("set the status to fixed in abc1234").wait_for()
    assert page.locator(".page-head .badge.good").inner_text() == "fixed"
    # a later run shows it again: the page changes by itself
    later = log_entry(6, [0])
    add_documents(server.lake, [later._replace(run=later.run._replace(time=datetime.now(UTC)))])
    page.get_by_text("The race is back").wait_for()
    assert "back" in page.locator(".page-head p").inner_text()


def test_mute_until_a_day(page: Page, server: Server) -> None:
    race = server.race("activity=quiet")
    page.goto(f"/races/{race}")
    page.locator("summary", has_text="Mute").click()
    form = page.locator("form", has=page.get_by_role("button", name="Mute"))
    form.get_by_label("Reason").fill("waits for a release")
    until = (datetime.now(UTC) + timedelta(days=30)).date().isoformat()
    form.get_by_label("Until the end of").fill(until)
    form.get_by_role("button", name="Mute").click()
    page.get_by_role("button", name="Unmute").wait_for()
    page.goto("/races?muted=muted")  # the list shows it
    assert page.locator(".row").count() == 1
    page.goto(f"/races/{race}")
    page.get_by_role("button", name="Unmute").click()
    page.get_by_text("unmuted it").wait_for()


def test_search_facets_and_list_by_keyboard(page: Page, browser: Browser, server: Server) -> None:
    from playwright.sync_api import expect

    page.goto("/races")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("ci/no-such-file")
    page.get_by_text("No race matches.").wait_for()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.locator(".row").nth(5).wait_for()
    # to the first check box, which the space bar ticks
    box = page.locator("#facet-activity input").first
    box.focus()
    value, count = box.get_attribute("value"), box.locator("xpath=..").locator(".count").inner_text()
    page.keyboard.press("Space")
    expect(page.locator(".row")).to_have_count(int(count))
    assert f"activity={value}" in page.url
    page.locator("#theme").focus()
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    second = page.locator(".rows-list h2 a").nth(1)
    assert page.evaluate("document.activeElement.textContent") == second.inner_text()
    # the address is the view: somebody else sees the same list
    other = new_context(browser, server)
    shared = other.new_page()
    shared.goto(page.url)
    assert shared.locator(".rows-list h2").all_inner_texts() == page.locator(".rows-list h2").all_inner_texts()
    other.close()
    page.keyboard.press("Enter")
    page.wait_for_url("**/races/*")


def test_two_people_see_each_other_s_changes(page: Page, browser: Browser, server: Server) -> None:
    race = server.race("status=new&sort=title")
    other = new_context(browser, server)
    theirs = other.new_page()
    for each in (page, theirs):
        each.goto(f"/races/{race}")
    page.locator("textarea[required]").fill("I look at it")
    page.get_by_role("button", name="Comment", exact=True).click()
    theirs.locator(".remark", has_text="I look at it").wait_for()  # without reloading
    # who writes is not interrupted, and learns that the race has changed meanwhile
    theirs.get_by_label("Assignee").fill("robin")
    page.get_by_label("Assignee").fill("kim")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("assigned it to kim").wait_for()
    theirs.get_by_text("This page has changed").wait_for()
    assert theirs.get_by_label("Assignee").input_value() == "robin"
    theirs.get_by_role("button", name="Save", exact=True).click()
    theirs.get_by_role("heading", name="Somebody else has changed this race meanwhile").wait_for()
    assert "assigned it to robin" in theirs.locator(".two").inner_text()
    assert "assigned it to kim" in theirs.locator(".two").inner_text()
    other.close()


def test_everything_works_without_scripts(browser: Browser, server: Server) -> None:
    from playwright.sync_api import expect

    context = new_context(browser, server, java_script_enabled=False)
    page = context.new_page()
    page.goto("/races")
    page.locator("#q").fill("no-such-thing")
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("No race matches.").wait_for()
    page.goto("/races?activity=quiet")
    page.locator(".row > input").nth(0).check()
    page.locator(".row > input").nth(1).check()
    page.get_by_text("Decide about the chosen races").click()
    page.get_by_label("Add labels").fill("old")
    page.get_by_role("button", name="Save for all chosen races").click()
    expect(page.locator(".label-badge")).to_have_count(2)
    page.locator(".rows-list h2 a").first.click()
    page.locator("textarea[required]").fill("plain form")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.locator(".remark", has_text="plain form").wait_for()
    page.locator("#sightings td.document a").first.click()
    assert "WARNING: DATA RACE" in page.locator("mark").inner_text()
    assert not page.locator("#theme").is_visible()
    context.close()


def page_addresses(server: Server) -> list[str]:
    race = server.race("sort=sightings")
    place = server.json(f"races/{race}/sightings")["sightings"][0]
    text = f"at={place['observed_at'].replace('+', '%2B')}&uri={place['uri']}&offset={place['offset']}"
    return [
        "/", "/races", f"/races/{race}", "/races?q=nothing", "/families", "/runs", "/runs/1005", "/fixes", "/lake",
        "/audit", "/server", f"/races/{race}/text?{text}", "/no-such-page",
    ]  # fmt: skip


# every rule, but contrast of level AAA
AXE = """async () => {
  const isUsed = (rule) => rule.ruleId !== "color-contrast-enhanced";
  const rules = Object.fromEntries(axe.getRules().map((rule) => [rule.ruleId, { enabled: isUsed(rule) }]));
  const result = await axe.run(document, { rules, resultTypes: ["violations"] });
  return result.violations.flatMap((rule) => rule.nodes.map((node) =>
    `${rule.id}: ${node.html.slice(0, 200)} ${node.any.map((check) => check.message).join(" ").slice(0, 200)}`));
}"""


@pytest.mark.parametrize(("theme", "width"), [pytest.param("light", 1280, marks=pytest.mark.soak), ("dark", 360)])
def test_pages_are_accessible_and_not_wider_than_the_screen(
    browser: Browser, server: Server, theme: str, width: int
) -> None:
    script = axe.axe_script()
    if script is None:
        skip_or_fail(axe.HOW_TO_GET_IT)
    wait_for_index(server)
    context = new_context(browser, server, color_scheme=theme, viewport={"width": width, "height": 800})
    page = context.new_page()
    for address in page_addresses(server):
        check_page(page, address, script)
    context.close()


def check_page(page: Page, address: str, script: Path) -> None:
    """The page is accessible, and not wider than the screen."""
    page.goto(address)
    for details in page.locator("main details").all():
        details.evaluate("(element) => { element.open = true; }")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    page.evaluate(script.read_text(encoding="utf-8"))
    assert page.evaluate(AXE) == [], address


def test_login_page_is_accessible(browser: Browser, server: Server) -> None:
    script = axe.axe_script()
    if script is None:
        skip_or_fail(axe.HOW_TO_GET_IT)
    with serving("--lake", server.lake, "--auth", "tokens") as address:
        context = browser.new_context(base_url=address, viewport={"width": 360, "height": 800})
        page = context.new_page()
        check_page(page, "/login", script)
        page.get_by_label("Token").fill("deadheat_wrong")
        page.keyboard.press("Enter")
        page.wait_for_load_state()
        assert "/login" in page.url
        context.close()
