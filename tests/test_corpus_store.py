"""Sets of the corpus are packed and unpacked without loss, and unpacked only once by concurrent processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from corpus import store

ROOT = Path(__file__).resolve().parent.parent
SMALLEST = "heldout-11"


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus folder of its own, with an index and no set."""
    monkeypatch.setattr(store, "HERE", tmp_path / "corpus")
    monkeypatch.setattr(store, "INDEX", tmp_path / "corpus" / "index.json")
    store.HERE.mkdir()
    store.INDEX.write_text(json.dumps({"main": {"title": "The main set"}}), encoding="utf-8")
    return store.HERE


def write_program(folder: Path, truth: dict[str, object], **files: str) -> None:
    folder.mkdir(parents=True)
    (folder / "truth.json").write_text(json.dumps(truth, indent=2) + "\n", encoding="utf-8")
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_txt", ".txt").replace("_c", ".c")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())


def test_a_packed_set_is_unpacked_byte_for_byte(packed: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    reports = {"tsan": [{"kind": "data-race", "variable": "total"}], "helgrind": []}
    truth: dict[str, object] = {"sources": ["cart.c"], "reports": reports}
    write_program(work / "c" / "cart", truth, cart_c="int total;\n", recorded__gcc_txt="a\r\n\x1b[1mé no newline")
    write_program(work / "c" / "negatives" / "clean", truth, clean_c="int none;\n", recorded__helgrind_txt="==1==\n")
    store.pack_set(work, "main")
    store.unpack_set("main", tmp_path / "copy")
    assert files_below(tmp_path / "copy") == files_below(work)
    assert store.read_index()["main"]["programs"] == {"c": 2}
    rows = {row.variant: row for row in store.read_recordings("main")}
    assert (rows["gcc"].detector, rows["gcc"].toolchain, rows["gcc"].races) == ("tsan", "gcc", ["total"])
    assert (rows["helgrind"].program, rows["helgrind"].toolchain) == ("negatives/clean", "gcc")
    before = files_below(packed)
    store.pack_set(tmp_path / "copy", "main")
    assert files_below(packed) == before


def test_a_source_that_an_archive_cannot_hold_is_refused(packed: Path, tmp_path: Path) -> None:
    write_program(tmp_path / "work" / "c" / "cart", {"reports": {}}, cart_c="int a;\n-- b.c --\nint b;\n")
    with pytest.raises(ValueError, match="heading"):
        store.pack_set(tmp_path / "work", "main")


@pytest.mark.parametrize("name", store.SETS)
def test_the_index_has_the_counts_of_the_set(name: str) -> None:
    import pyarrow.parquet as pq

    about = store.read_index()[name]
    languages = [language for language, _ in store.program_names(name)]
    assert about["programs"] == {one: languages.count(one) for one in store.LANGUAGES if one in languages}
    assert about["recordings"] == pq.read_metadata(store.HERE / name / "recordings.parquet").num_rows


def test_recordings_carry_the_labels_of_the_text_file() -> None:
    programs = {(one.language, one.name): one for one in store.read_programs(SMALLEST)}
    for row in store.read_recordings(SMALLEST):
        program = programs[row.language, row.program]
        assert row == program.recorded_text(row.group, row.variant, row.text)


def test_processes_that_unpack_a_set_at_once_get_one_copy(tmp_path: Path) -> None:
    command = [sys.executable, "-c", f"from corpus import store; print(store.unpacked_set({SMALLEST!r}))"]
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    started = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    printed = {process.communicate()[0].strip() for process in started}
    assert [process.returncode for process in started] == [0] * 4
    [copy] = (tmp_path / "deadheat" / "corpus").iterdir()
    assert printed == {str(copy)}
    recordings = store.read_index()[SMALLEST]["recordings"]
    assert len([*copy.glob("*/*/recorded/*.txt")]) == recordings
