"""Routes that receive documents over HTTP."""

from __future__ import annotations

import asyncio
from datetime import datetime  # noqa: TC003, pydantic needs it at run time
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Path
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from deadheat.errors import DeadheatError
from deadheat.model import CiRun
from deadheat.printable import visible_text
from deadheat.sources.ci_metadata import RUN_FIELDS, parse_time, run_folders
from deadheat.triage.server_tables import Role, UploadState
from deadheat.web.forms import check_same_origin
from deadheat.web.intake.folder import (
    EncodingError,
    IncomingDocument,
    IntakeFolder,
    NoSpaceError,
    TooLargeError,
    is_digest,
    is_known_encoding,
    safe_name,
)
from deadheat.web.problems import ProblemError
from deadheat.web.route import JSON, Route
from deadheat.web.services import services_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from deadheat.triage.server_tables import Upload
    from deadheat.triage.store import DecisionStore

_WRITE_BYTES = 1 << 20
# a client that sends nothing for so long is given up
_STALL_SECONDS = 60
_HEADER_PREFIX = "deadheat-"
_MAX_VALUE_LENGTH = 250
# what curl -F and curl -d send, which change the content
_FORM_TYPES = ("multipart/form-data", "application/x-www-form-urlencoded")
_MAX_UPLOADS = 16
_RETRY_SECONDS = 5


class UploadedLog(BaseModel):
    """A document that was received."""

    id: str = Field(description="The SHA-256 digest of its content.")
    name: str
    size: int = Field(description="Bytes, after the content encoding was undone.")
    state: UploadState = Field(description="`received`, then `ingested` when its races are in the lake.")
    received_at: datetime
    ingested_at: datetime | None


def _intake_of(request: Request) -> tuple[IntakeFolder, DecisionStore]:
    services = services_of(request)
    if services.intake is None or services.store is None:
        raise ProblemError(503, "This server receives no documents.", "Start it with --intake DIR.")
    return services.intake, services.store


async def post_log(request: Request) -> Response:
    """Receives a document. The same content again is answered with what is known of it."""
    check_same_origin(request)
    intake, store = _intake_of(request)
    services = services_of(request)
    encoding = _checked_encoding(request)
    name, run = _described_by(request)
    try:
        length = int(request.headers.get("content-length") or 0)
    except ValueError:
        length = 0
    if services.uploads_in_progress >= _MAX_UPLOADS:
        raise ProblemError(
            429, "Too many documents are being received.", "Try again.", headers={"retry-after": str(_RETRY_SECONDS)}
        )
    services.uploads_in_progress += 1
    try:
        await run_in_threadpool(intake.require_space, length if not encoding else 0)
        upload, is_new = await _receive(request, intake, store, encoding, name, run)
    except TooLargeError as error:
        raise ProblemError(
            413, error.what, "Send it in parts, or start the server with a larger --max-upload."
        ) from None
    except NoSpaceError as error:
        raise ProblemError(507, error.what, "Free space on the disk of the server.") from None
    except EncodingError as error:
        raise ProblemError(422, error.what, "Send it complete, or without content-encoding.") from None
    finally:
        services.uploads_in_progress -= 1
    services.metrics.count_upload(upload.size if is_new else 0, is_new)
    headers = {"location": f"/api/v1/logs/{upload.digest}"}
    return JSONResponse(_upload_json(upload).model_dump(mode="json"), 201 if is_new else 200, headers)


def _checked_encoding(request: Request) -> str:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in _FORM_TYPES:
        raise ProblemError(415, "The body is a form, not a document.", "Send the file itself: curl -X POST -T FILE URL")
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if not is_known_encoding(encoding):
        raise ProblemError(415, "This content-encoding is not known.", "Use gzip or zstd, or none.")
    return "" if encoding == "identity" else encoding


def _described_by(request: Request) -> tuple[str, CiRun]:
    """The name and the run of a document, from the query or from headers."""
    values = {name: _value(request, name) for name in ("name", *RUN_FIELDS)}
    name = values.pop("name") or ""
    time = values.pop("time")
    try:
        run = CiRun(**values, time=parse_time(time) if time else None)
        run_folders(run)
    except DeadheatError as error:
        raise ProblemError(422, visible_text(str(error))) from None
    return name, run


