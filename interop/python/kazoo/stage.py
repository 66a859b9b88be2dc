"""The Python side of a peer program that plays many scenarios; the words are those of
interop/java/stage/src/orana/stage/Stage.java. It does not know any client library."""

import concurrent.futures
import os
import threading
import time
import traceback

# Scenarios that may run side by side. Few: the tests share two processors.
SIDE_BY_SIDE = 6


class Stage:
    """The conversation with the test on this process's first standard input and output.

    The descriptors are kept aside at once, so that a test runner may put its own in their place.
    """

    def __init__(self):
        self._input = os.fdopen(os.dup(0), "r", encoding="utf-8")
        self._output = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self._speaking = threading.Lock()
        self._asking = threading.Lock()
        self._asked = 0
        self._played = 0

    def play(self, together, alone=()):
        """Plays functions that take the stage: those of `together` side by side, then each of `alone` by itself."""
        with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            for played in [pool.submit(self._play, scenario) for scenario in together]:
                played.result()
        for scenario in alone:
            self._play(scenario)
        self.end()

    def _play(self, scenario):
        begun = time.monotonic()
        try:
            scenario(self)
        except Exception as wrong:
            traceback.print_exc()
            place = traceback.extract_tb(wrong.__traceback__)[1]
            at = f"{os.path.basename(place.filename)}:{place.lineno}"
            self.failed(scenario.__name__, f"{type(wrong).__name__} {wrong} at {at}")
        else:
            self.passed(scenario.__name__, time.monotonic() - begun)

    def passed(self, name, seconds):
        self._count()
        self._say(f"SCENARIO {name} ok {int(seconds * 1000)}")

    def failed(self, name, reason):
        self._count()
        self._say(f"SCENARIO {name} failed {' '.join(str(reason).split())}")

    def end(self):
        self._say(f"SCENARIOS {self._played}")

    def wire(self):
        """A connection path to the server that can be cut; see `Wire`."""
        return Wire(self, self.ask("wire"))

    def kill_server(self):
        self.ask("kill")

    def stop_server(self):
        self.ask("stop")

    def start_server(self):
        self.ask("start")

    def ask(self, question):
        # One question at a time: answers then need no sorting.
        with self._asking:
            self._asked += 1
            self._say(f"ASK {self._asked} {question}")
            number, _, answer = self._input.readline().rstrip("\n").partition(" ")
            if number != str(self._asked):
                raise RuntimeError(f"the test did not answer `{question}`")
            return answer

    def _count(self):
        with self._speaking:
            self._played += 1

    def _say(self, line):
        with self._speaking:
            print(line, file=self._output, flush=True)


class Wire:
    """A cable to the server; clients connect to `address`."""

    def __init__(self, stage, address):
        self._stage = stage
        self.address = address

    def cut(self):
        self._stage.ask(f"cut {self.address}")

    def mend(self):
        self._stage.ask(f"mend {self.address}")

    def blink(self):
        self.cut()
        self.mend()
