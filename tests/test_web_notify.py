"""Notifications: each event once per destination, delivered at least once, whatever fails; texts that do nothing."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bench import logs
from deadheat.codeowners import OwnerRule
from deadheat.triage.events import EventKind, NewEvent
from deadheat.triage.server_tables import DeliveryState
from deadheat.triage.store import DecisionStore
from deadheat.web.notify import delivery
from deadheat.web.notify.delivery import Deliverer, DeliveryPolicy, send, without_secrets
from deadheat.web.notify.finder import NoticeFinder
from deadheat.web.notify.rules import Destination, NotificationRuleError, destinations_of, read_rules
from deadheat.web.notify.texts import MAX_BODY_LENGTH, MAX_TITLE_LENGTH, inert_text
from tests.dashboards import Dashboard, log_entry, open_dashboard
from tests.local_lakes import add_documents
from tests.receivers import HttpReceiver, http_receiver, mail_receiver

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLIC_URL = "https://races.example.com"
AT_ONCE = DeliveryPolicy(first_pause=timedelta(0), send_seconds=10)
NOON = datetime(2026, 5, 6, 12, tzinfo=UTC)  # a Wednesday


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[Dashboard]:
    add_documents(tmp_path / "lake", [log_entry(1, range(3))])
    with open_dashboard(tmp_path / "lake", tmp_path) as opened:
        yield opened


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as started:
        yield started


def finder_of(dashboard: Dashboard, *tables: dict[str, Any], owners: tuple[OwnerRule, ...] = ()) -> NoticeFinder:
    store = dashboard.services.store
    assert store is not None
    return NoticeFinder(dashboard.services, store, destinations_of(read_rules([*tables], Path())), PUBLIC_URL, owners)


def store_of(dashboard: Dashboard) -> DecisionStore:
    assert dashboard.services.store is not None
    return dashboard.services.store


def queued(dashboard: Dashboard) -> list[tuple[str, str]]:
    """Destination and title of every notification, in order."""
    return [(each.destination, each.body["title"]) for each in reversed(store_of(dashboard).outbox.latest())]


def decide(dashboard: Dashboard, race: str, kind: EventKind, **payload: Any) -> None:
    store_of(dashboard).record(NewEvent(race, kind, payload, "ann"))


def race_ids(dashboard: Dashboard) -> list[str]:
    return list(dashboard.services.live.reader.snapshot.races["race"].to_pylist())


def add_races(dashboard: Dashboard, number: int, races: Any, **options: Any) -> list[str]:
    """Ids of the races that a further log brings."""
    before = {*race_ids(dashboard)}
    add_documents(dashboard.lake, [log_entry(number, races, **options)])
    dashboard.refresh()
    return [race for race in race_ids(dashboard) if race not in before]


# -- what is noticed --------------------------------------------------------------------------------


def test_a_new_race_is_noticed_once_for_each_destination(dashboard: Dashboard) -> None:
    tables: list[dict[str, Any]] = [{"name": "one", "to": "json://a"}, {"name": "two", "to": ["json://b", "json://a"]}]
    finder = finder_of(dashboard, *tables)
    finder.begin(NOON)
    finder.look(NOON)
    assert queued(dashboard) == []  # what was there is not new
    (race,) = add_races(dashboard, 2, [5], day=1)
    for each in (finder, finder, finder_of(dashboard, *tables)):
        each.look(NOON)
    found = queued(dashboard)
    assert [name for name, _ in found] == ["one", "two/1"]  # "json://a" is one destination
    assert all(title.startswith("New race: ") for _, title in found)
    assert f"{PUBLIC_URL}/races/{race}" in store_of(dashboard).outbox.latest()[0].body["body"]


def test_what_happens_while_no_server_runs_is_noticed_later(dashboard: Dashboard) -> None:
    table = {"name": "one", "to": "json://a"}
    finder_of(dashboard, table).begin(NOON)
    add_races(dashboard, 2, [5], day=1)
    decide(dashboard, race_ids(dashboard)[0], EventKind.ASSIGN, assignee="bob")
    later = finder_of(dashboard, table)
    later.begin(NOON)
    later.look(NOON)
    later.look(NOON)
    assert [title.partition(":")[0] for _, title in queued(dashboard)] == ["Race assigned", "New race"]


def test_servers_that_look_at_the_same_time_enqueue_once(dashboard: Dashboard, tmp_path: Path) -> None:
    table = {"name": "one", "to": "json://a"}
    finders = [finder_of(dashboard, table) for _ in range(4)]
    for finder in finders:
        finder.begin(NOON)
    add_races(dashboard, 2, range(5, 9), day=1)
    barrier = threading.Barrier(4)

    def look(finder: NoticeFinder) -> None:
        barrier.wait(10)
        finder.look(NOON)

    threads = [threading.Thread(target=look, args=(finder,)) for finder in finders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(queued(dashboard)) == 4


def test_many_new_races_are_one_message(dashboard: Dashboard) -> None:
    finder = finder_of(dashboard, {"name": "one", "to": "json://a"})
    finder.begin(NOON)
    new = add_races(dashboard, 2, range(20, 35), day=1)
    finder.look(NOON)
    assert queued(dashboard) == [("one", f"{len(new)} new races")]
    assert f"and {len(new) - 10} more" in store_of(dashboard).outbox.latest()[0].body["body"]


def test_a_fixed_race_that_is_back_is_noticed(dashboard: Dashboard) -> None:
    finder = finder_of(dashboard, {"name": "one", "to": "json://a"})
    finder.begin(NOON)
    first, second, muted = race_ids(dashboard)
    fix = f"{2:040x}"
    decide(dashboard, first, EventKind.STATUS, status="fixed", commit=fix)
    decide(dashboard, second, EventKind.STATUS, status="fixed")
    decide(dashboard, muted, EventKind.STATUS, status="fixed")
    decide(dashboard, muted, EventKind.MUTE, reason="known")
    # this log has the commit of the fix, and is written after the decisions
    day = (datetime.now(UTC) - datetime(2026, 3, 1, 12, tzinfo=UTC)).days + 2
    assert add_races(dashboard, 2, range(3), day=day) == []
    finder.look(NOON)
    titles = sorted(title.partition(":")[0] for _, title in queued(dashboard))
    assert titles == ["Fix did not hold", "Race is back"]
    assert f"Fixed in: {fix}" in str([each.body for each in store_of(dashboard).outbox.latest()])


@pytest.mark.parametrize(
    ("conditions", "count"),
    [
        ({}, 1), ({"detector": "go"}, 1), ({"detector": ["tsan", "kcsan"]}, 0), ({"branch": ["feature/cart"]}, 1),
        ({"branch": ["main"]}, 0), ({"owner": ["@go"]}, 1), ({"owner": ["@c"]}, 0), ({"repo": ["acme/shop"]}, 1),
        ({"query": "-acme/shop"}, 0), ({"severity": ["high"]}, 0), ({"events": ["assigned"]}, 0),
    ],
)  # fmt: skip
def test_rules_select_by_the_facets_of_the_list(dashboard: Dashboard, conditions: dict[str, Any], count: int) -> None:
    owners = (OwnerRule("*.go", ("@go",)),)
    finder = finder_of(dashboard, {"name": "one", "to": "json://a", **conditions}, owners=owners)
    finder.begin(NOON)
    add_races(dashboard, 2, [5], day=1, branch="feature/cart")
    finder.look(NOON)
    assert len(queued(dashboard)) == count


def test_rules_of_severity_and_assignee_use_the_decisions(dashboard: Dashboard) -> None:
    table = {"name": "bob", "to": "json://a", "events": ["assigned"], "assignee": "bob", "severity": "high"}
    finder = finder_of(dashboard, table)
    finder.begin(NOON)
    first, second, third = race_ids(dashboard)
    decide(dashboard, first, EventKind.SEVERITY, severity="high")
    decide(dashboard, second, EventKind.SEVERITY, severity="high")
    for race, name in ((first, "bob"), (second, "eve"), (third, "bob")):
        decide(dashboard, race, EventKind.ASSIGN, assignee=name)
    finder.look(NOON)
    (notification,) = store_of(dashboard).outbox.latest()
    assert "Assigned to: bob\nBy: ann" in notification.body["body"]


def test_digests_come_once_a_day_and_week(dashboard: Dashboard) -> None:
    tables = [
        {"name": "daily", "to": "json://a", "events": ["daily"], "digest-at": "18:00"},
        {"name": "weekly", "to": "json://b", "events": ["weekly"]},
        {"name": "none", "to": "json://c", "events": ["daily"], "detector": "tsan"},
    ]
    finder = finder_of(dashboard, *tables)
    finder.begin(NOON)
    counts = []
    for hours in (0, 5, 7, 8, 31, 55, 5 * 24, 5 * 24 + 1):
        finder.look(NOON + timedelta(hours=hours))
        counts.append([name for name, _ in queued(dashboard)].count("daily"))
    # at noon and at 17:00 nothing is due; after a weekend without a server one digest is sent, not three
    assert counts == [0, 0, 1, 1, 2, 3, 4, 4]
    weekly = [title for name, title in queued(dashboard) if name == "weekly"]
    assert len(weekly) == 1
    assert "3 without decision" in weekly[0]
    assert "none" not in {name for name, _ in queued(dashboard)}


# -- delivery ---------------------------------------------------------------------------------------


def deliverer(store: DecisionStore, url: str, policy: DeliveryPolicy = AT_ONCE) -> Deliverer:
    return Deliverer(store, [Destination("team", url, ())], policy)


def put(store: DecisionStore, count: int = 1) -> None:
    for number in range(count):
        store.outbox.enqueue(f"event {number}", "team", {"title": f"title {number}", "body": "body"})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DecisionStore]:
    opened = DecisionStore.open(str(tmp_path / "outbox.sqlite"))
    yield opened
    opened.close()


def test_a_receiver_that_fails_and_recovers_gets_it(
    store: DecisionStore, receiver: HttpReceiver, caplog: pytest.LogCaptureFixture
) -> None:
    put(store)
    receiver.failures = 2
    sender = deliverer(store, receiver.url)
    assert sender.deliver_due() == 1
    (waiting,) = store.outbox.latest()
    assert (waiting.state, waiting.attempts, bool(waiting.error)) == (DeliveryState.PENDING, 1, True)
    while sender.deliver_due():
        pass
    assert receiver.requests == 3
    assert receiver.titles == ["title 0"]
    (sent,) = store.outbox.latest()
    assert (sent.state, sent.error) == (DeliveryState.SENT, "")
    assert "hidden" not in caplog.text + waiting.error


def test_what_cannot_be_delivered_is_given_up_and_shown(
    store: DecisionStore, receiver: HttpReceiver, caplog: pytest.LogCaptureFixture
) -> None:
    put(store)
    url = receiver.url
    receiver.stop()  # nobody listens any more
    with caplog.at_level(logging.DEBUG, "deadheat"):
        sender = deliverer(store, url, DeliveryPolicy(first_pause=timedelta(0), max_attempts=3))
        while sender.deliver_due():
            pass
    (failed,) = store.outbox.latest(DeliveryState.FAILED)
    assert failed.attempts == 3
    assert "onnection" in failed.error
    own = "".join(record.getMessage() for record in caplog.records if record.name.startswith("deadheat"))
    assert "given up" in own
    assert "hidden" not in own + failed.error
    # the log of Apprise, which has addresses, goes nowhere; pytest reads it nevertheless
    assert not logging.getLogger("apprise").propagate
    assert not any(type(each) is logging.StreamHandler for each in logging.getLogger("apprise").handlers)


def test_a_destination_that_was_removed_is_given_up(store: DecisionStore) -> None:
    put(store)
    Deliverer(store, []).deliver_due()
    assert store.outbox.counts()[DeliveryState.FAILED] == 1


def test_pauses_grow_and_differ() -> None:
    policy = DeliveryPolicy()
    pauses = [policy.pause_after(attempts) for attempts in range(1, 40)]
    assert timedelta(seconds=15) <= pauses[0] <= timedelta(seconds=30)
    assert timedelta(hours=3) <= pauses[-1] <= timedelta(hours=6)
    assert len({policy.pause_after(5) for _ in range(20)}) > 10


def test_mail_is_delivered_after_a_failure(store: DecisionStore) -> None:
    with mail_receiver() as (url, handler):
        handler.failures = 1
        title = "New race: <b>bold</b> & \\x1b[31m read"
        store.outbox.enqueue(
            "event", "team", {"title": title, "body": "Where: <script>a</script>\n\nhttps://x.example/races/1"}
        )
        sender = deliverer(store, url)
        while sender.deliver_due():
            pass
        (message,) = handler.messages
    assert message["subject"] == title
    assert message["to"] == "team@example.com"
    texts = {part.get_content_type(): part.get_content() for part in message.walk() if not part.is_multipart()}
    assert "<script>" not in texts.get("text/html", "")
    assert "https://x.example/races/1" in str(texts)


def test_several_senders_deliver_each_once(store: DecisionStore, receiver: HttpReceiver) -> None:
    put(store, 40)

    def work() -> None:
        sender = deliverer(store, receiver.url)
        while sender.deliver_due():
            pass

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(receiver.titles) == sorted(f"title {number}" for number in range(40))


KILLED_SENDER = """
import sys
from datetime import timedelta
from deadheat.triage.store import DecisionStore
from deadheat.web.notify.delivery import Deliverer, DeliveryPolicy
from deadheat.web.notify.rules import Destination
policy = DeliveryPolicy(first_pause=timedelta(0), lease=timedelta(seconds=2))
Deliverer(DecisionStore.open(sys.argv[1]), [Destination("team", sys.argv[2], ())], policy).deliver_due()
"""


def test_a_sender_that_is_killed_between_delivery_and_mark_delivers_again(
    store: DecisionStore, receiver: HttpReceiver, tmp_path: Path
) -> None:
    put(store)
    command = [sys.executable, "-c", KILLED_SENDER, str(tmp_path / "outbox.sqlite"), receiver.url]
    process = subprocess.Popen(command)
    receiver.on_request = lambda: process.kill()
    assert process.wait(60) == -signal.SIGKILL
    receiver.on_request = lambda: None
    assert receiver.titles == ["title 0"]
    assert store.outbox.counts()[DeliveryState.PENDING] == 1
    sender = deliverer(store, receiver.url)
    assert sender.deliver_due() == 0  # the lease has not ended
    deadline = time.monotonic() + 20
    while not sender.deliver_due():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert receiver.titles == ["title 0"] * 2
    assert store.outbox.counts()[DeliveryState.SENT] == 1


# -- texts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hostile", "absent"),
    [
        ("@everyone see https://evil.example/x", ("@everyone see", "https://evil")),
        ("<!here> @channel", ("<!here", " @channel")), ("www.evil.example", ("www.evil",)),
        ("a\r\nBcc: all@example.com", ("\n", "\r")), ("\x1b[31mred\u202e", ("\x1b", "\u202e")),
        ("javascript:alert(1)", ("javascript:",)), ("x" * 10_000_000, ("x" * 200,)),
        ("@here\udcff\0", ("\0", "\udcff")),
    ],
)  # fmt: skip
def test_hostile_text_is_inert(hostile: str, absent: tuple[str, ...]) -> None:
    shown = inert_text(hostile)
    assert len(shown) <= 160
    assert shown.isprintable()
    assert not any(text in shown for text in absent)


def test_what_names_usually_contain_stays() -> None:
    for text in ("cart.(*Cart).Add / Remove", "std::vector<int>::push_back", "operator@", "team@example.com", "a:b"):
        assert inert_text(text) == text


def test_hostile_titles_of_a_lake_are_inert_in_every_channel(
    dashboard: Dashboard, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = logs.generate_report(77).decode()
    function = next(line.strip() for line in text.splitlines() if line.strip().endswith("()"))
    hostile = text.replace(function, "evil.@everyone<script>**[x](https://evil.example)**`" + "A" * 300 + "()")
    finder = finder_of(dashboard, {"name": "team", "to": receiver.url})
    finder.begin(NOON)
    entry = log_entry(3, [5], 1)
    add_documents(dashboard.lake, [entry._replace(text=hostile.encode())])
    dashboard.refresh()
    finder.look(NOON)
    with mail_receiver() as (url, handler):
        for address in (receiver.url, f"mmost://127.0.0.1:{receiver.port}/token", url):
            for each in store_of(dashboard).outbox.latest():
                assert send(Destination("team", address, ()), each.body, 10) == ""
                assert len(each.body["title"]) <= MAX_TITLE_LENGTH
                assert len(each.body["body"]) <= MAX_BODY_LENGTH
        assert handler.messages
        html = str(
            [part.get_content() for part in handler.messages[0].walk() if part.get_content_type() == "text/html"]
        )
    assert "<script>" not in html
    assert 'href="https://evil' not in html
    posted = str(receiver.received)
    assert "evil" in posted
    assert "@everyone" not in posted.replace("(@)everyone", "")
    assert "https://evil" not in posted


def test_secrets_are_removed_from_errors() -> None:
    url = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#races?user=p%40ss"
    error = f"cannot post to https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ ({url})"
    assert without_secrets(error, url).count("…") >= 4
    for part in ("T1JJ3T3L2", "TIiajkdnlazkcOXrIdevi7FQ", "A1BRTD4JD"):
        assert part not in without_secrets(error, url)


# -- rules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({}, "names no address"), ({"to": []}, "is not a text"), ({"to": "json://a", "color": "red"}, "color"),
        ({"to": "json://a", "events": ["newest"]}, "newest"), ({"to": "json://a", "name": "a\n"}, "name"),
        ({"to": "json://a", "digest-at": "25:00"}, "digest-at"), ({"to": "json://a", "branch": [1]}, "branch"),
        ({"to-env": "DEADHEAT_TEST_UNSET"}, "DEADHEAT_TEST_UNSET"), ({"to-file": "missing"}, "missing"),
    ],
)  # fmt: skip
def test_wrong_rules_are_named(table: dict[str, Any], fault: str, tmp_path: Path) -> None:
    with pytest.raises(NotificationRuleError, match=fault):
        read_rules([table], tmp_path)


def test_addresses_come_from_the_environment_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("# chat\njson://file\n\njson://file2\n")
    monkeypatch.setenv("DEADHEAT_TEST_TO", "json://env")
    (rule,) = read_rules([{"to": "json://a", "to-env": "DEADHEAT_TEST_TO", "to-file": "secret"}], tmp_path)
    assert rule.urls == ("json://a", "json://env", "json://file", "json://file2")


def test_addresses_that_apprise_does_not_know_are_not_shown() -> None:
    rules = read_rules([{"to": "nonsense://secret-token"}], Path())
    with pytest.raises(NotificationRuleError) as error:
        delivery.check_addresses(destinations_of(rules))
    assert "nonsense://…" in str(error.value)
    assert "secret" not in str(error.value)


def run_serve(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deadheat", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, env={**os.environ, "HOME": str(folder)},
        check=False,
    )  # fmt: skip


def test_a_test_is_sent_to_every_destination(tmp_path: Path, receiver: HttpReceiver) -> None:
    broken = receiver.url.replace(str(receiver.port), "1")
    (tmp_path / "deadheat.toml").write_text(
        f'[[serve.notify]]\nname = "good"\nto = "{receiver.url}"\n[[serve.notify]]\nname = "bad"\nto = "{broken}"\n'
    )
    serve = ("serve", "--lake", "lake", "--test-notification")
    done = run_serve(tmp_path, "--config", "deadheat.toml", *serve)
    assert done.returncode == 3
    assert done.stdout.startswith("good: sent\nbad: ")
    assert receiver.titles == ["deadheat can reach you"]
    assert "hidden" not in done.stdout + done.stderr
    # a file that was found may be of somebody else, who would get what is in the lake
    refused = run_serve(tmp_path, *serve)
    assert (refused.returncode, "notify" in refused.stderr) == (2, True)
    assert receiver.titles == ["deadheat can reach you"]
