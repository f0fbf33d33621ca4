"""Whose file a frame is in, and who has seen its report before: commits that quote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.repositories import MODULE, Repository, go_report, line, told_of
from tests.test_code_pin import FIXED, HUB, race, race_text

if TYPE_CHECKING:
    from deadheat.model import Report


pytestmark = pytest.mark.usefixtures("cache")


QUOTING = "hub: fix it\n\nIt raced:\n\n{}\n"


def test_a_commit_that_quotes_a_report_is_its_fix_and_the_report_is_from_before(repo: Repository) -> None:
    # the lines fit before and after; only the quote tells
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    mended = HUB.replace("go h.run()", "go h.run() // once")
    fix = repo.put(QUOTING.format(race_text(HUB)), {"hub/hub.go": mended})
    repo.put("hub: more", {"hub/more.go": "package hub\n"})
    repo.put("hub: fix data race in Close", {"hub/hub.go": FIXED})
    found = told_of(repo, race(HUB))
    assert found.pin is not None
    assert found.pin.window.last == first
    assert found.fixed_by[0].commit == fix
    assert "quotes this report" in found.fixed_by[0].why


def test_a_quote_of_other_lines_says_only_that_it_is_the_same_race(repo: Repository) -> None:
    earlier = race_text(HUB).replace("hub.go:12", "hub.go:112").replace("hub.go:18", "hub.go:118")
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put(QUOTING.format(earlier), {"README": "nothing\n"})
    repo.put("hub: again", {"hub/hub.go": "// moved\n" + HUB})
    found = told_of(repo, race("// moved\n" + HUB))
    assert found.pin is not None
    assert found.pin.window.commit_count == 1
    assert not any(fix.quotes_report for fix in found.fixed_by)


META = HUB.replace("package hub", "package meta")


def at(file: str, package: str, source: str = META) -> Report:
    places = (line(source, "h.count = 0"), line(source, "if h.count > 3"))
    return go_report(
        ("write", [(f"{package}.(*Hub).Close", f"{file}:{places[0]}")]),
        ("read", [(f"{package}.(*Hub).run", f"{file}:{places[1]}")]),
    )


def test_a_module_that_a_repository_vendors_from_itself_is_found_where_it_is_kept(repo: Repository) -> None:
    kept = "staging/src/example.com/parts/pkg/meta/meta.go"
    repo.put("begin", {kept: META, "pkg/meta/meta.go": "package meta\n"})
    package = f"{MODULE}/vendor/example.com/parts/pkg/meta"
    file = "/go/src/example.com/acme/relay/vendor/example.com/parts/pkg/meta/meta.go"
    found = told_of(repo, at(file, package))
    assert found.variable is not None
    assert found.variable.declaration is not None
    assert found.variable.declaration.file == kept


def test_a_repository_that_went_by_another_name_is_known_by_its_tag(repo: Repository) -> None:
    repo.put("begin", {"hub/hub.go": HUB})
    repo.git("tag", "v1.4.0")
    cache = "/home/ci/go/pkg/mod/example.com/old/name@{}/hub/hub.go"
    package = "example.com/old/name/hub"
    found = told_of(repo, at(cache.format("v1.4.0"), package, HUB))
    assert found.pin is not None
    assert (found.pin.fitting_count, found.pin.named_revision) == (2, "v1.4.0")
    # another version, and another repository's file of the same name
    assert told_of(repo, at(cache.format("v1.5.0"), package, HUB)).pin is None
    other = go_report(("write", [(f"{package}.Other", cache.format("v1.4.0") + ":12")]))
    assert told_of(repo, other).pin is None


def test_frames_of_the_harness_are_in_no_file_of_the_repository(repo: Repository) -> None:
    harness = "package testing\n\nfunc tRunner() {\n	fn(t)\n}\n"
    repo.put("begin", {"hub/hub.go": HUB, "pkg/testing/testing.go": harness})
    report = go_report(
        ("write", [("testing.tRunner", "GOROOT/src/testing/testing.go:4")]),
        ("read", [(f"{MODULE}/hub.(*Hub).run", f"hub/hub.go:{line(HUB, 'if h.count > 3')}")]),
    )
    found = told_of(repo, report)
    assert found.pin is not None
    assert (found.pin.frame_count, found.pin.fitting_count) == (1, 1)
