"""The golden ratio's gap law against the policy itself."""

import mpmath
import numpy as np
import pytest

from crawlproof.schedule.golden_ratio import PHI, golden_ratio_gap_law, golden_ratio_guarantee


@pytest.mark.parametrize("frequency", [0.9, 0.75, 0.5, 1 / 3, 0.1, 1 / 22, 0.003])
def test_law_is_that_of_a_long_cycle(frequency):
    before, length = 121393, 196418  # consecutive Fibonacci numbers
    count = round(frequency * length)
    ranks = np.sort(np.arange(count) * before % length)
    gaps = np.diff(ranks, append=ranks[0] + length)
    law = golden_ratio_gap_law(count / length)  # the frequency that the cycle really has
    assert set(gaps.tolist()) <= set(law.gaps)
    assert law.mean == pytest.approx(length / count, rel=1e-12)
    # The cycle's counts differ from their limits by at most F_(j+2) phi^-27 each (CLW-X.index-threshold),
    # and each squared gap is at most (2/f)^2, four times the least possible second moment.
    error = 3 * 4 * max(law.gaps) * PHI**-27 / count
    assert law.second_moment == pytest.approx((gaps.astype(float) ** 2).mean(), rel=error)


def test_guarantee_peaks_at_three_quarters():
    assert golden_ratio_guarantee(0.75) == pytest.approx(9 / 8, rel=1e-14)
    values = [golden_ratio_guarantee(f) for f in np.linspace(1e-4, 1, 5000)]
    assert max(values) <= 9 / 8 + 1e-12
    assert min(values) >= 1 - 1e-12


def test_probabilities_depend_on_the_place_only():
    first, second = golden_ratio_gap_law(0.3), golden_ratio_gap_law(0.3 / PHI)
    assert first.probabilities == pytest.approx(second.probabilities, abs=1e-12)


@pytest.mark.parametrize("frequency", [0.0, -0.1, 1.5, 5e-324, float("nan")])
def test_frequency_out_of_range(frequency):
    with pytest.raises(ValueError, match="frequency must be in"):
        golden_ratio_gap_law(frequency)


@pytest.mark.parametrize("exponent", range(16))
def test_law_keeps_its_stated_error_down_to_tiny_frequencies(exponent):
    with mpmath.workdps(60):
        phi = (1 + mpmath.sqrt(5)) / 2
        frequency = 0.73 * 10.0**-exponent
        index = 1
        while mpmath.mpf(frequency) * phi**index < 1:
            index += 1
        place = mpmath.mpf(frequency) * phi**index
        exact = [(place - 1) / place, (place - 1 / phi) / place, (phi - place) / place]
        law = golden_ratio_gap_law(frequency)
        assert law.gaps == tuple(int(mpmath.fib(index + i)) for i in range(3))
        assert max(abs(p - e) for p, e in zip(law.probabilities, exact, strict=True)) <= 1e-15
