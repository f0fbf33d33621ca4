"""Lines of text within records, or all of them in one record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.damage.lines import (
    OTHER_PACKAGE,
    OTHER_TEST,
    PACKAGE,
    TEST,
    clock_times,
    compact_go_json,
    compact_json,
    cut_in_two,
    iso_time,
    join_lines,
    json_string,
    map_lines,
    split_lines,
)
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator


def _wrap_lines(text: str, record: Callable[[str], object], *, go: bool = True) -> str:
    dump = compact_go_json if go else compact_json
    return map_lines(text, lambda line: dump(record(line)))


@damage("go-test-json")
def _go_test_json(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)

    def event(action: str, package: str = PACKAGE, **fields: object) -> str:
        time = f"{next(clock):%Y-%m-%dT%H:%M:%S.%f}+02:00"
        return compact_go_json({"Time": time, "Action": action, "Package": package, **fields})

    def output(line: str) -> str:
        return event("output", Test=TEST, Output=f"{line}\n")

    def other() -> str:
        line = f"    send_test.go:{rng.randrange(20, 90)}: sent {rng.randrange(9)} receipts\n"
        return event("output", OTHER_PACKAGE, Test=OTHER_TEST, Output=line)

    out = [event("start"), event("run", Test=TEST), output(f"=== RUN   {TEST}")]
    out.append(event("run", OTHER_PACKAGE, Test=OTHER_TEST))
    for line in split_lines(text):
        out.append(output(line))
        if rng.random() < 0.2:
            out.append(other())
    out.append(output(f"--- FAIL: {TEST} (0.05s)"))
    out.append(event("fail", Test=TEST, Elapsed=0.05))
    out.append(event("pass", OTHER_PACKAGE, Test=OTHER_TEST, Elapsed=0.4))
    return join_lines([*out, event("fail", Elapsed=0.11), event("pass", OTHER_PACKAGE, Elapsed=0.5)])


@damage("docker-json-file")
def _docker_json_file(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)
    return _wrap_lines(
        text, lambda line: {"log": f"{line}\n", "stream": "stderr", "time": iso_time(next(clock), rng, 9)}
    )


@damage("what-a-child-said")
def _what_a_child_said(text: str, rng: random.Random) -> str:
    """A program that logs each line of its child process in a field."""
    key, when = rng.choice(("stderr", "output", "line")), clock_times(rng)
    return _wrap_lines(text, lambda line: {"ts": next(when).timestamp(), "msg": "child said", key: line}, go=False)


@damage("key-of-their-own")
def _key_of_their_own(text: str, rng: random.Random) -> str:
    key = rng.choice(("log_message", "logMessage", "raw_text"))
    return _wrap_lines(text, lambda line: {"id": rng.randrange(10**6), "zone": "b", key: line})


@damage("gelf")
def _gelf(text: str, rng: random.Random) -> str:
    return _wrap_lines(
        text,
        lambda line: {"version": "1.1", "host": "node-3", "short_message": line[:40] or "-"} | {"full_message": line},
    )


def _cuts(text: str, rng: random.Random, most: int) -> Iterator[str]:
    at = 0
    while at < len(text):
        step = rng.randrange(most // 10, most)
        yield text[at : at + step]
        at += step


@damage("asciinema")
def _asciinema(text: str, rng: random.Random) -> str:
    """A recorded terminal session: one event per write."""
    events = list(enumerate(_cuts(text.replace("\n", "\r\n"), rng, 300), 1))
    head = json.dumps({"version": 2, "width": 120, "height": 40})
    return join_lines([head, *(json.dumps([at / 100, "o", piece]) for at, piece in events)])


@damage("circleci-output")
def _circleci_output(text: str, rng: random.Random) -> str:
    pieces = [{"message": piece, "type": "err"} for piece in _cuts(text, rng, 4000)]
    return compact_json(pieces) + "\n"


@damage("journald-json")
def _journald_json(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)
    return _wrap_lines(
        text,
        lambda line: {
            "__REALTIME_TIMESTAMP": str(int(next(clock).timestamp() * 1_000_000)),
            "_PID": "4711",
            "SYSLOG_IDENTIFIER": "apiserver",
            "MESSAGE": line,
        },
        go=False,
    )


@damage("loki-export")
def _loki_export(text: str, rng: random.Random) -> str:
    clock, labels = clock_times(rng), {"app": "api", "pod": "api-7d4b9c-x2x9k"}
    return _wrap_lines(text, lambda line: {"labels": labels, "line": line, "timestamp": iso_time(next(clock), rng, 9)})


@damage("elasticsearch-export")
def _elasticsearch_export(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)

    def record(line: str) -> object:
        source = {"@timestamp": iso_time(next(clock), rng, 3), "message": line, "host": "node-3"}
        return {"_index": "logs-2024.05", "_source": source}

    return _wrap_lines(text, record, go=False)


def _cri(text: str, rng: random.Random, chance: Callable[[str], float]) -> Iterator[str]:
    clock = clock_times(rng)
    for line in split_lines(text):
        pieces = cut_in_two(line, rng, chance(line))
        for piece in pieces[:-1]:
            yield f"{iso_time(next(clock), rng, 9)} stderr P {piece}"
        yield f"{iso_time(next(clock), rng, 9)} stderr F {pieces[-1]}"


def _cut_chance(line: str) -> float:
    # Banner and headers matter most: split them more often than frames.
    return 0.8 if "DATA RACE" in line or line.endswith(":") else 0.3


@damage("cri")
def _cri_full(text: str, rng: random.Random) -> str:
    return join_lines(list(_cri(text, rng, lambda line: 0)))


@damage("cri-partial")
def _cri_partial(text: str, rng: random.Random) -> str:
    return join_lines(list(_cri(text, rng, _cut_chance)))


@damage("cri-partial-two-streams")
def _cri_two_streams(text: str, rng: random.Random) -> str:
    # Lines of the other stream also come between two parts of a line.
    out = []
    for line in _cri(text, rng, _cut_chance):
        out.append(line)
        if rng.random() < 0.25:
            stamp = line.split(" ", 1)[0]
            out.append(f"{stamp} stdout F GET /healthz 200 {rng.randrange(900)}us")
    return join_lines(out)


@damage("logfmt")
def _logfmt(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)
    return map_lines(text, lambda line: f"time={iso_time(next(clock), rng, 3)} level=info msg={json_string(line)}")


@damage("json-logger")
def _json_logger(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)
    return _wrap_lines(text, lambda line: {"level": "info", "ts": next(clock).timestamp(), "msg": line}, go=False)


@damage("json-one-string")
def _json_one_string(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)
    records: list[dict[str, object]] = [
        {"level": "info", "ts": next(clock).timestamp(), "msg": "worker started", "pid": 4711},
        {"level": "error", "ts": next(clock).timestamp(), "msg": "test failed", "output": text},
        {"level": "info", "ts": next(clock).timestamp(), "msg": "worker stopped", "code": 66},
    ]
    return join_lines([compact_go_json(record) for record in records])


@damage("logfmt-output-field")
def _logfmt_output_field(text: str, rng: random.Random) -> str:
    when = iso_time(next(clock_times(rng)), rng, 9)
    return f'time={when} level=error msg="tests failed" output={compact_json(text)} code=66\n'


@damage("workflow-command")
def _workflow_command(text: str, rng: random.Random) -> str:
    """An annotation of GitHub, with its text on one line."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::error file=cart/basket.go,line={rng.randrange(1, 400)},title=tests::{escaped}\n"


