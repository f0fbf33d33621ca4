"""What CI, loggers, mail and people do to a detector's report: plain text in, damaged bytes out."""

from __future__ import annotations

import html
import json
import quopri
import random
import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from xml.sax.saxutils import escape as xml_escape


@dataclass(frozen=True)
class Damage:
    """One kind of damage.

    `lossy` says that facts of the report (headers, frames) are gone for good. Furniture that
    carries no fact, such as bars and banners, may go missing from a damage that is not lossy. Error
    stacks, which have no header to tell them by, are not `headless`ly read from all of them.
    """

    name: str
    lossy: bool
    apply: Callable[[str, random.Random], bytes]
    headless: bool = True


Transform = Callable[[str, random.Random], str]
LineMaker = Callable[[random.Random, datetime], str]

_found: list[Damage] = []


def _add_bytes(
    name: str,
    apply: Callable[[str, random.Random], bytes],
    *,
    lossy: bool = False,
    headless: bool = True,
) -> None:
    _found.append(Damage(name, lossy, apply, headless))


def _add(name: str, transform: Transform, *, lossy: bool = False, headless: bool = True) -> None:
    def apply(text: str, rng: random.Random) -> bytes:
        # Lone surrogates stand for bytes that are not UTF-8, so that damages can be stacked.
        return transform(text, rng).encode("utf-8", "surrogateescape")

    _add_bytes(name, apply, lossy=lossy, headless=headless)


def _damage(
    name: str, *, lossy: bool = False, headless: bool = True
) -> Callable[[Transform], Transform]:
    def register(transform: Transform) -> Transform:
        _add(name, transform, lossy=lossy, headless=headless)
        return transform

    return register


def compose(first: Damage, second: Damage, *more: Damage) -> Damage:
    """The damages one after the other; one that changes the encoding has to come last."""
    steps = (first, second, *more)

    def apply(text: str, rng: random.Random) -> bytes:
        damaged = b""
        for step in steps:
            damaged = step.apply(text, rng)
            text = damaged.decode("utf-8", "surrogateescape")
        return damaged

    name = "-then-".join(step.name for step in steps)
    lossy, headless = any(s.lossy for s in steps), all(s.headless for s in steps)
    return Damage(name, lossy, apply, headless)


def named(name: str) -> Damage:
    """The damage of that name, for tests that want one in particular."""
    for damage in _found:
        if damage.name == name:
            return damage
    raise KeyError(name)


# --- lines and clocks ---------------------------------------------------------------------------


def _lines(text: str) -> list[str]:
    # Not splitlines(): a stray form feed inside a line must not end it.
    return text.removesuffix("\n").split("\n")


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _each_line(text: str, change: Callable[[str], str]) -> str:
    return _joined([change(line) for line in _lines(text)])


def _clock(rng: random.Random) -> Iterator[datetime]:
    now = datetime(2024, 5, 1, 12, 0, tzinfo=UTC) + timedelta(seconds=rng.randrange(36_000))
    while True:
        yield now
        # A report comes out in a burst, with a pause now and then.
        pause = rng.randrange(200_000, 2_000_000) if rng.random() < 0.05 else rng.randrange(900)
        now += timedelta(microseconds=pause)


def _iso(now: datetime, rng: random.Random, digits: int) -> str:
    fraction = f"{now.microsecond:06d}{rng.randrange(1000):03d}"[:digits]
    return f"{now:%Y-%m-%dT%H:%M:%S}.{fraction}Z"


def _stamped(text: str, rng: random.Random, prefix: Callable[[datetime], str]) -> str:
    clock = _clock(rng)
    return _each_line(text, lambda line: prefix(next(clock)) + line)


def _pieces(line: str, rng: random.Random, chance: float) -> list[str]:
    if len(line) < 2 or rng.random() >= chance:
        return [line]
    column = rng.randrange(1, len(line))
    return [line[:column], line[column:]]


# --- prefixes -----------------------------------------------------------------------------------


@_damage("github-actions")
def _github_actions(text: str, rng: random.Random) -> str:
    return _stamped(text, rng, lambda now: _iso(now, rng, 7) + " ")


@_damage("gh-run-view")
def _gh_run_view(text: str, rng: random.Random) -> str:
    # The command line client puts the names of job and step in front of each line.
    return _stamped(text, rng, lambda now: f"test (1.22)\tgo test\t{_iso(now, rng, 7)} ")


@_damage("jenkins")
def _jenkins(text: str, rng: random.Random) -> str:
    return _stamped(text, rng, lambda now: f"[{_iso(now, rng, 3)}] ")


@_damage("gitlab")
def _gitlab(text: str, rng: random.Random) -> str:
    clock, out = _clock(rng), []
    for line in _lines(text):
        head, *rest = _pieces(line, rng, 0.15)
        out.append(f"{_iso(next(clock), rng, 6)} 00O {head}")
        out.extend(f"{_iso(next(clock), rng, 6)} 00O+{piece}" for piece in rest)
    return _joined(out)


@_damage("foreman")
def _foreman(text: str, rng: random.Random) -> str:
    return _stamped(text, rng, lambda now: f"{now:%H:%M:%S}     etcd1 | ")


@_damage("docker-compose")
def _docker_compose(text: str, rng: random.Random) -> str:
    return _each_line(text, lambda line: f"api_1       | {line}")


@_damage("docker-compose-colour")
def _docker_compose_colour(text: str, rng: random.Random) -> str:
    colour = rng.choice((32, 33, 35, 36))
    return _each_line(text, lambda line: f"\x1b[{colour}mapi_1       |\x1b[0m {line}")


@_damage("syslog")
def _syslog(text: str, rng: random.Random) -> str:
    pid = rng.randrange(300, 32_000)
    return _stamped(text, rng, lambda now: f"{now:%b %d %H:%M:%S} node-3 apiserver[{pid}]: ")


@_damage("syslog-without-a-host")
def _syslog_without_a_host(text: str, rng: random.Random) -> str:
    return _stamped(text, rng, lambda now: f"{now:%b %d %H:%M:%S} apiserver[4711]: ")


@_damage("syslog-one-message")
def _syslog_one_message(text: str, rng: random.Random) -> str:
    """Several lines that were one message: rsyslog writes control characters in octal."""
    escaped = text.replace("\t", "#011").replace("\r", "#015").replace("\n", "#012")
    return f"May  1 12:00:00 node-3 apiserver[{rng.randrange(300, 32_000)}]: {escaped}\n"


