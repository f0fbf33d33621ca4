"""Parses single lines of ThreadSanitizer reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects.line_grammar import Role, Token
from deadheat.symbols import native
from deadheat.text.late import regex

if TYPE_CHECKING:
    import re

    from deadheat.model import Frame

_ADDRESS = r"(?P<address>(?:0x)?[0-9a-f]{1,16})"
_ACTOR = r"(?P<actor>main thread|thread T\d{1,9})(?: '(?P<called>[^'\n]{0,100})')?"
# quoted-printable mail writes "=3D" for "="
_IS = r"=(?:3D)?"

# "WARNING: ThreadSanitizer: data race on vptr (ctor/dtor vs virtual call) (pid=12311)"
BANNER = regex(
    rf"WARNING: ThreadSanitizer: (?P<what>[^\n]{{1,160}}?) ?\(pid{_IS}(?P<pid>\d{{1,10}})\)"
)
# the same, cut: "WARNING: ThreadSanitizer: lock-order-inversion (potential"
_BEGUN = regex(r"WARNING: ThreadSanitizer: (?P<what>[^\n]{1,160})$")
# "SUMMARY: ThreadSanitizer: data race /src/shop/cart.c:12:3 in add"
SUMMARY = regex(r"SUMMARY: ThreadSanitizer: (?P<what>[^\n]{1,4000})")
# "FATAL: ThreadSanitizer: unexpected memory mapping", "ThreadSanitizer:DEADLYSIGNAL",
# "==7==ERROR: ThreadSanitizer: SEGV on unknown address", "ThreadSanitizer: reported 3 warnings"
_STOP = regex(
    r"(?:FATAL|ERROR): ThreadSanitizer|ThreadSanitizer:DEADLYSIGNAL"
    r"|ThreadSanitizer: (?:reported \d|CHECK failed|failed to|can't |unhandled)"
)
# "  Previous atomic write of size 4 at 0x7b0c00000000 by thread T1 (mutexes: write M1, read M2):"
# a lower-case start would be the end of a wrapped header
_MEMORY = (
    r"(?P<op>Previous (?:atomic )?(?:read|write)|Atomic (?:read|write)|Read|Write)"
    r" of size (?P<size>\d{1,19})"
)
# "  Modifying access of Swift variable at 0x7b0800023cf0 by thread T2:"
_OBJECT = (
    r"(?P<external>Previous (?:modifying|read-only)|Modifying|Read-only) access of"
    r" (?P<object>[^\n]{1,200}?)"
)
ACCESS = regex(
    rf"(?:{_MEMORY}|{_OBJECT}) at {_ADDRESS} by {_ACTOR}(?: \(mutexes: (?P<locks>[^()\n]{{1,600}})\))?:"
)
_SECTIONS = {
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
    "edge": rf"Mutex (?P<lock>M\d{{1,19}}) acquired here while holding mutex (?P<held>M\d{{1,19}}) in"
    rf" {_ACTOR}:",
    # "  Mutex M0 previously acquired by the same thread here:"
    "held": r"Mutex (?P<lock>M\d{1,19}) previously acquired by the same thread here:",
    # "  Mutex M1 (0x55b9a397d0c0) created at:"
    "mutex": rf"Mutex (?P<lock>M\d{{1,19}})(?: \({_ADDRESS}\))? created at:",
    # "  Thread T1 'worker' (tid=12440, finished) created by main thread at:", without a stack no "at:"
    "thread": rf"Thread (?P<id>T\d{{1,9}})(?: '(?P<named>[^'\n]{{0,100}})')? \(tid{_IS}\d{{1,20}},"
    r" (?P<state>running|finished)\) (?:created(?: by (?:main thread|thread T\d{1,9}))? at:"
    r"|is a (?P<how>GCD worker thread))",
    "stackless": rf"Thread (?P<id>T\d{{1,9}})(?: '(?P<named>[^'\n]{{0,100}})')? \(tid{_IS}\d{{1,20}},"
    r" (?P<state>running|finished)\) created by (?:main thread|thread T\d{1,9})$",
    # "  Cycle in lock order graph: M0 (0x55b9a397d080) => M1 (0x55b9a397d0c0) => M0"
    "cycle": r"Cycle in lock order graph: (?P<cycle>"
    rf"(?:M\d{{1,19}}(?: \([0-9a-fx]{{1,18}}\))? {_IS}> ){{1,200}}M\d{{1,19}})",
    "sleep": r"As if synchronized via sleep:",
    # "  Signal 10 handler invoked at:"
    "signal": r"Signal (?P<number>\d{1,4}) handler invoked at:",
    "and": r"^and:",
}
_SECTION = {name: regex(pattern) for name, pattern in _SECTIONS.items()}
# a phrase of each section's line, to skip other lines quickly
_WORDS = {
    "Location is": ("global", "area", "descriptor", "heap"),
    "Mutex M": ("edge", "held", "mutex"),
    "Thread T": ("thread", "stackless"),
    "Cycle in": ("cycle",),
    "via sleep": ("sleep",),
    "handler invoked": ("signal",),
    "and:": ("and",),
}
_DETAILS = {
    # "    [failed to restore the stack]"
    "failed": regex(r"\[failed to restore the stack\]"),
    # "    Hint: use TSAN_OPTIONS=second_deadlock_stack=1 to get more informative warning message"
    "hint": regex(r"\b(?:Hint|HINT): (?P<hint>[^\n]{1,300})"),
    # "  Mutex M1 is already destroyed."
    "destroyed": regex(r"Mutex (?P<lock>M\d{1,19}) is already destroyed\."),
    # "  And 3 more similar thread leaks."
    "more": regex(r"And (?P<more>\d{1,9}) more similar thread leaks?\."),
}
_BAR = regex(r"={18}$")
# "#12 ", but not the "#1 in" of a closure
_NUMBER = regex(r"(?:^|(?<=\s))#(?P<number>\d{1,4}) (?!in )")
# " (shop+0x11f1)", " (libfoo.dylib:arm64+0x12)", " (0x7f0012345678)"
_MODULE = regex(
    r"(?: ?\((?P<module>[^()\n]{1,300})\+(?P<offset>0x[0-9a-f]{1,16})\)| \(0x[0-9a-f]{1,16}\))"
    r"(?: ?\(BuildId: [0-9a-f]{2,64}\))?| \(<unknown module>\)"
)
# "/src/shop/cart.cc:12:3", "cart.c:12"
_PLACE = regex(r" (?:[^\s:]|:(?!\d)){1,1000}:\d{1,7}(?::\d{1,5})?(?=[^\d:.]|$)")
# the rest of a frame that was wrapped after its line number: "(shop+0x11f1) (BuildId: 79…)", "352)"
_REST = regex(
    r"\([^()\n]{1,300}\+0x[0-9a-f]{1,16}\)(?: \(BuildId: [0-9a-f]{0,64}\)?)?$"
    r"|\(?[BuildI]{0,7}:? ?[0-9a-f]{0,64}\)$"
)
_LINE = regex(r":(\d{1,7})(?::\d{1,5})?$")
_DISCRIMINATOR = regex(r" \(discriminator \d{1,6}\)$")
# "0x55d0c1 in main", as other sanitizers and `stack_trace_format=DEFAULT` print it
_COUNTER = regex(r"0x[0-9a-f]{1,16} (?:in )?")
_LONGEST = 8_000

# the text between "ThreadSanitizer: " and "(pid=", longer prefixes first
KINDS = {
    "data race on vptr (ctor/dtor vs virtual call)": "data-race-on-vptr",
    "data race on vptr": "data-race-on-vptr",
    "data race": "data-race",
    "heap-use-after-free (virtual call vs free)": "use-after-free-on-vptr",
    "heap-use-after-free": "use-after-free",
    "race on external object": "race-on-external-object",
    "Swift access race": "data-race-on-swift-object",
    "race on a Swift variable": "data-race-on-swift-object",
    "race on": "race-on-external-object",
    "thread leak": "thread-leak",
    "destroy of a locked mutex": "destroy-locked-mutex",
    "double lock of a mutex": "double-lock",
    "use of an invalid mutex (e.g. uninitialized or destroyed)": "invalid-mutex-access",
    "use of an invalid mutex": "invalid-mutex-access",
    "unlock of an unlocked mutex (or by a wrong thread)": "unlock-unlocked-mutex",
    "unlock of an unlocked mutex": "unlock-unlocked-mutex",
    "read lock of a write locked mutex": "read-lock-of-write-locked-mutex",
    "read unlock of a write locked mutex": "read-unlock-of-write-locked-mutex",
    "signal-unsafe call inside of a signal": "signal-unsafe-call",
    "signal handler spoils errno": "errno-in-signal",
    "lock-order-inversion (potential deadlock)": "lock-order-inversion",
    "lock-order-inversion": "lock-order-inversion",
    "mutex held in the wrong context": "mutex-held-wrong-context",
}
# "barrier destroyed while waited for /src/shop/cart.c:31 in cart_close": an unknown kind
_SUMMARISED = regex(
    r"([a-z]{2,30}(?:[ -][a-z]{1,30}){1,12})(?: \([^()\n]{1,100}\))? "
    r"(?:\S{1,1000}:\d{1,7}|\(\S{1,1000}\+0x[0-9a-f]{1,16}\)) in "
)
_DEATHS = frozenset(("stack-overflow",))
_CLOSE = {text.replace(" ", ""): kind for text, kind in KINDS.items()}
_WORD = regex(r"[A-Za-z0-9]+")


def known_kind(what: str) -> str | None:
    """The known kind that a banner or a summary starts with."""
    # ignore spaces, which may be lost where a line was wrapped
    close = what.replace(" ", "")
    return next((kind for text, kind in _CLOSE.items() if close.startswith(text)), None)


def summary_kind(what: str) -> str | None:
    """The kind in a summary; None if the summary is about a crash."""
    if kind := known_kind(what):
        return kind
    match = _SUMMARISED.match(what)
    return match[1].replace(" ", "-") if match and match[1] not in _DEATHS else None


def kind(what: str) -> str:
    """The kind in a banner; the banner's words if it is unknown."""
    words = _WORD.findall(what.partition("(")[0])
    return known_kind(what) or "-".join(words).lower() or "unknown"


