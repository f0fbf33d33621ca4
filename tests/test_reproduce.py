"""How a race is made to happen again: every part of a command is backed by a frame or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat.cli import main
from deadheat.model import Claim, Span
from deadheat.repo.clone import Clone
from deadheat.repo.document_claims import DocumentHints
from deadheat.repo.dossier import build_dossier
from deadheat.repo.reproduction import find_reproduction
from tests.cases import ROOT
from tests.repositories import MODULE, Repository, go_report, line

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.repo.reproduction import Reproduction

HOST = "--target \"$(rustc -vV | sed -n 's/^host: //p')\""
TSAN_RUST = "RUSTFLAGS=-Zsanitizer=thread cargo +nightly {} -Zbuild-std " + HOST
MIRI = 'MIRIFLAGS="-Zmiri-many-seeds=0..20" cargo +nightly miri'


pytestmark = pytest.mark.usefixtures("cache")


@pytest.mark.parametrize(
    ("case", "framework", "command", "note"),
    [
        (
            "tsan/test-of-googletest", "googletest",
            "./cart_test --gtest_filter=CartTest.AddsFromTwoThreads --gtest_repeat=20",
            "The program must be built with -fsanitize=thread -g.",
        ),
        ("tsan/atomic-against-memcpy", "program", "./shop", "The program must be built with"),
        ("tsan/rust-test-harness", "cargo-test", TSAN_RUST.format("test"), "The frames do not show which"),
        ("helgrind/heap-block-with-its-allocation", "program", "valgrind --tool=helgrind PROGRAM",
         "The frames do not name the program"),
        ("drd/heap-blocks-and-sections", "program", "valgrind --tool=drd PROGRAM", "The frames do not name"),
        ("miri/notes-of-2024-with-frames-of-the-library", "cargo-miri",
         f"{MIRI} test relay::tests::many_writers", None),
        ("miri/github-actions-and-test-output", "cargo-miri",
         f"{MIRI} test ledger::tests::shared", None),
        ("miri/dependency-of-the-registry", "cargo-miri", f"{MIRI} run", None),
        ("kcsan/absolute-paths", "kcsan",
         "scripts/config --enable KCSAN && make olddefconfig && make",
         "The kernel must be built with CONFIG_KCSAN=y; the racing code is reached through the"
         " system call write; `relayd` ran"),
    ],
)  # fmt: skip
def test_the_command_for_what_is_no_go(case: str, framework: str, command: str, note: str | None) -> None:
    sighting = deadheat.scan((ROOT / f"{case}.txt").read_bytes(), diagnose=False)[0]
    found = find_reproduction(sighting.report)
    assert found is not None
    assert (found.framework, found.command) == (framework, command)
    assert (found.note or "").startswith(note or "")
    assert (found.note is None) == (note is None)


STARTED = """\
==22070== ---Thread-Announcement------------------------------------------
==22070==
==22070== Thread #3 was created
==22070==    at 0x4C86B3F: clone (clone.S:76)
==22070==    by 0x1148BD: harbour::DockTest_LandsTwo_Test::TestBody() (dock_test.cc:16)
==22070==    by 0x148016: testing::Test::Run() (in /src/dock/dock_test)
==22070==
==22070== ----------------------------------------------------------------
==22070==
==22070== Possible data race during read of size 4 at 0x1FFF000214 by thread #3
==22070== Locks held: none
==22070==    at 0x114F7A: harbour::Dock::Land() (dock_test.cc:9)
==22070==    by 0x4C071F4: start_thread (pthread_create.c:442)
==22070==
==22070== This conflicts with a previous write of size 4 by thread #2
==22070== Locks held: none
==22070==    at 0x114F83: harbour::Dock::Land() (dock_test.cc:9)
==22070==
==22070==  Address 0x1fff000214 is on thread #1's stack
"""


SANITIZED = """\
==================
WARNING: ThreadSanitizer: data race (pid=22060)
  Read of size 4 at 0x7ffe9a56a528 by thread T2:
    #0 harbour::Dock::Land() /src/dock/dock_test.cc:9 (dock_test+0xc804)

  Previous write of size 4 at 0x7ffe9a56a528 by thread T1:
    #0 harbour::Dock::Land() /src/dock/dock_test.cc:9 (dock_test+0xc811)

  Thread T2 (tid=22063, running) created by main thread at:
    #0 pthread_create ../src/tsan_interceptors_posix.cpp:1001 (libtsan.so.2+0x5e686)
    #1 harbour::DockTest_LandsTwo_Test::TestBody() /src/dock/dock_test.cc:16 (dock_test+0xcb71)

  Thread T1 (tid=22062, finished) created by main thread at:
    #0 pthread_create ../src/tsan_interceptors_posix.cpp:1001 (libtsan.so.2+0x5e686)
    #1 harbour::DockTest_LandsTwo_Test::TestBody() /src/dock/dock_test.cc:16 (dock_test+0xcb55)

