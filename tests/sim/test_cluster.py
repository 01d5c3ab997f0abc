"""The fleet between control decisions: claims, drains, kills, leases, crashes."""

from __future__ import annotations

from obs.sim.cluster import Cluster
from obs.sim.faults import Fault, FaultKind, Weather
from obs.sim.workload import Victims, Workload


def cluster(
    arrivals: tuple[int, ...], pods: int, *faults: Fault, work: int = 100, **fields: object
) -> Cluster:
    """Return a fleet of pods that are ready, and tasks that all take `work` seconds."""
    workload = Workload(work, spread=0.0, **fields)  # type: ignore[arg-type]
    made = Cluster(workload, arrivals, workload.service_times(len(arrivals), 0), Weather(faults))
    made.scale(pods)
    made.settle()
    return made


def test_the_least_loaded_pod_claims() -> None:
    """Items spread over the pods, and a pod with room takes what another one cannot."""
    fleet = cluster((0, 0, 0, 0, 0), 2, capacity=2)
    fleet.advance(0)
    assert fleet.loads() == (2, 2)
    assert (fleet.claimed, len(fleet.pending)) == (4, 1)


def test_a_drain_that_is_long_enough_loses_nothing() -> None:
    """A removed pod finishes what it holds, takes nothing new, and leaves."""
    fleet = cluster((0, 0, 50), 2, drain=120)
    fleet.advance(10)
    fleet.scale(1)
    fleet.advance(60)
    assert (len(fleet.draining), len(fleet.pending)) == (1, 1)
    fleet.advance(100)
    assert (fleet.totals.done, fleet.totals.interrupted, len(fleet.draining)) == (2, 0, 0)
    fleet.advance(500)
    assert fleet.totals.done == 3
    assert fleet.totals.replica_seconds == 500 + 100


def test_a_drain_that_is_too_short_wastes_work() -> None:
    """At the end of its drain a pod gives back what it holds; the item starts again, before all others."""
    fleet = cluster((0, 0, 5), 2, drain=20)
    fleet.advance(10)
    fleet.scale(1)
    fleet.advance(30)
    assert list(fleet.pending) == [1, 2]
    assert (fleet.totals.interrupted, fleet.totals.wasted_seconds, fleet.claimed) == (1, 30, 1)
    fleet.advance(1000)
    assert fleet.totals.done == 3


def test_items_come_back_in_their_order_of_arrival() -> None:
    """What several pods give back in one second is queued by age, whoever held it."""
    fleet = cluster((0, 0, 0, 0, 1), 4, drain=20)
    fleet.advance(10)
    fleet.scale(0)
    fleet.advance(30)
    assert list(fleet.pending) == [0, 1, 2, 3, 4]


def test_a_killed_pod_keeps_its_claims_until_the_lease_ends() -> None:
    """A grace period shorter than the drain kills the pod: its items count as claimed and come back late."""
    fleet = cluster((0,), 1, drain=60, grace=30, lease=45)
    fleet.advance(10)
    fleet.scale(0)
    fleet.advance(84)
    assert (fleet.claimed, len(fleet.pending), fleet.loads()) == (1, 0, ())
    fleet.advance(85)
    assert (fleet.claimed, len(fleet.pending)) == (0, 1)


def test_a_crash_takes_the_newest_pods_and_they_are_replaced() -> None:
    """Crashed pods lose their work at once; the ReplicaSet starts others."""
    fleet = cluster((0, 0), 2, startup=25, lease=10)
    fleet.advance(5)
    fleet.crash(1)
    assert (len(fleet.ready), len(fleet.starting), fleet.totals.interrupted) == (1, 1, 1)
    fleet.advance(30)
    assert (len(fleet.ready), fleet.loads()) == (2, (1, 1))


def test_victims_are_unready_pods_first() -> None:
    """A pod that is still starting goes before one that works, and the newest of those goes first."""
    fleet = cluster((0,), 1, startup=30)
    fleet.advance(0)
    fleet.scale(2)
    fleet.advance(10)
    fleet.scale(3)
    fleet.scale(2)
    fleet.advance(30)
    assert (len(fleet.ready), len(fleet.starting)) == (2, 0)


def test_the_newest_or_the_idlest_pod_is_removed() -> None:
    """By default the newest pod is the victim, busy or not; with deletion costs it is an idle one."""
    for victims, lost in ((Victims.NEWEST, 1), (Victims.IDLEST, 0)):
        fleet = cluster((0, 0, 0), 3, drain=5, victims=victims, work=100)
        fleet.advance(50)
        fleet.ready[0].held.clear()  # the eldest is idle now
        fleet.scale(2)
        assert len(fleet.draining) == lost


def test_pods_wait_for_room() -> None:
    """The nodes hold so many pods; the others start when one of those is gone, draining ones included."""
    fleet = cluster((0, 0), 2, room=3, startup=10, drain=60)
    fleet.advance(0)
    fleet.scale(5)
    assert (len(fleet.ready), len(fleet.starting), len(fleet.unplaced)) == (2, 1, 2)
    fleet.advance(10)
    assert (len(fleet.ready), len(fleet.unplaced)) == (3, 2)
    fleet.scale(1)
    assert (len(fleet.ready), len(fleet.draining), len(fleet.unplaced)) == (1, 1, 0)
    fleet.scale(3)
    assert (len(fleet.starting), len(fleet.unplaced)) == (1, 1)
    fleet.advance(70)
    assert (len(fleet.ready), len(fleet.draining), len(fleet.starting)) == (2, 0, 1)


def test_a_slow_start_delays_the_pods_created_then() -> None:
    """Pods created during a slow start become ready later by its amount, others do not."""
    fleet = cluster((), 0, Fault(FaultKind.SLOW_START, 10, 20, 120), startup=25)
    fleet.scale(1)
    fleet.advance(15)
    fleet.scale(2)
    fleet.advance(25)
    assert len(fleet.ready) == 1
    fleet.advance(159)
    assert len(fleet.ready) == 1
    fleet.advance(160)
    assert len(fleet.ready) == 2


def test_the_longest_time_at_zero_with_work() -> None:
    """Stranding is the longest stretch in which something waits and no replica is wanted."""
    fleet = cluster((10, 300), 0, startup=5)
    fleet.advance(40)
    fleet.scale(1)
    fleet.advance(200)
    fleet.scale(0)
    fleet.advance(310)
    fleet.finish()
    assert fleet.totals.at_zero_longest == 30