def token(body: str) -> Token | None:
    """Parse a line; foreign text may be glued to either end."""
    if "#" in body and (match := _NUMBER.search(body)) is not None:
        return _frame_token(body, match)
    if "ThreadSanitizer" in body:
        return _banner_token(body)
    if " by " in body and (match := ACCESS.search(body)) is not None:
        return _found(Role.SECTION, "access", match)
    for word, names in _WORDS.items():
        if word in body:
            for name in names:
                if (match := _SECTION[name].search(body)) is not None:
                    # a header without a colon may continue
                    return _found(Role.SECTION, name, match, whole=name != "stackless")
    return _detail_token(body)


def _found(role: Role, name: str, match: re.Match[str], whole: bool = True) -> Token:
    fields = {key: value for key, value in match.groupdict().items() if value is not None}
    return Token(role, name, fields, match.start(), match.end(), whole)


def _banner_token(body: str) -> Token | None:
    if match := BANNER.search(body):
        return _found(Role.OPENING, "banner", match)
    if match := SUMMARY.search(body):
        return _found(Role.CLOSING, "summary", match)
    if match := _STOP.search(body):
        return _found(Role.STOP, "stop", match)
    match = _BEGUN.search(body)
    if match is None or not any(
        text.startswith(match["what"]) or match["what"].startswith(text) for text in KINDS
    ):
        return None
    return _found(Role.OPENING, "banner", match, whole=False)


