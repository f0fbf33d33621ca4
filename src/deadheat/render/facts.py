"""A dossier's answers as plain sentences, for every format that shows them; escapes nothing.

A fact that is not known is a sentence, too, and says why.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deadheat.model import Sighting

Plain = dict[str, Any]
SHORT = 11
# a commit below the first is only a possibility; how far below a sure one another is worth a line
_SURE, _BESIDE, _FAINT = 0.7, 0.2, 0.6
_PRESENT = {
    True: "both racing lines are still there at HEAD",
    False: "not there any more at HEAD",
    None: "whether it is still there at HEAD cannot be told: the functions have changed",
}
# claims that are worth quoting though nobody can check them here
_QUOTED = ("version", "suspect", "workaround", "setting", "injection", "reference")
# the first two numbers of a release: "v5.3.1" is of the line (5, 3)
_LINE = re.compile(r"(\d+)\.(\d+)")
_CANDIDATE = re.compile(r"alpha|beta|rc|pre|dev|nightly|-\d{6,}", re.IGNORECASE)


def variable(told: Plain) -> list[str]:
    """What was raced for."""
    found = told["variable"]
    if found is None:
        if told["pin"] is None:
            return ["Not known: no source of the racing lines is at hand."]
        touched = [
            f"`{t['site']['function']}` touches {_names(t['touches']) or 'nothing by name'}."
            for t in told["touched"]
        ]
        return ["Not known: the racing lines name nothing in common.", *touched]
    owner = f" of `{found['owner']}`" if found["owner"] else ""
    place = found["declared"]
    where = f", declared at `{place['file']}:{place['line']}`" if place else ""
    part = f"; in it {found['part']}" if found["part"] else ""
    return [f"`{found['name']}`{owner}{where}{part} ({found['why']})"]


def version(told: Plain) -> list[str]:
    """The window of commits, how well it fits, and what fits as well."""
    pin = told["pin"]
    if pin is None:
        return ["Not known: no frame lies in a repository that was given."]
    days = " to ".join(dict.fromkeys(day for day in pin["days"] if day))
    when = f", {days}" if days else ""
    lines = [f"{window(pin)}{when}; {pin['frames_fit']} of {pin['frames']} frames fit"]
    surest = pin["surest"]
    if pin["named"]:
        lines.append(f"in it `{pin['named']}` (`{surest['last'][:SHORT]}`), which was named")
    elif surest["commits"] < pin["commits"]:
        lines.append(f"surest {window(surest)}: there each line does what its frame says")
    if not pin["exact"]:
        lines.append(
            "no commit fits every frame: this is the best base of a version that is not here"
        )
        misfits = [f"`{f['function']}` (`{f['file']}:{f['line']}`)" for f in pin["misfits"]]
        lines.append(f"does not fit: {_some(misfits, 3)}")
    if pin["tags"]:
        lines.append(f"tags that fit: {_some(pin['tags'], 6)}")
    if pin["main_line"]:
        lines.append(f"nearest on the main line: {window(pin['main_line'])}")
    lines += [f"as good: {window(tie)}" for tie in pin["ties"][:3]]
    if len(pin["ties"]) > 3:
        lines.append(f"and {len(pin['ties']) - 3} more windows as good")
    return lines


def window(found: Plain) -> str:
    first, last = found["first"][:SHORT], found["last"][:SHORT]
    branch = found["line"].removeprefix("refs/heads/").removeprefix("refs/remotes/")
    if found["commits"] == 1:
        return f"`{first}` on `{branch}`"
    return f"`{first}` to `{last}` on `{branch}` ({found['commits']} commits)"


def module(told: Plain) -> list[str]:
    """The dependency that the race is in."""
    found = told["module"]
    return [f"{found['path']} {found['version'] or ''}".rstrip()] if found else []


def fixed(told: Plain) -> list[str]:
    """Commits that may have mended it, the releases that have the first, and what HEAD shows."""
    if told["pin"] is None:
        return ["Not known: without its version no later commit can be looked for."]
    lines = commits(_likely(told["fixed_by"]), 3)
    if not lines or told["fixed_by"][0]["score"] < _SURE:
        lines = ["No commit was found that surely mends it.", *(f"possibly {c}" for c in lines)]
    if told["fixed_in"]:
        lines.append(f"fixed in {_some(releases(told), 4)}{_ran(told['pin'])}")
    return [*lines, _PRESENT[told["still_present"]]]


def _likely(found: list[Plain]) -> list[Plain]:
    """Beside one that is sure, a mere possibility is not worth a line; nor is a faint one alone."""
    least = max(_FAINT, found[0]["score"] - _BESIDE) if found else 0.0
    return [c for c in found if c["score"] >= least]


def brief_fix(told: Plain) -> str:
    """The likeliest fix, and the first release that has it."""
    if not told["fixed_by"] or told["fixed_by"][0]["score"] < _SURE:
        return fixed(told)[0]
    best = told["fixed_by"][0]
    released = f"; released in {releases(told)[0]}" if told["fixed_in"] else ""
    return f"`{best['commit'][:SHORT]}` {best['subject']} ({best['score']:.2f}){released}"


def releases(told: Plain) -> list[str]:
    """The first release of each line that has the fix; that of the line which was run comes first."""
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
    """Where stacks stop being true, and why."""
    return [f"{b['where']}, below `{b['above']['function']}`: {b['why']}" for b in told["stale"]]


def command(told: Plain) -> list[str]:
    """What to type, line by line; nothing where that is not known."""
    found = told["reproduce"]
    if found is None:
        return []
    at = [f"git checkout {found['at']}"] if found["at"] else []
    return [*at, *found["command"].split("\n")]


def command_told(told: Plain) -> list[str]:
    """What to type, and what that lacks."""
    lacks = told["reproduce"]["note"] if told["reproduce"] else None
    return [*command(told), *([lacks] if lacks else [])] or [command_note(told)]


def command_note(told: Plain) -> str:
    found = told["reproduce"]
    if found is None:
        return "Not known: the frames do not tell what ran."
    if found["claimed"]:
        return "The document's own steps, not tried; the frames do not tell what ran."
    note = f" {found['note']}" if found["note"] else ""
    return f"As {found['framework']} ran it, by the frames; a race may not show at once.{note}"


def owners(told: Plain) -> list[str]:
    return [f"{o['who']}: {o['why']}" for o in told["owners"][:5]]


def cause(told: Plain) -> list[str]:
    """The cause in a line, and whether the test is to blame."""
    found = told["cause"]
    if found is None:
        return ["Not known."]
    if found["cause"] == "unknown":
        return ["Not known.", *(f"To settle it: {what}" for what in found["settle"])]
    basis = "the report and the code at the pin" if found["from_source"] else "the report alone"
    lines = [f"{found['cause']} (confidence {found['confidence']:.2f}, from {basis})"]
    if found["test_only"]:
        lines.append("The product is right here and the test is wrong.")
    return lines


def evidence(told: Plain) -> list[str]:
    return list(told["cause"]["evidence"]) if told["cause"] else []


def remedy(told: Plain) -> list[str]:
    """What to change, with what, at what price, and how to see that it is gone."""
    found = told["cause"]
    if found is None or not found["remedy"]:
        return []
    fix = found["fix"]
    return [
        found["remedy"],
        f"With: {fix['primitive']}",
        f"Price: {fix['price']}",
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
    """The document's claims, each with what the clone says to it."""
    verdicts = {True: "it holds", False: "it does not hold", None: "cannot be told"}
    return [
        f"“{c['quote']}” ({c['kind']} {c['value']}): {verdicts[c['holds']]}; {c['why']}"
        for c in told["checked"]
    ]


def unchecked(sighting: Sighting, told: Plain) -> list[str]:
    """What else the document claims, as it says it."""
    seen = {c["value"] for c in told["checked"]}
    lines = []
    for claim in sighting.document.claims if sighting.document else ():
        if claim.kind in _QUOTED and claim.value not in seen:
            seen.add(claim.value)
            role = f" ({claim.role})" if claim.role else ""
            lines.append(f"{claim.kind}{role}: {claim.value}; not checked")
    return lines


def unknown(told: Plain) -> list[str]:
    """What nobody should take this dossier to say."""
    lines = [f"the clone: {what}" for what in told["missing"]]
    pin = told["pin"]
    if pin and pin["absent"]:
        files = list(dict.fromkeys(f["file"] for f in pin["absent"]))
        lines.append(f"no repository was given that has {_some(files, 4)}")
    if pin and pin["ambiguous"]:
        files = list(dict.fromkeys(f["file"] for f in pin["ambiguous"]))
        lines.append(f"more than one file may be meant by {_some(files, 4)}")
    return lines


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _some(names: list[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
