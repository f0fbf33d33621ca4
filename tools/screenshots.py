"""Makes the pictures of the HTML pages in docs/images from the bundled examples, with Chromium.

python tools/screenshots.py [FOLDER]    default: docs/images
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser import Page, chromium_path
from tools import docs

if TYPE_CHECKING:
    from collections.abc import Iterator

IMAGES = docs.DOCS / "images"
MAX_BYTES = 150_000
# where the links of the example lead; nobody owns it
REMOTE = "https://github.com/example/shop.git"
WIDE, NARROW = (1280, 1060), (390, 844)
# A4 at 96 pixels per inch
PAPER = (794, 1123)


def example_pages(folder: Path) -> Iterator[tuple[str, Path, str]]:
    """Name, file and fragment of each page."""
    docs.make_example_clone()
    clone = folder / "shop"
    shutil.copytree(docs.EXAMPLE_CLONE, clone)
    subprocess.run(["git", "-C", str(clone), "remote", "add", "origin", REMOTE], check=True)
    subprocess.run(["git", "-C", str(clone), "checkout", "--quiet", "--force", "main"], check=True)
    logs = docs.ROOT / "examples" / "shop" / "logs"
    yield "dossier", write_page(folder / "dossier.html", "explain", "orders.log", "--repo", str(clone), cwd=logs), ""
    report = write_page(folder / "report.html", "scan", "samples", "examples", "--root", str(clone), cwd=docs.ROOT)
    yield "report", report, "#race=" + first_race(report)


def write_page(path: Path, command: str, *args: str, cwd: Path) -> Path:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_"))}
    with path.open("wb") as out:
        subprocess.run(
            [sys.executable, "-m", "deadheat", command, *args, "--format", "html"],
            stdout=out, cwd=cwd, env=environment | {"PYTHONPATH": str(docs.ROOT / "src")}, check=False,
        )  # fmt: skip
    return path


def first_race(report: Path) -> str:
    """The first race with links, which are shown for files of the checkout only."""
    articles = report.read_text(encoding="utf-8").split('<article id="')[1:]
    return next(article for article in articles if 'href="https:' in article).partition('"')[0]


def take_pictures(page: Page, name: str, path: Path, fragment: str, folder: Path) -> None:
    for theme in ("light", "dark"):
        page.prefer(theme)
        page.resize(*WIDE)
        page.open(path, fragment)
        page.picture(folder / f"{name}-{theme}.png")
    page.prefer("light")
    page.resize(*NARROW)
    page.open(path, fragment)
    page.picture(folder / f"{name}-narrow.png")
    page.resize(*WIDE)
    print_page(page, folder / f"{name}-print.png")


def print_page(page: Page, target: Path) -> None:
    """The first sheet of paper; through a PDF if poppler is installed, else with the style for print."""
    if shutil.which("pdftoppm") is None:
        page.call("Emulation.setEmulatedMedia", media="print")
        page.resize(*PAPER)
        page.picture(target)
        page.call("Emulation.setEmulatedMedia", media="")
        return
    data = page.call("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69)["data"]
    with tempfile.TemporaryDirectory() as folder:
        pdf = Path(folder, "page.pdf")
        pdf.write_bytes(base64.b64decode(data))
        subprocess.run(
            ["pdftoppm", "-r", "96", "-png", "-singlefile", str(pdf), str(target.with_suffix(""))], check=True
        )


def reduce_colours(path: Path) -> None:
    """Makes a file smaller with a palette of 256 colours, if pngquant is installed."""
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--output", str(path), "256", str(path)], check=True)


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    if chromium_path() is None:
        print("no Chromium is here: sudo apt-get install chromium", file=sys.stderr)
        return 1
    page = Page()
    try:
        with tempfile.TemporaryDirectory() as work:
            for name, path, fragment in example_pages(Path(work)):
                take_pictures(page, name, path, fragment, folder)
    finally:
        page.close()
    too_large = []
    for path in sorted(folder.glob("*-*.png")):
        reduce_colours(path)
        size = path.stat().st_size
        print(f"{path.name}: {size // 1000} kB")
        too_large += [path.name] if size > MAX_BYTES else []
    for name in too_large:
        print(f"{name} is larger than {MAX_BYTES // 1000} kB: install pngquant", file=sys.stderr)
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
