"""Parses single lines of ThreadSanitizer reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.detectors.grammar_parser import LineRole, LineToken, search_patterns, token_from_match
from deadheat.symbols import native
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    import re

    from deadheat.model import Frame

_ADDRESS = r"(?P<address>(?:0x)?[0-9a-f]{1,16})"
_ACTOR = r"(?P<actor>main thread|thread T\d{1,9})(?: '(?P<called>[^'\n]{0,100})')?"
# quoted-printable mail writes "=3D" for "="
_EQUALS_SIGN = r"=(?:3D)?"

# "WARNING: ThreadSanitizer: data race on vptr (ctor/dtor vs virtual call) (pid=12311)"
BANNER = lazy_compile(rf"WARNING: ThreadSanitizer: (?P<what>[^\n]{{1,160}}?) ?\(pid{_EQUALS_SIGN}(?P<pid>\d{{1,10}})\)")
# the same, cut: "WARNING: ThreadSanitizer: lock-order-inversion (potential"
_CUT_BANNER = lazy_compile(r"WARNING: ThreadSanitizer: (?P<what>[^\n]{1,160})$")
# "SUMMARY: ThreadSanitizer: data race /src/shop/cart.c:12:3 in add"
SUMMARY = lazy_compile(r"SUMMARY: ThreadSanitizer: (?P<what>[^\n]{1,4000})")
# "FATAL: ThreadSanitizer: unexpected memory mapping", "ThreadSanitizer:DEADLYSIGNAL",
# "==7==ERROR: ThreadSanitizer: SEGV on unknown address", "ThreadSanitizer: reported 3 warnings"
_OTHER_OUTPUT = lazy_compile(
    r"(?:FATAL|ERROR): ThreadSanitizer|ThreadSanitizer:DEADLYSIGNAL"
    r"|ThreadSanitizer: (?:reported \d|CHECK failed|failed to|can't |unhandled)"
)
# "  Previous atomic write of size 4 at 0x7b0c00000000 by thread T1 (mutexes: write M1, read M2):"
# a lower-case start would be the end of a wrapped header
_MEMORY_ACCESS = (
    r"(?P<op>Previous (?:atomic )?(?:read|write)|Atomic (?:read|write)|Read|Write) of size (?P<size>\d{1,19})"
)
# "  Modifying access of Swift variable at 0x7b0800023cf0 by thread T2:"
_OBJECT_ACCESS = (
    r"(?P<external>Previous (?:modifying|read-only)|Modifying|Read-only) access of (?P<object>[^\n]{1,200}?)"
)
ACCESS_HEADER = lazy_compile(
    rf"(?:{_MEMORY_ACCESS}|{_OBJECT_ACCESS}) at {_ADDRESS} by {_ACTOR}(?: \(mutexes: (?P<locks>[^()\n]{{1,600}})\))?:"
)
_SECTION_SOURCES = {
    # "  Location is global 'hits' of size 4 at 0x55f1c8a2b014 (shop+0x4014)"
    "global": rf"Location is global '(?P<name>[^\n]{{1,2000}}?)'(?: of size (?P<size>\d{{1,19}}))? at"
    rf" {_ADDRESS} \([^()\n]{{1,200}}\+0x[0-9a-f]{{1,16}}\)",
    # "  Location is heap block of size 24 at 0x7b0800000000 allocated by main thread:"
    "heap": rf"Location is (?P<object>[^\n]{{1,200}}?) of size (?P<size>\d{{1,19}}) at {_ADDRESS}"
    rf" allocated by {_ACTOR}:",
    # "  Location is stack of main thread.", "  Location is TLS of thread T1."
    "area": rf"Location is (?P<area>stack|TLS) of {_ACTOR}\.",
    # "  Location is file descriptor 3 created by main thread at:"
    "descriptor": rf"Location is file descriptor (?P<name>\d{{1,9}}) (?P<what>created|destroyed) by"
    rf" {_ACTOR}(?: at)?:{{1,2}}",
    # "  Mutex M1 acquired here while holding mutex M0 in thread T1:"
    "edge": rf"Mutex (?P<lock>M\d{{1,19}}) acquired here while holding mutex (?P<held>M\d{{1,19}}) in {_ACTOR}:",
    # "  Mutex M0 previously acquired by the same thread here:"
    "held": r"Mutex (?P<lock>M\d{1,19}) previously acquired by the same thread here:",
    # "  Mutex M1 (0x55b9a397d0c0) created at:"
    "mutex": rf"Mutex (?P<lock>M\d{{1,19}})(?: \({_ADDRESS}\))? created at:",
    # "  Thread T1 'worker' (tid=12440, finished) created by main thread at:", without a stack no "at:"
    "thread": rf"Thread (?P<id>T\d{{1,9}})(?: '(?P<named>[^'\n]{{0,100}})')? \(tid{_EQUALS_SIGN}\d{{1,20}},"
    r" (?P<state>running|finished)\) (?:created(?: by (?:main thread|thread T\d{1,9}))? at:"
    r"|is a (?P<how>GCD worker thread))",
    "stackless": rf"Thread (?P<id>T\d{{1,9}})(?: '(?P<named>[^'\n]{{0,100}})')? \(tid{_EQUALS_SIGN}\d{{1,20}},"
    r" (?P<state>running|finished)\) created by (?:main thread|thread T\d{1,9})$",
    # "  Cycle in lock order graph: M0 (0x55b9a397d080) => M1 (0x55b9a397d0c0) => M0"
    "cycle": r"Cycle in lock order graph: (?P<cycle>"
    rf"(?:M\d{{1,19}}(?: \([0-9a-fx]{{1,18}}\))? {_EQUALS_SIGN}> ){{1,200}}M\d{{1,19}})",
    "sleep": r"As if synchronized via sleep:",
    # "  Signal 10 handler invoked at:"
    "signal": r"Signal (?P<number>\d{1,4}) handler invoked at:",
    "and": r"^and:",
}
_SECTION_PATTERNS = {name: lazy_compile(pattern) for name, pattern in _SECTION_SOURCES.items()}
# a phrase of each section's line, to skip other lines quickly
_SECTIONS_BY_PHRASE = {
    "Location is": ("global", "area", "descriptor", "heap"),
    "Mutex M": ("edge", "held", "mutex"),
    "Thread T": ("thread", "stackless"),
    "Cycle in": ("cycle",),
    "via sleep": ("sleep",),
    "handler invoked": ("signal",),
    "and:": ("and",),
}
_DETAIL_PATTERNS = {
    # "    [failed to restore the stack]"
    "failed": lazy_compile(r"\[failed to restore the stack\]"),
    # "    Hint: use TSAN_OPTIONS=second_deadlock_stack=1 to get more informative warning message"
    "hint": lazy_compile(r"\b(?:Hint|HINT): (?P<hint>[^\n]{1,300})"),
    # "  Mutex M1 is already destroyed."
    "destroyed": lazy_compile(r"Mutex (?P<lock>M\d{1,19}) is already destroyed\."),
    # "  And 3 more similar thread leaks."
    "more": lazy_compile(r"And (?P<more>\d{1,9}) more similar thread leaks?\."),
}
_BAR = lazy_compile(r"={18}$")
# "#12 ", but not the "#1 in" of a closure
_FRAME_NUMBER = lazy_compile(r"(?:^|(?<=\s))#(?P<number>\d{1,4}) (?!in )")
# " (shop+0x11f1)", " (libfoo.dylib:arm64+0x12)", " (0x7f0012345678)"
_MODULE = lazy_compile(
    r"(?: ?\((?P<module>[^()\n]{1,300})\+(?P<offset>0x[0-9a-f]{1,16})\)| \(0x[0-9a-f]{1,16}\))"
    r"(?: ?\(BuildId: [0-9a-f]{2,64}\))?| \(<unknown module>\)"
)
# "/src/shop/cart.cc:12:3", "cart.c:12"
_FILE_AND_LINE = lazy_compile(r" (?:[^\s:]|:(?!\d)){1,1000}:\d{1,7}(?::\d{1,5})?(?=[^\d:.]|$)")
# the rest of a frame that was wrapped after its line number: "(shop+0x11f1) (BuildId: 79…)", "352)"
_FRAME_REST = lazy_compile(
    r"\([^()\n]{1,300}\+0x[0-9a-f]{1,16}\)(?: \(BuildId: [0-9a-f]{0,64}\)?)?$|\(?[BuildI]{0,7}:? ?[0-9a-f]{0,64}\)$"
)
_LINE_NUMBER = lazy_compile(r":(\d{1,7})(?::\d{1,5})?$")
_DISCRIMINATOR = lazy_compile(r" \(discriminator \d{1,6}\)$")
# "0x55d0c1 in main", as other sanitizers and `stack_trace_format=DEFAULT` print it
_PROGRAM_COUNTER = lazy_compile(r"0x[0-9a-f]{1,16} (?:in )?")
_MAX_FRAME_LENGTH = 8_000

# starts of the text between "ThreadSanitizer: " and "(pid=", longer ones first
KINDS = {
    "data race on vptr": "data-race-on-vptr",
    "data race": "data-race",
    "heap-use-after-free (virtual call vs free)": "use-after-free-on-vptr",
    "heap-use-after-free": "use-after-free",
    "Swift access race": "data-race-on-swift-object",
    "race on a Swift variable": "data-race-on-swift-object",
    "race on": "race-on-external-object",
    "thread leak": "thread-leak",
    "destroy of a locked mutex": "destroy-locked-mutex",
    "double lock of a mutex": "double-lock",
    "use of an invalid mutex": "invalid-mutex-access",
    "unlock of an unlocked mutex": "unlock-unlocked-mutex",
    "read lock of a write locked mutex": "read-lock-of-write-locked-mutex",
    "read unlock of a write locked mutex": "read-unlock-of-write-locked-mutex",
    "signal-unsafe call inside of a signal": "signal-unsafe-call",
    "signal handler spoils errno": "errno-in-signal",
    "lock-order-inversion": "lock-order-inversion",
    "mutex held in the wrong context": "mutex-held-wrong-context",
}
# "barrier destroyed while waited for /src/shop/cart.c:31 in cart_close": an unknown kind
_SUMMARY_KIND = lazy_compile(
    r"([a-z]{2,30}(?:[ -][a-z]{1,30}){1,12})(?: \([^()\n]{1,100}\))? "
    r"(?:\S{1,1000}:\d{1,7}|\(\S{1,1000}\+0x[0-9a-f]{1,16}\)) in "
)
_KINDS_WITHOUT_SPACES = {text.replace(" ", ""): kind for text, kind in KINDS.items()}
_WORD = lazy_compile(r"[A-Za-z0-9]+")


def find_known_kind(description: str) -> str | None:
    """The known kind that a banner or a summary starts with."""
    # ignore spaces, which may be lost where a line was wrapped
    compact = description.replace(" ", "")
    return next((kind for text, kind in _KINDS_WITHOUT_SPACES.items() if compact.startswith(text)), None)


def kind_from_summary(description: str) -> str | None:
    """The kind in a summary; None if the summary is about a crash."""
    if kind := find_known_kind(description):
        return kind
    match = _SUMMARY_KIND.match(description)
    return match[1].replace(" ", "-") if match and match[1] != "stack-overflow" else None


def kind_from_banner(description: str) -> str:
    """The kind in a banner; the banner's words if it is unknown."""
    name_parts = _WORD.findall(description.partition("(")[0])
    return find_known_kind(description) or "-".join(name_parts).lower() or "unknown"


