"""kazoo's recipes between several clients, over lost connections, expired sessions and a killed server: what kazoo's own
suite, with one process and one server that stays, does not ask."""

import os
import sys
import threading
import time

from kazoo.client import KazooState
from kazoo.exceptions import BadVersionError, NoAuthError, NodeExistsError, NoNodeError, RolledBackError
from kazoo.recipe.cache import TreeCache, TreeEvent
from kazoo.recipe.partitioner import PartitionState
from kazoo.recipe.watchers import ChildrenWatch, DataWatch
from kazoo.security import make_digest_acl

import checks
from checks import becomes, client, equal, expire, root, states, together
from stage import Stage

def a_lock_lets_one_in_at_a_time(stage):
    path, inside, turns = root("lock"), [], []

    def work(number):
        mine = client()
        for _ in range(15):
            with mine.Lock(path, f"client {number}"):
                inside.append(number)
                equal("alone inside", [number], inside)
                turns.append(number)
                inside.remove(number)
        mine.stop()

    together(4, work)
    equal("turns", 60, len(turns))


def a_lock_is_kept_over_a_lost_connection_and_lost_with_the_session(stage):
    wire, path = stage.wire(), root("lockloss")
    holder, other = client(wire.address, timeout=20), client()
    lock = holder.Lock(path, "holder")
    assert lock.acquire(timeout=10)
    told = states(holder)
    wire.blink()
    becomes("suspended, then connected", 10, [KazooState.SUSPENDED, KazooState.CONNECTED], lambda: list(told))
    wanted = other.Lock(path, "other")
    assert not wanted.acquire(blocking=False), "a mere disconnection freed the lock"
    expire(holder, wire)
    assert wanted.acquire(timeout=20), "the lock outlived its holder's session"
    becomes("lost", 10, True, lambda: KazooState.LOST in told)
    wanted.release()
    holder.stop()
    other.stop()


def readers_share_and_a_writer_does_not(stage):
    path, counts = root("rwlock"), {"readers": 0, "writers": 0, "written": 0}
    guard = threading.Lock()

    def change(key, by):
        with guard:
            counts[key] += by
            assert counts["writers"] <= 1 and (counts["writers"] == 0 or counts["readers"] == 0), str(counts)

    def work(number):
        mine = client()
        for _ in range(4):
            with mine.ReadLock(path, f"reader {number}"):
                change("readers", 1)
                time.sleep(0.03)
                change("readers", -1)
            with mine.WriteLock(path, f"writer {number}"):
                change("writers", 1)
                counts["written"] += 1
                change("writers", -1)
        mine.stop()

    together(4, work)
    equal("written", 16, counts["written"])
    one, two = client(), client()
    first, second = one.ReadLock(path), two.ReadLock(path)
    assert first.acquire(timeout=10) and second.acquire(timeout=10), "readers do not share"
    assert not two.WriteLock(path).acquire(blocking=False), "a writer came in beside readers"
    one.stop()
    two.stop()


def a_semaphore_gives_out_no_more_than_its_leases(stage):
    path, inside = root("semaphore"), []
    clients = [client() for _ in range(3)]
    semaphores = [each.Semaphore(path, max_leases=2) for each in clients]
    equal("two of three", [True, True, False], [each.acquire(blocking=False) for each in semaphores])
    semaphores[0].release()
    assert semaphores[2].acquire(timeout=10), "a lease that was given back is lost"
    for each in clients:
        each.stop()

    def work(number):
        mine = client()
        for _ in range(6):
            with mine.Semaphore(path, f"client {number}", max_leases=2):
                inside.append(number)
                assert len(inside) <= 2, str(inside)
                time.sleep(0.02)
                inside.remove(number)
        mine.stop()

    together(4, work)


def an_election_goes_on_when_the_leader_is_lost(stage):
    wire, path, leading = stage.wire(), root("election"), []
    first, second = client(wire.address), client()

    def lead(name):
        leading.append(name)
        time.sleep(3)

    threading.Thread(target=lambda: first.Election(path, "first").run(lead, "first"), daemon=True).start()
    becomes("the first leads", 10, ["first"], lambda: list(leading))
    runner = threading.Thread(target=lambda: second.Election(path, "second").run(lead, "second"), daemon=True)
    runner.start()
    becomes("both stand", 10, ["first", "second"], lambda: second.Election(path).contenders())
    expire(first, wire)
    becomes("then the second", 10, ["first", "second"], lambda: list(leading))
    runner.join(10)
    first.stop()
    second.stop()


