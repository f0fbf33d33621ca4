"""Creates a table by writing the first entry of its log.

delta-rs takes as long for this as for two table changes, and a new lake has seven tables.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltalake import DeltaTable, Schema

from deadheat.lake.place import LOG

if TYPE_CHECKING:
    import pyarrow as pa

    from deadheat.lake.place import Place

_FIRST = "0" * 20
# the minimum that every Delta reader supports
_PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 2}


def begin(place: Place, name: str, schema: pa.Schema, settings: dict[str, str]) -> DeltaTable:
    """Create an empty table, unless it exists."""
    if not (place.is_local and _is_written(place, name, _entry(name, schema, settings))):
        return DeltaTable.create(
            place.at(name),
            schema,
            mode="ignore",
            name=name,
            configuration={**settings},
            raise_if_key_not_exists=False,
        )
    return DeltaTable(place.at(name))


def _entry(name: str, schema: pa.Schema, settings: dict[str, str]) -> list[dict[str, Any]]:
    now = int(time.time() * 1000)
    told: dict[str, Any] = {
        "id": str(uuid.uuid4()),
        "name": name,
        "description": None,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": Schema.from_arrow(schema).to_json(),
        "partitionColumns": [],
        "createdTime": now,
        "configuration": settings,
    }
    info = {"timestamp": now, "operation": "CREATE TABLE", "engineInfo": "deadheat"}
    return [{"commitInfo": info}, {"protocol": _PROTOCOL}, {"metaData": told}]


def _is_written(place: Place, name: str, entry: list[dict[str, Any]]) -> bool:
    """Write the entry atomically. False if the file system does not support hard links."""
    log = Path(place.path(f"{name}/{LOG}"))
    log.mkdir(parents=True, exist_ok=True)
    part = log.parent / f"{uuid.uuid4().hex}.part"
    part.write_text("\n".join(map(json.dumps, entry)))
    try:
        os.link(part, log / f"{_FIRST}.json")
    except FileExistsError:
        return True
    except OSError:
        return False
    finally:
        part.unlink()
    return True
