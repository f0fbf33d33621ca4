"""The commands around people's decisions, with a real lake, real databases and real git."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.cli import main
from deadheat.repo.ancestry import contains_commit, fix_finder
from deadheat.repo.git import GitReader
from deadheat.triage.events import EventKind, EventSource, NewEvent, Status
from deadheat.triage.server_tables import Role
from deadheat.triage.store import DecisionStore
from tests.cases import ROOT
from tests.lakes import taken
from tests.postgres import PostgresCluster

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

REPORT = ROOT / "go" / "two-goroutines.txt"
SAMPLES = ROOT.parent.parent / "samples"
HOSTILE = "\x1b[2J\u202e::error::<script>"


@pytest.fixture(scope="module")
def made_lake(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("decided") / "lake"
    taken(spark, root, [SAMPLES, REPORT])
    return root


@pytest.fixture
def lake(made_lake: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_lake, tmp_path / "lake"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("DEADHEAT_ACTOR", "ann")
    monkeypatch.delenv("DEADHEAT_DECISIONS", raising=False)
    monkeypatch.delenv("CI", raising=False)

    def run_command(*args: object) -> tuple[int, str, str]:
        try:
            status = main(["--no-config", *map(str, args)])
        except SystemExit as end:
            status = int(end.code or 0)
        return (status, *capsys.readouterr())

    return run_command


@pytest.fixture
def race(lake: Path, run: Run) -> str:
    """The race of the report."""
    rows = [json.loads(line) for line in run("scan", REPORT, "--format", "jsonl")[1].splitlines()]
    return str(rows[0]["race"])


def gate(run: Run, *args: object) -> tuple[int, dict[str, Any]]:
    status, out, _ = run("gate", "--baseline", "/nonexistent/b.jsonl", "--format", "json", "--quiet", REPORT, *args)
    (found,) = json.loads(out)["races"]
    return status, {"standing": found["standing"], "note": found["note"]}


def test_race_without_decisions_is_shown_and_no_database_is_made(lake: Path, race: str, run: Run) -> None:
    status, out, err = run("triage", race[:8], "--lake", lake)
    assert (status, err) == (0, "")
    assert out.startswith(f"race {race} ")
    assert "status     new\n" in out
    assert not (lake / "triage.sqlite").exists()


def test_changes_are_recorded_and_shown(lake: Path, race: str, run: Run) -> None:
    status, out, err = run(
        "triage", race[:8], "--lake", lake, "--status", "in-progress", "--assign", "bob", "--severity", "high",
        "--label", "+b,+a", "--comment", HOSTILE, "--link", "https://t.example/1", "--mute", "30d", "--reason", "noise",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert "status     in progress (ann, 20" in out
    assert "labels     a, b" in out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert r"\x1b[2J\u202e::error::<script>" in out
    status, out, _ = run("triage", race, "--lake", lake, "--format", "json")
    state = json.loads(out)
    assert [comment["text"] for comment in state["comments"]] == [HOSTILE]
    assert (state["is_muted"], len(state["history"])) == (True, 7)
    ends = datetime.fromisoformat(state["mute"]["until"]) - datetime.now(UTC)
    assert timedelta(days=29, hours=23) < ends <= timedelta(days=30)
    status, out, _ = run(
        "triage", race, "--lake", lake, "--unmute", "--assign", "nobody", "--severity", "none", "--label=-a",
        "--unlink", "https://t.example/1", "--format", "json",
    )  # fmt: skip
    state = json.loads(out)
    assert [state[key] for key in ("mute", "assignee", "severity", "labels", "links")] == [None, None, None, ["b"], []]


def test_repeated_command_with_a_key_changes_nothing(lake: Path, race: str, run: Run) -> None:
    given = ("triage", race, "--lake", lake, "--mute", "30d", "--reason", "x", "--idempotency-key", "job-7")
    assert run(*given)[0] == run(*given)[0] == 0
    assert len(json.loads(run("triage", race, "--lake", lake, "--format", "json")[1])["history"]) == 1
    status, _, err = run("triage", race, "--lake", lake, "--unmute", "--idempotency-key", "job-7")
    assert status == 3
    assert "was used for another decision" in err


def test_conflict_is_one_line(lake: Path, race: str, run: Run) -> None:
    assert run("triage", race, "--lake", lake, "--status", "fixed", "--actor", "bob")[0] == 0
    status, out, err = run("triage", race, "--lake", lake, "--status", "wont-fix", "--based-on", "0")
    assert (status, out, err.count("\n")) == (3, "", 1)
    assert "bob changed the status meanwhile" in err


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ((), "name a RACE"),
        (("a1", "--export", "-"), "RACE cannot be used"),
        (("--status", "new"), "name the RACE"),
        (("a1", "--mute", "30d"), "--mute needs a --reason"),
        (("a1", "--mute", "soon", "--reason", "x"), "'soon' is not a date"),
        (("a1", "--mute", "9999999w", "--reason", "x"), "is not a date"),
        (("a1", "--label", "x"), "needs a sign"),
        (("a1", "--status", "duplicate"), "needs --duplicate-of"),
        (("a1", "--status", "new", "--fixed-in", "abc"), "--fixed-in cannot be used"),
        (("a1", "--status", "back"), "invalid choice: 'back'"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line(tmp_path: Path, run: Run, options: tuple[str, ...], what: str) -> None:
    status, out, err = run("triage", *options, "--lake", tmp_path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert what in err
    status, _, err = run("triage", "a1")
    assert (status, err.count("\n")) == (2, 1)


def test_decision_that_is_refused_ends_with_3(lake: Path, race: str, run: Run) -> None:
    for options in (("--duplicate-of", race), ("--link", "javascript:1"), ("--fixed-in", "-x")):
        option = f"{options[0]}={options[1]}"
        status, out, err = run("triage", race, "--lake", lake, option)
        assert (status, out, err.count("\n")) == (3, "", 1)
    assert run("triage", "ffffffff", "--lake", lake, "--status", "new")[0] == 3


def test_lists_show_decisions(lake: Path, race: str, run: Run) -> None:
    assert all("triage" not in row for row in json.loads(run("races", "--lake", lake, "--format", "json")[1]))
    run("triage", race, "--lake", lake, "--status", "confirmed", "--assign", HOSTILE)
    rows = json.loads(run("races", "--lake", lake, "--format", "json")[1])
    (decided,) = [row for row in rows if row["triage"]]
    assert (decided["race"], decided["triage"]["status"], decided["triage"]["assignee"]) == (race, "confirmed", HOSTILE)
    for command in (("races",), ("show", race)):
        out = run(*command, "--lake", lake)[1]
        assert "confirmed, assigned to" in " ".join(out.split())
        assert "\x1b" not in out
        assert "\u202e" not in out
    assert json.loads(run("show", race, "--lake", lake, "--format", "json")[1])["triage"]["status"] == "confirmed"


def test_sqlalchemy_is_not_imported_without_decisions(lake: Path) -> None:
    code = (
        "import sys; from deadheat.cli import main; main(sys.argv[1:])\n"
        "assert not {'sqlalchemy', 'alembic'} & {name.partition('.')[0] for name in sys.modules}"
    )
    for command in (["races"], ["gate", str(REPORT), "--baseline", "/nonexistent/b.jsonl"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *command, "--lake", str(lake)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


# -- the gate ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "standing", "note"),
    [
        (("--status", "confirmed"), "new", ""),
        (("--mute", "2999-12-31", "--reason", "noise"), "muted", "muted until 2999-12-31: noise"),
        (("--mute", "forever", "--reason", "noise"), "muted", "muted: noise"),
        (("--mute", "2001-01-01", "--reason", "noise"), "new", ""),
        (("--status", "wont-fix", "--reason", "old"), "muted", "won't fix, says ann: old"),
        (("--status", "not-a-bug"), "muted", "not a bug, says ann"),
        (("--fixed-in", "9fceb02d0ae5"), "back", f"declared fixed in 9fceb02d0ae5 on {datetime.now(UTC):%Y-%m-%d}"),
    ],
)  # fmt: skip
def test_gate_follows_decisions(lake: Path, race: str, run: Run, options: Any, standing: str, note: str) -> None:
    run("triage", race, "--lake", lake, *options)
    status, found = gate(run, "--lake", lake)
    assert (status, found) == (int(standing in ("new", "back")), {"standing": standing, "note": note})
    assert gate(run, "--decisions", lake / "triage.sqlite")[1] == found
    assert gate(run)[1]["standing"] == "new"


def test_gate_passes_a_duplicate_until_its_race_is_fixed(lake: Path, race: str, run: Run) -> None:
    rows = json.loads(run("races", "--lake", lake, "--format", "json")[1])
    other = next(row["race"] for row in rows if row["race"] != race)
    run("triage", race, "--lake", lake, "--duplicate-of", other)
    assert gate(run, "--lake", lake) == (0, {"standing": "muted", "note": f"duplicate of {other}, says ann"})
    run("triage", other, "--lake", lake, "--status", "fixed")
    assert gate(run, "--lake", lake)[1]["standing"] == "back"


def git(folder: Path, *args: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=e@x")
    done = subprocess.run(["git", *identity, *args], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> tuple[Path, str, str]:
    """A clone with a fix on its main branch, and the commits of the fix and of a branch without it."""
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "start")
    git(folder, "checkout", "-q", "-b", "old")
    git(folder, "commit", "-q", "--allow-empty", "-m", "old release")
    old = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-q", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "fix")
    fix = git(folder, "rev-parse", "HEAD")
    git(folder, "commit", "-q", "--allow-empty", "-m", "later")
    return folder, fix, old


def test_clone_tells_which_commits_contain_a_fix(clone: tuple[Path, str, str]) -> None:
    folder, fix, old = clone
    head = git(folder, "rev-parse", "HEAD")
    with GitReader(str(folder)) as reader:
        assert contains_commit(reader, head, fix) is True
        assert contains_commit(reader, fix, fix) is True
        assert contains_commit(reader, old, fix[:10]) is False
        assert contains_commit(reader, "f" * 40, fix) is None
        assert contains_commit(reader, head, "-x\n") is None
        assert fix_finder([reader])(fix, head) is True
    git(folder, "clone", "-q", "--depth", "1", folder.as_uri(), "../shallow")
    with GitReader(str(folder.parent / "shallow")) as reader:
        assert contains_commit(reader, head, fix) is None
        assert fix_finder([])(fix, head) is None


def test_gate_with_a_clone_knows_whether_the_run_has_the_fix(
    lake: Path, race: str, run: Run, clone: tuple[Path, str, str]
) -> None:
    folder, fix, old = clone
    run("triage", race, "--lake", lake, "--fixed-in", fix[:12])
    assert gate(run, "--lake", lake, "--repo", folder)[1]["standing"] == "back"
    git(folder, "checkout", "-q", old)
    status, found = gate(run, "--lake", lake, "--repo", folder)
    assert (status, found["standing"]) == (0, "known")
    assert found["note"] == f"fixed in {fix[:12]}, which the code of this run does not contain"


def test_every_format_of_the_gate_shows_a_race_that_is_back(lake: Path, race: str, run: Run) -> None:
    run("triage", race, "--lake", lake, "--status", "fixed")
    for name in ("text", "html", "sarif", "junit", "github", "gitlab", "markdown", "pr-comment", "jsonl"):
        options = ("--baseline", "/nonexistent/b", "--quiet", "--lake", lake, "--format", name)
        status, out, err = run("gate", *options, REPORT)
        assert (status, err) == (1, "")
        assert race in out
        assert "declared fixed" in out or name in ("gitlab", "junit", "pr-comment", "sarif")


def test_mutes_of_the_gate_can_be_decisions(lake: Path, race: str, run: Run) -> None:
    given = ("gate", "mute", race[:8], "--lake", lake, "--reason", "old", "--owner", "bob", "--expires", "2999-12-31")
    assert run(*given) == (0, "", f"deadheat: {race}: muted\n")
    assert gate(run, "--lake", lake) == (0, {"standing": "muted", "note": "muted until 2999-12-31: old"})
    with closing(DecisionStore.open(str(lake / "triage.sqlite"))) as store:
        assert store.state(race).assignee == "bob"
    assert run("gate", "unmute", race, "--lake", lake)[0] == 0
    assert gate(run, "--lake", lake)[0] == 1
    assert run("gate", "mute", race, "--reason", "x")[0] == 2
    assert run("gate", "mute", "race:x", "--lake", lake, "--reason", "x")[0] == 2
    assert run("gate", "mute", race, "--lake", lake, "--baseline", "b", "--reason", "x")[0] == 2


def test_database_that_was_named_must_exist(tmp_path: Path, run: Run) -> None:
    options = ("--baseline", "/nonexistent/b", "--quiet", "--decisions", tmp_path / "no.sqlite")
    status, _, err = run("gate", *options, REPORT)
    assert (status, err.count("\n")) == (3, 1)
    assert "there is no such database" in err


# -- returns, transfer, tokens ----------------------------------------------------------------------


def test_ingest_records_that_a_fixed_race_is_back(
    spark: Any, lake: Path, race: str, run: Run, tmp_path: Path, clone: tuple[Path, str, str]
) -> None:
    folder, fix, old = clone
    run("triage", race, "--lake", lake, "--fixed-in", fix)
    assert run("triage", "--returns", "--lake", lake)[2] == "deadheat: 0 fixed races back\n"
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    for name, commit in (("old.log", old), ("new.log", git(folder, "rev-parse", "HEAD"))):
        log = tmp_path / name
        log.write_bytes(REPORT.read_bytes())
        with closing(DecisionStore.open(str(lake / "triage.sqlite"))) as store:
            assert store.state(race).status is Status.FIXED
        # without decisions in reach, ingest leaves them alone
        given = ("ingest", log, "--lake", lake, "--quiet", "--commit", commit, "--run", name, "--time", later)
        (lake / "triage.sqlite").rename(tmp_path / "kept.sqlite")
        assert run(*given)[0] == 0
        (tmp_path / "kept.sqlite").rename(lake / "triage.sqlite")
        back = run("triage", "--returns", "--lake", lake, "--repo", folder)[2]
        assert back.startswith(f"deadheat: {int(name == 'new.log')} fixed race")
    state = json.loads(run("triage", race, "--lake", lake, "--format", "json")[1])
    assert (state["status"], state["back"]["run"], state["fixed_in"]) == ("back", "new.log", fix)
    assert state["back"]["uri"].endswith("new.log")
    # ingest does it by itself, by the time of the sighting
    run("triage", race, "--lake", lake, "--status", "fixed")
    log = tmp_path / "third.log"
    log.write_bytes(REPORT.read_bytes())
    latest = (datetime.now(UTC) + timedelta(hours=2)).isoformat()
    status, _, err = run("ingest", log, "--lake", lake, "--quiet", "--commit", "f" * 40, "--run", "3", "--time", latest)
    assert (status, err.count("\n")) == (0, 1)
    assert f"race {race} was fixed and is back, sighted" in err


def test_export_and_import(lake: Path, race: str, run: Run, tmp_path: Path) -> None:
    run("triage", race, "--lake", lake, "--status", "confirmed", "--comment", HOSTILE)
    file, other = tmp_path / "out.jsonl", tmp_path / "other.sqlite"
    assert run("triage", "--export", file, "--lake", lake) == (0, "", "")
    assert file.read_text().isprintable() is False  # only for its line ends
    assert all(line.isprintable() for line in file.read_text().splitlines())
    for new in (3 - 1, 0):
        status, out, err = run("triage", "--import", file, "--decisions", other)
        assert (status, out, err) == (0, "", f"deadheat: {file}: 2 decisions, {new} of them new\n")
    assert run("triage", "--export", "-", "--decisions", other)[1] == file.read_text()
    assert run("triage", "--rebuild", "--decisions", other)[2] == "deadheat: 1 state derived\n"
    assert run("triage", race, "--decisions", other)[1].count("\n") > 3
    file.write_text("{}\n")
    status, _, err = run("triage", "--import", file, "--decisions", other)
    assert (status, err.count("\n")) == (3, 1)
    assert run("triage", "--import", tmp_path / "no.jsonl", "--decisions", other)[0] == 3
    assert run("triage", "--export", tmp_path / "no" / "x", "--decisions", other)[0] == 3


def test_decisions_in_postgresql(lake: Path, race: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(PostgresCluster()) as cluster:
        url = cluster.new_database()
        status, _, err = run("triage", race, "--lake", lake, "--status", "wont-fix", "--decisions", url)
        assert (status, err.count("\n")) == (3, 1)
        assert "--upgrade" in err
        assert run("triage", "--upgrade", "--decisions", url) == (0, "", "deadheat: the tables are up to date\n")
        monkeypatch.setenv("DEADHEAT_DECISIONS", url)
        assert run("triage", race, "--lake", lake, "--status", "wont-fix")[0] == 0
        assert gate(run)[1]["standing"] == "muted"
        assert not (lake / "triage.sqlite").exists()


def test_tokens(tmp_path: Path, run: Run) -> None:
    database = ("--decisions", tmp_path / "t.sqlite")
    status, text, err = run("token", "create", HOSTILE, "--role", "triager", *database)
    assert status == 0
    assert "shown only now" in err
    with closing(DecisionStore.open(str(tmp_path / "t.sqlite"))) as store:
        token = store.tokens.authenticate(text.strip())
        assert token is not None
        assert (token.role, token.name) == (Role.TRIAGER, HOSTILE)
    out = run("token", "list", *database)[1]
    assert token.id in out
    assert text.strip() not in out
    assert out.strip().isprintable()
    assert json.loads(run("token", "list", *database, "--format", "json")[1])[0]["role"] == "triager"
    assert run("token", "revoke", token.id[:6], *database)[0] == 0
    assert run("token", "revoke", token.id[:6], *database)[0] == 3
    assert "revoked" in run("token", "list", *database)[1]
    assert run("token", "create", *database)[0] == run("token", "list", "x", *database)[0] == 2


def test_race_that_the_lake_has_forgotten_keeps_its_decisions(lake: Path, run: Run) -> None:
    with closing(DecisionStore.open(str(lake / "triage.sqlite"))) as store:
        store.record(NewEvent("ab" * 8, EventKind.ASSIGN, {"assignee": "bob"}, "ann", EventSource.CLI))
    status, out, _ = run("triage", "ab" * 8, "--lake", lake)
    assert status == 0
    assert "assignee   bob" in out