SUMMARY: ThreadSanitizer: data race /src/dock/dock_test.cc:9 in harbour::Dock::Land()
==================
"""


@pytest.mark.parametrize("text", [STARTED, SANITIZED], ids=["helgrind", "tsan"])
def test_who_started_a_thread_tells_the_test(text: str) -> None:
    [sighting] = deadheat.scan(text, diagnose=False)
    found = find_reproduction(sighting.report)
    assert sighting.report.test == "DockTest.LandsTwo"
    assert found is not None
    assert found.framework == "googletest"
    assert "--gtest_filter=DockTest.LandsTwo" in (found.command or "")


GINKGO = """package hub_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
)

var _ = Describe("the hub", func() {
	Context("when it's closed", func() {
		It("counts (again)", func() {
			hub.Close()
		})
		It(text, func() {
			hub.Open()
		})
	})
})
"""
ENTRY = """package hub_test

func TestHub(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Hub")
}
"""


def ran(repo: Repository, file: str, function: str, at: int) -> Reproduction:
    """What is found for a report one of whose sides is in a test."""
    report = go_report(
        ("write", [(f"{MODULE}/hub_test.{function}", f"/src/relay/{file}:{at}")]),
        ("read", [(f"{MODULE}/hub.(*Hub).run", "/src/relay/hub/hub.go:3")]),
    )
    with Clone(str(repo.path)) as clone:
        found = build_dossier(report, [clone]).reproduction
    assert found is not None
    return found


def test_a_spec_is_run_alone_if_its_text_is_known(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "relay")
    files = {"hub/hub_test.go": GINKGO, "hub/suite_test.go": ENTRY, "go.mod": f"module {MODULE}\n"}
    repo.put("begin", {**files, "hub/hub.go": "package hub\n\nfunc (h *Hub) run() { h.n++ }\n"})
    found = ran(repo, "hub/hub_test.go", "init.func1.1.1", line(GINKGO, "hub.Close()"))
    assert found.framework == "ginkgo"
    assert found.command == (
        "go test -race ./hub -run '^TestHub$' -ginkgo.focus="
        "'the hub when it'\"'\"'s closed counts \\(again\\)' -vet=off -count=20"
    )
    found = ran(repo, "hub/hub_test.go", "init.func1.1.2", line(GINKGO, "hub.Open()"))
    assert found.command == "go test -race ./hub -run '^TestHub$' -vet=off -count=20"
    assert found.note is not None
    assert "not a literal" in found.note


SUITE = """package hub_test

import (
	"testing"

	"github.com/stretchr/testify/suite"
)

func (s *hubSuite) TestClose() {
	s.hub.Close()
}

func TestOther(t *testing.T) {
	suite.Run(t, new(otherSuite))
}

func TestHubs(t *testing.T) {
	suite.Run(t, &hubSuite{})
}
"""


def test_the_test_that_hands_over_to_a_suite_is_found_beside_it(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "relay")
    repo.put("begin", {"hub/hub_test.go": SUITE, "go.mod": f"module {MODULE}\n"})
    found = ran(repo, "hub/hub_test.go", "(*hubSuite).TestClose", line(SUITE, "s.hub.Close()"))
    assert found.command == ("go test -race ./hub -run '^TestHubs$' -testify.m '^TestClose$' -vet=off -count=20")
    gocheck = SUITE.replace("github.com/stretchr/testify/suite", "gopkg.in/check.v1")
    gocheck = gocheck.replace("suite.Run(t, &hubSuite{})", "check.TestingT(t)")
    repo.put("gocheck", {"hub/hub_test.go": gocheck.replace("func (s", "//\nfunc (s")})
    at = line(SUITE, "s.hub.Close()") + 1
    found = ran(repo, "hub/hub_test.go", "(*hubSuite).TestClose", at)
    assert found.command == ("go test -race ./hub -run '^TestHubs$' -check.f 'hubSuite.TestClose$' -vet=off -count=20")


def test_what_a_command_lacks_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", str(ROOT / "kcsan" / "absolute-paths.txt")])
    said = capsys.readouterr().out
    assert "  reproduce   scripts/config --enable KCSAN && make olddefconfig && make\n" in said
    assert "The kernel must be built with CONFIG_KCSAN=y; the racing code" in said


TESTED = """package hub

