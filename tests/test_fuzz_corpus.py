"""Inputs that fuzzing found, and the harness that found them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz import seeds
from fuzz.__main__ import FuzzedTarget
from fuzz.mutations import mutate_json, mutate_lines
from fuzz.targets import FuzzTarget, all_targets

FOUND = sorted(seeds.FOUND_INPUTS.glob("*/*"))
MAX_SEEDS = 4


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_found_input(path: Path) -> None:
    all_targets()[path.parent.name].run(path.read_bytes())


@pytest.mark.parametrize("target", all_targets().values(), ids=lambda target: target.name)
def test_invariants_hold_for_seeds_and_their_mutations(target: FuzzTarget) -> None:
    rng = random.Random(7)
    texts = list(target.seeds())
    assert texts
    target.run(b"")
    for text in texts[:: len(texts) // MAX_SEEDS + 1]:
        target.run(text)
        for mutate in target.mutations:
            target.run(mutate(text, rng, texts)[: target.max_size])


def test_a_mutation_of_json_is_json_and_changes_one_line() -> None:
    text = b'{"a": [1, {"b": null}]}\n{"c": "d"}'
    mutated = [mutate_json(text, random.Random(seed), ()) for seed in range(30)]
    assert len({*mutated}) > 10
    for one in mutated:
        lines = one.split(b"\n")
        assert len(lines) == 2
        assert all(json.loads(line) is not None for line in lines)
        assert lines[0] == text.split(b"\n")[0] or lines[1] == text.split(b"\n")[1]


def test_mutations_of_json_do_not_change_the_next_ones() -> None:
    text = b'{"a": [1], "b": {}}'
    mutated = [mutate_json(text, random.Random(seed), ()) for seed in range(300)]
    assert mutated == [mutate_json(text, random.Random(seed), ()) for seed in range(300)]


def test_json_that_is_nested_too_deeply_is_not_mutated() -> None:
    text = b"[" * 900 + b"1" + b"]" * 900
    for seed in range(20):
        assert mutate_json(text, random.Random(seed), ()).startswith(b"[")


def test_mutations_of_lines_are_many_and_repeatable() -> None:
    text = b"a\nb\nc\nd\ne"
    mutated = [mutate_lines(text, random.Random(seed), (b"x\ny",)) for seed in range(60)]
    assert len({*mutated}) > 30
    assert mutated == [mutate_lines(text, random.Random(seed), (b"x\ny",)) for seed in range(60)]


def test_log_of_a_process_is_summed(tmp_path: Path) -> None:
    one = FuzzedTarget(all_targets()["scan"], 0.0, tmp_path / "scan.log")
    for text in (
        "#2\tINITED cov: 5 ft: 7 corp: 2/9b\nFINDING a/b: KeyError at c.py:1\nstat::number_of_executed_units: 30\n",
        "#64\tpulse  cov: 9 ft: 9 corp: 4/9b\nartifact_prefix='a/'; Test unit written to a/timeout-c\n",
    ):
        one.log.write_text(text)
        assert one.read_log(int("artifact" in text)) == ("artifact" in text)
    assert (one.executions, one.coverage, one.inputs) == (94, 9, 4)
    assert list(one.findings) == ["a/b", "a/timeout-c"]
    one.log.write_text("MemoryError")
    assert not one.read_log(1)
    assert list(one.findings)[2:] == [f"(see {one.log})"]


@pytest.mark.parametrize(("content", "status"), [(b"_ZN4shop4CartC1Ev", 0), (b"[", 1)])
def test_an_input_is_run_again(tmp_path: Path, content: bytes, status: int) -> None:
    path = tmp_path / "input"
    path.write_bytes(content)
    code = "import sys, fuzz.__main__ as m, fuzz.targets as t\n" + (
        ""
        if not status
        else "t.all_targets()['demangle'] = t.all_targets()['demangle']._replace(run=lambda data: 1 / 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{code}sys.argv[1:] = ['demangle', {str(path)!r}]\nsys.exit(m.main())"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
    )
    assert done.returncode == status, done.stderr
    assert ("ZeroDivisionError" in done.stderr) == bool(status)


def test_fuzzing_counts_executions_and_fails_on_a_finding(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="has no wheel for this system")
    command = [sys.executable, "-m", "fuzz", "--seconds", "1", "--jobs", "1", "--folder", str(tmp_path), "arguments"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent)
    assert done.returncode == 0, done.stderr
    name, executions, word, coverage = done.stdout.split()[:4]
    assert (name, word) == ("arguments", "executions")
    assert int(executions.replace(",", "")) > 0
    assert int(coverage) > 0
