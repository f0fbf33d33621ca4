"""`make fuzz`: fuzz all targets for a limited time; or run a target once with an input that was found."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.targets import FuzzTarget, all_targets

# "#2097	NEW    cov: 812 ft: 1903 corp: 120/3Kb exec/s: 95"
_STATUS = re.compile(r"cov: (\d+) ft: \d+ corp: (\d+)/")
# "stat::number_of_executed_units: 3294"; if the process was killed: "#4096	pulse  cov:"
_EXECUTIONS = re.compile(r"stat::number_of_executed_units: (\d+)")
_PROGRESS = re.compile(r"^#(\d+)\t", re.MULTILINE)
_FINDING = re.compile(r"^FINDING (\S+): (.*)$", re.MULTILINE)
# "artifact_prefix='…'; Test unit written to …/timeout-ab12"
_ARTIFACT = re.compile(r"Test unit written to (\S*/(?:timeout|oom|crash|leak)-\S+)")
_MIN_SECONDS = 5


@dataclass
class FuzzedTarget:
    """What fuzzing one target has given so far."""

    target: FuzzTarget
    end: float  # time at which it ends
    log: Path
    executions: int = 0
    coverage: int = 0  # edges of the code
    inputs: int = 0  # that reach different code
    findings: dict[str, str] = field(default_factory=dict)  # path of the input, and what is wrong

    def read_log(self, status: int) -> bool:
        """Adds the output of a process that has ended. Returns whether to start it again."""
        text = self.log.read_text(errors="replace")
        statuses = [(int(coverage), int(inputs)) for coverage, inputs in _STATUS.findall(text)]
        self.coverage, self.inputs = max([*statuses, (self.coverage, self.inputs)])
        self.executions += max(map(int, _EXECUTIONS.findall(text) or _PROGRESS.findall(text)), default=0)
        self.findings |= dict(_FINDING.findall(text))
        artifacts = _ARTIFACT.findall(text)
        self.findings |= dict.fromkeys(artifacts, "takes too much time or memory, or ends the process")
        if status and not artifacts:
            self.findings[f"(see {self.log})"] = "the process ended"
        else:
            self.log.unlink()
        return bool(artifacts)

    def format_line(self) -> str:
        counts = f"{self.executions:>11,} executions {self.coverage:>6} edges {self.inputs:>5} inputs"
        return f"{self.target.name:18}{counts} {len(self.findings):>3} findings"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="targets (default: all), or one target and inputs to run it with")
    parser.add_argument("--seconds", type=int, default=600, help="time for all targets together (default: 600)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one per processor)")
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"), help="inputs and findings (default: .fuzz)")
    args = parser.parse_args()
    inputs = [path for path in map(Path, args.targets[1:]) if path.is_file()]
    if not inputs:
        try:
            import fuzz.worker  # noqa: F401, instruments the package, so it is imported before the targets
        except ImportError as error:
            parser.error(f"{error}; atheris has wheels for Linux on x86-64 only")
    if unknown := {*args.targets[: 1 if inputs else None]} - all_targets().keys():
        parser.error(f"there is no target {' and no '.join(unknown)}; targets: {', '.join(all_targets())}")
    if inputs:
        return _run_inputs(all_targets()[args.targets[0]], inputs)
    args.folder.mkdir(parents=True, exist_ok=True)
    targets = [all_targets()[name] for name in args.targets or all_targets()]
    fuzzed = _fuzz_targets(targets, args.seconds, args.jobs, args.folder)
    executions, findings = (
        sum(values) for values in zip(*((one.executions, len(one.findings)) for one in fuzzed), strict=True)
    )
    print(f"{executions:,} executions, {findings} findings", flush=True)
    for one in fuzzed:
        for path, what in one.findings.items():
            print(f"{one.target.name}: {what}\n    again: python -m fuzz {one.target.name} {path}", file=sys.stderr)
    return bool(findings)


def _run_inputs(target: FuzzTarget, paths: list[Path]) -> int:
    for path in paths:
        target.run(path.read_bytes())
    return 0


def _fuzz_targets(targets: list[FuzzTarget], seconds: int, jobs: int, folder: Path) -> list[FuzzedTarget]:
    """Fuzzes each target for its share of the time. One whose process dies of an input is started again."""
    from fuzz.worker import start_fuzzing

    unit = seconds * jobs / sum(target.share for target in targets)
    running: dict[int, FuzzedTarget] = {}
    done: list[FuzzedTarget] = []
    waiting = list(targets)

    def start(one: FuzzedTarget) -> None:
        running[start_fuzzing(one.target.name, folder, round(one.end - time.monotonic()), one.log)] = one

    while waiting or running:
        while waiting and len(running) < jobs:
            target = waiting.pop(0)
            end = time.monotonic() + max(_MIN_SECONDS, target.share * unit)
            start(FuzzedTarget(target, end, folder / f"{target.name}.log"))
        process, status = os.wait()
        one = running.pop(process)
        if one.read_log(status) and one.end - time.monotonic() > _MIN_SECONDS:
            start(one)
        else:
            print(one.format_line() if one.executions else f"{one.target.name}: cannot be run", flush=True)
            done.append(one)
    return done


if __name__ == "__main__":
    sys.exit(main())
