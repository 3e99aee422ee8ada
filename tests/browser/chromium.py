"""Chromium without a window, driven through a pipe in its own protocol. Nothing but Python's standard library.

https://chromedevtools.github.io/devtools-protocol/ has the names of methods and events.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 60.0
FLAGS = [
    "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US",
    # Whatever a page asks for, no name leads anywhere.
    "--host-resolver-rules=MAP * ~NOTFOUND",
]
KEYS = {"Tab": (9, None), "Enter": (13, "\r"), "Escape": (27, None), " ": (32, " "), "ArrowUp": (38, None), "ArrowDown": (40, None),
        "Home": (36, None), "End": (35, None), "Backspace": (8, None)}
SHIFT = 8


class Broken(Exception):
    """The browser failed to carry out a command."""


class Browser:
    def __init__(self, program="chromium"):
        self.directory = tempfile.mkdtemp(prefix="phaser-browser-")
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        # It reads from 3 and writes to 4.
        script = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        environment = {**os.environ, "HOME": self.directory, "TZ": "UTC"}
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", program, *FLAGS, f"--user-data-dir={self.directory}/profile", "about:blank"],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(f"{self.directory}/log", "wb"), env=environment)
        os.close(to_read)
        os.close(to_write)
        self.left, self.count, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (Broken, subprocess.TimeoutExpired, OSError):
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.directory, ignore_errors=True)

    def receive(self, until):
        """The next message, or nothing when it is time."""
        while b"\0" not in self.left:
            ready, _, _ = select.select([self.from_browser], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self.from_browser, 1 << 20)
            if not piece:
                log = Path(self.directory, "log").read_text(errors="replace")[-2000:]
                raise Broken(f"chromium has gone away:\n{log}")
            self.left += piece
        message, self.left = self.left.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(until)
            if answer is None:
                raise Broken(f"{method}: no answer within {PATIENCE:.0f} seconds")
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise Broken(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            self.events.append(answer)

    def pump(self, seconds=0.0):
        """Takes in what has happened."""
        until = time.monotonic() + seconds
        while (event := self.receive(until)) is not None:
            self.events.append(event)

    def tab(self, **options):
        return Tab(self, **options)


class Tab:
    """A page of its own, that shares nothing with others."""

    def __init__(self, browser, width=1280, height=900, scheme="light", touch=False):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        self.target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        if touch:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.media("", scheme)
        self.seen = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def call(self, method, **parameters):
        return self.browser.call(method, session=self.session, **parameters)

    def events(self, *methods):
        """What has happened in this tab."""
        self.browser.pump()
        mine = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [event["params"] for event in mine if event["method"] in methods]

    def media(self, media, scheme):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path, fragment=""):
        """Opens a file, and comes back when it has loaded."""
        before = len(self.events("Page.loadEventFired"))
        answer = self.call("Page.navigate", url=Path(path).resolve().as_uri() + fragment)
        if "errorText" in answer:
            raise Broken(f"{path}: {answer['errorText']}")
        self.await_loads(before + 1)
        return self

    def reload(self):
        before = len(self.events("Page.loadEventFired"))
        self.call("Page.reload")
        self.await_loads(before + 1)

    def await_loads(self, count):
        until = time.monotonic() + PATIENCE
        while len(self.events("Page.loadEventFired")) < count:
            if time.monotonic() > until:
                raise Broken("the page does not load")
            self.browser.pump(0.02)

    def ask(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                           allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Broken(f"{expression[:80]}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def press(self, key, times=1, shift=False):
        for _ in range(times):
            code, text = KEYS[key] if key in KEYS else (ord(key.upper()) if key.isalnum() else 0, key)
            common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": SHIFT if shift else 0}
            if len(key) > 1:
                common["code"] = key
            down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
            self.call("Input.dispatchKeyEvent", **common, **down)
            self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        for key in text:
            self.press(key)

    def click(self, element):
        """Clicks in the middle of what an expression gives."""
        box = self.ask(f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect();"
                       f" return [b.x + b.width / 2, b.y + b.height / 2]; }})()")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def picture(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, optimizeForSpeed=False)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def paper(self):
        """The page on paper, A4, as a PDF."""
        answer = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=False)
        return base64.b64decode(answer["data"])
