"""The fields of log records, as log stores and collectors export them."""

from __future__ import annotations

from typing import NamedTuple


class RecordFormat(NamedTuple):
    """Where a store keeps what matters of a record. Paths are dotted; a list on the way stands for all of its items."""

    store: str
    requires: tuple[str, ...]  # an object with all these fields has this format
    text: tuple[str, ...]  # the first that exists
    time: tuple[str, ...]  # the first that exists
    order: tuple[str, ...] = ()  # what orders records of the same time; all that exist
    stream: tuple[str, ...] = ()  # fields that name the writer; all that exist
    labels: tuple[str, ...] = ()  # objects whose members name the writer
    records: str = ""  # path of the records in the object; the object itself by default
    has_other_fields: bool = True  # fields that are not named here may be present
    is_stored_by_file: bool = False  # the file is part of the stream's name
    keeps_line_ends: bool = False  # text without a line end continues in the next record


_KUBERNETES_FIELDS = (
    "kubernetes.namespace_name", "kubernetes.namespace", "kubernetes.pod_name", "kubernetes.pod.name",
    "kubernetes.container_name", "kubernetes.container.name", "kubernetes.docker_id",
)  # fmt: skip
_WRITER_FIELDS = (
    *_KUBERNETES_FIELDS,
    "container.id", "container_id", "container_name", "pod", "container", "host.name", "host", "hostname", "_HOSTNAME",
    "_PID", "log.file.path", "service", "stream",
)  # fmt: skip
_TEXT_FIELDS = ("log", "message", "MESSAGE", "msg", "text", "line", "event.original", "_raw", "log.original")
_TIME_FIELDS = ("time", "@timestamp", "timestamp", "ts", "date", "__REALTIME_TIMESTAMP", "_time")
_ORDER_FIELDS = ("log.offset", "event.sequence", "offset", "seq", "sequence", "__SEQNUM")

# the first that fits is used
FORMATS = (
    RecordFormat(
        "OpenTelemetry", ("resourceLogs",), ("body.stringValue", "body.kvlistValue.values.message", "body"),
        ("timeUnixNano", "observedTimeUnixNano"), ("attributes.log.file.record_number",),
        ("attributes.log.file.path", "attributes.log.iostream"), ("resource.attributes",),
        "resourceLogs.scopeLogs.logRecords",
    ),
    RecordFormat("Loki", ("data.result",), ("1",), ("0",), (), (), ("stream",), "data.result.values"),
    RecordFormat("Loki", ("streams",), ("1",), ("0",), (), (), ("stream",), "streams.values"),
    RecordFormat("Loki", ("stream", "values"), ("1",), ("0",), (), (), ("stream",), "values"),
    RecordFormat("Loki", ("labels", "line", "timestamp"), ("line",), ("timestamp",), (), (), ("labels",)),
    RecordFormat(
        "Elasticsearch", ("hits.hits",), _TEXT_FIELDS, _TIME_FIELDS, _ORDER_FIELDS, _WRITER_FIELDS,
        records="hits.hits._source",
    ),
    RecordFormat(
        "Elasticsearch", ("_source",), _TEXT_FIELDS, _TIME_FIELDS, _ORDER_FIELDS, _WRITER_FIELDS, records="_source"
    ),
    RecordFormat(
        "Google Cloud Logging", ("logName", "timestamp"),
        ("textPayload", "jsonPayload.message", "jsonPayload.log", "jsonPayload.msg", "jsonPayload.MESSAGE"),
        ("timestamp", "receiveTimestamp"), ("insertId",), ("logName",), ("resource.labels",),
    ),
    RecordFormat(
        "CloudWatch", ("logEvents",), ("message",), ("timestamp",), ("id",), ("logGroup", "logStream"),
        records="logEvents",
    ),
    RecordFormat(
        "CloudWatch", ("events",), ("message",), ("timestamp",), ("eventId",), ("logStreamName",), records="events"
    ),
    RecordFormat(
        "CloudWatch", ("message", "timestamp", "ingestionTime"), ("message",), ("timestamp",), ("eventId",),
        ("logGroupName", "logStreamName"),
    ),
    RecordFormat(
        "Docker", ("log", "stream", "time"), ("log",), ("time",), (), ("stream",), ("attrs",),
        has_other_fields=False, is_stored_by_file=True, keeps_line_ends=True,
    ),
    # lines of a file in /var/log/pods, which are not JSON
    RecordFormat(
        "Kubernetes", ("cri",), ("cri.text",), ("cri.time",), (), ("cri.stream",), is_stored_by_file=True
    ),
    # Fluent Bit, Fluentd, Filebeat, Vector, journald
    RecordFormat("others", (), _TEXT_FIELDS, _TIME_FIELDS, _ORDER_FIELDS, _WRITER_FIELDS),
)  # fmt: skip

# a field with such a value means that the line continues in the next record
PARTIAL_MARKS = {"logtag": "P", "cri.tag": "P", "partial_message": "true", "CONTAINER_PARTIAL_MESSAGE": "true"}
