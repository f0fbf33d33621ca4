"""Files of log records, as log stores and collectors export them."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from deadheat.sources.record_files import RecordOptions, StreamRecord, read_records
from deadheat.text.window import OpenedDocument

TIME, MICROS = "2026-11-18T10:00:00.123456789Z", 1_794_996_000_123_456
NANOS = 1_794_996_000_123_456_789

DEFAULTS = RecordOptions()


def records_in(
    content: str | bytes, options: RecordOptions = DEFAULTS, file: str = "/logs/app.log"
) -> list[StreamRecord]:
    data = content.encode() if isinstance(content, str) else content
    document = OpenedDocument(file, data[:100], BytesIO(data[100:]).read)
    return [*read_records(document, file, options)]


def otlp_attributes(**values: str) -> list[dict[str, Any]]:
    return [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in values.items()]


STORES: dict[str, tuple[Any, str]] = {
    "logcli": ({"labels": {"pod": "a", "app": "x"}, "line": "T", "timestamp": TIME}, "app=x,pod=a"),
    "loki query": (
        {
            "status": "success",
            "data": {"resultType": "streams", "result": [{"stream": {"pod": "a"}, "values": [[str(NANOS), "T"]]}]},
        },
        "pod=a",
    ),
    "loki push": ({"streams": [{"stream": {"pod": "a"}, "values": [[str(NANOS), "T", {"trace": "1"}]]}]}, "pod=a"),
    "elasticdump": (
        {
            "_index": "i",
            "_id": "1",
            "_source": {
                "@timestamp": TIME,
                "message": "T",
                "log": {"offset": 7, "file": {"path": "/v/x"}},
                "kubernetes": {"pod": {"name": "a"}},
                "host": {"name": "h", "ip": ["::1"]},
            },
        },
        "kubernetes.pod.name=a,host.name=h,log.file.path=/v/x",
    ),
    "elasticsearch": (
        {
            "took": 1,
            "hits": {"total": {"value": 1}, "hits": [{"_source": {"@timestamp": TIME, "message": "T", "host": "h"}}]},
        },
        "host=h",
    ),
    "cloud logging": (
        {
            "insertId": "a1",
            "logName": "projects/p/logs/stderr",
            "textPayload": "T",
            "timestamp": TIME,
            "resource": {"type": "k8s_container", "labels": {"pod_name": "a", "namespace_name": "n"}},
        },
        "logName=projects/p/logs/stderr,namespace_name=n,pod_name=a",
    ),
    "cloudwatch filter": (
        {
            "events": [
                {
                    "logStreamName": "s",
                    "timestamp": NANOS // 1_000_000,
                    "message": "T",
                    "ingestionTime": 1,
                    "eventId": "37",
                }
            ]
        },
        "logStreamName=s",
    ),
    "cloudwatch subscription": (
        {
            "messageType": "DATA_MESSAGE",
            "logGroup": "g",
            "logStream": "s",
            "logEvents": [{"id": "37", "timestamp": NANOS // 1_000_000, "message": "T"}],
        },
        "logGroup=g,logStream=s",
    ),
    "docker": ({"log": "T\n", "stream": "stderr", "time": TIME}, "file=/logs/app.log,stream=stderr"),
    "fluent bit": (
        {
            "date": 1794996000.123456,
            "log": "T",
            "stream": "stderr",
            "logtag": "F",
            "kubernetes": {"pod_name": "a", "namespace_name": "n"},
        },
        "kubernetes.namespace_name=n,kubernetes.pod_name=a,stream=stderr",
    ),
    "journald": (
        {"MESSAGE": "T", "_HOSTNAME": "h", "_PID": "7", "__REALTIME_TIMESTAMP": str(MICROS), "__SEQNUM": "9"},
        "_HOSTNAME=h,_PID=7",
    ),
    "opentelemetry": (
        {
            "resourceLogs": [
                {
                    "resource": {"attributes": otlp_attributes(k8s__pod__name="a")},
                    "scopeLogs": [
                        {
                            "scope": {},
                            "logRecords": [
                                {
                                    "timeUnixNano": "0",
                                    "observedTimeUnixNano": str(NANOS),
                                    "body": {"stringValue": "T"},
                                    "attributes": otlp_attributes(log__iostream="stderr"),
                                }
                            ],
                        }
                    ],
                }
            ]
        },
        "attributes.log.iostream=stderr,k8s.pod.name=a",
    ),
}


@pytest.mark.parametrize("store", STORES)
def test_the_fields_of_known_stores(store: str) -> None:
    exported, stream = STORES[store]
    [found] = records_in(json.dumps(exported) + "\n")
    assert found.stream == stream
    assert found.record.text.rstrip("\n") == "T"
    assert not found.record.is_partial
    assert found.record.time is not None
    assert abs(found.record.time - MICROS) < 1000


@pytest.mark.parametrize("store", STORES)
def test_a_value_over_several_lines(store: str) -> None:
    exported, stream = STORES[store]
    [found] = records_in(json.dumps([exported], indent=2))
    assert found.stream == stream


def test_lines_of_kubernetes() -> None:
    lines = f"{TIME} stderr P a long \n{TIME} stderr F line\n{TIME} stdout F other\n"
    first, second, third = records_in(lines, file="/var/log/pods/shop_cart-1_uid/cart/0.log")
    assert (first.record.text, first.record.is_partial) == ("a long ", True)
    assert (second.record.text.rstrip("\n"), second.record.is_partial) == ("line", False)
    assert first.stream == second.stream != third.stream
    assert "shop_cart-1_uid/cart/0.log" in first.stream
    assert first.record.time == MICROS


def test_text_of_docker_without_line_end_continues() -> None:
    [found] = records_in(json.dumps({"log": "T", "stream": "stderr", "time": TIME}))
    assert found.record.is_partial


def test_nanoseconds_and_the_order_of_a_store_are_the_key() -> None:
    lines = [
        {"logName": "l", "timestamp": f"2026-11-18T10:00:00.12345678{digit}Z", "textPayload": "T", "insertId": name}
        for digit, name in ((9, "a"), (1, "b"), (1, "a"))
    ]
    keys = [found.record.key for found in records_in("\n".join(map(json.dumps, lines)))]
    assert sorted(keys) == [keys[2], keys[1], keys[0]]
    offsets = [{"time": TIME, "log": "T", "offset": offset, "pod": "a"} for offset in (9, 10, 100)]
    keys = [found.record.key for found in records_in("\n".join(map(json.dumps, offsets)))]
    assert keys == sorted(keys)


def test_fields_that_the_user_names() -> None:
    line = {"app": {"said": "T"}, "who.is": "cart", "n": 3, "at": "2026-11-18 10:00:00,123"}
    options = RecordOptions("app.said", ("who.is", "zone"), ("n",), "at")
    [found] = records_in(json.dumps(line), options)
    assert found.stream == "who.is=cart,zone="
    assert found.record == found.record._replace(text="T", time=1_794_996_000_123_000, has_unique_key=True)
    assert [key.lstrip("0") for key in found.record.key] == ["3"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"no json\n",
        b"{",
        b"[1, 2",
        b'{"a": 1}\n',
        b"[]",
        b"\xff\xfe{}\n",
        b'{"log": 3, "time": "x"}',
        b"[" * 5000,
    ],
)
def test_what_is_no_record_is_skipped(content: bytes) -> None:
    assert records_in(content) == []


def test_a_broken_line_does_not_hide_the_others() -> None:
    good = json.dumps({"log": "T", "time": TIME, "pod": "a"})
    assert len(records_in(f'{{"log": "brok\n{good}\n{good[:9]}\n{good}')) == 2


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-11-18T10:00:00Z", 0),
        ("2026-11-18T11:00:00+01:00", 0),
        ("2026-11-18T11:00:00.5+0100", 500_000),
        (1_794_996_000, 0),
        (1794996000.25, 250_000),
        ("1794996000000", 0),
        (1_794_996_000_000_001, 1),
        ("soon", None),
        (True, None),
        ("2026-13-40T10:00:00Z", None),
        (-5, None),
        ("NaN", None),
    ],
)
def test_times(written: Any, expected: int | None) -> None:
    [found] = records_in(json.dumps({"log": "T", "time": written, "pod": "a"}))
    assert found.record.time == (None if expected is None else 1_794_996_000_000_000 + expected)
