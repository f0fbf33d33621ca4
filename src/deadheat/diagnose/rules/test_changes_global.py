"""A test changes a variable that background goroutines use.

## What it sees

A write on a line of a test file against an access by a background goroutine of the product, to an
address in the program image (where package variables are) and not in the heap. With source: it is a
package variable; the write may also be in a function for tests next to the product (`func Fast(t
testing.TB)`).

With lower confidence: code that a test calls in its own goroutine (set-up, a setter) writes such an
address, also if that stack is lost, and a goroutine of the product only reads it.

## Why it races

A test changes a package variable (a hook, a timeout, a default) while goroutines of this or an
earlier test still read it.

## Example

    func TestLimits(t *testing.T) {
        limit = 5                   // the crawler of the test before still reads it
        defer func() { limit = 10 }()
    }

## Remedy

Stop the background goroutines before the variable is changed. Or pass the value to the constructor
and leave the package variable alone. The product is correct as long as only tests write the
variable.

## When it is wrong

- A field of an object that the test made is no global: the test lacks a lock.
- From a report alone: a variable that a worker of another test writes too is no setting. That
  worker was left running.
- The product writes it for every caller: then a lock is missing, or it is created too late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.address import is_packages
from deadheat.diagnose.naming import is_test_file
from deadheat.diagnose.rule import FAIR, STRONG, WEAK, Hit, Rule
from deadheat.symbols import go

if TYPE_CHECKING:
    from deadheat.diagnose.finding import Evidence
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Shared

_TESTING = ("testing.TB", "*testing.T", "*testing.B")


def _find(scene: Scene) -> Hit | None:
    for test, other in scene.both if scene.go else ():
        if not test.writes or other.is_test or _tests(scene, other):
            continue
        if test.in_test or _serves_tests(test):
            return _by_test(scene, test, other)
        # if the other side writes it too, it is no setting of the test
        if not other.writes and _runs_test(test) and _is_background(scene, other):
            return _called_by_test(scene, test, other)
    return None


def _by_test(scene: Scene, test: Side, other: Side) -> Hit | None:
    """Match a write by a line of a test file or by a function for tests."""
    shared = scene.shared
    if shared is not None and shared.kind != "package":
        return None
    packages = None if shared else is_packages(scene)
    if packages is False:
        return None  # allocated memory is no package variable
    told = test.told(f"{test.does} {_what(shared, packages)}, {_where(test)}")
    confidence = STRONG + 0.04 if shared else STRONG if packages else FAIR + 0.1
    if not test.is_test:
        confidence = confidence if shared or packages else WEAK
    if scene.source is None and other.writes and _is_anothers(scene, other):
        confidence = FAIR  # state of another test's worker, no setting
    return _hit(scene, confidence, test, (told, _beside(other)), from_source=bool(shared))


def _called_by_test(scene: Scene, test: Side, other: Side) -> Hit | None:
    """Match a write by code that a test calls in its own goroutine: set-up, or a setter."""
    shared = scene.shared
    if is_packages(scene) is not True or (shared is not None and shared.kind != "package"):
        return None
    what = _what(shared, packages=True)
    runs = f"in {test.actor.id}, which runs a test"
    does = f"{test.does} {what}, {runs}" if test.site else f"{what} is written {runs}"
    # less certain if the stack is lost, or if another test left the goroutine running
    sure = FAIR if test.site is None or _is_anothers(scene, other) else FAIR + 0.1
    return _hit(scene, sure, test, (test.told(does), _beside(other)), from_source=bool(shared))


def _hit(
    scene: Scene, sure: float, test: Side, told: tuple[Evidence, ...], from_source: bool
) -> Hit:
    change = (
        f"Stop the background goroutine before the test changes {scene.what}, or pass the value"
        " to the constructor instead of through a package variable."
    )
    where = (test.point,) if test.site else ()
    return Hit(sure, told, change, where, test_only=True, from_source=from_source)


def _what(shared: Shared | None, packages: bool | None) -> str:
    if shared:
        return f"`{shared.name}`, a package variable"
    return "a package variable, by its address" if packages else "it"


def _beside(other: Side) -> Evidence:
    return other.told(f"{other.does} it in the background ({other.actor.id})")


def _runs_test(side: Side) -> bool:
    """Return whether it runs a test, by its stack or its creator."""
    if side.is_test:
        return True
    return any(is_test_file(f.file) and go.test_name(f.function) for f in side.true)


def _is_background(scene: Scene, side: Side) -> bool:
    """Return whether it is a goroutine of the product."""
    if scene.same_function or _runs_test(side):
        return False
    return side.site is not None or side.is_worker


def _serves_tests(side: Side) -> bool:
    """Return whether it is a function for tests: `func Fast(t testing.TB) { fast = true }`."""
    names = side.here.names.values() if side.here and not side.closure else ()
    return any(told.how == "parameter" and told.type in _TESTING for told in names)


def _where(side: Side) -> str:
    return "in a test file" if side.in_test else "in a function that tests call"


def _tests(scene: Scene, side: Side) -> bool:
    """Return whether the other side is test code too."""
    if not side.in_test:
        return False
    return is_packages(scene) is not True or any(go.test_name(f.function) for f in side.frames)


def _is_anothers(scene: Scene, side: Side) -> bool:
    """Return whether another test than the running one started it."""
    started = [name for f in side.actor.created_at if (name := go.test_name(f.function))]
    return bool(started) and scene.report.test not in started


RULE = Rule(
    "test-changes-global",
    "tests",
    _find,
    "a parameter instead of a package variable; a join in the test",
    "One more constructor parameter.",
)
