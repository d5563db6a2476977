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
# A page with what the comparison needs, and for a hot page its place among the late ones.
_RIPE = np.dtype([("frequency", np.float64), ("last", np.float64), ("page", np.int64), ("late", np.int64)])

# counters between two calls
_NOW, _LATE, _HOT, _TURN_END, _KEEP = range(5)
# levels
_LOW, _HIGH = range(2)


@_compiled
def _file_overdue(pages, slots, page, low, now):
    """Let a page wait until its frequency times age may reach the low level."""
    # Rounding down is early by less than one access, and never late.
    due = min(pages[page].last + low / pages[page].frequency, float(now + len(slots) - 1))
    slot = max(int(due), now + 1) & (len(slots) - 1)
    pages[page].next = slots[slot]
    slots[slot] = page


@_compiled
def _heat(late, next_late, ring, hot, hot_count, place, high, now, turn_end):
    """Make a late page hot now, or at its access of this turn, or not in this turn; how many are hot."""
    due = late[place].last + high / late[place].frequency
    if due < now + 1:
        hot[hot_count].frequency = late[place].frequency
        hot[hot_count].last = late[place].last
        hot[hot_count].page = late[place].page
        hot[hot_count].late = place
        return hot_count + 1
    if due < turn_end:
        slot = int(due) & (len(ring) - 1)
        next_late[place] = ring[slot]
        ring[slot] = place
    return hot_count


@_compiled
def _add_late(pages, late, late_count, page):
    late[late_count].frequency = pages[page].frequency
    late[late_count].last = pages[page].last
    late[late_count].page = page
    return late_count + 1


@_compiled
def _set_low_level(pages, slots, late, keep, now):
    """Choose the low level so that ``keep`` pages are late, and file everyone anew."""
    values = np.empty(len(pages))
    for page in range(len(pages)):
        values[page] = pages[page].frequency * (now - pages[page].last)
    rank = max(len(pages) - keep, 0)
    low = np.partition(values, rank)[rank]
    slots[:] = NOBODY
    late_count = 0
    for page in range(len(pages)):
        if values[page] >= low:
            late_count = _add_late(pages, late, late_count, page)
        else:
            _file_overdue(pages, slots, page, low, now)
    return low, late_count


@_compiled
def _raise_low_level(pages, slots, late, late_count, keep, now):
    """Let all but ``keep`` late pages wait again."""
    values = np.empty(late_count)
    for place in range(late_count):
        values[place] = late[place].frequency * (now - late[place].last)
    low = np.partition(values, late_count - keep)[late_count - keep]
    for place in range(late_count):
        if values[place] < low:
            _file_overdue(pages, slots, late[place].page, low, now)
            late[place].page = NOBODY
    return low, _close_gaps(late, late_count)


@_compiled
def _close_gaps(late, late_count):
    """Drop the places among late pages that nobody holds any more."""
    kept = 0
    for place in range(late_count):
        if late[place].page != NOBODY:
            late[kept].frequency = late[place].frequency
            late[kept].last = late[place].last
            late[kept].page = late[place].page
            kept += 1
    return kept


@_compiled
def _largest(late, late_count, rank, now):
    """The value of this rank (from 1) among late pages; minus infinity if there are fewer."""
    top = np.full(rank, -np.inf)  # descending
    least = -np.inf
    for place in range(late_count):
        value = late[place].frequency * (now - late[place].last)
        if value > least:
            k = rank - 1
            while k > 0 and top[k - 1] < value:
                top[k] = top[k - 1]
                k -= 1
            top[k] = value
            least = top[rank - 1]
    return least


