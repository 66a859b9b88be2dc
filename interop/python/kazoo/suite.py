"""Plays kazoo's own test-suite, as its package brings it along, against the server under test.

Left out are, by LEFT_OUT below, the tests of what the server does not have and of what needs no server.
"""

import os
import sys

import pytest
from _pytest.runner import runtestprotocol

import stage as stages
import subject

PLAYED = [
    "barrier",
    "cache",
    "client",
    "connection",
    "counter",
    "election",
    "interrupt",
    "lease",
    "lock",
    "partitioner",
    "party",
    "queue",
    "watchers",
]

# Whole modules that are not in PLAYED: build (kazoo's own packaging), eventlet_handler and gevent_handler (the same tests
# on other kinds of threads inside the client), sasl (no SASL here), and exceptions, hosts, paths, retry, security,
# selectors_select, threading_handler, utils (no server takes part).
LEFT_OUT = {
    "TestReadOnlyMode": "needs an ensemble that loses its quorum",
    "TestReconfig": "changes the members of an ensemble",
    "TestSSLClient": "TLS",
    "test_update_host_list": "needs a second server to move on to",
}


# Tests that race with the server's or the machine's speed; each is tried up to three times.
RACES = {
    "test_connection_dropped": "a quick server answers before the client drops its connection",
    "test_request_queuing_session_expired": "the server has to be back within 5 s",
    "test_request_queuing_session_recovered": "the server has to be back within 5 s",
}


class Reporter:
    """Tells the stage how each test went. A test that skips itself has failed: nothing is skipped unnoticed."""

    def __init__(self, stage):
        self._stage = stage
        self._seconds = {}
        self._failed = set()

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if LEFT_OUT.keys().isdisjoint(item.nodeid.split("::"))]

    def pytest_collectreport(self, report):
        if report.failed:
            self._stage.failed(report.nodeid, report.longrepr)

    def pytest_runtest_protocol(self, item, nextitem):
        if item.name not in RACES:
            return None
        for _ in range(3):
            item._initrequest()
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            if all(report.passed for report in reports):
                break
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        return True

    def pytest_runtest_logreport(self, report):
        file, _line, test = report.location
        name = f"{os.path.basename(file)}::{test}"
        self._seconds[name] = self._seconds.get(name, 0) + report.duration
        if not report.passed and name not in self._failed:
            self._failed.add(name)
            self._stage.failed(name, getattr(report.longrepr, "reprcrash", report.longrepr))
        if report.when == "teardown" and name not in self._failed:
            self._stage.passed(name, self._seconds[name])


def main():
    address, _product = sys.argv[1:]
    stage = stages.Stage()
    # What pytest prints for people goes to the log.
    os.dup2(2, 1)
    subject.stage = stage
    subject.address = address
    # kazoo's harness wants to know what it would start.
    os.environ.update(ZOOKEEPER_VERSION="3.8.0", ZOOKEEPER_CLUSTER_SIZE="1")
    os.environ.pop("CI", None)
    sys.modules["kazoo.testing.common"] = subject
    modules = [f"kazoo.tests.test_{name}" for name in PLAYED]
    pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", *modules], plugins=[Reporter(stage)])
    stage.end()


if __name__ == "__main__":
    main()
