"""Timing wheels: priority queues for schedules, in O(1) per access where a heap needs O(log N).

A wheel has one slot for each access of the robot to come. A page waits in the slot of the
access at which it first matters; only pages of the present slot are looked at. Pages due
beyond the last slot wait there and are filed again when it is reached.

Two machines live here:

* ``MostOverdue`` chooses the page with the largest frequency times age. The order of two
  waiting pages may change as they age, so no fixed key exists. Pages above a ``low`` level
  are *late*; of those, the ones above a ``high`` level are *hot*, and only hot pages are
  compared. Both levels are moved so that few pages are hot; the choice is exact whatever
  they are, because it is only made among *all* pages above a level that someone exceeds.
* ``EarliestKey`` chooses the smallest key (count + offset)/frequency among released pages.
  Deadline, Tijdeman's and the random-phase merge are such policies.

Both keep what they need between calls, so a schedule can be made in chunks of any size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

NOBODY = -1
#: How many pages are hot after the levels have been set.
HOT = 24
#: Levels are set anew after so many accesses (a power of two: the length of the inner wheel).
TURN = 256
#: A release that is later than an access by rounding alone does not count as later.
RELEASE_SLACK = 1.0 - 2.0**-48

_compiled = njit(cache=True, error_model="numpy")


def _wheel_size(pages: int) -> int:
    """A power of two: long enough that waiting in the last slot is rare."""
    return max(1024, 1 << (2 * pages - 1).bit_length())


# ---------------------------------------------------------------- most overdue

_PAGE = np.dtype([("frequency", np.float64), ("last", np.float64), ("next", np.int64)])
# counters
_NOW, _LATE, _HOT_COUNT, _RENEWED, _KEEP = range(5)
# levels
_LOW, _HIGH = range(2)


class _OverdueState(NamedTuple):
    pages: NDArray
    slots: NDArray  # first page waiting for each access to come
    late_page: NDArray
    late_frequency: NDArray
    late_last: NDArray
    late_next: NDArray
    ring: NDArray  # first late page that becomes hot at each access of this turn
    hot_page: NDArray
    hot_frequency: NDArray
    hot_last: NDArray
    hot_late: NDArray  # where the hot page stands among the late ones
    counters: NDArray
    levels: NDArray


@_compiled
def _file_overdue(state, page, not_before):
    """Let a page wait until its frequency times age may reach the low level."""
    record = state.pages[page]
    # rounding down is early by less than one access, and never late
    due = int(np.floor(min(record.last + state.levels[_LOW] / record.frequency, not_before + 4.0e18)))
    slot = min(max(due, not_before), state.counters[_NOW] + len(state.slots) - 1) & (len(state.slots) - 1)
    state.pages[page].next = state.slots[slot]
    state.slots[slot] = page


@_compiled
def _heat(state, place):
    """Make a late page hot now, or at its access of this turn, or not in this turn."""
    now = state.counters[_NOW]
    frequency, last = state.late_frequency[place], state.late_last[place]
    due = last + state.levels[_HIGH] / frequency
    if due < now + 1:
        hot = state.counters[_HOT_COUNT]
        state.hot_page[hot] = state.late_page[place]
        state.hot_frequency[hot] = frequency
        state.hot_last[hot] = last
        state.hot_late[hot] = place
        state.counters[_HOT_COUNT] = hot + 1
    elif due < state.counters[_RENEWED] + TURN:
        slot = int(np.floor(due)) & (TURN - 1)
        state.late_next[place] = state.ring[slot]
        state.ring[slot] = place


@_compiled
def _add_late(state, page):
    place = state.counters[_LATE]
    state.late_page[place] = page
    state.late_frequency[place] = state.pages[page].frequency
    state.late_last[place] = state.pages[page].last
    state.counters[_LATE] = place + 1
    return place


@_compiled
def _set_low_level(state):
    """Choose the low level so that a given number of pages is late, and file everyone anew."""
    now = state.counters[_NOW]
    values = np.empty(len(state.pages))
    for page in range(len(state.pages)):
        values[page] = state.pages[page].frequency * (now - state.pages[page].last)
    keep = min(state.counters[_KEEP], len(values))
    state.levels[_LOW] = np.partition(values, len(values) - keep)[len(values) - keep]
    state.slots[:] = NOBODY
    state.counters[_LATE] = 0
    for page in range(len(values)):
        if values[page] >= state.levels[_LOW]:
            _add_late(state, page)
        else:
            _file_overdue(state, page, now + 1)


@_compiled
def _close_gaps(state):
    """Drop the places among late pages that nobody holds any more."""
    kept = 0
    for place in range(state.counters[_LATE]):
        if state.late_page[place] != NOBODY:
            state.late_page[kept] = state.late_page[place]
            state.late_frequency[kept] = state.late_frequency[place]
            state.late_last[kept] = state.late_last[place]
            kept += 1
    state.counters[_LATE] = kept


@_compiled
def _largest(state, count):
    """The count-th largest value among late pages; minus infinity if there are fewer."""
    now = state.counters[_NOW]
    top = np.full(count, -np.inf)  # descending
    for place in range(state.counters[_LATE]):
        value = state.late_frequency[place] * (now - state.late_last[place])
        if value > top[count - 1]:
            k = count - 1
            while k > 0 and top[k - 1] < value:
                top[k] = top[k - 1]
                k -= 1
            top[k] = value
    return top[count - 1]


@_compiled
def _raise_low_level(state):
    """Let all but a given number of late pages wait again."""
    now, count = state.counters[_NOW], state.counters[_LATE]
    values = state.late_frequency[:count] * (now - state.late_last[:count])
    rank = count - state.counters[_KEEP]
    state.levels[_LOW] = np.partition(values, rank)[rank]
    for place in range(count):
        if values[place] < state.levels[_LOW]:
            _file_overdue(state, state.late_page[place], now + 1)
            state.late_page[place] = NOBODY
    _close_gaps(state)


@_compiled
def _renew(state):
    """Set the levels anew. Afterwards at least one page is hot."""
    now = state.counters[_NOW]
    _close_gaps(state)
    wanted = max(1, min(HOT, len(state.pages) // 2))
    high = _largest(state, wanted)
    if high < state.levels[_LOW]:
        # The level had been set too high for what has come: look at all pages, keep more of them.
        state.counters[_KEEP] = min(2 * state.counters[_KEEP], len(state.pages))
        _set_low_level(state)
        high = _largest(state, wanted)
    elif state.counters[_LATE] > 4 * state.counters[_KEEP]:
        _raise_low_level(state)
    state.levels[_HIGH] = high
    state.counters[_RENEWED] = now
    state.counters[_HOT_COUNT] = 0
    state.ring[:] = NOBODY
    for place in range(state.counters[_LATE]):
        _heat(state, place)


@_compiled
def _hottest(state):
    """The place among hot pages of the largest value (ties: smallest page), and that value."""
    now = state.counters[_NOW]
    best, best_value = NOBODY, -np.inf
    for hot in range(state.counters[_HOT_COUNT]):
        value = state.hot_frequency[hot] * (now - state.hot_last[hot])
        if value > best_value or (value == best_value and state.hot_page[hot] < state.hot_page[best]):
            best, best_value = hot, value
    return best, best_value


@_compiled
def _most_overdue(state, out):
    counters = state.counters
    for n in range(len(out)):
        now = counters[_NOW]
        slot = now & (len(state.slots) - 1)
        page = state.slots[slot]
        state.slots[slot] = NOBODY
        while page != NOBODY:
            following = state.pages[page].next
            record = state.pages[page]
            if record.last + state.levels[_LOW] / record.frequency < now + 1:
                _heat(state, _add_late(state, page))
            else:
                _file_overdue(state, page, now + 1)
            page = following
        slot = now & (TURN - 1)
        place = state.ring[slot]
        state.ring[slot] = NOBODY
        while place != NOBODY:
            following = state.late_next[place]
            _heat(state, place)
            place = following
        turn = now - counters[_RENEWED]
        if turn >= TURN or (counters[_HOT_COUNT] > 4 * HOT and turn > TURN // 8):
            _renew(state)
        best, value = _hottest(state)
        if value < state.levels[_HIGH]:
            _renew(state)
            best, value = _hottest(state)
        page = state.hot_page[best]
        out[n] = page
        state.late_page[state.hot_late[best]] = NOBODY
        final = counters[_HOT_COUNT] - 1
        state.hot_page[best] = state.hot_page[final]
        state.hot_frequency[best] = state.hot_frequency[final]
        state.hot_last[best] = state.hot_last[final]
        state.hot_late[best] = state.hot_late[final]
        counters[_HOT_COUNT] = final
        state.pages[page].last = now
        _file_overdue(state, page, now + 1)
        counters[_NOW] = now + 1


class MostOverdue:
    """Access the page with the largest frequency times age; ties go to the smaller index.

    ``phase`` in [0, 1) is the value with which each page starts.
    """

    def __init__(self, frequency: NDArray, phase: NDArray) -> None:
        count = len(frequency)
        pages = np.empty(count, dtype=_PAGE)
        pages["frequency"] = frequency
        pages["last"] = -phase / frequency
        room = count + TURN + 1  # all pages, and those accessed since the last turn
        counters = np.zeros(5, dtype=np.int64)
        # Values of the accessed pages fluctuate by about sqrt(N) pages: keep some more than that.
        counters[_KEEP] = 2 * HOT + 2 * int(np.sqrt(count))
        self._state = _OverdueState(
            pages=pages,
            slots=np.full(_wheel_size(count), NOBODY, dtype=np.int64),
            late_page=np.empty(room, dtype=np.int64),
            late_frequency=np.empty(room),
            late_last=np.empty(room),
            late_next=np.empty(room, dtype=np.int64),
            ring=np.full(TURN, NOBODY, dtype=np.int64),
            hot_page=np.empty(count, dtype=np.int64),
            hot_frequency=np.empty(count),
            hot_last=np.empty(count),
            hot_late=np.empty(count, dtype=np.int64),
            counters=counters,
            levels=np.zeros(2),
        )
        _set_low_level(self._state)
        _renew(self._state)

    def fill(self, out: NDArray[np.int32]) -> None:
        """The next accesses."""
        _most_overdue(self._state, out)


# ---------------------------------------------------------------- earliest key

_ITEM = np.dtype([("frequency", np.float64), ("offset", np.float64), ("count", np.int64), ("next", np.int64)])
_CURSOR, _READY, _EDGE, _RUN, _RUN_END, _HEAP = 1, 2, 3, 4, 5, 6  # 0 is _NOW


class _KeyState(NamedTuple):
    items: NDArray
    releases: NDArray  # first page released at each access to come
    buckets: NDArray  # first released page with each whole part of the key, from the edge on
    run_page: NDArray  # one bucket, in order
    run_key: NDArray
    heap_page: NDArray  # released pages whose key lies before the edge
    heap_key: NDArray
    counters: NDArray
    shift: float  # a page is released at (count + shift)/frequency - lag; never waits if shift is nan
    lag: float


@_compiled
def _key(item):
    return (item.count + item.offset) / item.frequency


@_compiled
def _release(state, item):
    """The first access at which the page may be chosen."""
    return np.ceil((item.count + state.shift) / item.frequency * RELEASE_SLACK - state.lag)


@_compiled
def _push(state, page, key):
    place = state.counters[_HEAP]
    state.counters[_HEAP] = place + 1
    while place > 0:
        parent = (place - 1) >> 1
        if state.heap_key[parent] < key or (state.heap_key[parent] == key and state.heap_page[parent] < page):
            break
        state.heap_key[place] = state.heap_key[parent]
        state.heap_page[place] = state.heap_page[parent]
        place = parent
    state.heap_key[place] = key
    state.heap_page[place] = page


@_compiled
def _pop(state):
    keys, pages = state.heap_key, state.heap_page
    result = pages[0]
    size = state.counters[_HEAP] - 1
    state.counters[_HEAP] = size
    key, page = keys[size], pages[size]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (keys[right] < keys[child] or (keys[right] == keys[child] and pages[right] < pages[child])):
            child = right
        if key < keys[child] or (key == keys[child] and page < pages[child]):
            break
        keys[place], pages[place] = keys[child], pages[child]
        place = child
    keys[place], pages[place] = key, page
    return result


@_compiled
def _enter(state, page):
    """A page that may be chosen from now on."""
    key = _key(state.items[page])
    edge = state.counters[_EDGE]
    if key < edge:
        _push(state, page, key)
    else:
        slot = int(min(np.floor(key), float(edge + len(state.buckets) - 1))) & (len(state.buckets) - 1)
        state.items[page].next = state.buckets[slot]
        state.buckets[slot] = page
    state.counters[_READY] += 1


@_compiled
def _file_release(state, page):
    cursor = state.counters[_CURSOR]
    due = min(max(_release(state, state.items[page]), cursor + 1.0), float(cursor + len(state.releases) - 1))
    slot = int(due) & (len(state.releases) - 1)
    state.items[page].next = state.releases[slot]
    state.releases[slot] = page


@_compiled
def _advance_releases(state):
    """Go to the next slot of the release wheel and let its pages in."""
    cursor = state.counters[_CURSOR] + 1
    state.counters[_CURSOR] = cursor
    slot = cursor & (len(state.releases) - 1)
    page = state.releases[slot]
    state.releases[slot] = NOBODY
    while page != NOBODY:
        following = state.items[page].next
        if _release(state, state.items[page]) <= cursor:
            _enter(state, page)
        else:
            _file_release(state, page)
        page = following


@_compiled
def _load_run(state):
    """Take the next bucket that has pages; only called while the heap and the run are empty."""
    while True:
        edge = state.counters[_EDGE]
        slot = edge & (len(state.buckets) - 1)
        page = state.buckets[slot]
        state.buckets[slot] = NOBODY
        state.counters[_EDGE] = edge + 1
        size = 0
        while page != NOBODY:
            following = state.items[page].next
            key = _key(state.items[page])
            if key < edge + 1:
                state.run_page[size], state.run_key[size] = page, key
                size += 1
            else:  # it waits for a key beyond the last bucket
                state.counters[_READY] -= 1
                _enter(state, page)
            page = following
        if size > 0:
            break
    # Pages of equal keys were entered in order, and the list is last in, first out.
    for k in range(size // 2):
        other = size - 1 - k
        state.run_page[k], state.run_page[other] = state.run_page[other], state.run_page[k]
        state.run_key[k], state.run_key[other] = state.run_key[other], state.run_key[k]
    ordered = True
    for k in range(1, size):
        before, after = state.run_key[k - 1], state.run_key[k]
        if before > after or (before == after and state.run_page[k - 1] > state.run_page[k]):
            ordered = False
            break
    state.counters[_RUN] = 0
    state.counters[_RUN_END] = size if ordered else 0
    if not ordered:
        for k in range(size):
            _push(state, state.run_page[k], state.run_key[k])


@_compiled
def _earliest_key(state, out):
    counters = state.counters
    waits = not np.isnan(state.shift)
    for n in range(len(out)):
        now = counters[_NOW]
        if waits:
            # Nobody is released only if rounding has delayed a release: then the next one is taken.
            while counters[_CURSOR] < now or counters[_READY] == 0:
                _advance_releases(state)
        if counters[_RUN] == counters[_RUN_END] and counters[_HEAP] == 0:
            _load_run(state)
        run = counters[_RUN]
        use_run = run < counters[_RUN_END]
        if use_run and counters[_HEAP] > 0:
            key, page = state.run_key[run], state.run_page[run]
            use_run = key < state.heap_key[0] or (key == state.heap_key[0] and page < state.heap_page[0])
        if use_run:
            page = state.run_page[run]
            counters[_RUN] = run + 1
        else:
            page = _pop(state)
        out[n] = page
        counters[_READY] -= 1
        state.items[page].count += 1
        if waits and _release(state, state.items[page]) > counters[_CURSOR]:
            _file_release(state, page)
        else:
            _enter(state, page)
        counters[_NOW] = now + 1


class EarliestKey:
    """Access the released page with the smallest (count + offset)/frequency; ties: the smaller index.

    Before its ``count + 1``-st access a page is released at access (count + shift)/frequency - lag,
    or at once if ``shift`` is None.
    """

    def __init__(self, frequency: NDArray, offset: NDArray | float, shift: float | None = None, lag: float = 0.0) -> None:
        count = len(frequency)
        items = np.empty(count, dtype=_ITEM)
        items["frequency"] = frequency
        items["offset"] = offset
        items["count"] = 0
        counters = np.zeros(7, dtype=np.int64)
        counters[_CURSOR] = -1
        size = _wheel_size(count)
        self._state = _KeyState(
            items=items,
            releases=np.full(size if shift is not None else 1, NOBODY, dtype=np.int64),
            buckets=np.full(size, NOBODY, dtype=np.int64),
            run_page=np.empty(count, dtype=np.int64),
            run_key=np.empty(count),
            heap_page=np.empty(count, dtype=np.int64),
            heap_key=np.empty(count),
            counters=counters,
            shift=np.nan if shift is None else float(shift),
            lag=float(lag),
        )
        _start(self._state)

    def fill(self, out: NDArray[np.int32]) -> None:
        """The next accesses."""
        _earliest_key(self._state, out)


@_compiled
def _start(state):
    for page in range(len(state.items)):
        if np.isnan(state.shift):
            _enter(state, page)
        else:
            _file_release(state, page)