def parse_line(body: str) -> LineToken | None:
    """Parse a line; foreign text may be glued to either end."""
    if "#" in body and (match := _FRAME_NUMBER.search(body)) is not None:
        return _parse_frame_line(body, match)
    if "ThreadSanitizer" in body:
        return _parse_banner(body)
    if " by " in body and (match := ACCESS_HEADER.search(body)) is not None:
        return token_from_match(LineRole.SECTION, "access", match)
    for phrase, names in _SECTIONS_BY_PHRASE.items():
        if phrase in body:
            for name in names:
                if (match := _SECTION_PATTERNS[name].search(body)) is not None:
                    # a header without a colon may continue
                    return token_from_match(LineRole.SECTION, name, match, is_complete=name != "stackless")
    return _parse_detail(body)


def _parse_banner(body: str) -> LineToken | None:
    if match := BANNER.search(body):
        return token_from_match(LineRole.OPENING, "banner", match)
    if match := SUMMARY.search(body):
        return token_from_match(LineRole.CLOSING, "summary", match)
    if match := _OTHER_OUTPUT.search(body):
        return token_from_match(LineRole.STOP, "stop", match)
    match = _CUT_BANNER.search(body)
    if match is None or not any(text.startswith(match["what"]) or match["what"].startswith(text) for text in KINDS):
        return None
    return token_from_match(LineRole.OPENING, "banner", match, is_complete=False)


