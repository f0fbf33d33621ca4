"""The dashboard: every route on a real lake."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

from deadheat import cli
from deadheat.web import routes
from deadheat.web.race_table import RaceQuery, package_of_site
from tests.dashboards import Dashboard, log_entry, open_dashboard, serving, small_lake
from tests.local_lakes import add_documents
from tools import docs

if TYPE_CHECKING:
    from collections.abc import Iterator


# share one lake
pytestmark = pytest.mark.xdist_group("web")


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    folder = tmp_path_factory.mktemp("web")
    small_lake(folder / "lake")
    with open_dashboard(folder / "lake", folder) as opened:
        yield opened


def race_ids(dashboard: Dashboard, query: str = "") -> list[str]:
    return [race["race"] for race in dashboard.client.get(f"/api/v1/races?{query}").json()["races"]]


def example_addresses(dashboard: Dashboard) -> dict[str, str]:
    """An address of every route that answers GET."""
    race = race_ids(dashboard, "sort=sightings")[0]
    place = dashboard.client.get(f"/api/v1/races/{race}").json()["sightings_page"]["sightings"][0]
    text = f"at={place['observed_at'].replace('+', '%2B')}&uri={place['uri']}&offset={place['offset']}"
    values = {
        "/races/{race}": f"/races/{race}",
        "/races/{race}/text": f"/races/{race}/text?{text}",
        "/families/{family}": "/families/none",
        "/runs/{run:path}": "/runs/1005",
        "/static/{name}": "/static/app.css",
        "/api/v1/run": "/api/v1/run?run=1005",
        "/api/v1/races/{race}/text": f"/api/v1/races/{race}/text?{text}",
        "/api/v1/families/{family}": "/api/v1/families/none",
    }
    paths = [route.path for route in routes.all_routes() if route.method == "GET" and route.path != "/events"]
    return {path: values.get(path, path.replace("{race}", race)) for path in paths}


def test_every_route_answers_with_its_media_type(dashboard: Dashboard) -> None:
    media_types = {route.path: route.media_type for route in routes.all_routes() if route.method == "GET"}
    for path, address in example_addresses(dashboard).items():
        response = dashboard.client.get(address)
        is_absent = "{digest}" in path or ("famil" in path and "{" in path) or path == "/login"  # nobody logs in
        expected = 404 if is_absent else 200
        assert response.status_code == expected, (address, response.text)
        if expected == 200:
            assert response.headers["content-type"].startswith(media_types[path].partition(";")[0]), address
        assert "default-src 'none'" in response.headers["content-security-policy"]


def test_overview_counts_races_by_their_activity(dashboard: Dashboard) -> None:
    overview = dashboard.client.get("/api/v1/overview").json()
    assert (overview["races"], overview["sightings"]) == (12, 21)
    assert overview["activity"] == {"quiet": 6, "new": 4, "returned": 2}
    assert len(overview["new"]) == 4
    assert [race["sightings"] for race in overview["frequent"]][:2] == [6, 3]
    assert [day["sightings"] for day in overview["days"]] == [6, 3, 4, 3, 5]
    assert {each["value"]: each["count"] for each in overview["by"]["branch"]} == {"main": 12, "feature/cart": 3}
    page = dashboard.client.get("/").text
    assert "<strong>4</strong> new" in page
    assert "<h1>12 races</h1>" in page


def test_list_filters_sorts_and_counts(dashboard: Dashboard) -> None:
    listing = dashboard.client.get("/api/v1/races?activity=new&activity=returned&sort=title").json()
    assert listing["total"] == 6
    titles = [race["title"] for race in listing["races"]]
    assert titles == sorted(titles)
    # a facet counts what all other filters leave
    activity = {each["value"]: (each["count"], each["chosen"]) for each in listing["facets"]["activity"]}
    assert activity == {"quiet": (6, False), "new": (4, True), "returned": (2, True)}
    branch = listing["facets"]["branch"][0]
    assert (branch["value"], branch["count"]) == ("main", 6)
    assert dashboard.client.get("/api/v1/races?branch=feature/cart").json()["total"] == 3
    assert dashboard.client.get("/api/v1/races?branch=feature/cart&activity=new").json()["total"] == 0


def test_search_finds_words_texts_in_quotes_and_leaves_out_words(dashboard: Dashboard) -> None:
    race = dashboard.client.get("/api/v1/races?sort=title").json()["races"][0]
    function = race["sites"][0].split()[0]
    assert race["race"] in race_ids(dashboard, f"q={race['race']}")
    assert race["race"] in race_ids(dashboard, f'q="{function.upper()}"')
    assert race["race"] not in race_ids(dashboard, f"q=-{race['race']}")
    assert race_ids(dashboard, "q=no-such-thing") == []


def test_pages_of_a_list_have_every_race_once(dashboard: Dashboard) -> None:
    table = dashboard.services.live.state.snapshot.table
    pages = [table.list_races(RaceQuery(sort="first", page=number), size=5) for number in (1, 2, 3)]
    numbers = [number for page in pages for number in page.numbers]
    assert sorted(numbers) == [*range(12)]
    assert {page.total for page in pages} == {12}
    assert table.list_races(RaceQuery(page=9), size=5).total == 12


def test_race_page_shows_both_sides_and_every_sighting(dashboard: Dashboard) -> None:
    race = race_ids(dashboard, "sort=sightings")[0]
    details = dashboard.client.get(f"/api/v1/races/{race}").json()
    assert len(details["report"]["accesses"]) == 2
    assert details["sightings_page"]["total"] == len(details["sightings_page"]["sightings"]) == 6
    times = [each["observed_at"] for each in details["sightings_page"]["sightings"]]
    assert times == sorted(times, reverse=True)
    page = dashboard.client.get(f"/races/{race}").text
    for text in (
        "How both sides got there",
        "Stacks",
        "Sightings",
        "Timeline",
        "ci/5.log",
        "/runs/1005?repo=acme%2Fshop",
    ):
        assert text in page, text


def test_sightings_go_on_after_a_position(tmp_path: Any) -> None:
    add_documents(tmp_path / "lake", [log_entry(number, [0] * 3, number) for number in range(20)])
    with open_dashboard(tmp_path / "lake", tmp_path) as dashboard:
        [race] = race_ids(dashboard)
        seen, after = [], ""
        for _ in range(10):
            page = dashboard.client.get(f"/api/v1/races/{race}/sightings?after={after}").json()
            seen += [(each["observed_at"], each["uri"], each["offset"]) for each in page["sightings"]]
            after = page["next"]
            if after is None:
                break
        assert len(seen) == len({*seen}) == 60
        assert [each[0] for each in seen] == sorted((each[0] for each in seen), reverse=True)
        assert dashboard.client.get(f"/races/{race}?after=1.x").status_code == 422


def test_text_of_a_sighting_comes_from_the_lake_or_its_document(tmp_path: Any) -> None:
    text = b"before it\n" + log_entry(1, [3, 4]).text + b"after it\n"
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "1.log").write_bytes(text)
    (tmp_path / "secret.log").write_bytes(text)
    entries = [log_entry(1, [3, 4])._replace(uri=str(path), text=text) for path in
               (tmp_path / "logs" / "1.log", tmp_path / "logs" / ".." / "secret.log")]  # fmt: skip
    add_documents(tmp_path / "lake", entries)
    with open_dashboard(tmp_path / "lake", tmp_path, document_folders=(tmp_path / "logs",)) as dashboard:
        race = race_ids(dashboard)[0]
        places = dashboard.client.get(f"/api/v1/races/{race}/sightings").json()["sightings"]
        found = {}
        for place in places:
            parameters = {
                name: place[source] for name, source in (("at", "observed_at"), ("uri", "uri"), ("offset", "offset"))
            }
            excerpt = dashboard.client.get(f"/api/v1/races/{race}/text", params=parameters).json()
            assert "WARNING: DATA RACE" in excerpt["report"]
            found[place["uri"]] = excerpt["source"]
            page = dashboard.client.get(f"/races/{race}/text", params=parameters)
            assert page.status_code == 200
            if excerpt["source"] == "document":
                assert "before it" in excerpt["before"]
                assert excerpt["after"].endswith("after it\n")
        assert sorted(found.values()) == ["document", "lake"]
        assert dashboard.client.get(f"/api/v1/races/{race}/text", params={**parameters, "offset": 1}).status_code == 404


def test_run_page_tells_new_races_from_known_ones(dashboard: Dashboard) -> None:
    run = dashboard.client.get("/api/v1/run?run=1005&repo=acme/shop").json()
    assert (len(run["new"]), len(run["known"])) == (3, 1)
    assert run["known"][0]["sightings"] == 2
    runs = dashboard.client.get("/api/v1/runs").json()["runs"]
    assert [each["run"] for each in runs] == ["1005", "1004", "1003", "1002", "1001"]
    assert [each["sightings"] for each in runs] == [5, 3, 4, 3, 6]
    assert dashboard.client.get("/runs/no-such-run").status_code == 404


def test_lake_page_shows_tables_rejects_and_checks(dashboard: Dashboard) -> None:
    lake = dashboard.client.get("/api/v1/lake").json()
    assert all(lake["checks"].values()), lake["checks"]
    assert {each["table"]: each["rows"] for each in lake["tables"]}["sightings"] == 21
    assert [each["uri"] for each in lake["rejects"]] == ["ci/broken.gz"]


@pytest.mark.parametrize("address", ["/races/nope", "/nope", "/families/nope", "/runs/nope", "/api/v1/races/nope"])
def test_what_does_not_exist_is_a_problem(dashboard: Dashboard, address: str) -> None:
    response = dashboard.client.get(address)
    assert response.status_code == 404
    if address.startswith("/api/"):
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["status"] == 404
    else:
        assert "<h1>Not Found</h1>" in response.text


@pytest.mark.parametrize(
    "query", ["page=0", "page=x", "page=9999999", "sort=nope", f"q={'x' * 501}", f"test={'x' * 301}", "page=-1"]
)
def test_a_wrong_query_is_a_problem(dashboard: Dashboard, query: str) -> None:
    for address in (f"/races?{query}", f"/api/v1/races?{query}"):
        assert dashboard.client.get(address).status_code == 422


def test_other_hosts_are_refused(dashboard: Dashboard) -> None:
    assert dashboard.client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert dashboard.client.get("/", headers={"host": "127.0.0.1:8321"}).status_code == 200


def test_a_new_ingest_appears(tmp_path: Any) -> None:
    small_lake(tmp_path / "lake")
    with open_dashboard(tmp_path / "lake", tmp_path) as dashboard:
        before = dashboard.services.live.state
        assert dashboard.client.get("/api/v1/races").json()["total"] == 12
        add_documents(tmp_path / "lake", [log_entry(6, [20, 21], 62)])
        assert dashboard.services.live.state is before
        dashboard.refresh()
        assert dashboard.client.get("/api/v1/races").json()["total"] == 14
        assert "<h1>14 races</h1>" in dashboard.client.get("/").text
        # a request that has begun goes on with the former state
        assert before.snapshot.table.count(RaceQuery()) == 12


@pytest.mark.parametrize(
    ("site", "package"),
    [
        ("cart.(*Cart).Add cart/cart.go:31", "cart"),
        ("main.(*Broker).total main.go:5", "main"),
        ("ns::Widget::draw() src/ui/widget.cc:9", "src/ui"),
        ("main.(*Broker).total", "main"),
        ("", ""),
    ],
)
def test_package_of_a_site(site: str, package: str) -> None:
    assert package_of_site(site) == package


def test_every_route_is_documented() -> None:
    page = (docs.DOCS / "reference" / "dashboard.md").read_text(encoding="utf-8")
    for route in routes.all_routes():
        role = route.role or "none"
        row = f"| {route.method} | `{route.path}` | {route.summary} | {role} | `{route.media_type.partition(';')[0]}` |"
        assert row in page


def test_the_description_has_every_route_of_the_interface(dashboard: Dashboard) -> None:
    description = dashboard.client.get("/api/v1/openapi.json").json()
    described = {(method.upper(), path) for path, item in description["paths"].items() for method in item}
    assert described == {(route.method, route.path) for route in routes.all_routes() if route.path.startswith("/api/")}
    for item in description["paths"].values():
        for operation in item.values():
            assert "500" in operation["responses"]


# -- the command -------------------------------------------------------------------------------------


def test_the_demo_is_filled_and_ends_with_an_interrupt(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path))
    with serving("--demo") as address:
        overview = json.load(urlopen(f"{address}api/v1/overview"))
        assert overview["races"] > 30
        assert {"in-progress", "confirmed"} <= {*overview["status"]}
        placed = json.load(urlopen(f"{address}api/v1/races?owner=@shop/fulfilment"))
        assert placed["total"] >= 1
        with urlopen(f"{address}events") as events:
            assert events.readline() == b"retry: 2000\n"
            assert events.readline() == b"\n"
            assert events.readline() == b"event: change\n"


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 2, "one of --lake and --demo is required"),
        (["--lake", "no-such-lake"], 3, "there is no lake"),
        (["--demo", "--host", "0.0.0.0"], 2, "everybody who reaches 0.0.0.0 could read the lake"),
    ],
)
def test_serve_says_what_is_wrong(
    options: list[str], status: int, message: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        result = cli.main(["serve", *options])
    except SystemExit as error:
        result = int(str(error.code))
    assert result == status
    assert message in capsys.readouterr().err
