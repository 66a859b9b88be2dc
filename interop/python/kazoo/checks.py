"""Clients for the scenarios, how their sessions are ended, and what a scenario says about the world."""

import threading
import time
import uuid

from kazoo.client import KazooClient
from kazoo.retry import KazooRetry

# Set by recipes.py.
ADDRESS = ""


def client(address=None, timeout=10.0, **options):
    opened = KazooClient(
        address or ADDRESS,
        timeout=timeout,
        connection_retry=KazooRetry(max_tries=-1, delay=0.1, backoff=1, max_jitter=0),
        **options,
    )
    opened.start(timeout=20)
    return opened


def root(name):
    return f"/kazoo-{name}-{uuid.uuid4().hex[:8]}"


def equal(what, expected, seen):
    assert expected == seen, f"{what}: expected {expected!r}, saw {seen!r}"


def becomes(what, seconds, expected, look):
    deadline = time.monotonic() + seconds
    seen = look()
    while seen != expected:
        assert time.monotonic() < deadline, f"{what}: expected within {seconds} s {expected!r}, last saw {seen!r}"
        time.sleep(0.02)
        seen = look()


def together(count, work):
    """Runs `work(number)` in `count` threads and raises what went wrong in any of them."""
    wrong = []

    def guarded(number):
        try:
            work(number)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=guarded, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread is stuck"
    if wrong:
        raise wrong[0]


def expire(victim, wire):
    """Ends the session of `victim`, which is connected by `wire`: a second client takes it over meanwhile and closes it."""
    session = victim.client_id
    wire.cut()
    becomes("the victim is disconnected", 10, False, lambda: victim.connected)
    twin = KazooClient(ADDRESS, client_id=session)
    twin.start(timeout=20)
    equal("the session taken over", session[0], twin.client_id[0])
    twin.stop()
    twin.close()
    wire.mend()


def states(of):
    told = []
    of.add_listener(told.append)
    return told
