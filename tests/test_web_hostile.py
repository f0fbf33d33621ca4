"""Hostile text in every field of every page of the dashboard stays text, is printable, and is cut."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from deadheat.lake import transactions
from deadheat.lake.data_files import TableChange, write_rows
from deadheat.lake.schema import TABLES
from deadheat.model import CiRun
from deadheat.triage.events import EventKind, NewEvent
from tests.dashboards import FIRST_DAY, Dashboard, log_entry, open_dashboard
from tests.local_lakes import add_documents
from tests.test_web import race_ids

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.lake.tables import Lake

pytestmark = pytest.mark.xdist_group("web")

MARKUP = "</script><script>document.title='x'</script><img src=x onerror=alert(1)>\"'><b>{{7*7}}{% raw %}"
BIDIRECTIONAL = "safe\u202e\u2066gnp.exe\u2069\u200f\ufeff\x1b[31m\x9b31m\x00\u2028"
FAMILY = "<img src=x>\u202e"
ATTACK = MARKUP + BIDIRECTIONAL
HUGE = "std::map<" * 1_200_000  # 10.8 MB
LONG = "std::map<" * 20_000
MAX_PAGE_BYTES = 1_000_000


class PageReader(HTMLParser):
    """The elements, their attributes and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def injected(reader: PageReader) -> list[str]:
    """The elements that only the hostile text has."""
    return [tag for tag, attributes in reader.elements if tag == "img" or (tag == "b" and not attributes)]


def replace_tables(lake: Lake, changed: dict[str, list[dict[str, Any]]]) -> None:
    """Write rows of derived tables anew."""

    def build(state: int) -> transactions.Intent:
        changes = {
            name: TableChange(
                write_rows(lake.storage, name, f"hostile-{state}", pa.Table.from_pylist(rows, TABLES[name])),
                [file.path for file in lake.data_files(name)],
            )
            for name, rows in changed.items()
        }
        return transactions.derived_intent(f"hostile-{state}", state, changes, lake.state_number)

    transactions.commit(lake, build, decider="nodes")


def hostile_lake(root: Path, name: str, title: str) -> None:
    """Three races with this title, in which every other text is this name."""
    run = CiRun(name, name, name, name, name, FIRST_DAY)
    entries = [log_entry(number, [number])._replace(uri=f"{name}{number}", run=run) for number in range(3)]
    lake = add_documents(root, entries, rejects=[name])
    races = lake.read_rows("races").to_pylist()
    for row in races:
        row |= {
            "title": title,
            "sites": [name, name],
            "tests": [name],
            "repos": [name],
            "family": FAMILY,
            "aliases": [name],
        }
        row |= {"cause": name[:200], "kind": name[:200], "detector": name[:200]}
    family = {"family": FAMILY, "culprit": name, "races": [row["race"] for row in races], "why": [name, name]}
    replace_tables(lake, {"nodes": lake.read_rows("nodes").to_pylist(), "races": races, "families": [family]})


def hostile_decisions(dashboard: Dashboard, race: str, name: str) -> None:
    store = dashboard.services.store
    assert store is not None
    text = name.replace("\x00", "")[:60_000]
    for kind, payload in (
        (EventKind.STATUS, {"status": "confirmed", "reason": text}),
        (EventKind.ASSIGN, {"assignee": text[:200]}),
        (EventKind.LABELS, {"add": [text[:200]]}),
        (EventKind.COMMENT, {"text": text}),
        (EventKind.MUTE, {"reason": text}),
        (EventKind.LINK, {"url": "https://shop.example/%22%3E", "title": text[:60_000]}),
    ):
        store.record(NewEvent(race, kind, payload, text[:200]))
    dashboard.services.live.refresh_decisions()


def pages_of(dashboard: Dashboard) -> dict[str, str]:
    race = race_ids(dashboard)[0]
    place = dashboard.client.get(f"/api/v1/races/{race}/sightings").json()["sightings"][0]
    addresses = [
        "/",
        "/races",
        f"/races/{race}",
        "/families",
        "/runs",
        "/fixes",
        "/lake",
        "/races?q=%3Cimg%3E&view=%3C",
    ]
    found = {address: dashboard.client.get(address) for address in addresses}
    snapshot = dashboard.services.live.state.snapshot
    [family] = snapshot.families
    found["family"] = dashboard.client.get("/families/" + _quoted(family))
    [run, *_] = dashboard.services.live.index.runs(1, 0)
    if len(run.run or "") < 1000:
        found["run"] = dashboard.client.get("/runs/" + _quoted(run.run or ""))
        [row] = dashboard.services.live.index.sightings_of(snapshot.find_race(race)["nodes"], 1)  # type: ignore[index]
        parameters = {"at": place["observed_at"], "uri": row["uri"], "offset": place["offset"]}
        found["text"] = dashboard.client.get(f"/races/{race}/text", params=parameters)
    for name, response in found.items():
        assert response.status_code == 200, (name, response.text[:300])
    return {name: response.text for name, response in found.items()}


def _quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")


def test_markup_and_marks_stay_text(tmp_path: Path) -> None:
    hostile_lake(tmp_path / "lake", ATTACK, ATTACK)
    with open_dashboard(tmp_path / "lake", tmp_path) as dashboard:
        hostile_decisions(dashboard, race_ids(dashboard)[0], ATTACK)
        for name, page in pages_of(dashboard).items():
            reader = PageReader(page)
            assert injected(reader) == [], name
            scripts = [attributes for tag, attributes in reader.elements if tag == "script"]
            assert [str(each["src"]).partition("?")[0] for each in scripts] == [
                "/static/page.js", "/static/htmx.min.js", "/static/app.js"
            ]  # fmt: skip
            for _, attributes in reader.elements:
                assert not [each for each in attributes if each.startswith("on") or each == "style"], name
                for each in ("href", "src", "action", "hx-get", "hx-post"):
                    assert str(attributes.get(each) or "/").startswith(("/", "#", "https://shop.example/")) or (
                        each == "href" and attributes[each] == ""
                    )
            assert page.replace("\n", "").replace("\t", "").isprintable(), name
            assert "49" not in reader.text.replace("1749", ""), "no template is evaluated" if "{{" in page else name


def test_texts_of_ten_megabytes_are_cut(tmp_path: Path) -> None:
    hostile_lake(tmp_path / "lake", LONG, HUGE)
    with open_dashboard(tmp_path / "lake", tmp_path) as dashboard:
        hostile_decisions(dashboard, race_ids(dashboard)[0], LONG)
        for name, page in pages_of(dashboard).items():
            assert len(page) < MAX_PAGE_BYTES, (name, len(page))
            if name == "/races":
                assert "…" in page
        for address in ("/api/v1/races", "/api/v1/overview", f"/api/v1/races/{race_ids(dashboard)[0]}", "/api/v1/lake"):
            assert len(dashboard.client.get(address).content) < MAX_PAGE_BYTES, address


@pytest.mark.parametrize("field", ["q", "view", "test", "branch"])
def test_text_of_an_address_stays_text(tmp_path: Path, field: str) -> None:
    add_documents(tmp_path / "lake", [log_entry(1, [0])])
    with open_dashboard(tmp_path / "lake", tmp_path) as dashboard:
        page = dashboard.client.get("/races", params={field: ATTACK[:200]}).text
        assert injected(PageReader(page)) == []
        assert page.replace("\n", "").isprintable()
