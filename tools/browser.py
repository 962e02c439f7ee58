# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium over its debugging pipe: NUL-ended JSON messages on descriptors 3 and 4, no further package."""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def program():
    """The browser of this machine (or of FATHOM_BROWSER), or None."""
    return next((p for p in (shutil.which(n) for n in (os.environ.get("FATHOM_BROWSER", ""), *PROGRAMS) if n) if p), None)


class Browser:
    """One page of a browser; `faults` gathers errors of its console, exceptions and requests that left the machine."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="fathom-browser-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def descriptors():
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        arguments = [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe", "--hide-scrollbars",
                     f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(arguments, preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.faults, self.loaded, self.session = b"", 0, [], False, None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.into, 1 << 16)
            if not data:
                raise RuntimeError("the browser ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, given):
        """Events: what went wrong, and whether the page is there."""
        if method == "Runtime.exceptionThrown":
            detail = given["exceptionDetails"]
            self.faults.append(detail.get("exception", {}).get("description") or detail["text"])
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.faults.append(f"console {given['type']}: " + " ".join(str(a.get("value", a.get("description"))) for a in given["args"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.faults.append(f"{given['entry']['source']}: {given['entry']['text']}")
        elif method == "Network.requestWillBeSent" and given["request"]["url"].split(":")[0] not in ("file", "data", "blob", "about"):
            self.faults.append(f"a request to {given['request']['url']}")
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **given):
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def look(self, width, scheme, height=900):
        """Width of the window in pixels and light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Loads a page and waits until its charts are drawn."""
        self.loaded = False
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        end = time.time() + 60
        while not self.loaded and time.time() < end:
            self.receive()
        self.evaluate("window.ready")

    def evaluate(self, text):
        answer = self.call("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "a fault in the page"))
        return answer["result"].get("value")

    def screenshot(self, path):
        """The whole page, as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
