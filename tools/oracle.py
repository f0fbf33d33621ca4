"""Compare what deadheat prints with what it printed before, as digests: `make oracle`.

python tools/oracle.py             compares with tools/oracle.json; exits with 1 on a difference
python tools/oracle.py --write     records the present output as the expected one
python tools/oracle.py --dump DIR  also writes the compared lines, to compare two versions with diff

Every part has two digests: `facts`, and `wording` for the sentences that people read (evidence, remedies,
reasons). A reworded sentence changes only the second. Any change of either belongs into CHANGELOG.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from corpus import store  # noqa: E402
from corpus.txtar import parse_archive  # noqa: E402

EXPECTED = ROOT / "tools" / "oracle.json"
COMPATIBILITY = ROOT / "tests" / "data" / "compatibility"
# fields that hold sentences for people
WORDING = {
    *("evidence", "remedy", "change", "primitive", "price", "check", "settle", "why", "note"),
    *("narrative", "missing", "checked", "reason", "detail"),
}
# commits of the repositories made here have the same ids on every machine
GIT_IDENTITY = {
    "GIT_AUTHOR_NAME": "author",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "author",
    "GIT_COMMITTER_EMAIL": "author@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def run_deadheat(*arguments: str, folder: Path) -> str:
    """Run a command in `folder` and return its standard output."""
    done = subprocess.run(
        [sys.executable, "-m", "deadheat", *arguments],
        cwd=folder,
        env={**os.environ, "DEADHEAT_CACHE": str(folder / ".cache"), "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"deadheat {' '.join(arguments)}: exit status {done.returncode}")
    return done.stdout


def recorded_texts() -> Iterator[bytes]:
    """Every recorded detector output of the corpus."""
    for name in store.SETS:
        for recording in store.read_recordings(name):
            yield recording.text.encode()


def scan_lines(texts: Iterable[bytes], folder: Path) -> list[Any]:
    """What `scan --format jsonl` prints for the texts, named by their digests."""
    folder.mkdir()
    for text in texts:
        (folder / f"{sha256(text).hexdigest()[:24]}.txt").write_bytes(text)
    lines = run_deadheat("scan", "--error-stacks", "--format", "jsonl", ".", folder=folder).splitlines()
    return [json.loads(line) for line in lines]


def explain_programs(folder: Path) -> list[Any]:
    """What `explain --format json` prints for each cause program, in a repository of its own."""
    folder.mkdir()

    def explain_program(archive: Path) -> Any:
        work = folder / f"{archive.parent.name}-{archive.stem}"
        for name, content in parse_archive(archive.read_text(encoding="utf-8")).items():
            target = work / (name if name == "report.txt" else f"repo/{name}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
        for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "program"]):
            subprocess.run(["git", *command], cwd=work / "repo", env={**os.environ, **GIT_IDENTITY}, check=True)
        text = run_deadheat("explain", "--format", "json", "--repo", "repo", "report.txt", folder=work)
        return {"program": work.name, "dossiers": json.loads(text)}

    archives = sorted((ROOT / "tests" / "causes").glob("*/*.txtar"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(explain_program, archives))


def read_old_lake(folder: Path) -> list[Any]:
    """What the present code reads from a lake that an earlier version wrote."""
    with tarfile.open(COMPATIBILITY / "lake.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    lines = run_deadheat("races", "--lake", "lake", "--format", "jsonl", folder=folder).splitlines()
    races = [json.loads(line) for line in lines]
    families = run_deadheat("families", "--lake", "lake", "--format", "json", folder=folder)
    return [*races, json.loads(families)]


def judge_with_old_baseline() -> list[Any]:
    """What `gate` says of the samples with a baseline that an earlier version wrote."""
    baseline = os.path.relpath(COMPATIBILITY / "baseline.json", ROOT)
    printed = run_deadheat("gate", "--baseline", baseline, "--format", "json", "samples", folder=ROOT)
    return [json.loads(printed)]


def split_wording(value: Any, wording: list[Any]) -> Any:
    """The value without its sentences, which are appended to `wording`."""
    if isinstance(value, dict):
        wording.extend(value[key] for key in sorted(WORDING & value.keys()))
        return {k: split_wording(v, wording) for k, v in value.items() if k not in WORDING}
    if isinstance(value, list):
        return [split_wording(item, wording) for item in value]
    return value


def summarize(records: list[Any], dump: Path | None) -> dict[str, Any]:
    facts, sentences = [], []
    for record in records:
        wording: list[Any] = []
        facts.append(json.dumps(split_wording(record, wording), sort_keys=True))
        sentences.append(json.dumps(wording))
    if dump:
        dump.with_suffix(".facts").write_text("\n".join(sorted(facts)), encoding="utf-8")
        dump.with_suffix(".wording").write_text("\n".join(sorted(sentences)), encoding="utf-8")
    digests = {
        name: sha256("\n".join(sorted(lines)).encode()).hexdigest()
        for name, lines in (("facts", facts), ("wording", sentences))
    }
    return {"records": len(records), **digests}


def collect_parts(work: Path) -> Iterator[tuple[str, list[Any]]]:
    yield "scan-recorded", scan_lines(recorded_texts(), work / "recorded")
    cases = sorted((ROOT / "tests" / "cases").rglob("*.txt"))
    yield "scan-cases", scan_lines((path.read_bytes() for path in cases), work / "cases")
    yield "explain-programs", explain_programs(work / "programs")
    yield "old-lake", read_old_lake(work)
    yield "old-baseline", judge_with_old_baseline()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="record the present output")
    parser.add_argument("--dump", type=Path, help="write the compared lines into this folder")
    options = parser.parse_args()
    if options.dump:
        options.dump.mkdir(parents=True, exist_ok=True)
    found = {}
    with tempfile.TemporaryDirectory(prefix="deadheat-oracle-") as work:
        for name, records in collect_parts(Path(work)):
            found[name] = summarize(records, options.dump and options.dump / name)
            print(f"{name}: {found[name]['records']} records", flush=True)
    if options.write:
        EXPECTED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    expected = json.loads(EXPECTED.read_text(encoding="utf-8"))
    differences = [
        f"{name}: {key} differs"
        for name in sorted(expected.keys() | found.keys())
        for key in ("records", "facts", "wording")
        if expected.get(name, {}).get(key) != found.get(name, {}).get(key)
    ]
    print("\n".join(differences) or "equal")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