@_damage("time-of-a-web-server")
def _time_of_a_web_server(text: str, rng: random.Random) -> str:
    return _stamped(text, rng, lambda now: f"[{now:%d/%b/%Y:%H:%M:%S} +0000] ")


@_damage("buildkite-without-escapes")
def _buildkite_without_escapes(text: str, rng: random.Random) -> str:
    return _stamped(text, rng, lambda now: f"_bk;t={int(now.timestamp() * 1000)}")


@_damage("kubectl")
def _kubectl(text: str, rng: random.Random) -> str:
    return _each_line(text, lambda line: f"[pod/api-7d4b9c-x2x9k/api] {line}")


@_damage("stern")
def _stern(text: str, rng: random.Random) -> str:
    return _each_line(text, lambda line: f"api-7d4b9c-x2x9k api {line}")


@_damage("stern-colour")
def _stern_colour(text: str, rng: random.Random) -> str:
    name = "\x1b[91mapi-7d4b9c-x2x9k\x1b[0m \x1b[31mapi\x1b[0m"
    return _each_line(text, lambda line: f"{name} {line}")


@_damage("grep-all-lines")
def _grep_all_lines(text: str, rng: random.Random) -> str:
    start = rng.randrange(1, 9000)
    return _joined([f"ci.log:{start + i}:{line}" for i, line in enumerate(_lines(text))])


@_damage("grep-context")
def _grep_context(text: str, rng: random.Random) -> str:
    # `grep -n -C 60 "DATA RACE"`: a colon on the lines that match, a dash on those around them.
    start, out = rng.randrange(1, 9000), []
    for number, line in enumerate(_lines(text), start):
        mark = ":" if "DATA RACE" in line else "-"
        out.append(f"ci.log{mark}{number}{mark}{line}")
    return _joined(out)


@_damage("line-numbers")
def _line_numbers(text: str, rng: random.Random) -> str:
    start = rng.randrange(1, 9000)
    return _joined([f"{start + i:>5}  {line}" for i, line in enumerate(_lines(text))])


@_damage("cat-n")
def _cat_n(text: str, rng: random.Random) -> str:
    return _joined([f"{i:>6}\t{line}" for i, line in enumerate(_lines(text), 1)])


@_damage("unknown-prefix")
def _unknown_prefix(text: str, rng: random.Random) -> str:
    a, b = rng.randrange(1, 40), rng.randrange(1, 40)
    shapes = (
        f"build-{a}/step-{b} >> ",
        f"@@worker{{{a}}} ~ ",
        f"<{a}.{b}> ",
        f"shard:{a} pass:{b}: ",
        f"%%{a}%% ",
    )
    prefix = rng.choice(shapes)
    return _each_line(text, lambda line: prefix + line)


@_damage("unknown-counting-prefix")
def _unknown_counting_prefix(text: str, rng: random.Random) -> str:
    count = rng.randrange(100, 900)
    shape = rng.choice(("<<{0:05d}>> ", "seq={0} | ", "rec#{0}/w7 -> "))
    return _joined([shape.format(count + i) + line for i, line in enumerate(_lines(text))])


# --- two processes ------------------------------------------------------------------------------

PODS = ("[pod/api-7d4b9c-x2x9k/api] ", "[pod/api-7d4b9c-qf8zt/api] ")
SERVICES = ("api_1       | ", "worker_1    | ")


def interleave(
    text_a: str, text_b: str, rng: random.Random, prefixes: tuple[str, str] = PODS
) -> str:
    """The lines of two processes as one stream: each keeps its own order, the mix is random."""
    waiting = [_lines(text_a)[::-1], _lines(text_b)[::-1]]
    out = []
    while waiting[0] or waiting[1]:
        who = rng.randrange(2) if waiting[0] and waiting[1] else int(not waiting[0])
        out.append(prefixes[who] + waiting[who].pop())
    return _joined(out)


def other_process(text: str, rng: random.Random) -> str:
    """The same text as a second process prints it: other goroutine numbers, other heap."""
    number, heap = rng.randrange(1000, 9000), rng.randrange(1, 4096) * 0x1000

    def renumbered(match: re.Match[str]) -> str:
        return f"{match[1]}{int(match[2]) + number}"

    def moved(match: re.Match[str]) -> str:
        return f"0x{int(match[1], 16) + heap:012x}"

    text = re.sub(r"([Gg]oroutine |^==|\[ *[TC])(\d+)", renumbered, text, flags=re.MULTILINE)
    return re.sub(r"\b0x(00c[0-9a-f]{9})\b", moved, text)


@_damage("kubectl-two-pods")
def _kubectl_two_pods(text: str, rng: random.Random) -> str:
    return interleave(text, other_process(text, rng), rng)


@_damage("docker-compose-two-services")
def _two_services(text: str, rng: random.Random) -> str:
    return interleave(text, other_process(text, rng), rng, SERVICES)


@_damage("rsyslog-two-processes")
def _rsyslog_two_processes(text: str, rng: random.Random) -> str:
    marks = ("node-3 apiserver[4711]: ", "node-3 apiserver[4712]: ")
    mixed = interleave(text, other_process(text, rng), rng, marks)
    return _stamped(mixed, rng, lambda now: f"{now:%Y-%m-%dT%H:%M:%S.%f}+02:00 ")


@_damage("jenkins-two-branches")
def _jenkins_two_branches(text: str, rng: random.Random) -> str:
    mixed = interleave(text, other_process(text, rng), rng, ("[linux] ", "[darwin] "))
    return _stamped(mixed, rng, lambda now: f"[{_iso(now, rng, 3)}] ")


# --- records: one line of text in one line of something else ------------------------------------


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _go_compact(value: object) -> str:
    # Go's encoder makes JSON safe for HTML, so `<autogenerated>` never appears as such.
    text = _compact(value)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _per_line(text: str, record: Callable[[str], object], *, go: bool = True) -> str:
    dump = _go_compact if go else _compact
    return _each_line(text, lambda line: dump(record(line)))


PACKAGE, OTHER_PACKAGE = "example.com/shop/cart", "example.com/shop/mail"
TEST, OTHER_TEST = "TestCheckoutUnderLoad", "TestSendReceipt"


