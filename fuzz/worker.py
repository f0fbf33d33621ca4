"""Fuzzes targets with atheris, each in a process of its own."""

from __future__ import annotations

import os
import pkgutil
import random
import sys
import traceback
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import atheris

with atheris.instrument_imports(include=["deadheat"]):
    import deadheat

    # only what is imported now is instrumented; no target reads with the other packages, which take long to import
    _NOT_FUZZED = ("deadheat.spark", "deadheat.cli", "deadheat.pipeline", "deadheat.triage", "deadheat.__main__")
    for module in pkgutil.walk_packages(deadheat.__path__, "deadheat."):
        if not module.name.startswith(_NOT_FUZZED):
            __import__(module.name)

from fuzz import seeds
from fuzz.targets import all_targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.targets import FuzzTarget

# seconds for one input, and MiB of the process
_TIMEOUT, _MEMORY = 60, 2500


def start_fuzzing(name: str, folder: Path, seconds: int, log: Path) -> int:
    """Starts a process that fuzzes a target and writes to a log; returns its id."""
    sys.stdout.flush()
    if process := os.fork():
        return process
    try:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.dup2(output, 1)
        os.dup2(output, 2)
        _fuzz(all_targets()[name], folder, seconds)
    except BaseException:  # noqa: BLE001, nothing of the parent runs here
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(1)


def _fuzz(target: FuzzTarget, folder: Path, seconds: int) -> None:
    """Fuzzes a target and ends the process."""
    corpus, seed_folder, findings = (folder / kind / target.name for kind in ("corpus", "seeds", "findings"))
    for path in (corpus, seed_folder, findings):
        path.mkdir(parents=True, exist_ok=True)
    texts = [*target.seeds(), *seeds.found_inputs(target.name)]
    for text in texts:
        (seed_folder / _digest(text)).write_bytes(text)
    dictionary = seed_folder.with_suffix(".dictionary")
    dictionary.write_text(seeds.dictionary())
    options = [
        f"-max_total_time={seconds}", f"-max_len={target.max_size}", f"-dict={dictionary}", f"-timeout={_TIMEOUT}",
        f"-report_slow_units={_TIMEOUT}",
        f"-rss_limit_mb={_MEMORY}", f"-artifact_prefix={findings}/", "-print_final_stats=1",
    ]  # fmt: skip
    mutator = {"custom_mutator": _make_mutator(target, texts)} if target.mutations else {}
    atheris.Setup([sys.argv[0], str(corpus), str(seed_folder), *options], FindingRecorder(target, findings), **mutator)
    atheris.Fuzz()


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


def _make_mutator(target: FuzzTarget, texts: list[bytes]) -> Callable[[bytes, int, int], bytes]:
    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if data and rng.random() < 0.6:
            data = rng.choice(target.mutations)(data, rng, texts)[:max_size]
            if rng.random() < 0.7:
                return data
        mutated: bytes = atheris.Mutate(data, max_size)
        return mutated

    return mutate


class FindingRecorder:
    """Runs a target. Keeps the smallest input for each place where an exception is raised, and goes on."""

    def __init__(self, target: FuzzTarget, folder: Path) -> None:
        self._target, self._folder = target, folder
        self._sizes: dict[str, int] = {}

    def __call__(self, data: bytes) -> None:
        try:
            self._target.run(data)
        except Exception as error:  # noqa: BLE001, every exception is a finding
            key = _digest("".join(map(str, (type(error).__name__, *_place(error)))).encode())
            if len(data) < self._sizes.get(key, sys.maxsize):
                if key not in self._sizes:
                    print(f"FINDING {self._folder / key}: {_describe(error)}", flush=True)
                self._sizes[key] = len(data)
                (self._folder / key).write_bytes(data)


def _place(error: Exception) -> tuple[str, int]:
    """The line that raised, or the innermost one of deadheat if a library raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/deadheat/" in frame.filename or "/fuzz/" in frame.filename]
    return ours[-1].filename, ours[-1].lineno or 0


def _describe(error: Exception) -> str:
    path, line = _place(error)
    return f"{type(error).__name__} at {Path(path).name}:{line}: {error}"[:300].replace("\n", " ")
