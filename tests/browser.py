"""Debian's Chromium, controlled through its debugging pipe without a driver or library."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT = 30  # seconds


def chromium_path() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def skip_or_fail(message: str) -> NoReturn:
    """Skips the test for want of a program; in CI, where nobody would notice, fails it."""
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


def require_chromium() -> str:
    """The path of Chromium; skips the test without one."""
    path = chromium_path()
    if path is None:
        skip_or_fail("no Chromium is here: apt-get install chromium")
    return path


def _duplicate_descriptors(browser_input: int, browser_output: int) -> None:
    """Chromium reads from descriptor 3 and writes to 4."""
    for old, new in ((browser_input, 103), (browser_output, 104), (103, 3), (104, 4)):
        os.dup2(old, new)


class Page:
    """A page of a headless browser."""

    def __init__(self) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="deadheat-browser-", ignore_cleanup_errors=True)
        self._count = 0
        self._rest = b""
        self._session = ""
        self.events: list[dict[str, Any]] = []
        browser_input, self._says = os.pipe()
        self._hears, browser_output = os.pipe()
        command = [
            require_chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
            "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
            f"--user-data-dir={self._profile.name}", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, pass_fds=(3, 4), preexec_fn=lambda: _duplicate_descriptors(browser_input, browser_output),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(browser_input)
        os.close(browser_output)
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
            assert select.select([self._hears], [], [], TIMEOUT)[0], "the browser says nothing"
            block = os.read(self._hears, 1 << 20)
            assert block, "the browser went away"
            self._rest += block
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def wait_for(self, method: str) -> None:
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._next())

    def open(self, path: Path, fragment: str = "") -> None:
        # navigating to another fragment only would not reload the page
        for url in ("about:blank", path.resolve().as_uri() + fragment):
            self.events.clear()
            self.call("Page.navigate", url=url)
            self.wait_for("Page.loadEventFired")
        # the event may be a late one of the empty page
        deadline = time.monotonic() + TIMEOUT
        while not self.run("location.protocol === 'file:' && document.readyState === 'complete'"):
            assert time.monotonic() < deadline, f"{path} was not loaded"
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        response = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in response, response["exceptionDetails"]
        return response["result"].get("value")

    def resize(self, width: int, height: int = 800) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    def prefer(self, theme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def press(self, key: str, text: str = "") -> None:
        """Presses a key of the keyboard."""
        code = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}.get(key, ord(key[0].upper()))
        for kind in ("keyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **typed)

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
