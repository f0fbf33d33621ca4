"""Renamed and rewritten programs keep library names and line numbers."""

from __future__ import annotations

import pytest

import deadheat
from eval import metamorphic, renaming, rewriting
from eval.causes import Truth

GO = b"""package p

import "sync"

type Box struct {
	mu   sync.Mutex
	wait sync.WaitGroup
	Len  int
}

func (b *Box) Wait(n int) {
	b.wait.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Len += n
}

func TestBox(t *testing.T) {
	new(Box).Wait(1)
}
"""
REPORT = """WARNING: DATA RACE
Read at 0x00c00001c0a8 by goroutine 8:
  example.com/x/p.(*Box).Wait()
      /src/x/p/p.go:15 +0x44

Previous write at 0x00c00001c0a8 by goroutine 7:
  example.com/x/p.(*Box).Wait()
      /src/x/p/p.go:15 +0x7c
"""


def test_program_names_change_and_library_names_stay() -> None:
    found = renaming.rename_program({"go.mod": b"module example.com/x\n", "p/p.go": GO}, renaming.neutral_names())
    text = found.files["p/p.go"].decode()
    method, kind = found.naming["Wait"], found.naming["Box"]
    assert f"{found.naming['b']}.{found.naming['wait']}.Wait()" in text
    assert f"func ({found.naming['b']} *{kind}) {method}(" in text
    assert f"new({kind}).{method}(1)" in text
    assert all(word in text for word in ("func TestBox(", ".Lock()", "sync.Mutex"))
    assert text.count("\n") == GO.count(b"\n")
    assert method[0].isupper()
    assert found.naming["mu"][0].islower()


def test_a_report_is_renamed_with_its_program() -> None:
    found = renaming.rename_program({"go.mod": b"module example.com/x\n", "p/p.go": GO}, renaming.neutral_names())
    (sighting,) = deadheat.scan(REPORT, diagnose=False)
    frame = found.rename_report(sighting.report).accesses[0].stack[0]
    assert frame.function.endswith(f"(*{found.naming['Box']}).{found.naming['Wait']}")
    assert (frame.file, frame.line) == sighting.report.accesses[0].stack[0][2:4]


@pytest.mark.parametrize("name", rewriting.CHANGES)
def test_rewritten_source_keeps_its_lines(name: str) -> None:
    endings, rewrite = rewriting.CHANGES[name]
    text = GO.decode() if ".go" in endings else "int f(struct p *p)\n{\n  p->n++;\n}\n"
    rows, changed = text.split("\n"), rewrite(text).split("\n")
    added = len(changed) - len(rows)
    assert added == 0 or name == "lock by a helper"
    assert [i for i, row in enumerate(rows) if row.startswith("func ")] == [
        i for i, row in enumerate(changed[: len(rows)]) if row.startswith("func ")
    ]


def test_changed_findings_are_counted_and_listed() -> None:
    truth = Truth("missing-lock")
    changes = [
        metamorphic.FindingChange("heldout-09", "a x", "neutral", truth, "missing-lock", "missing-lock"),
        metamorphic.FindingChange("heldout-09", "b y", "neutral", truth, "missing-lock", "check-then-act"),
    ]
    assert list(metamorphic.change_table(changes))[-1] == "| neutral | 2 | 1.0 | 2.0 | 1.0 | 0.0 | 1.0 |"
    assert [row.split(" | ")[2] for row in metamorphic.list_changes(changes)] == ["b y"]
