"""Debian's Chromium, driven over the pipe that it offers: no driver, no library, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 30  # seconds


def path() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def chromium() -> str:
    """Its path; skips the test where there is none."""
    found = path()
    if found is None:
        pytest.skip("no Chromium is here: apt-get install chromium")
    return found


def _hand_over(hears: int, says: int) -> None:
    """The browser reads from descriptor 3 and writes to 4, whatever these two are now."""
    for now, then in ((hears, 103), (says, 104), (103, 3), (104, 4)):
        os.dup2(now, then)


class Page:
    """One page of a browser without a window."""

    def __init__(self) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="deadheat-browser-", ignore_cleanup_errors=True)
        self._count = 0
        self._rest = b""
        self._session = ""
        self.events: list[dict[str, Any]] = []
        hears, self._says = os.pipe()
        self._hears, says = os.pipe()
        command = [
            chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
            "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
            f"--user-data-dir={self._profile.name}", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, pass_fds=(3, 4), preexec_fn=lambda: _hand_over(hears, says),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(hears)
        os.close(says)
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self._call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self._call(method, **params)

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._says, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._hears], [], [], PATIENCE)[0], "the browser says nothing"
            block = os.read(self._hears, 1 << 20)
            assert block, "the browser went away"
            self._rest += block
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def wait_for(self, method: str) -> None:
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._next())

    def open(self, path: Path, fragment: str = "") -> None:
        # from one fragment to another, a browser stays where it is
        for url in ("about:blank", path.resolve().as_uri() + fragment):
            self.events.clear()
            self.call("Page.navigate", url=url)
            self.wait_for("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def resize(self, width: int, height: int = 800) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    def prefer(self, theme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        os.close(self._says)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._hears)
        self._profile.cleanup()