def _detail_token(body: str) -> Token | None:
    for name, pattern in _DETAILS.items():
        if match := pattern.search(body):
            return _found(Role.DETAIL, name, match)
    if match := _BAR.match(body):
        return _found(Role.CLOSING, "bar", match)
    if body[-1] == ")" and (match := _REST.match(body)):
        return _found(Role.REST, "rest", match)
    return None


def _frame_token(body: str, number: re.Match[str]) -> Token | None:
    begin = number.end()
    module = _MODULE.search(body, begin)
    if module is not None:
        end, text, whole = module.end(), body[begin : module.start()], True
    elif (place := _PLACE.search(body, begin)) is not None:
        rest = body[place.end() :].strip()
        # in a format with program counters, nothing follows the path
        whole = _COUNTER.match(body, begin) is not None or (bool(rest) and rest[0] != "(")
        end, text = (place.end() if whole else len(body)), body[begin : place.end()]
    else:
        end, text, whole = len(body), body[begin:], False
    if not text or len(text) > _LONGEST or not _is_well_put(text, whole):
        return None
    fields = {"text": text, "module": "", "place": ""}
    if module is not None and module["module"]:
        name = module["module"].rpartition("/")[2]
        fields |= {"module": name, "place": f"{name}+{module['offset']}"}
    return Token(Role.FRAME, "frame", fields, number.start(), end, whole, int(number["number"]))


def _is_well_put(text: str, whole: bool) -> bool:
    """Is there a space before the path? Otherwise, lines were joined wrongly."""
    if _COUNTER.match(text):
        return True  # this format omits unknown paths
    _, space, last = _DISCRIMINATOR.sub("", text.rstrip()).rpartition(" ")
    if whole and not space:
        return False
    if last[:1] in ("/", ".", "(") or (not whole and "/" not in last):
        return True
    return bool(space) and not (")" in last or "::" in last)


def frame(token: Token) -> Frame:
    """Build a frame from a line such as `shop::Cart::add(int) /src/shop/cart.cc:12:3`."""
    text = _DISCRIMINATOR.sub("", token.fields["text"])
    if counter := _COUNTER.match(text):
        text = text[counter.end() :]
    text = text.rstrip()
    match = _LINE.search(text)
    head = text[: match.start()] if match else text
    # function names contain spaces, and so may absolute paths
    cut = head.rfind(" /") if " /" in head else head.rfind(" ")
    function, path = (head[:cut], head[cut + 1 :]) if cut > 0 else (head, "")
    if match is None and not _is_path(path):
        function, path = head, ""
    line = int(match[1]) if match else 0
    if path in native.NO_PATH:
        path = ""
    function = function.strip().replace("=3D", "=")
    if function in native.NO_PATH:
        function = token.fields["place"] or "<null>"  # no symbols: binary and offset
    return native.frame(function, path, line or None, token.fields["module"])


def _is_path(text: str) -> bool:
    """Is the last word of a frame without a line number its file? `<null>`, `r.4dd80272-cgu.0`."""
    if text in native.NO_PATH or text[:1] in ("/", "<"):
        return True
    return "." in text and "(" not in text and ")" not in text and "::" not in text
