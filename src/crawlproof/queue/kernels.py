"""Compiled loops of the matrix-free method.

A word is the phases of the waiting pages in order, one letter each, read as a number: words of n letters index the
rows of level n + 1, and a row holds what belongs to (nu, m). Words are cut into a head and a tail of a few letters,
such that the rows of all tails fit the cache and most inner loops run over contiguous rows.

Additive keys of words tell how often each letter occurs; `group[level, key]` numbers these counts over all levels.
"""

from __future__ import annotations

import numba
import numpy as np

compiled = numba.njit(cache=True, error_model="numpy", fastmath={"contract"})


@compiled
def add_scaled(target, start, source, first, length, factor):
    """target[start:] += factor * source[first:], over `length` entries."""
    out = target[start:start + length]
    values = source[first:first + length]
    for x in range(length):
        out[x] += factor * values[x]


@compiled
def next_word(digits, letters):
    """The letters of the next word in lexicographic order; after the last comes the first."""
    k = len(digits) - 1
    while k >= 0 and digits[k] == letters - 1:
        digits[k] = 0
        k -= 1
    if k >= 0:
        digits[k] += 1


@compiled
def previous_word(digits, letters):
    """The letters of the word before; before the first comes the last."""
    k = len(digits) - 1
    while k >= 0 and digits[k] == 0:
        digits[k] = letters - 1
        k -= 1
    if k >= 0:
        digits[k] -= 1


@compiled
def add_arrivals(rhs, law, offsets, level, head, tail, width, beta, letters, rates, starts, first_start):
    """Batches that lead to this level: from a prefix of the word, with new letters drawn by the initial law."""
    length = level - 1
    service = len(beta)
    states = width // service
    pushed = np.empty(width)
    tails = letters**tail
    for size in range(1, min(rates.shape[0], length) + 1):
        if not rates[size - 1].any():
            continue
        weights = starts[first_start[size]:]
        prefixes = letters ** (tail - size) if size <= tail else 1
        for prefix in range(prefixes):
            if size <= tail:
                row, offset, span = head * prefixes + prefix, 0, letters**size
            else:
                cut = letters ** (size - tail)
                row, offset, span = head // cut, (head % cut) * tails, tails
            origin = offsets[level - size] + row * width
            for to in range(states):
                for m in range(service):
                    total = 0.0
                    for nu in range(states):
                        total += law[origin + nu * service + m] * rates[size - 1, nu, to]
                    pushed[to * service + m] = total
            for word in range(span):
                weight = weights[offset + word]
                target = (prefix * span + word) * width
                for x in range(width):
                    rhs[target + x] += weight * pushed[x]
    if level <= rates.shape[0]:
        # From the empty system: one page goes into service, the others have new letters.
        weights = starts[first_start[length]:]
        for to in range(states):
            total = 0.0
            for nu in range(states):
                total += law[nu] * rates[level - 1, nu, to]
            for m in range(service):
                pushed[to * service + m] = total * beta[m]
        for word in range(tails):
            weight = weights[head * tails + word]
            for x in range(width):
                rhs[word * width + x] += weight * pushed[x]