def a_party_counts_its_living_members(stage):
    path = root("party")
    clients = [client() for _ in range(3)]
    parties = [each.Party(path, f"member {number}") for number, each in enumerate(clients)]
    for party in parties:
        party.join()
    equal("all", ["member 0", "member 1", "member 2"], sorted(parties[0]))
    clients[2].stop()
    becomes("one left", 5, 2, lambda: len(parties[0]))
    shallow = clients[0].ShallowParty(path + "-shallow", "me")
    shallow.join()
    equal("a shallow one", ["me"], list(shallow))
    shallow.leave()
    equal("after it left", 0, len(shallow))
    for each in clients[:2]:
        each.stop()


def a_queue_hands_out_each_item_once(stage):
    path, taken = root("queue"), []
    maker = client()
    queue = maker.Queue(path)
    for item in range(40):
        queue.put(str(item).encode(), priority=100 - item % 2)
    equal("waiting", 40, len(queue))
    first = queue.get()
    equal("the urgent ones first", 1, int(first) % 2)
    taken.append(first)

    def work(_number):
        mine = client()
        consumer = mine.Queue(path)
        item = consumer.get()
        while item is not None:
            taken.append(item)
            item = consumer.get()
        mine.stop()

    together(3, work)
    equal("each once", sorted(range(40)), sorted(int(item) for item in taken))
    maker.stop()


def a_locking_queue_gives_back_what_a_lost_consumer_held(stage):
    wire, path = stage.wire(), root("lockingqueue")
    lost, other = client(wire.address), client()
    queue, theirs = other.LockingQueue(path), lost.LockingQueue(path)
    queue.put_all([b"one", b"two"])
    equal("held", b"one", theirs.get(5))
    equal("the next", b"two", queue.get(5))
    assert queue.consume()
    equal("nothing is left to take", None, queue.get(0.3))
    expire(lost, wire)
    equal("it came back", b"one", queue.get(10))
    assert queue.holds_lock() and queue.consume()
    equal("all are consumed", 0, len(queue))
    lost.stop()
    other.stop()


def barriers_hold_and_let_go(stage):
    path, mine = root("barrier"), client()
    barrier = mine.Barrier(path)
    barrier.create()
    through = []

    def waits():
        theirs = client()
        through.append(theirs.Barrier(path).wait(20))
        theirs.stop()

    waiting = threading.Thread(target=waits, daemon=True)
    waiting.start()
    time.sleep(0.5)
    equal("held", [], through)
    assert barrier.remove()
    waiting.join(20)
    equal("let through", [True], through)
    entered = []

    def double(number):
        theirs = client()
        both = theirs.DoubleBarrier(path + "-double", 3, f"member {number}")
        both.enter()
        entered.append(number)
        time.sleep(0.1)
        both.leave()
        equal("all had entered", 3, len(entered))
        theirs.stop()

    together(3, double)
    mine.stop()


def a_counter_loses_no_step(stage):
    path = root("counter")

    def work(_number):
        mine = client()
        counter = mine.Counter(path)
        for _ in range(10):
            counter += 1
            counter -= 2
        mine.stop()

    together(4, work)
    mine = client()
    equal("the sum", -40, mine.Counter(path).value)
    mine.stop()


def a_lease_is_held_by_one_until_it_runs_out(stage):
    import datetime

    path = root("lease")
    one, two = client(), client()
    two_seconds = datetime.timedelta(seconds=2)
    assert one.NonBlockingLease(path, two_seconds, "one"), "the first is refused"
    assert not two.NonBlockingLease(path, two_seconds, "two"), "a second one holds it too"
    assert one.NonBlockingLease(path, two_seconds, "one"), "its holder cannot renew it"
    becomes("it runs out", 6, True, lambda: bool(two.NonBlockingLease(path, two_seconds, "two")))
    several = [one.MultiNonBlockingLease(2, path + "-multi", two_seconds, name) for name in ("a", "b", "c")]
    equal("two of three", [True, True, False], [bool(lease) for lease in several])
    one.stop()
    two.stop()


def a_partitioner_gives_every_piece_to_one_member(stage):
    path, pieces = root("partitioner"), tuple(range(6))
    clients = [client() for _ in range(2)]
    parties = [
        each.SetPartitioner(path, set=pieces, identifier=f"member {number}", time_boundary=0.5)
        for number, each in enumerate(clients)
    ]

    def settled():
        for party in parties:
            if party.release:
                party.release_set()
            party.wait_for_acquire(0.2)
        return all(party.state == PartitionState.ACQUIRED for party in parties) and sorted(
            piece for party in parties for piece in party
        ) == sorted(pieces)

    becomes("each piece once", 30, True, settled)
    assert all(len(list(party)) == 3 for party in parties)
    parties.pop().finish()
    clients.pop().stop()
    becomes("all pieces to the one that stays", 30, True, settled)
    parties[0].finish()
    clients[0].stop()


