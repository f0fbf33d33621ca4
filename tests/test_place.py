"""`deadheat place` on Spark: every race of a lake against clones of the code, each once."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.cli import main
from deadheat.lake import maintenance, queries
from deadheat.lake.integrity.checksums import CHECKSUM_FOLDER
from deadheat.lake.tables import Lake
from deadheat.repo.clone import Clone
from deadheat.repo.disk_cache import AnswerCache
from deadheat.repo.dossier import build_dossier, dossier_to_json
from tests.lakes import taken
from tests.repositories import MODULE, Repository, go_text, line
from tests.test_code_pin import FIXED, HUB, race, race_text

if TYPE_CHECKING:
    from pathlib import Path

OTHER = """package other

var total int

func Add() {
	total++
}

func Show() int {
	return total
}
"""


def other_text() -> str:
    places = [f"/src/relay/other/other.go:{line(OTHER, text)}" for text in ("total++", "return t")]
    return go_text(("write", [(f"{MODULE}/other.Add", places[0])]), ("read", [(f"{MODULE}/other.Show", places[1])]))


pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "relay")
    made.put("begin", {"hub/hub.go": HUB, "go.mod": f"module {MODULE}\n"})
    made.put("other: count", {"other/other.go": OTHER})
    made.put("hub: fix data race in Close", {"hub/hub.go": FIXED})
    return made


def told(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return status, out, err


def test_every_race_is_placed_once(
    spark: Any, repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake, logs = tmp_path / "lake", tmp_path / "logs"
    logs.mkdir()
    (logs / "hub.log").write_text(race_text(HUB))
    taken(spark, lake, [logs])
    placing = ("place", "--repo", repo.path, "--lake", lake)
    status, out, err = told(capsys, *placing)
    assert status == 0
    assert "count of Hub" in out
    assert "hub: fix data race in Close" in out
    assert err.startswith("deadheat: located 1 of 1 race in the code (")

    # the same as without Spark
    (row,) = queries.best_dossiers(Lake(str(lake))).values()
    with Clone(str(repo.path)) as clone:
        alone = dossier_to_json(build_dossier(race(HUB), [clone]))
    assert json.loads(row["dossier"]) == json.loads(json.dumps(alone))
    assert row["fixed_by"][0]["commit"] == row["tip"]

    # another race comes: only that one is asked about
    (logs / "other.log").write_text(other_text())
    taken(spark, lake, [logs])
    status, out, err = told(capsys, *placing, "--format", "jsonl")
    (new,) = [json.loads(text) for text in out.splitlines()]
    assert new["variable"]["name"] == "total"
    assert new["pin"]["commits"] == 2
    assert new["still_present"] is True
    assert err.endswith("1 already known)\n")
    kept = queries.best_dossiers(Lake(str(lake)))
    assert kept[row["race"]] == row
    status, out, err = told(capsys, *placing)
    assert (out, err.endswith("2 already known)\n")) == ("", True)

    # the clone has moved: what it told before is asked again
    repo.put("other: fix race", {"other/other.go": OTHER.replace("total++", "atomic.AddInt64()")})
    status, out, err = told(capsys, *placing, "--format", "jsonl")
    assert len(out.splitlines()) == 2
    now = queries.best_dossiers(Lake(str(lake)))[new["race"]]
    assert [fix["subject"] for fix in now["fixed_by"]] == ["other: fix race"]

    # a clone that knows nothing of it, and what is known is asked again
    unrelated = Repository(tmp_path / "unrelated")
    unrelated.put("begin", {"README.md": "nothing\n"})
    status, out, _ = told(capsys, *placing, "--repo", unrelated.path, "--again", "--quiet")
    assert [row.endswith("none of its files is in the repositories") for row in out.splitlines()] == [
        False, False, True, True
    ]  # fmt: skip
    assert Lake(str(lake)).row_count("dossiers") == 4
    assert list(maintenance.find_faults(Lake(str(lake)))) == []

    status, out, _ = told(capsys, "races", "--lake", lake)
    assert f"[total; {now['pin']['first'][:11]}" in out
    status, out, _ = told(capsys, "races", "--lake", lake, "--format", "jsonl")
    by_race = {row["race"]: row for row in map(json.loads, out.splitlines())}
    assert by_race[new["race"]]["variable"]["name"] == "total"
    status, out, _ = told(capsys, "show", new["race"], "--lake", lake)
    assert "  variable    total (other/other.go:3)\n" in out
    assert "  version     " in out
    assert "  fixed by    " in out
    status, out, _ = told(capsys, "show", new["race"], "--lake", lake, "--format", "json")
    assert json.loads(out)["dossier"]["variable"]["name"] == "total"

    # a lake from before there was such a table
    shutil.rmtree(lake / "dossiers")
    for record in (lake / CHECKSUM_FOLDER).glob("dossiers-*"):
        record.unlink()
    assert list(maintenance.find_faults(Lake(str(lake)))) == []
    status, out, _ = told(capsys, "races", "--lake", lake)
    assert "[" not in out


def test_answers_of_several_processes_add_up(tmp_path: Path) -> None:
    one, two = AnswerCache(), AnswerCache()
    one.answers_to("holds?")
    two.answers_to("holds?")
    one.add_answer("holds?", "a" * 40, 1)
    two.add_answer("holds?", "b" * 40, 0)
    one.close()
    two.close()
    assert AnswerCache().answers_to("holds?") == {"a" * 40: 1, "b" * 40: 0}


def test_path_maps_and_owners_of_the_configuration_count(
    spark: Any, repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake, logs, file = tmp_path / "lake", tmp_path / "logs", tmp_path / "settings.toml"
    logs.mkdir()
    text = race_text(HUB)
    assert "/hub/hub.go:" in text
    (logs / "hub.log").write_text(re.sub(r"\S+/hub/hub\.go:", "/sandbox/7/elsewhere.go:", text))
    taken(spark, lake, [logs])
    placing = ("place", "--repo", repo.path, "--lake", lake, "--quiet")
    told(capsys, *placing)
    (row,) = queries.best_dossiers(Lake(str(lake))).values()
    assert not row["pin"]
    file.write_text("[paths]\n'/sandbox/7/elsewhere.go' = 'hub/hub.go'\n[owners]\n'/hub/' = ['@hub']\n")
    told(capsys, "--config", file, *placing)  # other settings: the race is placed again
    (row,) = queries.best_dossiers(Lake(str(lake))).values()
    assert row["pin"]
    assert row["owners"][0]["who"] == "@hub"
    status, out, _ = told(capsys, "--config", file, "show", row["race"], "--lake", lake, "--format", "json")
    assert status == 0
    assert json.loads(out)["report"]["accesses"][0]["site"]["file"] == "hub/hub.go"
    _, out, _ = told(capsys, "show", row["race"], "--lake", lake, "--format", "json")
    assert json.loads(out)["report"]["accesses"][0]["site"]["file"] == "/sandbox/7/elsewhere.go"
