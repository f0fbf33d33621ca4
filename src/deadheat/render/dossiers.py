"""A dossier as text for a person: what raced, on what, in which version, mended by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat.render.text import Paint, RaceText, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Sighting
    from deadheat.render import Style

Plain = dict[str, Any]
_SHORT = 11


class DossierText:
    """Dossiers as lines for a terminal."""

    def __init__(self, style: Style) -> None:
        self._paint = Paint(style.colour)
        self._race = RaceText(style)

    def __call__(self, number: int, sighting: Sighting, told: Plain) -> str:
        title, body = self._race(sighting)
        head = self._paint(f"{number}. {title}", "bold")
        return "\n".join([head, body, "", *self._facts(told)])

    def _facts(self, told: Plain) -> Iterator[str]:
        for label, lines in (
            ("variable", _variable(told)),
            ("version", _pin(told["pin"])),
            ("dependency", _module(told["module"])),
            ("fixed by", _fixed(told)),
            ("came with", _commits(told["introduced_by"], 2)),
            ("stale", [f"{b['where']}: {b['why']}" for b in told["stale"]]),
            ("reproduce", _reproduce(told["reproduce"])),
            ("owners", [f"{o['who']}: {o['why']}" for o in told["owners"][:5]]),
            ("missing", told["missing"]),
        ):
            for at, line in enumerate(lines):
                name = self._paint(f"{label:11}", "cyan") if not at else " " * 11
                yield f"   {name} {plain(line)}"


def _variable(told: Plain) -> list[str]:
    found = told["variable"]
    if found is None:
        return [
            f"not known; {t['site']['function']} touches {', '.join(t['touches']) or 'nothing by name'}"
            for t in told["touched"]
        ] or ["not known"]
    owner = f" of {found['owner']}" if found["owner"] else ""
    place = found["declared"]
    where = f", declared at {place['file']}:{place['line']}" if place else ""
    part = f"; in it {found['part']}" if found["part"] else ""
    return [f"{found['name']}{owner}{where}{part} ({found['why']})"]


def _pin(pin: Plain | None) -> list[str]:
    if pin is None:
        return ["not known: no frame lies in a repository that was given"]
    fit = f"{pin['frames_fit']} of {pin['frames']} frames fit"
    lines = [f"{_window(pin)}, {fit}"]
    if pin["surest"]["commits"] < pin["commits"]:
        lines.append(f"surest {_window(pin['surest'])}: there each line does what its frame says")
    if not pin["exact"]:
        lines.append(
            "no commit fits every frame: this is the best base of a version that is not here"
        )
    if pin["tags"]:
        more = f" and {len(pin['tags']) - 6} more" if len(pin["tags"]) > 6 else ""
        lines.append(f"tags that fit: {', '.join(pin['tags'][:6])}{more}")
    lines += [f"as good: {_window(tie)}" for tie in pin["ties"][:3]]
    return lines


def _window(window: Plain) -> str:
    first, last = window["first"][:_SHORT], window["last"][:_SHORT]
    if window["commits"] == 1:
        return f"{first} on {_branch(window['line'])}"
    return f"{first} to {last} on {_branch(window['line'])} ({window['commits']} commits)"


def _branch(name: str) -> str:
    return name.removeprefix("refs/heads/").removeprefix("refs/remotes/")


def _module(module: Plain | None) -> list[str]:
    return [f"{module['path']} {module['version'] or ''}".rstrip()] if module else []


def _fixed(told: Plain) -> list[str]:
    lines = _commits(told["fixed_by"], 3) or ["nothing found"]
    if told["fixed_in"]:
        ran = told["pin"]["named"] or ", ".join(told["pin"]["tags"][:1])
        lines.append(
            f"fixed in {', '.join(told['fixed_in'][:3])}" + (f"; this ran {ran}" if ran else "")
        )
    present = told["still_present"]
    if present is not None:
        lines.append("still there at HEAD" if present else "not there any more at HEAD")
    return lines


def _commits(found: list[Plain], most: int) -> list[str]:
    return [
        f"{c['commit'][:_SHORT]} {c['score']:.2f} {c['subject']} ({'; '.join(c['why'])})"
        for c in found[:most]
    ]


def _reproduce(found: Plain | None) -> list[str]:
    if found is None:
        return ["not known: the frames do not tell what ran"]
    at = [f"git checkout {found['at']}"] if found["at"] else []
    return [*at, found["command"]]
