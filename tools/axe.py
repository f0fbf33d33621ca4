"""Downloads axe-core, which checks pages for faults that people with disabilities meet, into the folder build.

python tools/axe.py    prints the path of the script
"""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "4.14.1"
# of the package, as npm publishes it
SHA512 = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
TARGET = Path(__file__).resolve().parent.parent / "build" / f"axe-core-{VERSION}.js"
HOW_TO_GET_IT = "axe-core is not here: install npm and run python tools/axe.py"


def axe_script() -> Path | None:
    """The path of the script, downloaded if necessary; None if npm cannot get it."""
    if not TARGET.exists():
        package = _download()
        if package is None:
            return None
        TARGET.parent.mkdir(exist_ok=True)
        temporary = TARGET.with_suffix(".tmp")
        temporary.write_bytes(_script_of(package))
        temporary.replace(TARGET)
    return TARGET


def _download() -> bytes | None:
    """The package; None without npm or network."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"axe-core@{VERSION}", "--ignore-scripts", "--silent", "--pack-destination", folder]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        files = list(Path(folder).glob("*.tgz"))
        return files[0].read_bytes() if done.returncode == 0 and files else None


def _script_of(package: bytes) -> bytes:
    digest = base64.b64encode(hashlib.sha512(package).digest()).decode()
    if digest != SHA512:
        raise SystemExit(f"axe-core {VERSION}: the package has another content than expected: sha512-{digest}")
    with tarfile.open(fileobj=io.BytesIO(package), mode="r:gz") as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read()


def main() -> int:
    path = axe_script()
    print(path or HOW_TO_GET_IT, file=sys.stdout if path else sys.stderr)
    return 0 if path else 1


if __name__ == "__main__":
    sys.exit(main())
