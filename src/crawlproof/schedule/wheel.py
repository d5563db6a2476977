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

With a million pages nearly every look at a page would wait for memory. Accesses are therefore
made in blocks: before a block, the pages that it will need are looked at in one loop, and
what it files is filed in one loop after it, so that the waits overlap.

Both machines keep what they need between calls: a schedule can be made in chunks of any size.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

NOBODY = -1
#: How many pages are hot after the levels have been set.
HOT = 24
#: Levels are set anew after so many accesses (a power of two: the length of the inner wheel).
TURN = 1024
#: Accesses whose memory is looked up together.
BLOCK = 16
#: A release that is later than an access by rounding alone does not count as later.
RELEASE_SLACK = 1.0 - 2.0**-48

_compiled = njit(cache=True, error_model="numpy")
# Without reference counts: the arrays belong to the caller, nothing is allocated, and counting
# them at each of these small functions would take most of the time.
_inner = njit(cache=True, error_model="numpy", _nrt=False)


def _wheel_size(pages: int) -> int:
    """A power of two: long enough that waiting in the last slot is rare."""
    return max(1024, 1 << (pages - 1).bit_length())


# ---------------------------------------------------------------- most overdue

_PAGE = np.dtype([("frequency", np.float64), ("period", np.float64), ("last", np.float64), ("next", np.int64)])
# A late page with what the comparison needs.
_LATE_PAGE = np.dtype([("frequency", np.float64), ("last", np.float64), ("page", np.int64), ("next", np.int64)])

# counters between two calls (the last place, _LOOKED, is common to both machines)
_NOW, _LATE, _HOT, _TURN_END, _KEEP = range(5)
# levels
_LOW, _HIGH = range(2)


@_inner
def _due_slot(pages, slots, page, low, now):
    """Where a page waits until its frequency times age may reach the low level."""
    # Rounding down is early by less than one access, and never late.
    due = min(pages[page].last + low * pages[page].period, float(now + len(slots) - 1))
    return max(int(due), now + 1)


@_inner
def _link(pages, slots, page, slot):
    place = slot & (len(slots) - 1)
    pages[page].next = slots[place]
    slots[place] = page


@_inner
def _look(pages, slots, first, end, found):
    """Read the pages of some slots, in loops whose reads don't wait for each other.

    Most slots hold at most three pages: the first ones are read in one loop, the second and the
    third ones in two more. Returns a number that depends on them all, so that no reading is left out.
    """
    looked = 0
    for slot in range(first, end):
        found[slot - first] = slots[slot & (len(slots) - 1)]
    for _ in range(3):
        for k in range(end - first):
            following = pages[max(found[k], 0)].next
            found[k] = following if found[k] >= 0 else NOBODY
            looked += following
    return looked


@_inner
def _heat(late, ring, hot_frequency, hot_last, hot_late, hot_count, place, high, now, turn_end):
    """Make a late page hot now, or at its access of this turn, or not in this turn; how many are hot."""
    frequency, last = late[place].frequency, late[place].last
    if frequency * (turn_end - last) < high:
        return hot_count
    due = last + high / frequency
    if due < now + 1:
        hot_frequency[hot_count] = frequency
        hot_last[hot_count] = last
        hot_late[hot_count] = place
        return hot_count + 1
    slot = min(int(due), turn_end - 1) & (len(ring) - 1)
    late[place].next = ring[slot]
    ring[slot] = place
    return hot_count


@_inner
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
    rank = len(pages) - keep
    low = np.partition(values, rank)[rank]
    slots[:] = NOBODY
    late_count = 0
    for page in range(len(pages)):
        if values[page] >= low:
            late_count = _add_late(pages, late, late_count, page)
        else:
            _link(pages, slots, page, _due_slot(pages, slots, page, low, now))
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
            page = late[place].page
            _link(pages, slots, page, _due_slot(pages, slots, page, low, now))
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
def _renew(pages, slots, late, ring, hot_frequency, hot_last, hot_late, counters, levels):
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
        hot_count = _heat(late, ring, hot_frequency, hot_last, hot_late, hot_count, place, high, now, turn_end)
    counters[_LATE], counters[_HOT], counters[_TURN_END], counters[_KEEP] = late_count, hot_count, turn_end, keep
    levels[_HIGH] = high


