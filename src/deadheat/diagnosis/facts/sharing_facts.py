"""Facts about what is shared: the variable, captures, containers, copies, pools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses, object_origin
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.captures import find_capture
from deadheat.diagnosis.facts.containers import APPEND_CALL, unsafe_type_of
from deadheat.diagnosis.facts.fact import About, Fact
from deadheat.diagnosis.finding import CodePoint, Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide

_TYPE_CLASSES = (
    ("map", re.compile(r"map\[|std::(?:unordered_)?(?:multi)?map\b|HashMap\b")),
    ("slice", re.compile(r"\[\w{0,40}\]|std::(?:vector|deque|list)\b|Vec<")),
    ("pointer", re.compile(r"\*|std::(?:shared|unique)_ptr\b")),
    ("boolean", re.compile(r"(?:_?B|b)ool\b")),
    (
        "number",
        re.compile(r"u?int(?:8|16|32|64|ptr)?(?:_t)?\b|float|double|size_t|long\b|unsigned|time\.Duration\b|byte\b"),
    ),
    ("string", re.compile(r"string\b|std::string\b")),
    ("error", re.compile(r"error\b")),
    ("channel", re.compile(r"chan\b|<-chan\b")),
    ("function", re.compile(r"func\(|std::function|context\.CancelFunc")),
    ("time", re.compile(r"time\.Time\b")),
    ("interface", re.compile(r"interface\{|any\b")),
)
# "q.items = q.items[1:]"
_RESLICE = re.compile(r"(?<![=!<>:])=\s{0,9}([\w.]{1,80})\[[^\]:]{0,80}:")
_RANGE = re.compile(r"\brange\b")
_MAP_WRITE = re.compile(r"\bdelete\(|\w\[[^\]]{1,80}\](?:\.\w{1,80}){0,3}\s{0,9}(?:[-+*/|&]?=(?!=)|\+\+|--)")
_MAX_POOL_FRAMES = 3


def facts_of_sharing(context: RaceContext) -> Iterator[Fact]:
    yield from _facts_of_variable(context)
    yield from _facts_of_test_setting(context)
    yield from _facts_of_type(context)
    yield from _facts_of_capture(context)
    for side in context.race_sides:
        yield from _facts_of_line(context, side)
    yield from _facts_of_copies(context)
    yield from _facts_of_pools(context)


def _facts_of_variable(context: RaceContext) -> Iterator[Fact]:
    shared = context.shared_variable
    if shared is None:
        if context.source is not None:
            yield Fact("variable", about=About.UNKNOWN)
        return
    point = CodePoint(shared.file, shared.line) if shared.file else None
    evidence = Evidence(f"`{shared}` is the raced variable ({shared.kind})", point)
    yield Fact(f"variable is a {shared.kind}", evidence)
    if not shared.is_certain:
        yield Fact("variable is likely")
    type_text = _type_of(shared.type, shared.name)
    for name, pattern in _TYPE_CLASSES:
        if pattern.match(type_text):
            yield Fact(f"variable's type: {name}", evidence)
            break
    if kind := unsafe_type_of(type_text):
        yield Fact("variable has an unsafe type", Evidence(f"`{shared}` is a `{kind}`", point), subject=kind)
    if type_text.lstrip("*").startswith("sync."):
        yield Fact("variable is of package sync", evidence)
    if shared.accessed_part:
        yield Fact("one side stores the whole struct", evidence)
    if re.search(r"(?:^|[a-z_])[eE]rr(?:or)?s?\d?$", shared.name):
        yield Fact("variable is named like an error")
    if shared.file and naming.is_test_file(shared.file):
        yield Fact("variable is declared in a test", evidence)


def _facts_of_test_setting(context: RaceContext) -> Iterator[Fact]:
    """Does the goroutine of a test write a variable of the package while something else uses it?"""
    shared = context.shared_variable
    is_global = shared.kind == "package" if shared is not None else addresses.is_package_variable(context)
    for writer, other in context.role_pairs if context.is_go else ():
        by_test = (
            writer.is_in_test_file or writer.runs_test or any(naming.is_test_file(f.file) for f in writer.user_frames)
        )
        if not by_test or other.runs_test:
            continue
        evidence = writer.evidence_at_site(f"{writer.action}, on behalf of a test")
        if is_global:
            yield Fact("a test writes a global variable", evidence, side=writer)
        elif is_global is None:
            yield Fact("a test writes a global variable", evidence, About.UNKNOWN, writer)


def _facts_of_type(context: RaceContext) -> Iterator[Fact]:
    """Does the type that contains the variable contain a lock too?"""
    shared, source = context.shared_variable, context.source
    site = next((side.site for side in context.race_sides if side.site is not None and side.site_facts), None)
    if source is None or site is None or (shared is not None and shared.kind not in ("field", "struct")):
        return
    receivers = [side.site_facts.receiver for side in context.race_sides if side.site_facts]
    owner = shared.owner if shared is not None else next(filter(None, receivers), "")
    about = About.RACE if shared is not None else About.UNKNOWN
    lock = source.find_lock_of_type(owner, site) if owner else None
    if lock:
        evidence = Evidence(f"`{owner}` has the lock `{lock}`")
        yield Fact("the type has a lock", evidence, about, subject=f"{owner}.{lock}")
    elif lock is not None:
        yield Fact("the type has no lock", Evidence(f"`{owner}` has no lock of its own"), about)


def _type_of(text: str, name: str) -> str:
    """`map[K]V` of a field's type, or of the line that declares it."""
    text = text.strip()
    pattern = rf"\b{re.escape(name)}\b\s{{1,40}}(?:=\s{{0,9}})?([\w.*\[\]<>(:{{]{{1,120}})"
    match = re.search(pattern, text) if " " in text else None
    return match[1] if match else text


