"""The log of a server: lines of text or JSON objects on standard error, and one record for each request."""

from __future__ import annotations

import logging
import re
import secrets
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders

from deadheat.printable import format_json, visible_text

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from deadheat.web.operations.metrics import SharedCounts

LOG_FORMATS = ("text", "json")
_LOGGERS = ("deadheat", "uvicorn")
_REQUESTS = logging.getLogger("deadheat.web.requests")
# a proxy may name a request; other texts are not repeated
_REQUEST_ID = re.compile(r"[0-9A-Za-z._-]{8,64}")
_STREAM = "text/event-stream"


def configure_logs(log_format: str) -> None:
    """Sends the records of this program and of uvicorn to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == "deadheat" else logging.WARNING)
    # in text, requests are not logged
    _REQUESTS.setLevel(logging.INFO if log_format == "json" else logging.WARNING)


class TextFormatter(logging.Formatter):
    """`deadheat: message`, with characters that a terminal would obey escaped."""

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        return "\n".join(f"deadheat: {visible_text(line)}" for line in text.splitlines())


class JsonFormatter(logging.Formatter):
    """One object per line."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }  # fmt: skip
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return format_json(fields)


class RequestRecorder:
    """Counts and logs each request, and gives it an id. Queries and headers are not logged: they may have secrets."""

    def __init__(self, app: ASGIApp, counts: SharedCounts) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        began, status, is_stream = time.perf_counter(), 500, False

        async def send_with_id(message: Message) -> None:
            nonlocal status, is_stream
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                is_stream = headers.get("content-type", "").startswith(_STREAM)
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - began
            path = getattr(scope.get("route"), "path", "")
            # a stream lasts as long as its reader wants
            self._counts.count_request((scope["method"], path), status, 0.0 if is_stream else seconds)
            self._log(scope, request_id, status, seconds)

    def _log(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        if not _REQUESTS.isEnabledFor(logging.INFO):
            return
        principal = scope.get("state", {}).get("principal")
        fields = {
            "request": request_id, "method": scope["method"], "path": scope["path"][:500], "status": status,
            "milliseconds": round(seconds * 1000, 1), "user": principal.name if principal else "",
            "address": (scope.get("client") or ("",))[0],
        }  # fmt: skip
        _REQUESTS.info("%s %s %s", fields["method"], fields["path"], status, extra={"fields": fields})