@_damage("go-test-json")
def _go_test_json(text: str, rng: random.Random) -> str:
    clock = _clock(rng)

    def event(action: str, package: str = PACKAGE, **fields: object) -> str:
        time = f"{next(clock):%Y-%m-%dT%H:%M:%S.%f}+02:00"
        return _go_compact({"Time": time, "Action": action, "Package": package, **fields})

    def output(line: str) -> str:
        return event("output", Test=TEST, Output=f"{line}\n")

    def other() -> str:
        line = f"    send_test.go:{rng.randrange(20, 90)}: sent {rng.randrange(9)} receipts\n"
        return event("output", OTHER_PACKAGE, Test=OTHER_TEST, Output=line)

    out = [event("start"), event("run", Test=TEST), output(f"=== RUN   {TEST}")]
    out.append(event("run", OTHER_PACKAGE, Test=OTHER_TEST))
    for line in _lines(text):
        out.append(output(line))
        if rng.random() < 0.2:
            out.append(other())
    out.append(output(f"--- FAIL: {TEST} (0.05s)"))
    out.append(event("fail", Test=TEST, Elapsed=0.05))
    out.append(event("pass", OTHER_PACKAGE, Test=OTHER_TEST, Elapsed=0.4))
    return _joined([*out, event("fail", Elapsed=0.11), event("pass", OTHER_PACKAGE, Elapsed=0.5)])


@_damage("docker-json-file")
def _docker_json_file(text: str, rng: random.Random) -> str:
    clock = _clock(rng)
    return _per_line(
        text,
        lambda line: {"log": f"{line}\n", "stream": "stderr", "time": _iso(next(clock), rng, 9)},
    )


@_damage("what-a-child-said")
def _what_a_child_said(text: str, rng: random.Random) -> str:
    """Whoever runs a program logs each of its lines in a field of its own."""
    key, when = rng.choice(("stderr", "output", "line")), _clock(rng)
    return _per_line(
        text, lambda line: {"ts": next(when).timestamp(), "msg": "child said", key: line}, go=False
    )


@_damage("key-of-their-own")
def _key_of_their_own(text: str, rng: random.Random) -> str:
    key = rng.choice(("log_message", "logMessage", "raw_text"))
    return _per_line(text, lambda line: {"id": rng.randrange(10**6), "zone": "b", key: line})


@_damage("gelf")
def _gelf(text: str, rng: random.Random) -> str:
    return _per_line(
        text,
        lambda line: (
            {"version": "1.1", "host": "node-3", "short_message": line[:40] or "-"}
            | {"full_message": line}
        ),
    )


