"""Other readers of race reports, measured in the same run where their source is at hand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


class Panicparse:
    """Its library, built from a clone, without the modules that only its command and tests need."""

    def __init__(self, clone: Path, folder: Path) -> None:
        source = folder / "panicparse"
        shutil.copytree(clone, source, ignore=shutil.ignore_patterns(".git", "*_test.go"))
        module = source / "go.mod"
        module.write_text(re.sub(r"(?ms)^require \(.*?^\)", "", module.read_text()))
        (source / "cmd" / "reads").mkdir(parents=True)
        shutil.copy(Path(__file__).with_name("panicparse.go"), source / "cmd" / "reads" / "main.go")
        self._program = folder / "reads"
        env = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
        build = ["go", "build", "-o", str(self._program), "./cmd/reads"]
        if subprocess.run(build, cwd=source, env=env, check=False).returncode:
            sys.exit("bench: panicparse could not be built")

    def seconds(self, path: Path, count: int, way: str, times: int = 3) -> float:
        """The least time that it takes for `count` reports, `as-printed` or with `paths` guessed."""
        took = []
        for _ in range(times):
            done = subprocess.run(
                [self._program, str(path), way], stdout=subprocess.PIPE, text=True, check=True
            )
            reports, seconds = done.stdout.split()
            if int(reports) != count:
                sys.exit(f"bench: panicparse found {reports} of {count} reports")
            took.append(float(seconds))
        return min(took)