def _parse_detail(body: str) -> LineToken | None:
    if token := search_patterns(LineRole.DETAIL, _DETAIL_PATTERNS, body):
        return token
    if match := _BAR.match(body):
        return token_from_match(LineRole.CLOSING, "bar", match)
    if body[-1] == ")" and (match := _FRAME_REST.match(body)):
        return token_from_match(LineRole.CONTINUATION, "rest", match)
    return None


def _parse_frame_line(body: str, number: re.Match[str]) -> LineToken | None:
    begin = number.end()
    module = _MODULE.search(body, begin)
    if module is not None:
        end, text, is_complete = module.end(), body[begin : module.start()], True
    elif (place := _FILE_AND_LINE.search(body, begin)) is not None:
        rest = body[place.end() :].strip()
        # in a format with program counters, nothing follows the path
        is_complete = _PROGRAM_COUNTER.match(body, begin) is not None or (bool(rest) and rest[0] != "(")
        end, text = (place.end() if is_complete else len(body)), body[begin : place.end()]
    else:
        end, text, is_complete = len(body), body[begin:], False
    if not text or len(text) > _MAX_FRAME_LENGTH or not _has_valid_path(text, is_complete):
        return None
    fields = {"text": text, "module": "", "place": ""}
    if module is not None and module["module"]:
        name = module["module"].rpartition("/")[2]
        fields |= {"module": name, "place": f"{name}+{module['offset']}"}
    return LineToken(LineRole.FRAME, "frame", fields, number.start(), end, is_complete, int(number["number"]))