def _cuts(text: str, rng: random.Random, most: int) -> Iterator[str]:
    at = 0
    while at < len(text):
        step = rng.randrange(most // 10, most)
        yield text[at : at + step]
        at += step


@_damage("asciinema")
def _asciinema(text: str, rng: random.Random) -> str:
    """A terminal's recording: an event for whatever was written at once."""
    events = list(enumerate(_cuts(text.replace("\n", "\r\n"), rng, 300), 1))
    head = json.dumps({"version": 2, "width": 120, "height": 40})
    return _joined([head, *(json.dumps([at / 100, "o", piece]) for at, piece in events)])


@_damage("circleci-output")
def _circleci_output(text: str, rng: random.Random) -> str:
    pieces = [{"message": piece, "type": "err"} for piece in _cuts(text, rng, 4000)]
    return _compact(pieces) + "\n"


@_damage("journald-json")
def _journald_json(text: str, rng: random.Random) -> str:
    clock = _clock(rng)
    return _per_line(
        text,
        lambda line: {
            "__REALTIME_TIMESTAMP": str(int(next(clock).timestamp() * 1_000_000)),
            "_PID": "4711",
            "SYSLOG_IDENTIFIER": "apiserver",
            "MESSAGE": line,
        },
        go=False,
    )


@_damage("loki-export")
def _loki_export(text: str, rng: random.Random) -> str:
    clock, labels = _clock(rng), {"app": "api", "pod": "api-7d4b9c-x2x9k"}
    return _per_line(
        text,
        lambda line: {"labels": labels, "line": line, "timestamp": _iso(next(clock), rng, 9)},
    )


@_damage("elasticsearch-export")
def _elasticsearch_export(text: str, rng: random.Random) -> str:
    clock = _clock(rng)

    def record(line: str) -> object:
        source = {"@timestamp": _iso(next(clock), rng, 3), "message": line, "host": "node-3"}
        return {"_index": "logs-2024.05", "_source": source}

    return _per_line(text, record, go=False)


def _cri(text: str, rng: random.Random, chance: Callable[[str], float]) -> Iterator[str]:
    clock = _clock(rng)
    for line in _lines(text):
        pieces = _pieces(line, rng, chance(line))
        for piece in pieces[:-1]:
            yield f"{_iso(next(clock), rng, 9)} stderr P {piece}"
        yield f"{_iso(next(clock), rng, 9)} stderr F {pieces[-1]}"


def _cut_chance(line: str) -> float:
    # Banner and headers are few and matter most: cut them more often than frames.
    return 0.8 if "DATA RACE" in line or line.endswith(":") else 0.3


@_damage("cri")
def _cri_full(text: str, rng: random.Random) -> str:
    return _joined(list(_cri(text, rng, lambda line: 0)))


@_damage("cri-partial")
def _cri_partial(text: str, rng: random.Random) -> str:
    return _joined(list(_cri(text, rng, _cut_chance)))


@_damage("cri-partial-two-streams")
def _cri_two_streams(text: str, rng: random.Random) -> str:
    # The other stream's lines come even between the two halves of a line.
    out = []
    for line in _cri(text, rng, _cut_chance):
        out.append(line)
        if rng.random() < 0.25:
            stamp = line.split(" ", 1)[0]
            out.append(f"{stamp} stdout F GET /healthz 200 {rng.randrange(900)}us")
    return _joined(out)


def _quoted(line: str) -> str:
    return json.dumps(line, ensure_ascii=False)


@_damage("logfmt")
def _logfmt(text: str, rng: random.Random) -> str:
    clock = _clock(rng)
    return _each_line(
        text, lambda line: f"time={_iso(next(clock), rng, 3)} level=info msg={_quoted(line)}"
    )


@_damage("json-logger")
def _json_logger(text: str, rng: random.Random) -> str:
    clock = _clock(rng)
    return _per_line(
        text, lambda line: {"level": "info", "ts": next(clock).timestamp(), "msg": line}, go=False
    )


@_damage("json-one-string")
def _json_one_string(text: str, rng: random.Random) -> str:
    clock = _clock(rng)
    records: list[dict[str, object]] = [
        {"level": "info", "ts": next(clock).timestamp(), "msg": "worker started", "pid": 4711},
        {"level": "error", "ts": next(clock).timestamp(), "msg": "test failed", "output": text},
        {"level": "info", "ts": next(clock).timestamp(), "msg": "worker stopped", "code": 66},
    ]
    return _joined([_go_compact(record) for record in records])


@_damage("logfmt-output-field")
def _logfmt_output_field(text: str, rng: random.Random) -> str:
    when = _iso(next(_clock(rng)), rng, 9)
    return f'time={when} level=error msg="tests failed" output={_compact(text)} code=66\n'


@_damage("workflow-command")
def _workflow_command(text: str, rng: random.Random) -> str:
    """An annotation of GitHub, which holds its text in one line."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::error file=cart/basket.go,line={rng.randrange(1, 400)},title=tests::{escaped}\n"


@_damage("opentelemetry-export")
def _opentelemetry_export(text: str, rng: random.Random) -> str:
    start = rng.randrange(10**18, 2 * 10**18)
    said = [
        {"timeUnixNano": str(start + i), "severityText": "ERROR", "body": {"stringValue": line}}
        for i, line in enumerate(_lines(text))
    ]
    service = {"key": "service.name", "value": {"stringValue": "cart"}}
    scope = {"scope": {"name": "stderr"}, "logRecords": said}
    return _compact(
        {"resourceLogs": [{"resource": {"attributes": [service]}, "scopeLogs": [scope]}]}
    )


@_damage("json-over-lines")
def _json_over_lines(text: str, rng: random.Random) -> str:
    """A record that was printed for people, with the whole report in one of its fields."""
    record = {"event": f"{rng.getrandbits(64):x}", "extra": {"code": 66, "stderr": text}}
    return json.dumps(record, indent=2) + "\n"


@_damage("rows-of-a-query")
def _rows_of_a_query(text: str, rng: random.Random) -> str:
    """What a log store answers, as Azure's Log Analytics has it: columns apart from rows."""
    clock = _clock(rng)
    rows = [[_iso(next(clock), rng, 7), line] for line in _lines(text)]
    columns = [{"name": "TimeGenerated"}, {"name": "LogMessage"}]
    table = {"name": "PrimaryResult", "columns": columns, "rows": rows}
    return _compact({"tables": [table]}) + "\n"


@_damage("logfmt-one-string")
def _logfmt_one_string(text: str, rng: random.Random) -> str:
    clock = _clock(rng)
    return _joined(
        [
            f'time={_iso(next(clock), rng, 3)} level=info msg="worker started" pid=4711',
            f"time={_iso(next(clock), rng, 3)} level=error msg={_quoted(text)} code=66",
        ]
    )


# --- colour -------------------------------------------------------------------------------------


@_damage("ansi-lines")
def _ansi_lines(text: str, rng: random.Random) -> str:
    return _each_line(text, lambda line: f"\x1b[{rng.choice((31, 33, 90))}m{line}\x1b[0m")


@_damage("ansi-words")
def _ansi_words(text: str, rng: random.Random) -> str:
    def coloured(match: re.Match[str]) -> str:
        if rng.random() < 0.6:
            return match[0]
        return f"\x1b[{rng.choice(('1', '31', '38;5;208', '1;33'))}m{match[0]}\x1b[0m"

    return re.sub(r"\S+", coloured, text)


@_damage("ansi-grep")
def _ansi_grep(text: str, rng: random.Random) -> str:
    # `grep --color` marks what it matched, in the middle of a word if need be.
    pattern = r"DATA RACE|[Gg]oroutine|\.go|func"
    return re.sub(pattern, lambda match: f"\x1b[01;31m\x1b[K{match[0]}\x1b[m\x1b[K", text)


@_damage("colours-without-escapes")
def _colours_without_escapes(text: str, rng: random.Random) -> str:
    # A browser's copy has lost the escape; `cat -v`, `less` and others show it.
    escape = rng.choice(("", "^[", "ESC", "\u241b", "\u2190"))
    return _each_line(text, lambda line: f"{escape}[1;31m{line}{escape}[0m")


# --- pasted into something ----------------------------------------------------------------------


def _quote(text: str, mark: str) -> str:
    return _each_line(text, lambda line: f"{mark} {line}".rstrip())


@_damage("markdown-fence")
def _markdown_fence(text: str, rng: random.Random) -> str:
    fence = rng.choice(("```", "~~~~", "```go"))
    body = _joined(_lines(text))
    return f"The nightly build failed:\n\n{fence}\n{body}{fence.rstrip('go')}\n\nAny idea?\n"


@_damage("markdown-details")
def _markdown_details(text: str, rng: random.Random) -> str:
    body = _joined(_lines(text))
    return f"<details><summary>log</summary>\n\n```\n{body}```\n</details>\n"


@_damage("markdown-list-item")
def _markdown_list_item(text: str, rng: random.Random) -> str:
    body = _each_line(f"```\n{_joined(_lines(text))}```", lambda line: f"   {line}".rstrip())
    return f"1. run the tests with the detector on\n2. see\n{body}"


@_damage("markdown-quote")
def _markdown_quote(text: str, rng: random.Random) -> str:
    return _quote(text, ">") + "\nI see this as well.\n"


@_damage("markdown-nested-quote")
def _markdown_nested_quote(text: str, rng: random.Random) -> str:
    return _quote(text, "> >") + "> I see this as well.\n\nSince when?\n"


@_damage("mail-quote")
def _mail_quote(text: str, rng: random.Random) -> str:
    head = "On Wed, 1 May 2024 at 12:10, the build bot wrote:\n"
    return head + _quote(text, ">") + "\nLooking into it.\n"


@_damage("mail-deep-quote")
def _mail_deep_quote(text: str, rng: random.Random) -> str:
    mark = ">" * rng.randrange(2, 5)
    return _each_line(text, lambda line: f"{mark} {line}".rstrip())


@_damage("diff-added")
def _diff_added(text: str, rng: random.Random) -> str:
    head = "diff --git a/race.txt b/race.txt\nnew file mode 100644\n--- /dev/null\n+++ b/race.txt\n"
    hunk = f"@@ -0,0 +1,{len(_lines(text))} @@\n"
    return head + hunk + _each_line(text, lambda line: f"+{line}")


@_damage("commit-template")
def _commit_template(text: str, rng: random.Random) -> str:
    return _quote(text, "#")


@_damage("commit-body")
def _commit_body(text: str, rng: random.Random) -> str:
    # `git log` indents the message by four columns, blank lines included.
    body = _each_line(f"cart: lock the total\n\n{text}", lambda line: f"    {line}")
    return f"commit {rng.randbytes(20).hex()}\nDate:   Wed May 1 12:10:00 2024 +0200\n\n{body}"


@_damage("slash-comment")
def _slash_comment(text: str, rng: random.Random) -> str:
    return _quote(text, "//")


@_damage("block-comment")
def _block_comment(text: str, rng: random.Random) -> str:
    return f"/*\n{_quote(text, ' *')} */\n"


@_damage("html-pre")
def _html_pre(text: str, rng: random.Random) -> str:
    body = html.escape(_joined(_lines(text))).replace("\u00b7", "&middot;")
    return f'<html><body>\n<pre class="console-output">{body}</pre>\n</body></html>\n'


@_damage("html-numbered-rows")
def _html_numbered_rows(text: str, rng: random.Random) -> str:
    def row(number: int, line: str) -> str:
        return f'<tr><td id="L{number}">{number}</td><td class="code">{html.escape(line)}</td></tr>'

    rows = [row(number, line) for number, line in enumerate(_lines(text), 1)]
    return f"<table>{''.join(rows)}</table>\n"


@_damage("html-of-the-nineties")
def _html_of_the_nineties(text: str, rng: random.Random) -> str:
    return f"<HTML><BODY><TT>{html.escape(text, quote=False)}</TT></BODY></HTML>".replace(
        "\n", "<BR>"
    )


@_damage("markdown-escapes")
def _markdown_escapes(text: str, rng: random.Random) -> str:
    # What an editor of rich text makes of a report that nobody put into a fence.
    return re.sub(r"[*_\[\]<>]", r"\\\g<0>", text)


@_damage("newlines-written-out")
def _newlines_written_out(text: str, rng: random.Random) -> str:
    return text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + "\n"


@_damage("html-breaks")
def _html_breaks(text: str, rng: random.Random) -> str:
    def marked(line: str) -> str:
        body = line.lstrip(" ")
        return "&nbsp;" * (len(line) - len(body)) + html.escape(body) + "<br>"

    return f"<p>{_each_line(text, marked)}</p>\n"


def _junit(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites><testsuite name="{PACKAGE}" tests="1" failures="1">\n'
        f'\t<testcase classname="{PACKAGE}" name="{TEST}" time="0.050">\n'
        f"\t\t{body}\n\t</testcase>\n</testsuite></testsuites>\n"
    )


@_damage("junit-entities")
def _junit_entities(text: str, rng: random.Random) -> str:
    quotes = {'"': "&quot;", "'": "&apos;"}
    return _junit(f"<system-out>{xml_escape(text, quotes)}</system-out>")


@_damage("junit-cdata")
def _junit_cdata(text: str, rng: random.Random) -> str:
    body = text.replace("]]>", "]]]]><![CDATA[>")
    return _junit(f"<system-out><![CDATA[{body}]]></system-out>")


@_damage("junit-one-line")
def _junit_one_line(text: str, rng: random.Random) -> str:
    # Go's XML encoder writes line ends and tabs as entities: the whole report is one line.
    codes = {"\n": "&#xA;", "\t": "&#x9;", "\r": "&#xD;", '"': "&#34;", "'": "&#39;"}
    return _junit(f'<failure message="Failed" type="">{xml_escape(text, codes)}</failure>')


# --- blank lines, bars, indentation -------------------------------------------------------------

# `==================`, which the Go detector prints before and after, ThreadSanitizer before.
_BAR = re.compile(r"\s*={10,}\s*")
# `WARNING: DATA RACE` (Go), `WARNING: ThreadSanitizer: data race (pid=7)`.
_BANNER = re.compile(r"\s*WARNING: (DATA RACE|ThreadSanitizer: )")


def _without(text: str, *patterns: re.Pattern[str]) -> str:
    def kept(line: str) -> bool:
        return not any(pattern.match(line) for pattern in patterns)

    return _joined([line for line in _lines(text) if kept(line)])


@_damage("doubled-blank-lines")
def _doubled_blank_lines(text: str, rng: random.Random) -> str:
    return _each_line(text, lambda line: f"{line}\n")


@_damage("no-blank-lines")
def _no_blank_lines(text: str, rng: random.Random) -> str:
    return _joined([line for line in _lines(text) if line.strip()])


@_damage("no-bars")
def _no_bars(text: str, rng: random.Random) -> str:
    return _without(text, _BAR)


@_damage("no-banner")
def _no_banner(text: str, rng: random.Random) -> str:
    return _without(text, _BANNER)


@_damage("no-bars-no-banner")
def _no_bars_no_banner(text: str, rng: random.Random) -> str:
    return _without(text, _BAR, _BANNER)


@_damage("no-indentation")
def _no_indentation(text: str, rng: random.Random) -> str:
    return _each_line(text, str.lstrip)


@_damage("indented-4")
def _indented_4(text: str, rng: random.Random) -> str:
    return _each_line(text, lambda line: f"    {line}")


@_damage("indented-tab")
def _indented_tab(text: str, rng: random.Random) -> str:
    return _each_line(text, lambda line: f"\t{line}")


@_damage("indented-not-blank")
def _indented_not_blank(text: str, rng: random.Random) -> str:
    # What an editor does: blank lines stay empty, so the common margin is not on every line.
    margin = " " * rng.randrange(1, 13)
    return _each_line(text, lambda line: f"{margin}{line}".rstrip())


@_damage("trailing-padding")
def _trailing_padding(text: str, rng: random.Random) -> str:
    # Copied from a terminal multiplexer, which pads to the width of its window.
    width = max(map(len, _lines(text))) + rng.randrange(8, 60)
    return _each_line(text, lambda line: line.ljust(width))


@_damage("tabs-for-spaces")
def _tabs_for_spaces(text: str, rng: random.Random) -> str:
    def tabbed(line: str) -> str:
        body = line.lstrip(" ")
        depth = (len(line) - len(body) + 2) // 4
        return "\t" * depth + body.replace(" +0x", "\t+0x")

    return _each_line(text, tabbed)


@_damage("nbsp")
def _nbsp(text: str, rng: random.Random) -> str:
    return text.replace(" ", "\u00a0")


@_damage("crlf")
def _crlf(text: str, rng: random.Random) -> str:
    return text.replace("\n", "\r\n")


@_damage("carriage-returns-only")
def _carriage_returns_only(text: str, rng: random.Random) -> str:
    return text.replace("\n", "\r")


@_damage("doubled-carriage-returns")
def _doubled_carriage_returns(text: str, rng: random.Random) -> str:
    # A text-mode writer on Windows that is handed CRLF writes CR CR LF.
    return text.replace("\n", "\r\r\n")


# --- bytes --------------------------------------------------------------------------------------

INVALID = ("\udcff", "\udcfe", "\udcc0", "\udc80")
NULS = ("\0",)
# No backspace and no escape: those change what the text around them means.
CONTROLS = ("\x01", "\x02", "\x07", "\x0b", "\x0c", "\x0f", "\x1c", "\x1f", "\x7f")


def _sprinkled(text: str, rng: random.Random, strays: Sequence[str]) -> str:
    out, at = [], 0
    while at < len(text):
        step = rng.randrange(60, 180)
        out.append(text[at : at + step])
        at += step
        if at < len(text):
            out.append(rng.choice(strays))
    return "".join(out)


def _add_strays() -> None:
    kinds = {"invalid-utf-8": INVALID, "nuls": NULS, "controls": CONTROLS}
    kinds["bytes"] = INVALID + NULS + CONTROLS
    for name, strays in kinds.items():
        _add(f"stray-{name}", partial(_sprinkled, strays=strays))


_add_strays()


def _encoded(text: str, rng: random.Random, encoding: str, bom: bytes) -> bytes:
    return bom + text.encode(encoding, "surrogatepass")


_add_bytes("utf-16-le-bom", partial(_encoded, encoding="utf-16-le", bom=b"\xff\xfe"))
_add_bytes("utf-16-be-bom", partial(_encoded, encoding="utf-16-be", bom=b"\xfe\xff"))
_add_bytes("utf-16-le-no-bom", partial(_encoded, encoding="utf-16-le", bom=b""))


@_damage("utf-8-bom")
def _utf_8_bom(text: str, rng: random.Random) -> str:
    return f"\ufeff{text}"


@_damage("mojibake")
def _mojibake(text: str, rng: random.Random) -> str:
    def misread(match: re.Match[str]) -> str:
        return match[0].encode("utf-8", "surrogateescape").decode("latin-1")

    return re.sub(r"[^\x00-\x7f]+", misread, text)


@_damage("swallowed-asterisks")
def _swallowed_asterisks(text: str, rng: random.Random) -> str:
    return text.replace("(*", "(_")


# --- foreign text -------------------------------------------------------------------------------

EVENTS = (
    "request served",
    "cache refreshed",
    "lease renewed",
    "connection closed by peer",
    "retrying after backoff",
    "snapshot written",
    "slow query",
)
SOURCES = ("cart.go", "mpp.go", "store.go", "lease.go", "server.go")


def _zap_console(rng: random.Random, now: datetime) -> str:
    place = f"cart/{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    level = rng.choice(("INFO", "WARN", "DEBUG"))
    fields = _compact({"attempt": rng.randrange(9)})
    return f"{_iso(now, rng, 3)}\t{level}\t{place}\t{rng.choice(EVENTS)}\t{fields}"


def _zap_json(rng: random.Random, now: datetime) -> str:
    place = f"cart/{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    record = {"level": "info", "ts": now.timestamp(), "caller": place, "msg": rng.choice(EVENTS)}
    return _compact(record)


def _klog(rng: random.Random, now: datetime) -> str:
    level, place = rng.choice("IWE"), f"{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    return f"{level}{now:%m%d %H:%M:%S.%f} {rng.randrange(9999):>7} {place}] {rng.choice(EVENTS)}"