def _facts_of_capture(context: RaceContext) -> Iterator[Fact]:
    capture = find_capture(context)
    if capture is None or context.source is None:
        return
    kind, side, evidence = capture.declaration.kind, capture.closure_side, capture.evidence
    yield Fact("a closure captures the variable", evidence, side=side, subject=capture.name)
    yield Fact(f"captured {kind}", evidence, side=side, subject=capture.name)
    if capture.is_error:
        yield Fact("captured error", evidence, side=side, subject=capture.name)
    is_shared = context.source.shares_loop_variables() if kind == "loop" else None
    if is_shared is not None:
        name = "iterations share the loop variable" if is_shared else "each iteration has its own loop variable"
        yield Fact(name, evidence, side=side)


def _facts_of_line(context: RaceContext, side: RaceSide) -> Iterator[Fact]:
    here, role = side.site_facts, "writer" if side.writes else "reader"
    if here is None:
        return
    text, name = here.text, context.variable_name
    quoted = f"`{text[:80]}`"
    if context.is_go and (match := APPEND_CALL.search(text)):
        about = About.RACE if name in ("", match[1].rpartition(".")[2]) else About.OTHER
        yield Fact(f"{role} appends", side.evidence_at_site(f"{quoted} appends to a slice"), about, side)
    if match := _RESLICE.search(text):
        about = About.RACE if name in ("", match[1].rpartition(".")[2]) else About.OTHER
        yield Fact(f"{role} reslices", side.evidence_at_site(f"{quoted} reslices"), about, side)
    if context.is_go and _RANGE.search(text) and (not name or naming.contains_word(text, name)):
        yield Fact(f"{role} iterates", side.evidence_at_site(f"{quoted} iterates over it"), side=side)
    used = [u for u in here.uses if name in ("", u.name)]
    if any(u.is_element for u in used):
        yield Fact(f"{role} uses an element", side.evidence_at_site(f"{quoted} uses an element"), side=side)
    if side.writes and _MAP_WRITE.search(text):
        yield Fact("an element is stored or deleted", side.evidence_at_site(quoted), side=side)
    stores = [u for u in here.uses if u.writes]
    if any(u.stored_type for u in stores):
        yield Fact("a whole struct is stored", side.evidence_at_site(f"{quoted} stores a whole struct"), side=side)
    if side.writes and object_origin.is_created_here(context, side):
        text_here = f"{side.subject} is still creating the object"
        yield Fact("writer creates the object", side.evidence_at_site(text_here), side=side)
    if side.writes and re.search(r"=\s{0,9}(?:true|false|TRUE|FALSE)\b;?\s{0,9}(?://|$)", text):
        yield Fact("a flag is stored", side.evidence_at_site(quoted), side=side)
    if side.writes and re.search(r"=\s{0,9}(?:nil|NULL|nullptr)\b;?\s{0,9}(?://|$)", text):
        yield Fact("nil is stored", side.evidence_at_site(quoted), side=side)
    if re.search(r"\+\+|--|[-+|&]=", text) and side.writes:
        yield Fact("a counter is changed", side.evidence_at_site(quoted), side=side)
    if here.has_value_receiver:
        yield Fact(f"{role}'s method works on a copy", side.evidence_at_site("its receiver is a copy"), side=side)
    if here.select_branch:
        kind = (
            "a done branch"
            if re.search(r"[dD]one|[qQ]uit|[sS]top|[cC]lose|[eE]xit", here.select_branch)
            else "a select branch"
        )
        yield Fact(
            f"{role} runs in {kind}", side.evidence_at_site(f"it runs after `{here.select_branch[:60]}`"), side=side
        )
    if here.loops:
        yield Fact(f"{role} runs in a loop", side=side)
    if side.is_library_access:
        yield Fact(f"{role} passes it to a library", side=side)
    receiver = here.receiver
    shared = context.shared_variable
    if receiver and shared is not None and shared.owner and shared.owner == receiver:
        yield Fact(f"{role} is a method of the variable's type", side=side)