def _value(request: Request, name: str) -> str | None:
    text = request.query_params.get(name)
    if text is None:
        # headers are bytes; clients write UTF-8
        raw = request.headers.get(_HEADER_PREFIX + name, "").encode("latin-1", "replace")
        text = raw.decode("utf-8", "replace")
    text = text.strip()
    if len(text) > _MAX_VALUE_LENGTH:
        raise ProblemError(422, f"{name}: longer than {_MAX_VALUE_LENGTH} characters")
    if not text.isprintable() or text in (".", ".."):
        raise ProblemError(422, f"{name}: has characters that cannot be printed")
    return text or None


async def _receive(
    request: Request, intake: IntakeFolder, store: DecisionStore, encoding: str, name: str, run: CiRun
) -> tuple[Upload, bool]:
    incoming = await run_in_threadpool(intake.receive, encoding)
    try:
        async for block in _blocks(request):
            await run_in_threadpool(incoming.write, block)
        if not incoming.size:
            raise ProblemError(422, "The body is empty.", "Send the content of the document.")
        actor = request.state.principal.name
        return await run_in_threadpool(_keep_document, incoming, intake, store, actor, name, run)
    except ClientDisconnect:
        raise ProblemError(400, "The client has closed the connection.") from None
    finally:
        incoming.close()


async def _blocks(request: Request) -> AsyncIterator[bytes]:
    """The body in blocks that are worth a change of threads."""
    stream, buffer = request.stream(), bytearray()
    while True:
        try:
            part = await asyncio.wait_for(anext(stream, None), _STALL_SECONDS)
        except TimeoutError:
            raise ProblemError(408, f"Nothing has arrived for {_STALL_SECONDS} seconds.", "Send it again.") from None
        if part is None:
            break
        buffer += part
        if len(buffer) >= _WRITE_BYTES:
            yield bytes(buffer)
            buffer.clear()
    if buffer:
        yield bytes(buffer)


def _keep_document(
    incoming: IncomingDocument, intake: IntakeFolder, store: DecisionStore, actor: str, name: str, run: CiRun
) -> tuple[Upload, bool]:
    """Puts the document in place, then registers it: what is registered is on disk."""
    digest = incoming.finish()
    known = store.uploads.get(digest)
    # a document that was ingested may have been removed to free space
    if known is None or (known.state is UploadState.RECEIVED and not intake.files_of(digest)):
        incoming.place(digest, name, run)
    return store.uploads.add(digest, safe_name(name), incoming.size, actor)


def get_log(request: Request, digest: Annotated[str, Path(max_length=200)]) -> UploadedLog:
    store = services_of(request).store
    upload = store.uploads.get(digest.lower()) if store is not None and is_digest(digest.lower()) else None
    if upload is None:
        raise ProblemError(404, "There is no such document.")
    return _upload_json(upload)


def _upload_json(upload: Upload) -> UploadedLog:
    return UploadedLog(
        id=upload.digest, name=upload.name, size=upload.size, state=upload.state, received_at=upload.received_at,
        ingested_at=upload.ingested_at,
    )  # fmt: skip


def _parameters() -> tuple[dict[str, Any], ...]:
    described = {
        "name": "The name of the document.", "repo": "The repository that was tested.", "commit": "The commit.",
        "branch": "The branch.", "job": "The name of the CI job.", "run": "The id of the CI run.",
        "time": "When the document was written, as in 2026-05-01T12:00:00Z or in seconds since 1970.",
    }  # fmt: skip
    schema = {"type": "string", "maxLength": _MAX_VALUE_LENGTH}
    found = []
    for name, text in described.items():
        found.append({"in": "query", "name": name, "description": text, "schema": schema})
        found.append({"in": "header", "name": f"Deadheat-{name.title()}", "description": text, "schema": schema})
    return tuple(found)


_BODY = {
    "required": True,
    "description": "The document itself, also compressed or an archive.",
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}
_CREATED: dict[int | str, dict[str, Any]] = {201: {"model": UploadedLog, "description": "The document is new."}}
ROUTES = [
    Route(
        "POST", "/api/v1/logs", post_log, "Send a document to be ingested", Role.TRIAGER, JSON, UploadedLog,
        problems=(400, 403, 408, 413, 415, 422, 429, 503, 507), parameters=_parameters(), body=_BODY, answers=_CREATED,
        max_body_bytes=None,
    ),
    Route(
        "GET", "/api/v1/logs/{digest}", get_log, "Whether a document was ingested", Role.READER, JSON, UploadedLog,
        problems=(404, 422),
    ),
]  # fmt: skip