def _logrus(rng: random.Random, now: datetime) -> str:
    event = rng.choice(EVENTS)
    return f'time="{now:%Y-%m-%dT%H:%M:%SZ}" level=warning msg="{event}" took={rng.randrange(99)}ms'


def _slog(rng: random.Random, now: datetime) -> str:
    return f'time={_iso(now, rng, 3)} level=INFO msg="{rng.choice(EVENTS)}" id={rng.randrange(999)}'


def _std_log(rng: random.Random, now: datetime) -> str:
    place = f"{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    return f"{now:%Y/%m/%d %H:%M:%S} {place}: {rng.choice(EVENTS)}"


def _tidb(rng: random.Random, now: datetime) -> str:
    stamp = f"{now:%Y/%m/%d %H:%M:%S}.{now.microsecond // 1000:03d} +08:00"
    place = f"{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    event = rng.choice(EVENTS)
    return f'[{stamp}] [WARN] [{place}] ["{event}"] [error="context canceled"] [task=1]'


def _go_test(rng: random.Random, now: datetime) -> str:
    name = f"Test{rng.choice(('Refund', 'Basket', 'Coupon', 'Voucher'))}"
    return rng.choice(
        (
            f"=== RUN   {name}",
            f"=== PAUSE {name}",
            f"--- FAIL: {name} ({rng.random():.2f}s)",
            f"    --- PASS: {name}/empty ({rng.random():.2f}s)",
            f"    cart_test.go:{rng.randrange(20, 300)}: total is {rng.randrange(90)}",
        )
    )