@_inner
def _hottest(frequency, last, late, hot_late, count, now):
    """Where the largest value is among hot pages (ties: the smaller page), and that value."""
    a = b = c = d = -np.inf  # four comparisons that don't wait for each other
    whole = count & ~3
    for place in range(0, whole, 4):
        a = max(a, frequency[place] * (now - last[place]))
        b = max(b, frequency[place + 1] * (now - last[place + 1]))
        c = max(c, frequency[place + 2] * (now - last[place + 2]))
        d = max(d, frequency[place + 3] * (now - last[place + 3]))
    for place in range(whole, count):
        a = max(a, frequency[place] * (now - last[place]))
    best_value = max(max(a, b), max(c, d))
    best, equal = count, 0
    for place in range(count):
        same = frequency[place] * (now - last[place]) == best_value
        equal += same
        best = min(best, place if same else count)
    if equal > 1:
        for place in range(best + 1, count):
            if frequency[place] * (now - last[place]) == best_value and late[hot_late[place]].page < late[hot_late[best]].page:
                best = place
    return best, best_value


@_inner
def _most_overdue(pages, slots, late, ring, hot_frequency, hot_last, hot_late, counters, levels, filed_page, filed_slot, out):
    low, high = levels[_LOW], levels[_HIGH]
    late_count, hot_count, turn_end = counters[_LATE], counters[_HOT], counters[_TURN_END]
    now, looked = counters[_NOW], 0
    for begin in range(0, len(out), BLOCK):
        end = min(begin + BLOCK, len(out))
        block_end = now + BLOCK
        # what is filed in this block comes later: until then its list serves for looking ahead
        looked += _look(pages, slots, block_end, block_end + BLOCK, filed_page)
        filed = 0
        for n in range(begin, end):
            slot = now & (len(slots) - 1)
            page = slots[slot]
            slots[slot] = NOBODY
            while page != NOBODY:
                following = pages[page].next
                if pages[page].last + low * pages[page].period < now + 1:
                    late_count = _add_late(pages, late, late_count, page)
                    hot_count = _heat(
                        late, ring, hot_frequency, hot_last, hot_late, hot_count, late_count - 1, high, now, turn_end
                    )
                else:  # beyond the wheel's last slot, or the level has been raised
                    _link(pages, slots, page, _due_slot(pages, slots, page, low, now))
                page = following
            slot = now & (len(ring) - 1)
            place = ring[slot]
            ring[slot] = NOBODY
            while place != NOBODY:
                following = late[place].next
                hot_frequency[hot_count] = late[place].frequency
                hot_last[hot_count] = late[place].last
                hot_late[hot_count] = place
                hot_count += 1
                place = following
            best, value = _hottest(hot_frequency, hot_last, late, hot_late, hot_count, now)
            if value < high or now >= turn_end or (hot_count > 4 * HOT and now + TURN > turn_end + TURN // 8):
                for k in range(filed):
                    _link(pages, slots, filed_page[k], filed_slot[k])
                filed = 0
                counters[_NOW], counters[_LATE] = now, late_count
                _renew(pages, slots, late, ring, hot_frequency, hot_last, hot_late, counters, levels)
                low, high = levels[_LOW], levels[_HIGH]
                late_count, hot_count, turn_end = counters[_LATE], counters[_HOT], counters[_TURN_END]
                best, value = _hottest(hot_frequency, hot_last, late, hot_late, hot_count, now)
            place = hot_late[best]
            page = late[place].page
            late[place].page = NOBODY
            out[n] = page
            hot_count -= 1
            hot_frequency[best] = hot_frequency[hot_count]
            hot_last[best] = hot_last[hot_count]
            hot_late[best] = hot_late[hot_count]
            pages[page].last = now
            slot = _due_slot(pages, slots, page, low, now)
            if slot < block_end:
                _link(pages, slots, page, slot)
            else:
                filed_page[filed], filed_slot[filed] = page, slot
                filed += 1
            now += 1
        for k in range(filed):
            _link(pages, slots, filed_page[k], filed_slot[k])
    counters[_NOW], counters[_LATE], counters[_HOT] = now, late_count, hot_count
    counters[_LOOKED] = looked  # so that looking ahead is not optimised away


class MostOverdue:
    """Access the page with the largest frequency times age; ties go to the smaller index.

    ``phase`` in [0, 1) is the value with which each page starts.
    """

    def __init__(self, frequency: NDArray, phase: NDArray) -> None:
        count = len(frequency)
        pages = np.empty(count, dtype=_PAGE)
        pages["frequency"] = frequency
        pages["period"] = 1 / frequency
        pages["last"] = -phase / frequency
        slots = np.empty(_wheel_size(count), dtype=np.int32)
        late = np.empty(count + TURN + 1, dtype=_LATE_PAGE)  # all pages, and those accessed in this turn
        counters, levels = np.zeros(8, dtype=np.int64), np.zeros(2)
        # The values of accessed pages fluctuate by some sqrt(N) ranks.
        counters[_KEEP] = min(2 * HOT + int(np.sqrt(count)), count)
        levels[_LOW], counters[_LATE] = _set_low_level(pages, slots, late, counters[_KEEP], 0)
        self._state = (
            pages, slots, late, np.empty(TURN, dtype=np.int64), np.empty(count), np.empty(count),
            np.empty(count, dtype=np.int64), counters, levels,
        )
        _renew(*self._state)

    def fill(self, out: NDArray[np.int32]) -> None:
        """The next accesses."""
        _most_overdue(*self._state, np.empty(BLOCK, dtype=np.int64), np.empty(BLOCK, dtype=np.int64), out)


# ---------------------------------------------------------------- earliest key

_ITEM = np.dtype([("frequency", np.float64), ("offset", np.float64), ("count", np.int64), ("next", np.int64)])

# counters between two calls; the first is _NOW
_CURSOR, _READY, _EDGE, _RUN, _RUN_END, _HEAP, _LOOKED = range(1, 8)


@_inner
def _key(items, page):
    return (items[page].count + items[page].offset) / items[page].frequency


@_inner
def _release(items, page, shift, lag):
    """The first access at which the page may be chosen."""
    return np.ceil((items[page].count + shift) / items[page].frequency * RELEASE_SLACK - lag)


@_inner
def _before(key, page, other_key, other_page):
    return key < other_key or (key == other_key and page < other_page)


@_inner
def _push(heap_key, heap_page, size, key, page):
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        if _before(heap_key[parent], heap_page[parent], key, page):
            break
        heap_key[place], heap_page[place] = heap_key[parent], heap_page[parent]
        place = parent
    heap_key[place], heap_page[place] = key, page


@_inner
def _pop(heap_key, heap_page, size):
    """Take the first of ``size`` entries out of the heap."""
    result = heap_page[0]
    last = size - 1
    key, page = heap_key[last], heap_page[last]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= last:
            break
        right = child + 1
        if right < last and _before(heap_key[right], heap_page[right], heap_key[child], heap_page[child]):
            child = right
        if _before(key, page, heap_key[child], heap_page[child]):
            break
        heap_key[place], heap_page[place] = heap_key[child], heap_page[child]
        place = child
    heap_key[place], heap_page[place] = key, page
    return result


@_inner
def _enter(items, buckets, heap_key, heap_page, counters, page):
    """Let a released page wait for its turn: in a bucket, or in the heap if its bucket has been opened."""
    key = _key(items, page)
    edge = counters[_EDGE]
    if key < edge:
        _push(heap_key, heap_page, counters[_HEAP], key, page)
        counters[_HEAP] += 1
    else:
        _link(items, buckets, page, int(min(key, float(edge + len(buckets) - 1))))


@_inner
def _release_slot(items, releases, page, shift, lag, cursor):
    due = min(_release(items, page, shift, lag), float(cursor + len(releases) - 1))
    return max(int(due), cursor + 1)


@_inner
def _next_releases(items, releases, buckets, heap_key, heap_page, counters, shift, lag):
    """Go to the next slot of the release wheel and let its pages in."""
    cursor = counters[_CURSOR] + 1
    counters[_CURSOR] = cursor
    slot = cursor & (len(releases) - 1)
    page = releases[slot]
    releases[slot] = NOBODY
    while page != NOBODY:
        following = items[page].next
        if _release(items, page, shift, lag) <= cursor:
            _enter(items, buckets, heap_key, heap_page, counters, page)
            counters[_READY] += 1
        else:  # beyond the wheel's last slot
            _link(items, releases, page, _release_slot(items, releases, page, shift, lag, cursor))
        page = following


@_inner
def _open_bucket(items, buckets, run_key, run_page, heap_key, heap_page, counters):
    """Put the next bucket into the run if it is in order, else into the heap. Both must be empty."""
    edge = counters[_EDGE]
    slot = edge & (len(buckets) - 1)
    page = buckets[slot]
    buckets[slot] = NOBODY
    counters[_EDGE] = edge + 1
    size = 0
    while page != NOBODY:
        following = items[page].next
        key = _key(items, page)
        if key < edge + 1:
            run_key[size], run_page[size] = key, page
            size += 1
        else:  # beyond the last bucket
            _enter(items, buckets, heap_key, heap_page, counters, page)
        page = following
    # Pages of equal keys were entered in order, and the list is last in, first out.
    for k in range(size // 2):
        other = size - 1 - k
        run_key[k], run_key[other] = run_key[other], run_key[k]
        run_page[k], run_page[other] = run_page[other], run_page[k]
    ordered = True
    for k in range(1, size):
        if _before(run_key[k], run_page[k], run_key[k - 1], run_page[k - 1]):
            ordered = False
            break
    counters[_RUN], counters[_RUN_END] = 0, size
    if not ordered:
        for k in range(size):
            _push(heap_key, heap_page, k, run_key[k], run_page[k])
        counters[_HEAP], counters[_RUN_END] = size, 0


@_inner
def _earliest_key(items, releases, buckets, run_key, run_page, heap_key, heap_page, counters, shift, lag, filed_page, out):
    waits = not np.isnan(shift)
    looked, looked_at = 0, 0
    for begin in range(0, len(out), BLOCK):
        end = min(begin + BLOCK, len(out))
        now = counters[_NOW]
        # Nothing that is filed after the block may be needed before its end: beyond these it is not.
        release_limit, key_limit = now + BLOCK, counters[_EDGE] + 4 * BLOCK
        ahead = counters[_EDGE] + 2 * BLOCK
        if ahead > looked_at:  # the edge is no clock: it may stand still, or leap
            first = max(looked_at, ahead - BLOCK)
            looked += _look(items, buckets, first, ahead, filed_page)
            looked_at = ahead
        if waits:
            first = counters[_CURSOR] + 1 + BLOCK
            looked += _look(items, releases, first + BLOCK, first + 2 * BLOCK, filed_page)
            for slot in range(first, first + BLOCK):
                page = max(releases[slot & (len(releases) - 1)], 0)
                looked += buckets[int(min(_key(items, page), 2.0**62)) & (len(buckets) - 1)]
        filed = 0
        for n in range(begin, end):
            if waits:
                while counters[_CURSOR] < now or counters[_READY] == 0:
                    if counters[_CURSOR] >= now:
                        # Nobody is released: rounding has delayed a release, and the next one is taken.
                        for k in range(filed):
                            page = filed_page[k]
                            _link(items, releases, page, _release_slot(items, releases, page, shift, lag, counters[_CURSOR]))
                        filed = 0
                        release_limit = max(release_limit, counters[_CURSOR] + 2)
                    _next_releases(items, releases, buckets, heap_key, heap_page, counters, shift, lag)
            while counters[_RUN] == counters[_RUN_END] and counters[_HEAP] == 0:
                if filed > 0 and not waits and counters[_EDGE] >= key_limit:
                    for k in range(filed):
                        _enter(items, buckets, heap_key, heap_page, counters, filed_page[k])
                    filed = 0
                    key_limit = counters[_EDGE] + 4 * BLOCK
                _open_bucket(items, buckets, run_key, run_page, heap_key, heap_page, counters)
            run = counters[_RUN]
            if run < counters[_RUN_END] and (
                counters[_HEAP] == 0 or _before(run_key[run], run_page[run], heap_key[0], heap_page[0])
            ):
                page = run_page[run]
                counters[_RUN] = run + 1
            else:
                page = _pop(heap_key, heap_page, counters[_HEAP])
                counters[_HEAP] -= 1
            out[n] = page
            items[page].count += 1
            if waits:
                due = _release(items, page, shift, lag)
                if due <= counters[_CURSOR]:
                    _enter(items, buckets, heap_key, heap_page, counters, page)
                elif due < release_limit:
                    counters[_READY] -= 1
                    _link(items, releases, page, int(due))
                else:
                    counters[_READY] -= 1
                    filed_page[filed] = page
                    filed += 1
            elif _key(items, page) < key_limit:
                _enter(items, buckets, heap_key, heap_page, counters, page)
            else:
                filed_page[filed] = page
                filed += 1
            now += 1
        for k in range(filed):
            page = filed_page[k]
            if waits:
                _link(items, releases, page, _release_slot(items, releases, page, shift, lag, counters[_CURSOR]))
            else:
                _enter(items, buckets, heap_key, heap_page, counters, page)
        counters[_NOW] = now
    counters[_LOOKED] = looked  # so that looking ahead is not optimised away


@_compiled
def _start(items, releases, buckets, heap_key, heap_page, counters, shift, lag):
    for page in range(len(items)):
        if np.isnan(shift):
            _enter(items, buckets, heap_key, heap_page, counters, page)
        else:
            _link(items, releases, page, _release_slot(items, releases, page, shift, lag, counters[_CURSOR]))


class EarliestKey:
    """Access the released page with the smallest (count + offset)/frequency; ties: the smaller index.

    Before its ``count + 1``-st access a page is released at access (count + shift)/frequency - lag,
    or at once if ``shift`` is None. If nobody is, the page with the next release is taken.
    """

    def __init__(self, frequency: NDArray, offset: NDArray | float, shift: float | None = None, lag: float = 0.0) -> None:
        count = len(frequency)
        items = np.empty(count, dtype=_ITEM)
        items["frequency"] = frequency
        items["offset"] = offset
        items["count"] = 0
        counters = np.zeros(8, dtype=np.int64)
        counters[_CURSOR] = -1
        size = _wheel_size(count)
        releases = np.full(size if shift is not None else 1, NOBODY, dtype=np.int32)
        buckets = np.full(size, NOBODY, dtype=np.int32)
        heap_key, heap_page = np.empty(count), np.empty(count, dtype=np.int64)
        run_key, run_page = np.empty(count), np.empty(count, dtype=np.int64)
        times = (np.nan if shift is None else float(shift), float(lag))
        _start(items, releases, buckets, heap_key, heap_page, counters, *times)
        self._state = (items, releases, buckets, run_key, run_page, heap_key, heap_page, counters, *times)

    def fill(self, out: NDArray[np.int32]) -> None:
        """The next accesses."""
        _earliest_key(*self._state, np.empty(BLOCK, dtype=np.int64), out)
