"""A headless Chromium, driven through its DevTools protocol: what a reader would meet."""

import json
import os
import subprocess
import tempfile


class Browser:
    """One page after the other in one window."""

    def __init__(self, program):
        self._profile = tempfile.TemporaryDirectory()
        commands, self._out = os.pipe()
        self._in, answers = os.pipe()

        def hand_over():  # the protocol wants these numbers
            os.dup2(commands, 13), os.dup2(answers, 14)
            os.dup2(13, 3), os.dup2(14, 4)

        how = (
            "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --remote-debugging-pipe"
        )
        place = f"--user-data-dir={self._profile.name}"
        self._process = subprocess.Popen(
            [program, *how.split(), "--remote-debugging-pipe", place, "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=hand_over,
        )
        os.close(commands)
        os.close(answers)
        self._rest, self._number, self.events = b"", 0, []
        self._session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(each["targetId"] for each in targets if each["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self._out)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        self._profile.cleanup()

    def call(self, method, **parameters):
        """Send a command, and return its result."""
        self._number += 1
        sent = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            sent["sessionId"] = self._session
        os.write(self._out, json.dumps(sent).encode() + b"\0")
        while True:
            found = self._read()
            if found.get("id") == self._number:
                assert "error" not in found, found["error"]
                return found["result"]
            self.events.append(found)

    def _read(self):
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def show(self, path, width=1280, scheme="light"):
        """Load a file at this width; return once it is there."""
        screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **screen)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(each["method"] == "Page.loadEventFired" for each in self.events):
            self.events.append(self._read())

    def ask(self, expression):
        """Return the value of an expression of JavaScript on the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def complaints(self):
        """Errors and warnings of the console, and of the page's policy."""
        return [
            each["params"]
            for each in self.events
            if each["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")
            or (
                each["method"] == "Runtime.consoleAPICalled"
                and each["params"]["type"] in ("error", "warning")
            )
        ]

    def requests(self):
        """Addresses that were asked for."""
        return [
            each["params"]["request"]["url"]
            for each in self.events
            if each["method"] == "Network.requestWillBeSent"
        ]