LOGGERS: tuple[LineMaker, ...] = (
    _zap_console,
    _zap_json,
    _klog,
    _logrus,
    _slog,
    _std_log,
    _tidb,
    _go_test,
)


def _between(text: str, rng: random.Random, loggers: Sequence[LineMaker]) -> str:
    clock, lines = _clock(rng), _lines(text)
    gaps = [gap for gap in range(1, len(lines)) if rng.random() < 0.25]
    # At least one gap, so that the damage is never a no-op on a report.
    chosen = set(gaps or [len(lines) // 2])
    out: list[str] = []
    for number, line in enumerate(lines):
        if number in chosen:
            count = rng.randrange(1, 6)
            out.extend(rng.choice(loggers)(rng, next(clock)) for _ in range(count))
        out.append(line)
    return _joined(out)


@_damage("logger-lines")
def _logger_lines(text: str, rng: random.Random) -> str:
    return _between(text, rng, LOGGERS)


@_damage("logger-lines-one-style")
def _logger_lines_one_style(text: str, rng: random.Random) -> str:
    return _between(text, rng, (rng.choice(LOGGERS),))


@_damage("logger-lines-tidb")
def _logger_lines_tidb(text: str, rng: random.Random) -> str:
    return _between(text, rng, (_tidb,))


def _some_lines(text: str, rng: random.Random, change: Callable[[str], str]) -> str:
    lines = _lines(text)
    written = [i for i, line in enumerate(lines) if line.strip()]
    chosen = [i for i in written if rng.random() < 0.15] or written[:1]
    for i in chosen:
        lines[i] = change(lines[i])
    return _joined(lines)


@_damage("log-glued-to-end")
def _log_glued_to_end(text: str, rng: random.Random) -> str:
    clock = _clock(rng)

    def glued(line: str) -> str:
        log = rng.choice(LOGGERS)(rng, next(clock))
        # `+0x45` and `2022/12/08` would make another number: nobody could tell them apart.
        while log[0] in string.hexdigits:
            log = rng.choice(LOGGERS)(rng, next(clock))
        return line + log

    return _some_lines(text, rng, glued)


UNFINISHED = (
    "connecting to 127.0.0.1:2379... ",
    "waiting for the leader...",
    "[shard 3/8] ",
    "12:00:01 [INFO] migrating schema: ",
    "progress: 45% ",
    '{"level":"info","msg":"tick"}',
    "2024/05/01 12:00:01 cart.go:31: total=",
)


@_damage("log-glued-to-front")
def _log_glued_to_front(text: str, rng: random.Random) -> str:
    return _some_lines(text, rng, lambda line: rng.choice(UNFINISHED) + line)


@_damage("carriage-return-progress")
def _carriage_return_progress(text: str, rng: random.Random) -> str:
    def overwritten(line: str) -> str:
        steps = sorted(rng.sample(range(1, 100), rng.randrange(1, 5)))
        return "".join(f"Downloading modules {step:>3}%\r" for step in steps) + line

    return _some_lines(text, rng, overwritten)


# --- wrapped ------------------------------------------------------------------------------------


def _wrapped_line(line: str, width: int) -> list[str]:
    pieces = []
    while len(line) > width:
        body = len(line) - len(line.lstrip())
        cut = line.rfind(" ", body + 1, width + 1)
        if cut < 0:
            # A word longer than the width stands out on the right; break after it.
            cut = line.find(" ", max(width, body + 1))
        if cut < 0:
            break
        pieces.append(line[:cut])
        line = line[cut + 1 :]
    return [*pieces, line]


def _word_wrapped(text: str, rng: random.Random, width: int) -> str:
    return _joined([piece for line in _lines(text) for piece in _wrapped_line(line, width)])


def _hard_wrapped(text: str, rng: random.Random, width: int) -> str:
    out: list[str] = []
    for line in _lines(text):
        starts = range(0, max(1, len(line)), width)
        out.extend(line[at : at + width] for at in starts)
    return _joined(out)


def _add_wraps() -> None:
    # 40 is for chat on a phone; it is the one that breaks the headers.
    for width in (40, 72, 80, 100):
        _add(f"word-wrap-{width}", partial(_word_wrapped, width=width))
    for width in (80, 100):
        _add(f"hard-wrap-{width}", partial(_hard_wrapped, width=width))


_add_wraps()


def _quoted_printable(text: str, rng: random.Random) -> bytes:
    head = (
        b"Subject: nightly is red\nMIME-Version: 1.0\n"
        b"Content-Type: text/plain; charset=utf-8\n"
        b"Content-Transfer-Encoding: quoted-printable\n\n"
    )
    return head + quopri.encodestring(text.encode("utf-8", "surrogateescape"))


_add_bytes("quoted-printable", _quoted_printable)


@_damage("newest-first")
def _newest_first(text: str, rng: random.Random) -> str:
    # A log viewer's export, sorted by time the other way round.
    return _joined(_lines(_github_actions(text, rng))[::-1])


# --- lines put into one -------------------------------------------------------------------------


# Nobody makes a paragraph of a log with its times and levels.
_LOGGED = re.compile(r"\s*(?:\d{4}-\d\d-\d\dT|\[INFO\])")


@_damage("reflowed", headless=False)
def _reflowed(text: str, rng: random.Random) -> str:
    """A paragraph, as an editor or a form without line ends makes of it."""
    if _LOGGED.match(text):
        return text
    between = rng.choice((" ", "  ", "\t", " \u21b5 ", "\u23ce", "; ", " | "))
    return between.join(_lines(text)) + "\n"


@_damage("reflowed-paragraphs", headless=False)
def _reflowed_paragraphs(text: str, rng: random.Random) -> str:
    if _LOGGED.match(text):
        return text
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(map(str.strip, _lines(part))) for part in paragraphs) + "\n"


@_damage("list-of-lines", headless=False)
def _list_of_lines(text: str, rng: random.Random) -> str:
    end = rng.choice(("", "\n"))
    return f"stderr: {[line + end for line in _lines(text)]!r}\n"


@_damage("repr")
def _repr(text: str, rng: random.Random) -> str:
    return f"{text!r}\n"


@_damage("ends-written-otherwise", headless=False)
def _ends_written_otherwise(text: str, rng: random.Random) -> str:
    text, end = text.replace("\r\n", "\n"), rng.choice(("\\012", "\\x0a", "^J", "%0A"))
    if end == "%0A":
        text = text.replace("%", "%25")
    return text.replace("\n", end) + "\n"


@_damage("octet-counted", headless=False)
def _octet_counted(text: str, rng: random.Random) -> str:
    """Syslog over TCP, where nothing but its length ends a message."""
    clock, out = _clock(rng), []
    for line in _lines(text):
        message = f"<134>1 {_iso(next(clock), rng, 6)} node-3 apiserver 4711 - - {line}"
        out.append(f"{len(message.encode('utf-8', 'surrogateescape'))} {message}")
    return "".join(out)


# --- something behind each line, or around it ---------------------------------------------------


@_damage("suffix", headless=False)
def _suffix(text: str, rng: random.Random) -> str:
    suffix = rng.choice((" {pod=api-1}", " (worker 3)", "\tsource=stderr", " | n3", ";", " \\"))
    return _each_line(text, lambda line: line + suffix)


@_damage("cat-a", headless=False)
def _cat_a(text: str, rng: random.Random) -> str:
    return _each_line(text, lambda line: line.replace("\t", "^I") + "$")


@_damage("strings-of-a-program", headless=False)
def _strings_of_a_program(text: str, rng: random.Random) -> str:
    head, tail = rng.choice((("  - ", ""), ("        + ", ""), ("+ \t\t", ","), ("    ", " +")))
    return _each_line(text, lambda line: f"{head}{_quoted(line)}{tail}")


@_damage("counting-labels")
def _counting_labels(text: str, rng: random.Random) -> str:
    shape = rng.choice(("[{0}] ", "[test:{0}] ", "[test:L{0}:3s] ", "[00:{0}] "))
    return _joined([shape.format(n) + line for n, line in enumerate(_lines(text), 12)])


@_damage("two-numbered-writers")
def _two_numbered_writers(text: str, rng: random.Random) -> str:
    """`ctest -V -j`, `srun --label`: the number tells the writer, and counts nothing."""
    shape = rng.choice(("{0}: ", "{0:>2}: ", "{0}\t"))
    marks = shape.format(rng.randrange(9)), shape.format(rng.randrange(10, 19))
    return interleave(text, other_process(text, rng), rng, marks)


@_damage("two-tagged-writers")
def _two_tagged_writers(text: str, rng: random.Random) -> str:
    """`parallel --tag`, nix, lerna, kail: each line has its writer's name, whatever ends that."""
    ends = (("./cart", "./mail", "\t"), ("cart", "mail", "> "), ("cart", "mail", ": "))
    one, other, end = rng.choice((*ends, ("default/api-1[api]", "default/api-2[api]", ": ")))
    return interleave(text, other_process(text, rng), rng, (one + end, other + end))


@_damage("yaml-records", headless=False)
def _yaml_records(text: str, rng: random.Random) -> str:
    """`gcloud logging read`: a document a line."""

    def record(line: str) -> str:
        quoted = _quoted(line) if "\t" in line else "'" + line.replace("'", "''") + "'"
        return f"---\ninsertId: a{rng.randrange(99)}\nseverity: ERROR\ntextPayload: {quoted}"

    return _each_line(text, record)


@_damage("rubydebug")
def _rubydebug(text: str, rng: random.Random) -> str:
    """Logstash on a terminal."""

    def record(line: str) -> str:
        return f'{{\n       "message" => {_quoted(line)},\n      "@version" => "1"\n}}'

    return _each_line(text, record)


@_damage("links-of-a-chat")
def _links_of_a_chat(text: str, rng: random.Random) -> str:
    """Chats and wikis take a file's name for a host where its ending is a country."""
    link = rng.choice((r"<http://\1|\1>", r"[\1](http://\1)", r"[\1|http://\1]"))
    said = re.sub(r"(?<![\w/.@-])([\w-]+\.(?:rs|cc))(?=:\d)", link, text)
    return f"cibot  12:03\n{said}"


@_damage("ligatures")
def _ligatures(text: str, rng: random.Random) -> str:
    """Copied from a page that was set."""
    for letters, glyph in (("ffi", "\ufb03"), ("fi", "\ufb01"), ("fl", "\ufb02"), ("ff", "\ufb00")):
        # the words by which a report is found stay: nobody looks for them in every spelling
        text = re.sub(rf"(?<!Unde){letters}", glyph, text)
    return text


# --- text that is gone --------------------------------------------------------------------------


@_damage("cut-off-at-line", lossy=True)
def _cut_off_at_line(text: str, rng: random.Random) -> str:
    lines = _lines(text)
    return _joined(lines[: rng.randrange(len(lines))])


@_damage("head-cut-off-at-line", lossy=True)
def _head_cut_off_at_line(text: str, rng: random.Random) -> str:
    lines = _lines(text)
    return _joined(lines[rng.randrange(1, len(lines) + 1) :])


def _cut_off_at_byte(text: str, rng: random.Random) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return data[: rng.randrange(len(data) + 1)]


def _head_cut_off_at_byte(text: str, rng: random.Random) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return data[rng.randrange(len(data) + 1) :]


_add_bytes("cut-off-at-byte", _cut_off_at_byte, lossy=True)
_add_bytes("head-cut-off-at-byte", _head_cut_off_at_byte, lossy=True)

# A frame of the Go detector: `  main.main()`, and below it `      /src/main.go:12 +0x45`.
_GO_FUNCTION, _GO_PLACE = re.compile(r" {2}\S"), re.compile(r" {6,}\S")
# A frame of ThreadSanitizer: `    #0 main main.c:12 (a.out+0x1234)`.
_NUMBERED = re.compile(r"\s*#\d+ ")

Span = tuple[int, int]


def _frame_at(lines: Sequence[str], at: int) -> Span | None:
    if _NUMBERED.match(lines[at]):
        return at, at + 1
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if _GO_FUNCTION.match(lines[at]) and _GO_PLACE.match(below):
        return at, at + 2
    return None


def _stacks(lines: Sequence[str]) -> list[list[Span]]:
    stacks: list[list[Span]] = []
    at = end = 0
    while at < len(lines):
        frame = _frame_at(lines, at)
        if frame is None:
            at += 1
            continue
        if not stacks or frame[0] != end:
            stacks.append([])
        stacks[-1].append(frame)
        at = end = frame[1]
    return stacks


def _elided(text: str, rng: random.Random, mark: str) -> str:
    """Deep frames only: whoever shortens a stack keeps the frames that matter to him."""
    lines = _lines(text)
    for stack in reversed(_stacks(lines)):
        if len(stack) < 3:
            continue
        first = rng.randrange(2, len(stack))
        last = rng.randrange(first, len(stack))
        lines[stack[first][0] : stack[last][1]] = mark.split("\n")
    return _joined(lines)


_add("elided-dots", partial(_elided, mark="  ..."), lossy=True)
_add("elided-dots-twice", partial(_elided, mark="...\n..."), lossy=True)
_add("elided-brackets", partial(_elided, mark="[...]"), lossy=True)


# --- compositions -------------------------------------------------------------------------------

# In the order in which it happens to the text: the first is nearest to the detector.
COMPOSITIONS = (
    ("go-test-json", "github-actions"),
    ("cri", "kubectl"),
    ("ansi-words", "docker-compose-colour"),
    ("github-actions", "markdown-quote"),
    ("jenkins", "doubled-blank-lines", "crlf"),
    ("logger-lines", "go-test-json"),
    ("logger-lines", "cri-partial"),
    ("docker-compose", "github-actions"),
    ("json-logger", "docker-json-file"),
    ("word-wrap-72", "mail-quote"),
    ("mail-quote", "quoted-printable"),
    ("crlf", "utf-16-le-bom"),
    ("github-actions", "html-pre"),
    ("github-actions", "grep-context"),
    ("swallowed-asterisks", "no-indentation", "markdown-quote"),
    ("syslog", "ansi-lines"),
    ("kubectl-two-pods", "github-actions"),
    ("no-bars-no-banner", "foreman"),
    ("cut-off-at-line", "go-test-json"),
    ("ansi-lines", "docker-json-file"),
    ("ansi-lines", "go-test-json"),
    ("ansi-lines", "logfmt"),
    ("ansi-lines", "json-one-string"),
    ("html-pre", "go-test-json"),
    ("docker-json-file", "kubectl-two-pods"),
    ("json-logger", "docker-compose-two-services"),
)

DAMAGES: tuple[Damage, ...] = (
    *_found,
    *(compose(*map(named, names)) for names in COMPOSITIONS),
)
