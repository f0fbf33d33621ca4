"""Decisions in the dashboard: forms, bulk forms, JSON, conflicts, and what other sites cannot do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.triage.events import EventKind, NewEvent
from tests.dashboards import Dashboard, log_entry, open_dashboard, small_lake
from tests.local_lakes import add_documents
from tests.test_web import race_ids

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("web")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    folder = tmp_path_factory.mktemp("web")
    small_lake(folder / "lake")
    with open_dashboard(folder / "lake", folder) as dashboard:
        yield dashboard


@pytest.fixture
def race(opened: Dashboard) -> str:
    """A race without decisions."""
    return next(race for race in race_ids(opened) if decision(opened, race)["version"] == 0)


def decision(dashboard: Dashboard, race: str) -> dict[str, Any]:
    return dict(dashboard.client.get(f"/api/v1/races/{race}/decisions").json())


def test_a_form_records_what_was_changed(opened: Dashboard, race: str) -> None:
    fields = {"status": "fixed", "was_status": "new", "commit": "abc1234", "assignee": "kim", "was_assignee": "",
              "severity": "", "was_severity": "", "labels": "cart, urgent", "was_labels": ""}  # fmt: skip
    response = opened.decide(race, action="save", **fields)
    assert response.status_code == 200, response.text
    assert str(response.url).endswith(f"/races/{race}#decisions")
    state = decision(opened, race)
    assert (state["status"], state["fixed_in"], state["assignee"]) == ("fixed", "abc1234", "kim")
    assert state["labels"] == ["cart", "urgent"]
    history = opened.client.get(f"/api/v1/races/{race}/decisions/history").json()
    assert [event["kind"] for event in history] == ["status", "assign", "labels"]
    assert "set the status to fixed in abc1234" in response.text
    # lists know it at once
    assert race_ids(opened, "status=fixed&assignee=kim&label=urgent") == [race]
    opened.decide(race, action="save", labels="urgent", was_labels="cart, urgent", status="fixed", was_status="fixed")
    assert decision(opened, race)["labels"] == ["urgent"]


def test_a_form_sent_a_second_time_records_nothing(opened: Dashboard, race: str) -> None:
    fields = {**opened.fields(f"/races/{race}"), "action": "comment", "comment": "seen on my machine"}
    for _ in range(2):
        assert opened.client.post(f"/races/{race}", data=fields).status_code == 200
    assert [each["text"] for each in decision(opened, race)["comments"]] == ["seen on my machine"]
    changed = opened.client.post(f"/races/{race}", data={**fields, "comment": "something else"})
    assert changed.status_code == 409


def test_comments_links_and_mutes(opened: Dashboard, race: str) -> None:
    opened.decide(race, action="comment", comment="first\nsecond line")
    [comment] = decision(opened, race)["comments"]
    opened.decide(race, action="edit-comment", comment_id=comment["id"], comment="better")
    assert [each["text"] for each in decision(opened, race)["comments"]] == ["better"]
    opened.decide(race, action="delete-comment", comment_id=comment["id"])
    assert decision(opened, race)["comments"] == []
    opened.decide(race, action="link", url="https://shop.example/issues/7", title="issue 7")
    assert 'href="https://shop.example/issues/7"' in opened.client.get(f"/races/{race}").text
    opened.decide(race, action="unlink", url="https://shop.example/issues/7")
    assert decision(opened, race)["links"] == []
    assert opened.decide(race, action="link", url="javascript:alert(1)").status_code == 422
    until = (datetime.now(UTC) + timedelta(days=3)).date().isoformat()
    opened.decide(race, action="mute", mute_reason="waits for a release", until=until)
    assert race in race_ids(opened, "muted=muted")
    opened.decide(race, action="unmute")
    assert race not in race_ids(opened, "muted=muted")


def test_a_mute_expires_without_a_decision(tmp_path: Path) -> None:
    add_documents(tmp_path / "lake", [log_entry(1, [0])])
    with open_dashboard(tmp_path / "lake", tmp_path) as dashboard:
        [race] = race_ids(dashboard)
        until = (datetime.now(UTC) + timedelta(seconds=1)).isoformat()
        dashboard.client.post(
            f"/api/v1/races/{race}/decisions", json={"kind": "mute", "payload": {"reason": "x", "until": until}}
        )
        assert race_ids(dashboard, "muted=muted") == [race]
        deadline = datetime.now(UTC) + timedelta(seconds=10)
        while race_ids(dashboard, "muted=muted") and datetime.now(UTC) < deadline:
            dashboard.services.live.check()
        assert race_ids(dashboard, "muted=muted") == []


def test_a_conflict_shows_both_values(opened: Dashboard, race: str) -> None:
    fields = opened.fields(f"/races/{race}")
    store = opened.services.store
    assert store is not None
    store.record(NewEvent(race, EventKind.STATUS, {"status": "wont-fix", "reason": "test only"}, "robin"))
    sent = {**fields, "action": "save", "status": "confirmed", "was_status": "new"}
    response = opened.client.post(f"/races/{race}", data=sent)
    assert response.status_code == 409
    for text in ("set the status to confirmed", "robin set the status to wont fix", "test only"):
        assert text in response.text, text
    assert decision(opened, race)["status"] == "wont-fix"
    # other fields of the same form are no conflict
    other = {**fields, "action": "save", "assignee": "kim", "was_assignee": ""}
    assert opened.client.post(f"/races/{race}", data=other).status_code == 200


def test_a_bulk_form_decides_about_the_chosen_races(opened: Dashboard) -> None:
    races = race_ids(opened, "activity=quiet")[:3]
    fields = opened.fields("/races")
    sent = {**fields, "action": "bulk", "race": races, "status": "not-a-bug", "reason": "old", "add_labels": "swept",
            "back": "/races?label=swept"}  # fmt: skip
    response = opened.client.post("/races", data=sent)
    assert (response.status_code, str(response.url)) == (200, "http://localhost/races?label=swept")
    assert sorted(race_ids(opened, "label=swept&status=not-a-bug")) == sorted(races)
    nothing = opened.client.post("/races", data={**opened.fields("/races"), "action": "bulk", "race": races})
    assert nothing.status_code == 422
    assert opened.client.post("/races", data={**opened.fields("/races"), "action": "bulk"}).status_code == 422


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_a_bulk_form_leads_to_no_other_site(opened: Dashboard, back: str) -> None:
    races = race_ids(opened, "activity=quiet")[:1]
    sent = {**opened.fields("/races"), "action": "bulk", "race": races, "add_labels": "x", "back": back}
    response = opened.client.post("/races", data=sent, follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/races")


def test_a_form_of_another_site_is_refused(opened: Dashboard, race: str) -> None:
    fields = {**opened.fields(f"/races/{race}"), "action": "comment", "comment": "x"}
    for wrong in ({"token": ""}, {"token": "0" * 64}):
        assert opened.client.post(f"/races/{race}", data={**fields, **wrong}).status_code == 403
    for header in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}):
        assert opened.client.post(f"/races/{race}", data=fields, headers=header).status_code == 403
        address = f"/api/v1/races/{race}/decisions"
        sent = {"kind": "comment", "payload": {"text": "x"}}
        assert opened.client.post(address, json=sent, headers=header).status_code == 403
    # browsers send such bodies for forms of other sites without asking
    text = '{"kind": "comment", "payload": {"text": "x"}}'
    address = f"/api/v1/races/{race}/decisions"
    assert opened.client.post(address, content=text, headers={"content-type": "text/plain"}).status_code == 422
    assert opened.client.post(f"/races/{race}", json={"action": "comment"}).status_code == 415
    assert decision(opened, race)["comments"] == []


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"kind": "status", "payload": {"status": "confirmed"}, "key": "k1"}, 200),
        ({"kind": "status", "payload": {"status": "nope"}}, 422),
        ({"kind": "status", "payload": {"status": "duplicate"}}, 422),
        ({"kind": "back", "payload": {}}, 422),
        ({"kind": "nope", "payload": {}}, 422),
        ({"kind": "mute", "payload": {"reason": "x", "until": "soon"}}, 422),
        ({"kind": "labels", "payload": {"add": "x"}}, 422),
        ([], 422),
    ],
)
def test_json_decisions(opened: Dashboard, race: str, sent: Any, status: int) -> None:
    response = opened.client.post(f"/api/v1/races/{race}/decisions", json=sent)
    assert response.status_code == status, response.text
    if status != 200:
        assert response.headers["content-type"] == "application/problem+json"


def test_json_conflict_has_the_current_state(opened: Dashboard, race: str) -> None:
    address = f"/api/v1/races/{race}/decisions"
    first = opened.client.post(address, json={"kind": "assign", "payload": {"assignee": "kim"}}).json()
    sent = {"kind": "assign", "payload": {"assignee": "robin"}, "based_on": first["version"] - 1}
    response = opened.client.post(address, json=sent)
    assert response.status_code == 409
    assert response.json()["current"]["assignee"] == "kim"


def test_a_fixed_race_comes_back_with_the_next_ingest(tmp_path: Path) -> None:
    add_documents(tmp_path / "lake", [log_entry(1, [0, 1])])
    with open_dashboard(tmp_path / "lake", tmp_path) as dashboard:
        race = race_ids(dashboard, "sort=title")[0]
        title = dashboard.client.get(f"/api/v1/races/{race}").json()["title"]
        dashboard.decide(race, action="save", status="fixed", was_status="new")
        later = log_entry(2, [0, 1])
        add_documents(tmp_path / "lake", [later._replace(run=later.run._replace(time=datetime.now(UTC)))])
        dashboard.refresh()
        dashboard.services.live.refresh_decisions()
        assert race_ids(dashboard, "status=back") == [race]
        page = dashboard.client.get(f"/races/{race}").text
        assert "The race is back" in page
        assert title in dashboard.client.get("/races?status=back").text


def test_two_processes_show_each_other_s_decisions(tmp_path: Path) -> None:
    add_documents(tmp_path / "lake", [log_entry(1, [0])])
    with open_dashboard(tmp_path / "lake", tmp_path) as one, open_dashboard(tmp_path / "lake", tmp_path) as other:
        [race] = race_ids(one)
        response = one.decide(race, action="comment", comment="from one")
        assert "from one" in response.text
        # the browser that has written sees its decision wherever its next request arrives
        other.client.cookies.update(one.client.cookies)
        assert "from one" in other.client.get(f"/races/{race}").text
