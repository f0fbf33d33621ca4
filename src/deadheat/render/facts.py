"""The facts of a dossier as sentences, shared by all dossier formats; nothing is escaped.

An unknown fact is a sentence too, and says why it is unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deadheat.model import Sighting

Plain = dict[str, Any]
SHORT = 11
# fix scores: convincing; how far below the best another fix is listed; possible
_SURE, _BESIDE, _FAINT = 0.7, 0.2, 0.6
_PRESENT = {
    True: "both racing lines are still present at HEAD",
    False: "no longer present at HEAD",
    None: "unknown whether it is still present at HEAD: the functions have changed",
}
# claims that are listed although they cannot be checked
_QUOTED = ("version", "suspect", "workaround", "setting", "injection", "reference")
# major and minor version: "v5.3.1" is of the release line (5, 3)
_LINE = re.compile(r"(\d+)\.(\d+)")
_CANDIDATE = re.compile(r"alpha|beta|rc|pre|dev|nightly|-\d{6,}", re.IGNORECASE)


def variable(told: Plain) -> list[str]:
    found = told["variable"]
    if found is None:
        if told["pin"] is None:
            return ["Unknown: the source of the racing lines is not available."]
        touched = [
            f"`{t['site']['function']}` accesses {_names(t['touches']) or 'nothing by name'}."
            for t in told["touched"]
        ]
        return ["Unknown: the racing lines have no name in common.", *touched]
    owner = f" of `{found['owner']}`" if found["owner"] else ""
    place = found["declared"]
    where = f", declared at `{place['file']}:{place['line']}`" if place else ""
    part = f"; part: {found['part']}" if found["part"] else ""
    return [f"`{found['name']}`{owner}{where}{part} ({found['why']})"]


def version(told: Plain) -> list[str]:
    """The window of commits, how well it fits, and equally good windows."""
    pin = told["pin"]
    if pin is None:
        return ["Unknown: no frame is in one of the given repositories."]
    days = " to ".join(dict.fromkeys(day for day in pin["days"] if day))
    when = f", {days}" if days else ""
    lines = [f"{window(pin)}{when}; {pin['frames_fit']} of {pin['frames']} frames fit"]
    surest = pin["surest"]
    if pin["named"]:
        lines.append(f"it contains the named version `{pin['named']}` (`{surest['last'][:SHORT]}`)")
    elif surest["commits"] < pin["commits"]:
        lines.append(f"most likely {window(surest)}: each line there does what its frame says")
    if not pin["exact"]:
        lines.append(
            "no commit fits every frame; this is the closest base of a version that is not here"
        )
        misfits = [f"`{f['function']}` (`{f['file']}:{f['line']}`)" for f in pin["misfits"]]
        lines.append(f"does not fit: {_some(misfits, 3)}")
    if pin["tags"]:
        lines.append(f"tags that fit: {_some(pin['tags'], 6)}")
    if pin["main_line"]:
        lines.append(f"nearest on the main branch: {window(pin['main_line'])}")
    lines += [f"equally good: {window(tie)}" for tie in pin["ties"][:3]]
    if len(pin["ties"]) > 3:
        lines.append(f"and {len(pin['ties']) - 3} more equally good windows")
    return lines


def window(found: Plain) -> str:
    first, last = found["first"][:SHORT], found["last"][:SHORT]
    branch = found["line"].removeprefix("refs/heads/").removeprefix("refs/remotes/")
    if found["commits"] == 1:
        return f"`{first}` on `{branch}`"
    return f"`{first}` to `{last}` on `{branch}` ({found['commits']} commits)"


def module(told: Plain) -> list[str]:
    found = told["module"]
    return [f"{found['path']} {found['version'] or ''}".rstrip()] if found else []


def fixed(told: Plain) -> list[str]:
    """Likely fixes, the releases that contain the best one, and whether HEAD still has the race."""
    if told["pin"] is None:
        return ["Unknown: without the version, later commits cannot be searched."]
    lines = commits(_likely(told["fixed_by"]), 3)
    if not lines or told["fixed_by"][0]["score"] < _SURE:
        lines = ["No commit was found that certainly fixes it.", *(f"possibly {c}" for c in lines)]
    if told["fixed_in"]:
        lines.append(f"fixed in {_some(releases(told), 4)}{_ran(told['pin'])}")
    return [*lines, _PRESENT[told["still_present"]]]


def _likely(found: list[Plain]) -> list[Plain]:
    """Drops fixes with a low score, and those far below the best one."""
    least = max(_FAINT, found[0]["score"] - _BESIDE) if found else 0.0
    return [c for c in found if c["score"] >= least]


def brief_fix(told: Plain) -> str:
    """The most likely fix and the first release that contains it."""
    if not told["fixed_by"] or told["fixed_by"][0]["score"] < _SURE:
        return fixed(told)[0]
    best = told["fixed_by"][0]
    released = f"; released in {releases(told)[0]}" if told["fixed_in"] else ""
    return f"`{best['commit'][:SHORT]}` {best['subject']} ({best['score']:.2f}){released}"


def releases(told: Plain) -> list[str]:
    """The first release of each release line with the fix; the line that was run comes first."""
    firsts: dict[tuple[str, ...], str] = {}
    tags: list[str] = told["fixed_in"]
    for tag in [t for t in tags if not _CANDIDATE.search(t)] or tags:
        firsts.setdefault(_line(tag), tag)
    ran = _line(told["pin"]["named"] or next(iter(told["pin"]["tags"]), ""))
    own = [firsts.pop(ran)] if ran in firsts else []
    return own + list(firsts.values())


def _line(tag: str) -> tuple[str, ...]:
    match = _LINE.search(tag)
    return match.groups() if match else (tag,)


def _ran(pin: Plain) -> str:
    ran = pin["named"] or ", ".join(pin["tags"][:1])
    return f"; you run {ran}" if ran else ""


def commits(found: list[Plain], most: int) -> list[str]:
    return [
        f"`{c['commit'][:SHORT]}` {c['subject']} ({c['score']:.2f}: {'; '.join(c['why'])})"
        for c in found[:most]
    ]


def introduced(told: Plain) -> list[str]:
    return commits(told["introduced_by"], 3)


def stale(told: Plain) -> list[str]:
    """Where stacks become stale, and why."""
    return [f"{b['where']}, below `{b['above']['function']}`: {b['why']}" for b in told["stale"]]


def command(told: Plain) -> list[str]:
    """The commands to run, line by line; empty if unknown."""
    found = told["reproduce"]
    if found is None:
        return []
    at = [f"git checkout {found['at']}"] if found["at"] else []
    return [*at, *found["command"].split("\n")]


def command_told(told: Plain) -> list[str]:
    """The commands to run, followed by a note if there is one."""
    lacks = told["reproduce"]["note"] if told["reproduce"] else None
    return [*command(told), *([lacks] if lacks else [])] or [command_note(told)]


def command_note(told: Plain) -> str:
    found = told["reproduce"]
    if found is None:
        return "Unknown: the frames do not show what was run."
    if found["claimed"]:
        return "Steps from the document, not tested; the frames do not show what was run."
    note = f" {found['note']}" if found["note"] else ""
    return f"Run with {found['framework']}, from the frames; a race may need several runs.{note}"


def owners(told: Plain) -> list[str]:
    return [f"{o['who']}: {o['why']}" for o in told["owners"][:5]]


def cause(told: Plain) -> list[str]:
    """The cause, and whether the defect is in the test."""
    found = told["cause"]
    if found is None:
        return ["Unknown."]
    if found["cause"] == "unknown":
        return ["Unknown.", *(f"To find out: {what}" for what in found["settle"])]
    basis = "the report and the code at the pin" if found["from_source"] else "the report alone"
    lines = [f"{found['cause']} (confidence {found['confidence']:.2f}, from {basis})"]
    if found["test_only"]:
        lines.append("The defect is in the test, not in the product code.")
    return lines


def evidence(told: Plain) -> list[str]:
    return list(told["cause"]["evidence"]) if told["cause"] else []


def remedy(told: Plain) -> list[str]:
    """What to change, with which primitive, at what cost, and how to check the fix."""
    found = told["cause"]
    if found is None or not found["remedy"]:
        return []
    fix = found["fix"]
    return [
        found["remedy"],
        f"Use: {fix['primitive']}",
        f"Cost: {fix['price']}",
        f"To check: {fix['check']}",
    ]


def similar(told: Plain) -> list[str]:
    return [
        f"`{c['commit'][:SHORT]}` {c['subject']} ({'; '.join([*_strategy(c), *c['why']])})"
        for c in told["similar_fixes"][:5]
    ]


def _strategy(fix: Plain) -> list[str]:
    return [fix["strategy"]] if fix.get("strategy") else []


def checked(told: Plain) -> list[str]:
    """The claims of the document that were checked against the clone."""
    verdicts = {True: "confirmed", False: "refuted", None: "not decidable"}
    return [
        f"“{c['quote']}” ({c['kind']} {c['value']}): {verdicts[c['holds']]}; {c['why']}"
        for c in told["checked"]
    ]


def unchecked(sighting: Sighting, told: Plain) -> list[str]:
    """The other claims of the document."""
    seen = {c["value"] for c in told["checked"]}
    lines = []
    for claim in sighting.document.claims if sighting.document else ():
        if claim.kind in _QUOTED and claim.value not in seen:
            seen.add(claim.value)
            role = f" ({claim.role})" if claim.role else ""
            lines.append(f"{claim.kind}{role}: {claim.value}; not checked")
    return lines


def unknown(told: Plain) -> list[str]:
    """What could not be examined, and why."""
    lines = [f"the clone: {what}" for what in told["missing"]]
    pin = told["pin"]
    if pin and pin["absent"]:
        files = list(dict.fromkeys(f["file"] for f in pin["absent"]))
        lines.append(f"no given repository contains {_some(files, 4)}")
    if pin and pin["ambiguous"]:
        files = list(dict.fromkeys(f["file"] for f in pin["ambiguous"]))
        lines.append(f"more than one file matches {_some(files, 4)}")
    return lines


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _some(names: list[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
