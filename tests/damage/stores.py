"""Answers and exports of log stores: newest first, in tables, in lists of fields."""

from __future__ import annotations

import base64
import csv
import io
import json
from typing import TYPE_CHECKING

from tests.damage.lines import clock_times, compact_json, iso_time, json_string, split_lines
from tests.damage.registry import damage
from tests.damage.writers import interleave, other_process

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence


def _timed(text: str, rng: random.Random, digits: int = 6) -> list[tuple[str, str]]:
    clock = clock_times(rng)
    return [(iso_time(next(clock), rng, digits), line) for line in split_lines(text)]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()


@damage("hits-newest-first")
def _hits_newest_first(text: str, rng: random.Random) -> str:
    """An Elasticsearch search with the newest line first."""
    hits = [
        {"_id": f"x{i}", "_source": {"@timestamp": when, "message": line, "host": "node-3"}}
        for i, (when, line) in enumerate(_timed(text, rng))
    ]
    return compact_json({"took": 3, "hits": {"hits": hits[::-1]}}) + "\n"


@damage("streams-newest-first")
def _streams_newest_first(text: str, rng: random.Random) -> str:
    """The default answer of Loki."""
    clock = clock_times(rng)
    rows = [[str(int(next(clock).timestamp() * 1e6) * 1000), line] for line in split_lines(text)]
    stream = {"stream": {"app": "cart"}, "values": rows[::-1]}
    return compact_json({"data": {"resultType": "streams", "result": [stream]}}) + "\n"


def _fields(text: str, rng: random.Random) -> list[object]:
    def pointer() -> str:
        return base64.b64encode(rng.randbytes(60)).decode()

    return [
        [
            {"field": "@timestamp", "value": when.replace("T", " ").rstrip("Z")},
            {"field": "@message", "value": line},
            {"field": "@ptr", "value": pointer()},
        ]
        for when, line in _timed(text, rng, 3)
    ]


@damage("hits-over-lines")
def _hits_over_lines(text: str, rng: random.Random) -> str:
    """The same, pretty-printed and oldest first: most lines are metadata."""
    hits = [
        {"_index": "logs", "_id": f"x{i}", "_source": {"@timestamp": when, "message": line}}
        for i, (when, line) in enumerate(_timed(text, rng))
    ]
    return json.dumps({"took": 3, "hits": {"hits": hits}}, indent=2) + "\n"


@damage("fields-in-a-list")
def _fields_in_a_list(text: str, rng: random.Random) -> str:
    """Output of `aws logs get-query-results`."""
    return json.dumps({"results": _fields(text, rng), "status": "Complete"}, indent=4) + "\n"


@damage("cells-behind-the-text", headless=False)
def _cells_behind_the_text(text: str, rng: random.Random) -> str:
    """CSV with one cell per line, and other cells after the text."""
    rows = [(f"{rng.getrandbits(64):x}", "cart-7d4b9c-x2x9k", "ERROR", line, when) for when, line in _timed(text, rng)]
    return _table(("insertId", "pod_name", "severity", "textPayload", "timestamp"), rows)


@damage("cells-newest-first")
def _cells_newest_first(text: str, rng: random.Random) -> str:
    rows = [(when, "node-3", "cart", line) for when, line in _timed(text, rng)]
    return _table(("Date", "Host", "Service", "Message"), rows[::-1])


def _newest_first_by_time(text: str, rng: random.Random, digits: int) -> list[tuple[str, str]]:
    """Sorted by time only: lines of one time keep their order."""
    return sorted(_timed(text, rng, digits), key=lambda timed: timed[0], reverse=True)


@damage("hits-of-one-time-in-order", headless=False)
def _hits_of_one_time_in_order(text: str, rng: random.Random) -> str:
    hits = [
        {"_source": {"@timestamp": when, "message": line, "host": "node-3"}}
        for when, line in _newest_first_by_time(text, rng, 3)
    ]
    return compact_json({"took": 3, "hits": {"hits": hits}}) + "\n"


@damage("cells-of-one-second-in-order", headless=False)
def _cells_of_one_second_in_order(text: str, rng: random.Random) -> str:
    return _table(("Date", "Message"), _newest_first_by_time(text, rng, 0))


