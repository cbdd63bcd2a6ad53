"""Places of those that wait: how many there are, who is woken, and when one is free again."""

import gc

from central.waits import Wait, Waits


def waits() -> Waits:
    return Waits(at_once=3, of_one_organization=2)


def entered(waits: Waits, key: str, organization_id: int) -> Wait:
    wait = waits.enter(key, organization_id)
    assert wait is not None
    return wait


def test_no_more_wait_than_may_of_one_organisation_and_of_all() -> None:
    places = waits()
    held = [entered(places, "a", 1), entered(places, "b", 1)]
    assert places.enter("c", 1) is None
    held.append(entered(places, "c", 2))
    assert places.enter("d", 3) is None
    assert len(held) == 3


def test_a_place_that_is_left_or_forgotten_is_free() -> None:
    places = waits()
    left, forgotten = entered(places, "a", 1), entered(places, "a", 1)
    places.leave(left)
    places.leave(left)
    del forgotten
    gc.collect()
    assert places.awaited() == set()
    assert places.enter("a", 1)


def test_those_that_wait_for_it_are_woken_and_no_others() -> None:
    places = waits()
    one, two, other = (entered(places, key, number) for number, key in enumerate("aab"))
    places.wake({"a", "unknown"})
    assert one.woken.done()
    assert two.woken.done()
    assert not other.woken.done()
    assert places.awaited() == {"b"}
    places.wake({"a"})  # a second time, as a notification does after the commit in this process


def test_at_the_end_all_are_woken_and_none_waits_any_more() -> None:
    places = waits()
    one, two = entered(places, "a", 1), entered(places, "b", 2)
    places.end()
    assert one.woken.done()
    assert two.woken.done()
    assert places.enter("a", 1) is None
