"""Records the checksums of the transaction logs, so that `lake check` finds damaged ones.

The name of a data file ends with the digest of its content. The Delta library writes the logs, so their digests are
in files of their own: one record for each change of a lake, which is written when the change is complete."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from deadheat.lake.documents import bytes_digest
from deadheat.lake.storage import LOG_FOLDER, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deadheat.lake.storage import LakeStorage
    from deadheat.lake.tables import Lake

CHECKSUM_FOLDER: Final = "_checksums"
LAST_CHECKPOINT: Final = "_last_checkpoint"
# ingests/_delta_log/00000000000000000004.json
_COMMIT_FILE: Final = re.compile(rf"/{LOG_FOLDER}/(?P<version>\d{{20}})\.json\Z")


def record_name(sequence: str, state: int) -> str:
    return f"{CHECKSUM_FOLDER}/{sequence}-{state:012}.json"


def log_file(table: str, version: int) -> str:
    return f"{table}/{LOG_FOLDER}/{version:020}.json"


def commit_version(path: str) -> int | None:
    """The version of a commit from the path of its file; None for other files."""
    match = _COMMIT_FILE.search(path)
    return int(match["version"]) if match else None


def commit_info(data: bytes) -> dict[str, Any]:
    """What a file of a log says about its commit: the line `{"commitInfo":{"batch":"b0-1",…}}`."""
    for line in data.splitlines():
        if line.startswith(b'{"commitInfo"'):
            info: dict[str, Any] = parse_json(line)["commitInfo"]
            return info
    return {}


def commits_backwards(lake: Lake, table: str) -> Iterator[tuple[int, bytes]]:
    """Yield version and content of the commits of a table that are present, the latest first."""
    for version in range(lake.delta_table(table).version(), -1, -1):
        try:
            yield version, lake.storage.read_bytes(log_file(table, version))
        except FileNotFoundError:
            return


def record_logs(lake: Lake, name: str, tables: Iterable[str], batch: str = "") -> None:
    """Record the logs of tables, from the latest commit before the change `batch` on.

    Other writers may have committed since, without the checkpoint of this change, so it is recorded here.
    """
    digests: dict[str, str] = {}
    for table in tables:
        is_found = not batch
        for version, data in commits_backwards(lake, table):
            digests[log_file(table, version)] = bytes_digest(data)
            digests |= _checkpoint_digests(lake.storage, table, version)
            is_of_batch = commit_info(data).get("batch", batch) == batch
            if is_found and not is_of_batch:
                break
            is_found = is_found or is_of_batch
    write_record(lake.storage, name, digests)


def _checkpoint_digests(storage: LakeStorage, table: str, version: int) -> dict[str, str]:
    folder = f"{table}/{LOG_FOLDER}"
    checkpoint = f"{folder}/{version:020}.checkpoint.parquet"
    if not storage.exists(checkpoint):
        return {}
    return digests_of(storage, (checkpoint, f"{folder}/{LAST_CHECKPOINT}"))


def digests_of(storage: LakeStorage, names: Iterable[str]) -> dict[str, str]:
    """The digests of those files that exist."""
    digests = {}
    for name in names:
        try:
            digests[name] = bytes_digest(storage.read_bytes(name))
        except FileNotFoundError:
            continue
    return digests


def write_record(storage: LakeStorage, name: str, digests: dict[str, str]) -> None:
    if digests:
        storage.write_json(name, {"files": digests})


def read_record(storage: LakeStorage, name: str) -> dict[str, str] | None:
    """The digests in a record by file, or None if it is damaged."""
    try:
        return {str(file): str(digest) for file, digest in storage.read_json(name)["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def drop_from_records(storage: LakeStorage, is_gone: Callable[[str], bool]) -> None:
    """Remove files from all records, and records that have nothing else."""
    for name in storage.entry_names(CHECKSUM_FOLDER):
        path = f"{CHECKSUM_FOLDER}/{name}"
        files = read_record(storage, path) or {}
        kept = {file: digest for file, digest in files.items() if not is_gone(file)}
        if files and all(file.endswith(LAST_CHECKPOINT) for file in kept):
            storage.remove(path)
        elif len(kept) < len(files):
            write_record(storage, path, kept)