@damage("records-in-cells")
def _records_in_cells(text: str, rng: random.Random) -> str:
    """Lines of a JSON logger, exported as CSV: every quote is doubled."""
    rows = [
        (when, compact_json({"level": "error", "message": line, "service": "cart"})) for when, line in _timed(text, rng)
    ]
    return _table(("timestamp", "message"), rows)


@damage("hashes-in-lists")
def _hashes_in_lists(text: str, rng: random.Random) -> str:
    """Fluent Bit's stdout output."""
    clock = clock_times(rng)
    return "".join(
        f"[{i}] kube.cart: [[{next(clock).timestamp():.6f}, {{}}], "
        f'{{"log"=>{json_string(line)}, "stream"=>"stderr"}}]\n'
        for i, line in enumerate(split_lines(text))
    )


@damage("only-text-of-a-record")
def _only_text_of_a_record(text: str, rng: random.Random) -> str:
    """Lines of Drone, under a key without meaning."""
    lines = enumerate(split_lines(text))
    return "".join(compact_json({"pos": i, "out": f"{line}\n", "time": 3}) + "\n" for i, line in lines)


@damage("fields-behind-each-line", headless=False)
def _fields_behind_each_line(text: str, rng: random.Random) -> str:
    """Lines of zap's console, each a record over several lines."""
    entries = [
        {"textPayload": f'{when}\tERROR\trunner/run.go:88\t{line}\t{{"job": "cart"}}', "id": i}
        for i, (when, line) in enumerate(_timed(text, rng, 3))
    ]
    return json.dumps(entries, indent=2) + "\n"


def _of_two_pods(text: str, rng: random.Random) -> list[tuple[str, str, str]]:
    """Time, pod and text of the interleaved lines of two processes."""
    mixed = interleave(text, other_process(text, rng), rng, ("api-x2x9k\t", "api-qf8zt\t"))
    return [(when, *line.split("\t", 1)) for when, line in _timed(mixed, rng)]  # type: ignore[misc]


@damage("two-pods-in-hits")
def _two_pods_in_hits(text: str, rng: random.Random) -> str:
    """As Filebeat does: an object has the name of the pod."""
    return "".join(
        compact_json({"@timestamp": when, "kubernetes": {"pod": {"name": pod}}, "message": line}) + "\n"
        for when, pod, line in _of_two_pods(text, rng)
    )


@damage("two-pods-in-hits-over-lines", headless=False)
def _two_pods_in_hits_over_lines(text: str, rng: random.Random) -> str:
    """The same, pretty-printed: text and pod on separate lines."""
    hits = [
        {"_source": {"@timestamp": when, "message": line, "kubernetes": {"pod": {"name": pod}}}}
        for when, pod, line in _of_two_pods(text, rng)
    ]
    return json.dumps({"took": 3, "hits": {"hits": hits}}, indent=2) + "\n"


@damage("two-pods-in-cells", headless=False)
def _two_pods_in_cells(text: str, rng: random.Random) -> str:
    rows = [(when, line, pod) for when, pod, line in _of_two_pods(text, rng)]
    return _table(("timestamp", "message", "pod"), rows)


@damage("two-streams-newest-first")
def _two_streams_newest_first(text: str, rng: random.Random) -> str:
    lines = _of_two_pods(text, rng)[::-1]
    streams = [
        {"stream": {"pod": who}, "values": [[when, line] for when, pod, line in lines if pod == who]}
        for who in sorted({pod for _, pod, _ in lines})
    ]
    return compact_json({"data": {"resultType": "streams", "result": streams}}) + "\n"


@damage("two-tags-of-fluent-bit")
def _two_tags_of_fluent_bit(text: str, rng: random.Random) -> str:
    return "".join(
        f'[{i}] kube.{pod}: [[{i}.5, {{}}], {{"log"=>{json_string(line)}}}]\n'
        for i, (_, pod, line) in enumerate(_of_two_pods(text, rng))
    )


@damage("lines-beside-the-text")
def _lines_beside_the_text(text: str, rng: random.Random) -> str:
    """A command's result in Ansible and Zuul: its output, and again as a list of lines."""
    lines = split_lines(text)
    result = {"changed": True, "rc": 66, "stdout": text, "stdout_lines": lines, "stderr": ""}
    return json.dumps([{"plays": [{"tasks": [{"hosts": {"node-3": result}}]}]}], indent=4) + "\n"
