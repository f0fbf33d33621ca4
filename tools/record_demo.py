"""Records the lake that `deadheat serve --demo` shows, as src/deadheat/web/demo.zip.

python tools/record_demo.py

The reports are those of the golden cases, in runs over three months; the example repository gives dossiers and mined
fixes. `mine` and `place` need Java. Record it again when the version of the lake changes.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deadheat.lake.maintenance import compact_lake
from deadheat.lake.tables import Lake
from deadheat.model import CiRun
from tests.local_lakes import LogEntry, add_documents
from tools import docs

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src" / "deadheat" / "web" / "demo.zip"
# golden cases by detector: how many of them
_CASES = {"go": 26, "go_fatal": 6, "tsan": 8, "helgrind": 3, "kcsan": 6, "miri": 4}
# runs are on some days only, because each day is a data file
_DAYS, _STEP, _FIRST = 90, 4, datetime(2026, 8, 15, 9, tzinfo=UTC)
_PROJECTS = {"go": "acme/store", "go_fatal": "acme/store", "kcsan": "acme/kernel", "miri": "acme/ring"}
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def case_texts() -> list[tuple[str, bytes]]:
    """Repository and text of each race."""
    found = []
    for detector, count in _CASES.items():
        paths = sorted((ROOT / "tests" / "cases" / detector).glob("*.txt"))
        draw = random.Random(detector)
        repo = _PROJECTS.get(detector, "acme/engine")
        found += [(repo, path.read_bytes()) for path in sorted(draw.sample(paths, count))]
    return found


def entries() -> list[LogEntry]:
    """The documents of all runs."""
    draw = random.Random(7)
    races = [(repo, text, *_lifetime(draw)) for repo, text in case_texts()]
    shop = sorted((ROOT / "examples" / "shop" / "logs").iterdir())
    found = []
    for number in range(_DAYS * 2 // _STEP):
        day = number // 2 * _STEP
        time = _FIRST + timedelta(days=day, hours=8 * (number % 2))
        branch = "main" if number % 2 == 0 else f"feature/{draw.choice(('cart', 'search', 'journal', 'retry'))}"
        for repo in sorted({repo for repo, *_ in races}):
            shown = [text for name, text, rate, days in races if name == repo and day in days and draw.random() < rate]
            run = CiRun(repo, f"{draw.getrandbits(160):040x}", branch, "race", str(4100 + number), time)
            if shown:
                found.append(LogEntry(f"ci/{repo}/{4100 + number}/race.log", b"\n".join(shown), run))
        if number % 4 == 2:
            log = shop[number // 4 % len(shop)]
            run = CiRun("acme/shop", None, branch, "unit", str(4100 + number), time)
            found.append(LogEntry(f"ci/acme/shop/{4100 + number}/{log.name}", log.read_bytes(), run))
    return found


def _lifetime(draw: random.Random) -> tuple[float, set[int]]:
    """How often a race shows, and on which days it can: some come back after a pause, some are gone."""
    rate, begin = draw.choice((0.04, 0.1, 0.3, 0.6)), draw.randrange(_DAYS - 4)
    kind = draw.choice(("lasting", "gone", "back", "lasting"))
    if kind == "gone":
        return rate, {*range(begin, min(_DAYS, begin + 12))}
    if kind == "back":
        return max(rate, 0.4), {*range(12), *range(_DAYS - 6, _DAYS)}
    return rate, {*range(begin, _DAYS)}


def write_zip(folder: Path, target: Path) -> None:
    """A zip of a folder that is the same for the same files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(str(path.relative_to(folder)), _ZIP_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())


def decisions(lake: Lake) -> list[dict[str, object]]:
    """Some decisions: race and kind with its payload."""
    rows = lake.read_rows("races", ["race", "status", "sightings", "detector"]).to_pylist()
    rows.sort(key=lambda row: (-row["sightings"], row["race"]))
    names = [row["race"] for row in rows]
    chosen: list[tuple[str, str, dict[str, object]]] = [
        (names[0], "severity", {"severity": "critical"}),
        (names[0], "assign", {"assignee": "kim"}),
        (names[0], "status", {"status": "in-progress"}),
        (names[0], "comment", {"text": "The writer has to take the lock before it publishes the map."}),
        (names[1], "status", {"status": "confirmed"}),
        (names[1], "labels", {"add": ["release-blocker"]}),
        (names[1], "assign", {"assignee": "robin"}),
        (names[2], "mute", {"reason": "a known race of the test's fixture", "until": "2027-03-31T23:59:59Z"}),
        (names[3], "status", {"status": "not-a-bug", "reason": "a statistics counter, read for display only"}),
        (names[4], "status", {"status": "wont-fix", "reason": "the module is removed in the next release"}),
        (names[5], "severity", {"severity": "high"}),
        (names[6], "labels", {"add": ["flaky-test"]}),
        (names[7], "link", {"url": "https://tracker.example/ENG-218", "title": "ENG-218"}),
    ]
    return [{"race": race, "kind": kind, "payload": payload} for race, kind, payload in chosen]


def main() -> int:
    docs.make_example_clone()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "lake"
        lake = add_documents(folder, entries())
        # a lake keeps the path of a clone as it was given
        shutil.copytree(docs.EXAMPLE_CLONE, Path(name) / "shop")
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
        for command in (["mine", "shop"], ["place", "--repo", "shop"]):
            arguments = [sys.executable, "-m", "deadheat", *command, "--lake", "lake"]
            subprocess.run(arguments, check=True, cwd=name, env=environment)
        compact_lake(lake, keep_hours=0)
        lake = Lake(str(folder))
        (folder / "demo-decisions.json").write_text(json.dumps(decisions(lake), indent=1))
        write_zip(folder, TARGET)
        counts = ", ".join(f"{lake.row_count(table)} {table}" for table in ("races", "sightings", "dossiers", "fixes"))
        print(f"{TARGET.name}: {TARGET.stat().st_size >> 10} KiB, {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
