"""The facts of a dossier as sentences, shared by all dossier formats; nothing is escaped.

An unknown fact is a sentence too, and says why it is unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deadheat.diagnosis.finding import UNKNOWN
from deadheat.output.findings import format_cause_choice
from deadheat.printable import quote_code
from deadheat.shell import format_command

if TYPE_CHECKING:
    from deadheat.model import Sighting

JsonDict = dict[str, Any]
SHORT_HASH_LENGTH = 11
# fix scores: convincing; how far below the best another fix is listed; possible
_MIN_CONVINCING_SCORE, _MAX_SCORE_GAP, _MIN_POSSIBLE_SCORE = 0.7, 0.2, 0.6
NO_OWNER = "Unknown: no CODEOWNERS or OWNERS file and no author of the racing lines was found."
_PRESENCE_SENTENCES = {
    True: "both racing lines are still present at HEAD",
    False: "no longer present at HEAD",
    None: "unknown whether it is still present at HEAD: the functions have changed",
}
# claims that are listed although they cannot be checked
_UNCHECKED_CLAIM_KINDS = ("version", "suspect", "workaround", "setting", "injection", "reference")
# major and minor version: "v5.3.1" is of the release line (5, 3)
_RELEASE_LINE = re.compile(r"(?<!\d)(\d+)\.(\d+)")
_PRERELEASE = re.compile(r"alpha|beta|rc|pre|dev|nightly|-\d{6,}", re.IGNORECASE)


def describe_variable(dossier: JsonDict) -> list[str]:
    variable = dossier["variable"]
    if variable is None:
        if dossier["pin"] is None:
            return ["Unknown: the source of the racing lines is not available."]
        touched = [
            f"{quote_code(touch['site']['function'])} accesses {_quote_names(touch['touches']) or 'nothing by name'}."
            for touch in dossier["touched"]
        ]
        return ["Unknown: the racing lines have no name in common.", *touched]
    owner = f" of {quote_code(variable['owner'])}" if variable["owner"] else ""
    declaration = variable["declared"]
    where = f", declared at {_quote_location(declaration)}" if declaration else ""
    part = f"; part: {variable['part']}" if variable["part"] else ""
    return [f"{quote_code(variable['name'])}{owner}{where}{part} ({variable['why']})"]


def describe_version(dossier: JsonDict) -> list[str]:
    """The window of commits, how well it fits, and equally good windows."""
    pin = dossier["pin"]
    if pin is None:
        return ["Unknown: no frame is in one of the given repositories."]
    days = " to ".join(dict.fromkeys(day for day in pin["days"] if day))
    when = f", {days}" if days else ""
    lines = [f"{describe_window(pin)}{when}; {pin['frames_fit']} of {pin['frames']} frames fit"]
    surest = pin["surest"]
    if pin["named"]:
        commit = surest["last"][:SHORT_HASH_LENGTH]
        lines.append(f"it contains the named version {quote_code(pin['named'])} (`{commit}`)")
    elif surest["commits"] < pin["commits"]:
        lines.append(f"most likely {describe_window(surest)}: each line there does what its frame says")
    if not pin["exact"]:
        if not pin["named"]:
            lines.append("no commit fits every frame; this is the closest base of a version that is not here")
        misfits = [f"{quote_code(frame['function'])} ({_quote_location(frame)})" for frame in pin["misfits"]]
        lines.append(f"does not fit: {_join_limited(misfits, 3)}")
    if pin["tags"]:
        lines.append(f"tags that fit: {_join_limited([*map(_tag_name, pin['tags'])], 6)}")
    if pin["main_line"]:
        lines.append(f"nearest on the main branch: {describe_window(pin['main_line'])}")
    lines += [f"equally good: {describe_window(tie)}" for tie in pin["ties"][:3]]
    if len(pin["ties"]) > 3:
        lines.append(f"and {len(pin['ties']) - 3} more equally good windows")
    return lines


def summarize_versions(dossier: JsonDict) -> str:
    """The releases and commits with the race, and the first release without it, in one line."""
    pin = dossier["pin"]
    if pin is None:
        return describe_version(dossier)[0]
    days = " to ".join(dict.fromkeys(day for day in pin["days"] if day))
    window = f"{describe_window(pin)}{f', {days}' if days else ''}"
    tags = _join_limited([*map(_tag_name, pin["tags"])], 3)
    affected = f"{tags}; {window}" if tags else window
    if not pin["exact"] and not pin["named"]:
        affected = f"close to {affected}; not every frame fits"
    if dossier["fixed_in"]:
        return f"{affected}; fixed in {_join_limited([*map(_tag_name, releases_with_fix(dossier))], 2)}"
    return f"{affected}; {_PRESENCE_SENTENCES[dossier['still_present']]}" if dossier["still_present"] else affected


def describe_window(window: JsonDict) -> str:
    first, last = window["first"][:SHORT_HASH_LENGTH], window["last"][:SHORT_HASH_LENGTH]
    branch = quote_code(window["line"].removeprefix("refs/heads/").removeprefix("refs/remotes/"))
    if window["commits"] == 1:
        return f"`{first}` on {branch}"
    return f"`{first}` to `{last}` on {branch} ({window['commits']} commits)"


def describe_dependency(dossier: JsonDict) -> list[str]:
    dependency = dossier["module"]
    return [f"{dependency['path']} {dependency['version'] or ''}".rstrip()] if dependency else []


def describe_fixes(dossier: JsonDict) -> list[str]:
    """Likely fixes, the releases that contain the best one, and whether HEAD still has the race."""
    if dossier["pin"] is None:
        return ["Unknown: without the version, later commits cannot be searched."]
    lines = describe_commits(_likely_fixes(dossier["fixed_by"]), 3)
    if not lines or dossier["fixed_by"][0]["score"] < _MIN_CONVINCING_SCORE:
        lines = ["No commit was found that certainly fixes it.", *(f"possibly {commit}" for commit in lines)]
    if dossier["fixed_in"]:
        releases = _join_limited([*map(_tag_name, releases_with_fix(dossier))], 4)
        lines.append(f"fixed in {releases}{_tested_release(dossier['pin'])}")
    return [*lines, _PRESENCE_SENTENCES[dossier["still_present"]]]


def describe_verifications(dossier: JsonDict) -> list[str]:
    """What a lake knows of runs of `reproduce`, `verify` and `bisect`, the newest first."""
    return [f"{row['at'][:10]}: {row['sentence']}" for row in dossier.get("verifications", ())]


def _likely_fixes(fixes: list[JsonDict]) -> list[JsonDict]:
    """Drops fixes with a low score, and those far below the best one."""
    min_score = max(_MIN_POSSIBLE_SCORE, fixes[0]["score"] - _MAX_SCORE_GAP) if fixes else 0.0
    return [fix for fix in fixes if fix["score"] >= min_score]


def describe_best_fix(fixes: list[JsonDict] | None, still_present: bool | None) -> str:
    """What `place` and `show` say of the fix, in the words of a dossier; empty if nothing is known."""
    likely = _likely_fixes(fixes or [])
    if not likely:
        return "no commit yet: both accesses are still present" if still_present else ""
    best = likely[0]
    prefix = "" if best["score"] >= _MIN_CONVINCING_SCORE else "possibly "
    return f"{prefix}{best['commit'][:SHORT_HASH_LENGTH]} {best['subject']} (score {best['score']:.2f})"


def summarize_fix(dossier: JsonDict) -> str:
    """The most likely fix and the first release that contains it."""
    if not dossier["fixed_by"] or dossier["fixed_by"][0]["score"] < _MIN_CONVINCING_SCORE:
        return describe_fixes(dossier)[0]
    best = dossier["fixed_by"][0]
    released = f"; released in {_tag_name(releases_with_fix(dossier)[0])}" if dossier["fixed_in"] else ""
    return f"`{best['commit'][:SHORT_HASH_LENGTH]}` {best['subject']} (score {best['score']:.2f}){released}"


def releases_with_fix(dossier: JsonDict) -> list[str]:
    """The first release of each release line with the fix; the line that was run comes first."""
    first_releases: dict[tuple[str, ...], str] = {}
    tags: list[str] = dossier["fixed_in"]
    for tag in [t for t in tags if not _PRERELEASE.search(t)] or tags:
        first_releases.setdefault(_release_line(tag), tag)
    tested_line = _release_line(dossier["pin"]["named"] or next(iter(dossier["pin"]["tags"]), ""))
    same_line = [first_releases.pop(tested_line)] if tested_line in first_releases else []
    return same_line + list(first_releases.values())


def _release_line(tag: str) -> tuple[str, ...]:
    match = _RELEASE_LINE.search(tag)
    return match.groups() if match else (tag,)


def _tested_release(pin: JsonDict) -> str:
    release = pin["named"] or ", ".join(pin["tags"][:1])
    return f"; you run {_tag_name(release)}" if release else ""


def describe_commits(commits: list[JsonDict], limit: int) -> list[str]:
    return [
        f"`{commit['commit'][:SHORT_HASH_LENGTH]}` {commit['subject']}"
        f" (score {commit['score']:.2f}: {'; '.join(commit['why'])})"
        for commit in commits[:limit]
    ]


def describe_introducing_commits(dossier: JsonDict) -> list[str]:
    return describe_commits(dossier["introduced_by"], 3)


def describe_stale_frames(dossier: JsonDict) -> list[str]:
    """Where stacks become stale, and why."""
    return [
        f"{boundary['where']}, below {quote_code(boundary['above']['function'])}: {boundary['why']}"
        for boundary in dossier["stale"]
    ]


def reproduction_commands(dossier: JsonDict) -> list[str]:
    """The commands to run, line by line; empty if unknown."""
    reproduction = dossier["reproduce"]
    if reproduction is None:
        return []
    if reproduction["command"] is None:
        return []
    checkout = format_command("git", "checkout", reproduction["at"]) if reproduction["at"] else None
    return [*([checkout] if checkout else []), *reproduction["command"].split("\n")]


def reproduction_notes(dossier: JsonDict) -> list[str]:
    """What to know about the commands, if anything; why there are none."""
    reproduction = dossier["reproduce"]
    if not reproduction_commands(dossier) or reproduction["claimed"]:
        return [reproduction_note(dossier)]
    return [reproduction["note"]] if reproduction["note"] else []


def reproduction_note(dossier: JsonDict) -> str:
    reproduction = dossier["reproduce"]
    if reproduction is None:
        return "Unknown: the frames do not show what was run."
    if reproduction["claimed"]:
        return "Steps from the document, not tested; the frames do not show what was run."
    if reproduction["command"] is None:
        return str(reproduction["note"])
    note = f" {reproduction['note']}" if reproduction["note"] else ""
    return f"Run with {reproduction['framework']}, from the frames; a race may need several runs.{note}"


def describe_owners(dossier: JsonDict) -> list[str]:
    return [f"{owner['who']}: {owner['why']}" for owner in dossier["owners"][:5]]


def describe_missing_order(dossier: JsonDict) -> list[str]:
    """Which two accesses nothing orders; empty if the report has only one."""
    cause = dossier["cause"]
    return [cause["missing_order"]] if cause and cause.get("missing_order") else []


def summarize_cause(dossier: JsonDict) -> str:
    """The title of the cause with its probability, or of the two that may be."""
    cause = dossier["cause"]
    if cause is None:
        return "unknown"
    others = [other for other in dossier.get("causes", ()) if other["cause"] != UNKNOWN and other["confidence"]]
    named = [(str(other["title"] or other["cause"]), float(other["confidence"])) for other in others]
    return format_cause_choice(named, cause["cause"] == UNKNOWN)


def describe_basis(dossier: JsonDict) -> list[str]:
    """What the cause was found from, and what would decide it if it is not known."""
    cause = dossier["cause"]
    if cause is None:
        return []
    if cause["cause"] == UNKNOWN:
        return list(cause["settle"])
    basis = "the report and the code of the affected version" if cause["from_source"] else "the report alone"
    lines = [f"{basis}; cause {quote_code(cause['cause'])}"]
    return [*lines, "The defect is in the test, not in the product code."] if cause["test_only"] else lines


def describe_cause(dossier: JsonDict) -> list[str]:
    """What is not ordered, the cause or the two that may be, and what that is based on."""
    if dossier["cause"] is None:
        return ["Unknown."]
    is_known = dossier["cause"]["cause"] != UNKNOWN
    basis = describe_basis(dossier)
    basis = [f"From {basis[0]}.", *basis[1:]] if is_known else [f"To find out: {question}" for question in basis]
    return [*describe_missing_order(dossier), f"Cause: {summarize_cause(dossier)}.", *basis]


def cause_evidence(dossier: JsonDict) -> list[str]:
    return list(dossier["cause"]["evidence"]) if dossier["cause"] else []


def describe_remedy(dossier: JsonDict) -> list[str]:
    """What to change, with which means, at what cost, how to check the fix, and what else may be changed."""
    cause = dossier["cause"]
    if cause is None or not cause["remedy"]:
        return []
    fix = cause["fix"]
    others = [f"Or: {other['change']} Cost: {other['price']}" for other in cause.get("other_fixes", ())]
    return [cause["remedy"], f"Use: {fix['primitive']}", f"Cost: {fix['price']}", *others, f"To check: {fix['check']}"]


def snippet_at(dossier: JsonDict, file: str, line: int | None) -> JsonDict | None:
    """The lines of code around a frame, if a clone has them."""
    sites = ((snippet["site"], snippet) for snippet in dossier["snippets"])
    return next((snippet for site, snippet in sites if (site["file"], site["line"]) == (file, line)), None)


def explain_missing_diff(dossier: JsonDict) -> str:
    """Why there is no diff of a fix."""
    fixes = dossier["fixed_by"]
    if not fixes or fixes[0]["score"] < _MIN_CONVINCING_SCORE:
        return "not shown: no fix is certain"
    return "not shown: the fix changes none of the files of the race"


def describe_similar_fixes(dossier: JsonDict) -> list[str]:
    return [
        f"`{fix['commit'][:SHORT_HASH_LENGTH]}` {fix['subject']} ({'; '.join([*_fix_strategies(fix), *fix['why']])})"
        for fix in dossier["similar_fixes"][:5]
    ]


def _fix_strategies(fix: JsonDict) -> list[str]:
    return [fix["strategy"]] if fix.get("strategy") else []


def describe_checked_claims(dossier: JsonDict) -> list[str]:
    """The claims of the document that were checked against the clone."""
    verdicts = {True: "confirmed", False: "refuted", None: "not decidable"}
    return [
        f"“{claim['quote']}” ({claim['kind']} {claim['value']}): {verdicts[claim['holds']]}; {claim['why']}"
        for claim in dossier["checked"]
    ]


def describe_unchecked_claims(sighting: Sighting, dossier: JsonDict) -> list[str]:
    """The other claims of the document."""
    known_values = {checked_claim["value"] for checked_claim in dossier["checked"]}
    lines = []
    for claim in sighting.document.claims if sighting.document else ():
        if claim.kind in _UNCHECKED_CLAIM_KINDS and claim.value not in known_values:
            known_values.add(claim.value)
            role = f" ({claim.role})" if claim.role else ""
            lines.append(f"{claim.kind}{role}: {claim.value}; not checked")
    return lines


def describe_missing_facts(dossier: JsonDict) -> list[str]:
    """What could not be examined, and why."""
    lines = [f"the clone: {gap}" for gap in dossier["missing"]]
    pin = dossier["pin"]
    if pin and pin["absent"]:
        files = list(dict.fromkeys(frame["file"] for frame in pin["absent"]))
        lines.append(f"no given repository contains {_join_limited(files, 4)}")
    if pin and pin["ambiguous"]:
        files = list(dict.fromkeys(frame["file"] for frame in pin["ambiguous"]))
        lines.append(f"more than one file matches {_join_limited(files, 4)}")
    return lines


def _quote_names(names: list[str]) -> str:
    return ", ".join(map(quote_code, names))


def _quote_location(location: JsonDict) -> str:
    return quote_code(f"{location['file']}:{location['line']}")


def _tag_name(tag: str) -> str:
    """A tag in a sentence; as code if it has backticks, which mark code."""
    return quote_code(tag) if "`" in tag else tag


def _join_limited(names: list[str], limit: int) -> str:
    omitted = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + omitted