import "testing"

func TestHub(t *testing.T) {
	new(Hub).Start()
}
"""


@pytest.mark.parametrize("test", ["TestHub", "TestHub/two words", "TestElsewhere"])
def test_the_test_that_the_text_names_is_run_if_it_is_declared_there(tmp_path: Path, test: str) -> None:
    repo = Repository(tmp_path / "relay")
    hub = "package hub\n\nfunc (h *Hub) run() { h.n++ }\n"
    repo.put("begin", {"hub/hub_test.go": TESTED, "hub/hub.go": hub})
    side = [(f"{MODULE}/hub.(*Hub).run", "/src/relay/hub/hub.go:3")]
    report = go_report(("write", side), ("write", side))._replace(test=test)
    with Clone(str(repo.path)) as clone:
        found = build_dossier(report, [clone]).reproduction
    if test == "TestElsewhere":
        assert found is None
        return
    only = test.replace("/", "$/^").replace(" ", "_")
    assert found is not None
    assert found.command == f"go test -race ./hub -run '^{only}$' -vet=off -count=20"
    assert found.note == "The test is known from the text around the report, not from a frame."


TWO_TESTS = """package hub

func TestOpen(t *testing.T) {
	shared.n = 1
}

func TestShut(t *testing.T) {
	shared.n = 2
}
"""


def test_both_tests_of_a_race_between_tests_are_run(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "relay")
    repo.put("begin", {"hub/hub_test.go": TWO_TESTS, "go.mod": f"module {MODULE}\n"})
    file = "/src/relay/hub/hub_test.go"
    report = go_report(
        ("write", [(f"{MODULE}/hub.TestShut", f"{file}:{line(TWO_TESTS, 'n = 2')}")]),
        ("write", [(f"{MODULE}/hub.TestOpen", f"{file}:{line(TWO_TESTS, 'n = 1')}")]),
    )
    with Clone(str(repo.path)) as clone:
        found = build_dossier(report, [clone]).reproduction
    assert found is not None
    assert found.command == "go test -race ./hub -run '^(TestShut|TestOpen)$' -vet=off -count=20"


def test_a_test_that_the_commit_lacks_is_told(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "relay")
    hub = "package hub\n\nfunc (h *Hub) run() { h.n++ }\n"
    repo.put("begin", {"hub/hub_test.go": TWO_TESTS, "hub/hub.go": hub, "go.mod": f"module {MODULE}\n"})
    assert "TestNew is not in this commit" in (ran(repo, "hub/hub_test.go", "TestNew", 4).note or "")
    assert ran(repo, "hub/hub_test.go", "TestOpen", 4).note is None


@pytest.mark.parametrize(("name", "is_known"), [("waitInOpen", True), ("acme/relay/hub/waitInShut", False)])
def test_an_injection_that_the_commit_lacks_is_told(tmp_path: Path, name: str, is_known: bool) -> None:
    repo = Repository(tmp_path / "relay")
    source = 'package hub\n\nfunc (h *Hub) Open() {\n\tfailpoint.Inject("waitInOpen", nil)\n\th.n++\n}\n'
    repo.put("begin", {"hub/hub.go": source, "go.mod": f"module {MODULE}\n"})
    file = "/src/relay/hub/hub.go"
    report = go_report(*[(op, [(f"{MODULE}/hub.(*Hub).Open", f"{file}:5")]) for op in ("write", "read")])
    steps = (Claim("step", "select 1", "select 1", Span(0, 0), "sql"), Claim("injection", name, name, Span(0, 0), "x"))
    with Clone(str(repo.path)) as clone:
        found = build_dossier(report, [clone], DocumentHints(steps=steps)).reproduction
    assert found is not None
    assert found.from_document
    assert (found.note is None) == is_known