def _has_valid_path(text: str, is_complete: bool) -> bool:
    """Is there a space before the path? Otherwise, lines were joined wrongly."""
    if _PROGRAM_COUNTER.match(text):
        return True  # this format omits unknown paths
    _, space, last = _DISCRIMINATOR.sub("", text.rstrip()).rpartition(" ")
    if is_complete and not space:
        return False
    if last[:1] in ("/", ".", "(") or (not is_complete and "/" not in last):
        return True
    return bool(space) and not (")" in last or "::" in last)


def build_frame(token: LineToken) -> Frame:
    """Build a frame from a line such as `shop::Cart::add(int) /src/shop/cart.cc:12:3`."""
    text = _DISCRIMINATOR.sub("", token.fields["text"])
    if counter := _PROGRAM_COUNTER.match(text):
        text = text[counter.end() :]
    text = text.rstrip()
    match = _LINE_NUMBER.search(text)
    head = text[: match.start()] if match else text
    # function names contain spaces, and so may absolute paths
    cut = head.rfind(" /") if " /" in head else head.rfind(" ")
    function, path = (head[:cut], head[cut + 1 :]) if cut > 0 else (head, "")
    if match is None and not _is_file_path(path):
        function, path = head, ""
    line = int(match[1]) if match else 0
    if path in native.NO_PATH:
        path = ""
    function = function.strip().replace("=3D", "=")
    if function in native.NO_PATH:
        function = token.fields["place"] or "<null>"  # no symbols: binary and offset
    return native.make_frame(function, path, line or None, token.fields["module"])


def _is_file_path(text: str) -> bool:
    """Is the last word of a frame without a line number its file? `<null>`, `r.4dd80272-cgu.0`."""
    if text in native.NO_PATH or text[:1] in ("/", "<"):
        return True
    return "." in text and "(" not in text and ")" not in text and "::" not in text