@damage("opentelemetry-export")
def _opentelemetry_export(text: str, rng: random.Random) -> str:
    start = rng.randrange(10**18, 2 * 10**18)
    output_line = [
        {"timeUnixNano": str(start + i), "severityText": "ERROR", "body": {"stringValue": line}}
        for i, line in enumerate(split_lines(text))
    ]
    service = {"key": "service.name", "value": {"stringValue": "cart"}}
    scope = {"scope": {"name": "stderr"}, "logRecords": output_line}
    return compact_json({"resourceLogs": [{"resource": {"attributes": [service]}, "scopeLogs": [scope]}]})


@damage("json-over-lines")
def _json_over_lines(text: str, rng: random.Random) -> str:
    """A pretty-printed record with the whole report in one field."""
    record = {"event": f"{rng.getrandbits(64):x}", "extra": {"code": 66, "stderr": text}}
    return json.dumps(record, indent=2) + "\n"


@damage("rows-of-a-query")
def _rows_of_a_query(text: str, rng: random.Random) -> str:
    """The answer of Azure's Log Analytics: columns separate from rows."""
    clock = clock_times(rng)
    rows = [[iso_time(next(clock), rng, 7), line] for line in split_lines(text)]
    columns = [{"name": "TimeGenerated"}, {"name": "LogMessage"}]
    table = {"name": "PrimaryResult", "columns": columns, "rows": rows}
    return compact_json({"tables": [table]}) + "\n"


@damage("logfmt-one-string")
def _logfmt_one_string(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)
    return join_lines(
        [
            f'time={iso_time(next(clock), rng, 3)} level=info msg="worker started" pid=4711',
            f"time={iso_time(next(clock), rng, 3)} level=error msg={json_string(text)} code=66",
        ]
    )