@_compiled
def _renew(pages, slots, late, next_late, ring, hot, counters, levels):
    """Set the levels anew. Afterwards at least one page is hot."""
    now, keep = counters[_NOW], counters[_KEEP]
    late_count = _close_gaps(late, counters[_LATE])
    rank = max(1, min(HOT, len(pages) // 2))
    high = _largest(late, late_count, rank, now)
    if high < levels[_LOW]:
        # The low level was too high for what has come: look at all pages, and keep more of them.
        keep = min(2 * keep, len(pages))
        levels[_LOW], late_count = _set_low_level(pages, slots, late, keep, now)
        high = _largest(late, late_count, rank, now)
    elif late_count > 3 * keep:
        levels[_LOW], late_count = _raise_low_level(pages, slots, late, late_count, keep, now)
    turn_end = now + TURN
    ring[:] = NOBODY
    hot_count = 0
    for place in range(late_count):
        hot_count = _heat(late, next_late, ring, hot, hot_count, place, high, now, turn_end)
    counters[_LATE], counters[_HOT], counters[_TURN_END], counters[_KEEP] = late_count, hot_count, turn_end, keep
    levels[_HIGH] = high


@_compiled
def _hottest(hot, hot_count, now):
    """Where the largest value is among hot pages (ties: the smaller page), and that value."""
    best, best_value = NOBODY, -np.inf
    for place in range(hot_count):
        value = hot[place].frequency * (now - hot[place].last)
        if value >= best_value and (value > best_value or hot[place].page < hot[best].page):
            best, best_value = place, value
    return best, best_value


@_compiled
def _most_overdue(pages, slots, late, next_late, ring, hot, counters, levels, out):
    low, high = levels[_LOW], levels[_HIGH]
    late_count, hot_count, turn_end = counters[_LATE], counters[_HOT], counters[_TURN_END]
    start = counters[_NOW]
    for n in range(len(out)):
        now = start + n
        slot = now & (len(slots) - 1)
        page = slots[slot]
        slots[slot] = NOBODY
        while page != NOBODY:
            following = pages[page].next
            if pages[page].last + low / pages[page].frequency < now + 1:
                late_count = _add_late(pages, late, late_count, page)
                hot_count = _heat(late, next_late, ring, hot, hot_count, late_count - 1, high, now, turn_end)
            else:  # beyond the wheel's last slot, or the level has been raised
                _file_overdue(pages, slots, page, low, now)
            page = following
        slot = now & (len(ring) - 1)
        place = ring[slot]
        ring[slot] = NOBODY
        while place != NOBODY:
            following = next_late[place]
            hot_count = _heat(late, next_late, ring, hot, hot_count, place, high, now, turn_end)
            place = following
        best, value = _hottest(hot, hot_count, now)
        if value < high or now >= turn_end or (hot_count > 4 * HOT and now + TURN > turn_end + TURN // 8):
            counters[_NOW], counters[_LATE] = now, late_count
            _renew(pages, slots, late, next_late, ring, hot, counters, levels)
            low, high = levels[_LOW], levels[_HIGH]
            late_count, hot_count, turn_end = counters[_LATE], counters[_HOT], counters[_TURN_END]
            best, value = _hottest(hot, hot_count, now)
        page = hot[best].page
        out[n] = page
        late[hot[best].late].page = NOBODY
        hot_count -= 1
        hot[best].frequency = hot[hot_count].frequency
        hot[best].last = hot[hot_count].last
        hot[best].page = hot[hot_count].page
        hot[best].late = hot[hot_count].late
        pages[page].last = now
        _file_overdue(pages, slots, page, low, now)
    counters[_NOW], counters[_LATE], counters[_HOT] = start + len(out), late_count, hot_count


class MostOverdue:
    """Access the page with the largest frequency times age; ties go to the smaller index.

    ``phase`` in [0, 1) is the value with which each page starts.
    """

    def __init__(self, frequency: NDArray, phase: NDArray) -> None:
        count = len(frequency)
        pages = np.empty(count, dtype=_PAGE)
        pages["frequency"] = frequency
        pages["last"] = -phase / frequency
        slots = np.full(_wheel_size(count), NOBODY, dtype=np.int64)
        room = count + TURN + 1  # all pages, and those accessed since the levels were set
        late = np.empty(room, dtype=_RIPE)
        counters, levels = np.zeros(5, dtype=np.int64), np.zeros(2)
        # The values of accessed pages fluctuate by some sqrt(N) ranks.
        counters[_KEEP] = min(2 * HOT + int(np.sqrt(count)), count)
        levels[_LOW], counters[_LATE] = _set_low_level(pages, slots, late, counters[_KEEP], 0)
        self._state = (
            pages, slots, late, np.empty(room, dtype=np.int64), np.full(TURN, NOBODY, dtype=np.int64),
            np.empty(count, dtype=_RIPE), counters, levels,
        )
        _renew(*self._state)

    def fill(self, out: NDArray[np.int32]) -> None:
        """The next accesses."""
        _most_overdue(*self._state, out)


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
