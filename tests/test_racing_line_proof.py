"""Do the racing lines of the new code run: where marks go, and what follows for the verdict."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from deadheat.verification.comparison import judge_fix
from deadheat.verification.racing_line_proof import InstrumentedBuild, LineProof, RacingSite, SiteRuns, SiteState
from deadheat.verification.sequential import FixVerdict, Reason
from tests.racing_module import CART, RacingModule

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.verification.code_under_test import CodeBuilder

SITE = RacingSite("(*Cart).Add", "cart/cart.go", "c.total += n")
OTHER_SITE = RacingSite("(*Cart).Total", "cart/cart.go", "return c.total")
EMPTY_TEST = 'package cart\n\nimport "testing"\n\nfunc TestCheckout(t *testing.T) {}\n'


def marked_lines(tree: Path, sources: dict[str, str]) -> dict[str, list[str]]:
    """The lines in front of which marks go, by file."""
    (tree / "cart").mkdir()
    for name, source in sources.items():
        (tree / "cart" / name).write_text(source)
    build = InstrumentedBuild(cast("CodeBuilder", None), [SITE])
    old = tree / "old" / "cart"
    old.mkdir(parents=True)
    (old / "cart.go").write_text(CART + "\nfunc (c *Cart) More(n int) {\n\tc.total += n\n}\n")
    assert build._place_marks(tree / "old")
    marks = build._place_marks(tree)
    return {
        file.name: [file.read_bytes()[mark.offset :].splitlines()[0].decode() for mark in found]
        for file, found in marks.items()
    }


@pytest.mark.parametrize(
    ("sources", "marked"),
    [
        ({"cart.go": CART}, {"cart.go": ["c.total += n"]}),
        ({"cart.go": CART.replace("c.total += n", "c.add(n)")}, {"cart.go": ["c.add(n)"]}),
        ({"cart.go": "package cart\n", "other.go": CART}, {"other.go": ["c.total += n"]}),
        ({"cart.go": CART.replace(" Add(", " Plus(")}, {"cart.go": ["c.total += n"]}),
        ({"cart.go": CART.replace(" Add(", " Plus(").replace("total", "sum")}, {}),
        ({"cart.go": CART.replace("\tc.total += n\n", "")}, {}),
        ({"cart.go": CART.replace(" Add(", " More(")}, {}),
        (
            {"cart_linux.go": CART, "cart_windows.go": CART},
            {"cart_linux.go": ["c.total += n"], "cart_windows.go": ["c.total += n"]},
        ),
    ],
    ids=["same", "changed line", "moved", "renamed function", "renamed all", "empty function", "gone", "two systems"],
)
def test_marks_go_to_the_racing_line(tmp_path: Path, sources: dict[str, str], marked: dict[str, list[str]]) -> None:
    assert marked_lines(tmp_path, sources) == marked


@pytest.mark.parametrize(
    ("states", "verdict"),
    [
        ((SiteState.RAN, SiteState.RAN), FixVerdict.FIXED),
        ((SiteState.RAN, SiteState.GONE), FixVerdict.FIXED),
        ((SiteState.GONE, SiteState.GONE), FixVerdict.INCONCLUSIVE),
        ((SiteState.RAN, SiteState.DID_NOT_RUN), FixVerdict.INCONCLUSIVE),
    ],
)
def test_fixed_needs_a_function_that_raced(states: tuple[SiteState, SiteState], verdict: FixVerdict) -> None:
    old = tuple(SiteRuns(site, SiteState.RAN, 1, 8, is_line=True) for site in (SITE, OTHER_SITE))
    new = tuple(
        SiteRuns(site, state, 8 * (state is SiteState.RAN), 8, is_line=True)
        for site, state in zip((SITE, OTHER_SITE), states, strict=True)
    )
    conclusion: Any = SimpleNamespace(verdict=FixVerdict.FIXED, reason=Reason.PROVEN)
    assert judge_fix(conclusion, LineProof(old, new)).verdict is verdict


PARALLEL = """package cart

import (
	"testing"
	"time"
)

var x int

func TestA(t *testing.T) {
	t.Parallel()
	x++
	time.Sleep(time.Millisecond)
	x++
}

func TestB(t *testing.T) {
	t.Parallel()
	x++
	time.Sleep(time.Millisecond)
	x++
}
"""


@pytest.mark.soak
def test_racing_lines_are_those_of_the_old_code_if_the_fix_fits_the_report_as_well(tmp_path: Path) -> None:
    module = RacingModule(tmp_path, 0.9, {"cart/cart_test.go": PARALLEL})
    report = module.write_report()
    fix = module.repository.put("cart: tests in a row", {"cart/cart_test.go": PARALLEL.replace("\tt.Parallel()\n", "")})
    _, result = module.run_json("verify", report, "--fix", fix, "--time", "20s")
    assert {site["line"] for site in result["racing_lines"]["new"]} == {"x++"}, result
    one_test = PARALLEL.partition("func TestB")[0]
    fix = module.repository.put("cart: one test", {"cart/cart_test.go": one_test})
    status, result = module.run_json("verify", report, "--at", module.racy, "--fix", fix, "--time", "40s")
    assert (status, result["verdict"], result["reason"][-5:]) == (4, "vacuous", "TestB"), result
    assert {site["state"] for site in result["racing_lines"]["new"]} == {"ran", "its function is gone or empty"}


@pytest.mark.soak
def test_emptied_test_of_renamed_functions_is_not_fixed(tmp_path: Path) -> None:
    module = RacingModule(tmp_path, 0.9)
    report = module.write_report()
    renamed = CART.replace("Add(", "Plus(").replace("Total(", "Sum(").replace("total", "sum")
    fix = module.repository.put("cart: fix", {"cart/cart.go": renamed, "cart/cart_test.go": EMPTY_TEST})
    status, result = module.run_json("verify", report, "--fix", fix, "--time", "40s")
    assert (status, result["verdict"]) == (4, "inconclusive"), result
    assert "gone or empty" in result["reason"]
    kept: dict[str, str | None] = {
        "cart/cart.go": CART.replace("Add(", "Plus(").replace("Total(", "Sum("),
        "cart/cart_test.go": EMPTY_TEST,
    }
    fix = module.repository.put("cart: another fix", kept)
    status, result = module.run_json("verify", report, "--at", module.racy, "--fix", fix, "--time", "40s")
    assert (status, result["verdict"]) == (4, "vacuous"), result