def watchers_follow_over_a_lost_connection_and_a_lost_session(stage):
    wire, path = stage.wire(), root("watchers")
    mine, other = client(wire.address, timeout=20), client()
    other.ensure_path(path)
    values, children = [], []
    DataWatch(mine, path, lambda data, stat: values.append(data))
    ChildrenWatch(mine, path, lambda names: children.append(sorted(names)))
    other.set(path, b"one")
    other.create(path + "/a")
    becomes("data", 5, b"one", lambda: values[-1])
    becomes("children", 5, ["a"], lambda: children[-1])
    told = states(mine)
    wire.cut()
    becomes("suspended", 10, [KazooState.SUSPENDED], lambda: list(told))
    other.set(path, b"two")
    other.create(path + "/b")
    wire.mend()
    becomes("data missed meanwhile", 10, b"two", lambda: values[-1])
    becomes("children missed meanwhile", 10, ["a", "b"], lambda: children[-1])
    expire(mine, wire)
    becomes("a lost session", 10, True, lambda: KazooState.LOST in told and told[-1] == KazooState.CONNECTED)
    other.set(path, b"three")
    other.delete(path + "/a")
    becomes("data", 10, b"three", lambda: values[-1])
    becomes("children", 10, ["b"], lambda: children[-1])
    mine.stop()
    other.stop()


def a_tree_cache_follows_over_a_lost_connection(stage):
    wire, path = stage.wire(), root("treecache")
    mine, other = client(wire.address, timeout=20), client()
    other.create(path + "/a/b", b"one", makepath=True)
    told = []
    cache = TreeCache(mine, path)
    cache.listen(lambda event: told.append((event.event_type, getattr(event.event_data, "path", None))))
    cache.start()
    becomes("filled", 10, True, lambda: (TreeEvent.INITIALIZED, None) in told)
    equal("data", b"one", cache.get_data(path + "/a/b").data)
    other.set(path + "/a/b", b"two")
    other.create(path + "/a/c")
    becomes("changed", 5, b"two", lambda: cache.get_data(path + "/a/b").data)
    becomes("added", 5, ["b", "c"], lambda: sorted(cache.get_children(path + "/a")))
    wire.cut()
    becomes("suspended", 10, True, lambda: (TreeEvent.CONNECTION_SUSPENDED, None) in told)
    other.delete(path + "/a/c")
    other.create(path + "/d")
    wire.mend()
    becomes("removed", 10, ["b"], lambda: sorted(cache.get_children(path + "/a")))
    becomes("added", 10, ["a", "d"], lambda: sorted(cache.get_children(path)))
    cache.close()
    mine.stop()
    other.stop()


def a_transaction_is_all_or_nothing(stage):
    path, mine = root("transaction"), client()
    mine.ensure_path(path)
    good = mine.transaction()
    for number in range(100):
        good.create(f"{path}/n{number}", b"x")
    good.set_data(path, b"new", version=0)
    good.check(path, version=1)
    good.delete(path + "/n0", version=0)
    results = good.commit()
    equal("the last create", path + "/n99", results[99])
    equal("the new version", 1, results[100].version)
    equal("check and delete", [True, True], results[101:])
    bad = mine.transaction()
    bad.delete(path + "/n1")
    bad.set_data(path, b"newer", version=0)
    bad.create(path + "/n1")
    refusals = bad.commit()
    equal("rolled back", RolledBackError, type(refusals[0]))
    equal("the culprit", BadVersionError, type(refusals[1]))
    equal("children", 99, len(mine.get_children(path)))
    mine.stop()


def a_chroot_and_an_identity_hold_over_a_lost_connection(stage):
    wire, path = stage.wire(), root("chroot")
    other = client()
    other.ensure_path(path)
    mine = client(wire.address + path, timeout=20, auth_data=[("digest", "ann:secret")])
    acl = make_digest_acl("ann", "secret", all=True)
    equal("its path", "/mine", mine.create("/mine", b"x", acl=[acl], ephemeral=True))
    for _ in range(2):
        try:
            other.get(path + "/mine")
            raise AssertionError("a stranger read it")
        except NoAuthError:
            pass
        equal("its content", b"x", mine.retry(mine.get, "/mine")[0])
        equal("its owner", mine.client_id[0], mine.retry(mine.exists, "/mine").ephemeralOwner)
        told = states(mine)
        wire.blink()
        becomes("connected again", 10, [KazooState.SUSPENDED, KazooState.CONNECTED], lambda told=told: list(told))
    mine.stop()
    becomes("gone with its session", 5, None, lambda: other.exists(path + "/mine"))
    other.stop()