@compiled
def add_departures(rhs, law, above, length, head, tail, width, beta, served, letters, expire, buffer):
    """One page less: a service ends and the head of the queue goes, or some page becomes obsolete."""
    service = len(beta)
    tails = letters**tail
    rows = tails * width
    heads = letters ** (length - tail)
    buffer[:] = 0.0
    for letter in range(letters):
        add_scaled(buffer, 0, law, above + (letter * heads + head) * rows, rows, 1.0)
    for x in range(0, rows, service):
        done = 0.0
        for m in range(service):
            done += buffer[x + m] * served[m]
        for m in range(service):
            rhs[x + m] += done * beta[m]
    rest = heads
    for _ in range(length - tail):
        # The obsolete page was before the last letters of the head, of which there are `rest` words.
        left, right = head // rest, head % rest
        for letter in range(letters):
            add_scaled(rhs, 0, law, above + ((left * letters + letter) * rest + right) * rows, rows, expire[letter])
        rest //= letters
    block = above + head * rows * letters
    rest = tails
    for _ in range(tail + 1):
        for left in range(tails // rest):
            for letter in range(letters):
                add_scaled(rhs, left * rest * width, law, block + (left * letters + letter) * rest * width,
                           rest * width, expire[letter])
        rest //= letters


@compiled
def sweep(law, offsets, tails_of, beta, served, letters, moves, has_moves, expire, into, starts, first_start, dwell_empty,
          dwell, word_keys, first_key, group, found, heads_found, changed):
    """Solve all rows once, level by level from the top, with the newest values of the others.

    Sums over words with the same counts go to `found`, by the first letter to `heads_found`, and sums of what changed
    to `changed`. Returns the largest relative change of such a sum: rare counts may have large rates.
    """
    top = len(tails_of) - 1
    width = dwell.shape[1]
    states = len(dwell_empty)
    service = len(beta)
    found[:] = 0.0
    heads_found[:] = 0.0
    changed[:] = 0.0
    solved = np.empty(width)
    for level in range(top, 0, -1):
        length, tail = level - 1, tails_of[level]
        tails = letters**tail
        rows = tails * width
        heads = letters ** (length - tail)
        rhs = np.empty(rows)
        buffer = np.empty(rows)
        digits = np.zeros(tail, dtype=np.int64)
        first_letter = letters ** max(length - 1, 0)
        tail_keys = word_keys[first_key[tail]:]
        head_keys = word_keys[first_key[length - tail]:]
        for head in range(heads):
            rhs[:] = 0.0
            add_arrivals(rhs, law, offsets, level, head, tail, width, beta, letters, into[level], starts, first_start)
            if level < top:
                add_departures(rhs, law, offsets[level + 1], length, head, tail, width, beta, served, letters, expire,
                               buffer)
            own = offsets[level] + head * rows
            if has_moves:
                rest = heads
                for _ in range(length - tail):
                    rest //= letters
                    letter = (head // rest) % letters
                    for other in range(letters):
                        if moves[other, letter] > 0:
                            source = head + (other - letter) * rest
                            add_scaled(rhs, 0, law, offsets[level] + source * rows, rows, moves[other, letter])
            for word in range(tails):
                here = word * width
                if has_moves:
                    rest = tails * width
                    for k in range(tail):
                        rest //= letters
                        letter = digits[k]
                        for other in range(letters):
                            if moves[other, letter] > 0:
                                source = own + here + (other - letter) * rest
                                for x in range(width):
                                    rhs[here + x] += moves[other, letter] * law[source + x]
                    next_word(digits, letters)
                counts = group[level, head_keys[head] + tail_keys[word]]
                solved[:] = 0.0
                for y in range(width):
                    weight = rhs[here + y]
                    for x in range(width):
                        solved[x] += weight * dwell[counts, y, x]
                letter = (head * tails + word) // first_letter
                for x in range(width):
                    changed[counts, x] += abs(solved[x] - law[own + here + x])
                    law[own + here + x] = solved[x]
                    found[counts, x] += solved[x]
                    heads_found[counts, letter, x] += solved[x]
    for to in range(states):
        law[to] = 0.0
    for nu in range(states):
        done = 0.0
        for m in range(service):
            done += law[offsets[1] + nu * service + m] * served[m]
        for to in range(states):
            law[to] += done * dwell_empty[nu, to]
    largest = 0.0
    for g in range(len(found)):
        for x in range(width):
            if found[g, x] > 0:
                largest = max(largest, changed[g, x] / found[g, x])
            elif found[g, x] != 0:  # undefined
                return np.inf
    return largest


@compiled
def known_rates(inner_empty, inner, beta, letters, moves, expire, into, chance, counts, level_of, first_group, keys,
                group):
    """Rates between (counts, (nu, m)), all but those at the end of a service; the empty system comes first."""
    states = len(inner_empty)
    service = len(beta)
    width = states * service
    top = len(first_group) - 2
    rates = np.zeros((states + len(counts) * width, states + len(counts) * width))
    rates[:states, :states] = inner_empty
    for above in range(1, min(top, into.shape[1]) + 1):
        for new in range(first_group[above], first_group[above + 1]):
            for nu in range(states):
                for to in range(states):
                    for m in range(service):
                        rates[nu, states + new * width + to * service + m] += (
                            chance[new] * into[above, above - 1, nu, to] * beta[m])
    for g in range(len(counts)):
        level = level_of[g]
        here = states + g * width
        for y in range(width):
            for x in range(width):
                rates[here + y, here + x] = inner[level, y, x]
        for letter in range(letters):
            if counts[g, letter] == 0:
                continue
            left = keys[g] - keys_of_letter(letter, group)
            if expire[letter] > 0:
                there = states + group[level - 1, left] * width
                for x in range(width):
                    rates[here + x, there + x] += counts[g, letter] * expire[letter]
            for other in range(letters):
                if moves[letter, other] > 0:
                    there = states + group[level, left + keys_of_letter(other, group)] * width
                    for x in range(width):
                        rates[here + x, there + x] += counts[g, letter] * moves[letter, other]
        for size in range(1, min(top - level, into.shape[1]) + 1):
            for new in range(first_group[size + 1], first_group[size + 2]):
                there = states + group[level + size, keys[g] + keys[new]] * width
                for nu in range(states):
                    for to in range(states):
                        rate = chance[new] * into[level + size, size - 1, nu, to]
                        for m in range(service):
                            rates[here + nu * service + m, there + to * service + m] += rate
    return rates


@compiled
def keys_of_letter(letter, group):
    """What one letter adds to a key: letter 0 is not counted, the others are digits to the base of the levels."""
    return group.shape[0] ** (letter - 1) if letter > 0 else 0


@compiled
def add_ends_of_service(rates, beta, served, letters, counts, level_of, keys, group, found, heads_found):
    """The head of the queue goes into service; its letter is taken from the iterate."""
    service = len(beta)
    width = found.shape[1]
    states = width // service
    for g in range(len(counts)):
        here = states + g * width
        if level_of[g] == 1:
            for x in range(width):
                rates[here + x, x // service] += served[x % service]
            continue
        for letter in range(letters):
            if counts[g, letter] == 0:
                continue
            there = states + group[level_of[g] - 1, keys[g] - keys_of_letter(letter, group)] * width
            for x in range(width):
                if found[g, x] > 0:
                    share = heads_found[g, letter, x] / found[g, x]
                else:
                    share = counts[g, letter] / (level_of[g] - 1)
                row = there + (x // service) * service
                for m in range(service):
                    rates[here + x, row + m] += share * served[x % service] * beta[m]


@compiled
def stationary(rates, first, jump):
    """The stationary law of a chain in levels, from level l of which one comes to l - 1, ..., l + jump; no subtraction.

    States are eliminated from the last one on (Grassmann, Taksar, Heyman); `first` has where levels start. The matrix
    is overwritten.
    """
    size = len(rates)
    level = len(first) - 2
    for k in range(size - 1, 0, -1):
        while first[level] > k:
            level -= 1
        left = first[max(level - 1, 0)]
        total = 0.0
        for x in range(left, k):
            total += rates[k, x]
        for y in range(first[max(level - jump, 0)], k):
            if rates[y, k] > 0:
                rates[y, k] /= total
                add_scaled(rates[y], left, rates[k], left, k - left, rates[y, k])
    law = np.zeros(size)
    law[0] = 1.0
    level = 0
    for k in range(1, size):
        while first[level + 1] <= k:
            level += 1
        total = 0.0
        for y in range(first[max(level - jump, 0)], k):
            total += law[y] * rates[y, k]
        law[k] = total
        if total > 1e150:
            law[:k + 1] /= total
    return law / law.sum()


@compiled
def rescale(law, offsets, tails_of, letters, factors, word_keys, first_key, group):
    """Multiply every row by the factors of its counts."""
    width = factors.shape[1]
    for level in range(1, len(tails_of)):
        tail = tails_of[level]
        tail_keys = word_keys[first_key[tail]:]
        head_keys = word_keys[first_key[level - 1 - tail]:]
        row = offsets[level]
        for head in range(letters ** (level - 1 - tail)):
            for word in range(letters**tail):
                counts = group[level, head_keys[head] + tail_keys[word]]
                for x in range(width):
                    law[row + x] *= factors[counts, x]
                row += width


@compiled
def fates_at_place(values, ahead, length, tail, beta, served, letters, moves, has_moves, expire, dwell, word_keys,
                   first_key, group):
    """Fates at one place from those at the place before; a row is (m, served or obsolete). Returns the largest change.

    Words are taken from the last to the first: a law whose phases only move forward is solved in one pass.
    """
    service = len(beta)
    width = 2 * service
    tails = letters**tail
    rows = tails * width
    heads = letters ** (length - tail)
    behind = letters ** (length - 1)
    tail_keys = word_keys[first_key[tail]:]
    head_keys = word_keys[first_key[length - tail]:]
    rhs = np.empty(rows)
    digits = np.full(tail, letters - 1)
    change = 0.0
    for head in range(heads - 1, -1, -1):
        rhs[:] = 0.0
        for word in range(tails):
            # A service ends, and the first letter goes.
            source = ((head * tails + word) % behind) * width
            for fate in range(2):
                after = 0.0
                for m in range(service):
                    after += beta[m] * ahead[source + 2 * m + fate]
                for m in range(service):
                    rhs[word * width + 2 * m + fate] += served[m] * after
        rest = heads
        for _ in range(length - tail):
            rest //= letters
            letter = (head // rest) % letters
            shorter = (head // (rest * letters)) * rest + head % rest
            add_scaled(rhs, 0, ahead, shorter * rows, rows, expire[letter])
            if has_moves:
                for other in range(letters):
                    if moves[letter, other] > 0:
                        source = head + (other - letter) * rest
                        add_scaled(rhs, 0, values, source * rows, rows, moves[letter, other])
        for word in range(tails - 1, -1, -1):
            here = word * width
            target = (head * tails + word) * width
            rest = tails
            for k in range(tail):
                left = word // rest
                rest //= letters
                letter = digits[k]
                if k < tail - 1:
                    source = (head * (tails // letters) + left * rest + word % rest) * width
                    for x in range(width):
                        rhs[here + x] += expire[letter] * ahead[source + x]
                else:
                    # The last letter is the page's own.
                    for m in range(service):
                        rhs[here + 2 * m + 1] += expire[letter]
                if has_moves:
                    for other in range(letters):
                        if moves[letter, other] > 0:
                            source = target + (other - letter) * rest * width
                            for x in range(width):
                                rhs[here + x] += moves[letter, other] * values[source + x]
            previous_word(digits, letters)
            counts = group[length + 1, head_keys[head] + tail_keys[word]]
            for m in range(service):
                for fate in range(2):
                    value = 0.0
                    for k in range(service):
                        value += dwell[counts, m, k] * rhs[here + 2 * k + fate]
                    if value > 0:
                        change = max(change, abs(value - values[target + 2 * m + fate]) / value)
                    values[target + 2 * m + fate] = value
    return change