def _facts_of_copies(context: RaceContext) -> Iterator[Fact]:
    if not context.has_code:
        return
    if copying := object_origin.find_copy_by_call(context):
        text = f"the call copies a `{copying.method.receiver}`, and `{copying.method.function}` locks the copy"
        yield Fact("a locked method works on a copy", copying.reader.evidence_at_site(text), side=copying.reader)
    for side in context.race_sides:
        for _, facts in side.call_chain[:2]:
            if facts.has_value_receiver and any(h.name.startswith(f"{facts.receiver}.") for h in facts.locks_held):
                text = f"`{facts.function}` has a value receiver and locks the copy's lock"
                yield Fact(
                    "a locked method works on a copy",
                    Evidence(text, CodePoint(facts.path, facts.first_line)),
                    side=side,
                )
    names = [{h.name for h in side.locks_held} for side in context.race_sides]
    common = sorted(set.intersection(*names)) if len(names) == 2 else []
    for name in common[:1]:
        kind = name.partition(".")[0]
        site = context.race_sides[0].site
        copied = context.source.find_copy(kind, site) if context.source and site and "." in name else None
        if copied:
            text = f"a value of `{kind}` is copied here, including its lock"
            yield Fact("the type of the lock is copied", Evidence(text, CodePoint(*copied)), subject=kind)


def _facts_of_pools(context: RaceContext) -> Iterator[Fact]:
    for side in context.race_sides:
        for frame in (*side.library_frames, *side.user_frames[:_MAX_POOL_FRAMES]):
            if re.search(r"(?<![Ss])[Pp]ool(?:\[.{0,300}\])?\)\.\w|\.pool\.|\bpool_|[Ff]ree[Ll]ist", frame.function):
                text = f"`{frame.function[:80]}` takes the object back or hands it out"
                yield Fact(
                    "pool function", Evidence(text, CodePoint(frame.file, frame.line, frame.function)), side=side
                )
        if not context.has_code:
            continue
        call = object_origin.return_call_near_site(context, side) or object_origin.pool_channel(context, side)
        if call:
            text = f"`{naming.without_package(side.function)}` uses an object of a pool: `{call}`"
            yield Fact("object comes from a pool", side.evidence_at_site(text), side=side, subject=call)