def five_thousand_requests_in_flight_are_answered_in_order(stage):
    path, mine = root("pipeline"), client(timeout=30)
    mine.ensure_path(path)
    made = [mine.create_async(path + "/n-", b"", sequence=True, ephemeral=True) for _ in range(2500)]
    read = [mine.get_children_async(path) for _ in range(5)]
    written = [mine.set_async(path, str(number).encode(), version=number) for number in range(2500)]
    equal("names", [f"{path}/n-{number:010}" for number in range(2500)], [each.get(60) for each in made])
    equal("a read behind them", [2500] * 5, [len(each.get(60)) for each in read])
    equal("versions", list(range(1, 2501)), [each.get(60).version for each in written])
    mine.stop()


def four_letter_words_are_answered(stage):
    mine = client()
    equal("ruok", "imok", mine.command(b"ruok"))
    assert mine.server_version() >= (3, 4), mine.server_version()
    keys = {line.split("\t")[0] for line in mine.command(b"mntr").splitlines()}
    assert {"zk_version", "zk_server_state", "zk_znode_count", "zk_num_alive_connections"} <= keys, keys
    mine.stop()


def a_killed_server_loses_nothing_of_a_living_client(stage):
    path, mine = root("restart"), client(timeout=20)
    mine.create(path + "/mine", b"x", ephemeral=True, makepath=True)
    session = mine.client_id[0]
    values, told = [], states(mine)
    DataWatch(mine, path, lambda data, stat: values.append(data))
    lock = mine.Lock(path + "/lock", "holder")
    lock.acquire(timeout=10)
    stage.kill_server()
    becomes("suspended", 10, [KazooState.SUSPENDED], lambda: list(told))
    stage.start_server()
    becomes("connected", 20, [KazooState.SUSPENDED, KazooState.CONNECTED], lambda: list(told))
    equal("the same session", session, mine.client_id[0])
    equal("its ephemeral", session, mine.retry(mine.exists, path + "/mine").ephemeralOwner)
    mine.retry(mine.set, path, b"later")
    becomes("its watch", 10, b"later", lambda: values[-1])
    other = client()
    assert not other.Lock(path + "/lock").acquire(blocking=False), "the lock was lost"
    lock.release()
    assert other.Lock(path + "/lock").acquire(timeout=10)
    mine.stop()
    other.stop()


def refusals_have_their_names(stage):
    path, mine = root("refusals"), client()
    mine.create(path)
    for how, call in [
        (NodeExistsError, lambda: mine.create(path)),
        (NoNodeError, lambda: mine.get(path + "/missing")),
        (NoNodeError, lambda: mine.create(path + "/missing/x")),
        (BadVersionError, lambda: mine.delete(path, version=9)),
    ]:
        try:
            call()
        except how:
            continue
        raise AssertionError(f"{how.__name__} was expected")
    mine.stop()


if __name__ == "__main__":
    checks.ADDRESS = sys.argv[1]
    Stage().play(
        together=[
            a_lease_is_held_by_one_until_it_runs_out,
            a_partitioner_gives_every_piece_to_one_member,
            an_election_goes_on_when_the_leader_is_lost,
            watchers_follow_over_a_lost_connection_and_a_lost_session,
            a_tree_cache_follows_over_a_lost_connection,
            a_lock_is_kept_over_a_lost_connection_and_lost_with_the_session,
            a_chroot_and_an_identity_hold_over_a_lost_connection,
            a_lock_lets_one_in_at_a_time,
            readers_share_and_a_writer_does_not,
            a_semaphore_gives_out_no_more_than_its_leases,
            a_party_counts_its_living_members,
            a_queue_hands_out_each_item_once,
            a_locking_queue_gives_back_what_a_lost_consumer_held,
            barriers_hold_and_let_go,
            a_counter_loses_no_step,
            a_transaction_is_all_or_nothing,
            five_thousand_requests_in_flight_are_answered_in_order,
            four_letter_words_are_answered,
            refusals_have_their_names,
        ],
        alone=[a_killed_server_loses_nothing_of_a_living_client],
    )
    # Threads that a client left behind do not hold up the end.
    os._exit(0)
