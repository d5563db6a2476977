"""The data set of ``crawlproof plan --demo``: 100,000 made-up pages on 2,000 hosts, always the same.

Nothing here is measured on the Web; it only has the features that make a plan interesting:

- host sizes follow Zipf's law with exponent 0.9, so that the largest host has some thousand pages;
- each host is of one kind: news (one in ten, a page changes every 6 hours in the median), ordinary (six in ten,
  14 days), archive (the rest, 1 year); within a kind change rates are lognormal with sigma = 1.2, half of the
  variance between hosts and half within;
- weights (how much people care) are Pareto with exponent 1.2 and independent of the change rates, so that the
  closed form (10) does not apply and pages may be dropped.

Change rates are in changes per second. Numbers are rounded to three significant digits, which keeps the file small.
The hosts are under the reserved domain .example.

``python -m crawlproof.schedule.demo`` writes the file anew; a test compares it with what is shipped.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from scipy.special import ndtri

PAGES = 100_000
HOSTS = 2_000
SEED = 19_970_922
ACCESS_TIME = "exponential:2s"
"""The access time that the demo assumes: 43,200 accesses a day."""

DAY = 86_400.0
KINDS = (("news", 0.1, DAY / 4), ("ordinary", 0.6, 14 * DAY), ("archive", 0.3, 365 * DAY))
"""Name, share of the hosts, median time between changes of a page."""


def demo_path() -> Path:
    """Where the shipped file is."""
    return Path(str(resources.files("crawlproof.schedule") / "data" / "demo_pages.parquet"))


def make_demo() -> pa.Table:
    """Compute the data set: columns url, change_rate, weight, host."""
    # Raw bits are the only part of a numpy generator that is promised never to change.
    bits = np.random.PCG64(SEED)

    def uniform(size: int) -> np.ndarray:
        """On the open unit interval."""
        return ((bits.random_raw(size) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52

    size = np.cumsum(np.arange(1, HOSTS + 1) ** -0.9)
    host = np.searchsorted(size / size[-1], uniform(PAGES))
    host.sort()
    number_on_host = np.arange(PAGES) - np.searchsorted(host, host)

    kind_of_host = np.searchsorted(np.cumsum([share for _, share, _ in KINDS[:-1]]), uniform(HOSTS))
    deviation = 1.2 * np.sqrt(0.5) * (ndtri(uniform(HOSTS))[host] + ndtri(uniform(PAGES)))
    change_rate = np.exp(deviation) / np.array([median for _, _, median in KINDS])[kind_of_host[host]]
    weight = uniform(PAGES) ** (-1 / 1.2)

    names = [f"{KINDS[kind][0]}-{n:04d}.example" for n, kind in enumerate(kind_of_host)]
    return pa.table({
        "url": [f"https://{names[h]}/{n}" for h, n in zip(host, number_on_host, strict=True)],
        "change_rate": _three_digits(change_rate),
        "weight": _three_digits(weight),
        "host": pa.array([names[h] for h in host]),
    })


def _three_digits(values: np.ndarray) -> np.ndarray:
    """Round to three significant digits, by way of decimal text so that each is the double nearest to its decimal."""
    return np.array([float(f"{value:.3g}") for value in values])


def main() -> None:
    # DELTA_BYTE_ARRAY stores of each URL only what differs from the one before it.
    pa.parquet.write_table(
        make_demo(), demo_path(), compression="zstd", compression_level=19, use_dictionary=["change_rate", "weight", "host"],
        column_encoding={"url": "DELTA_BYTE_ARRAY"},
    )


if __name__ == "__main__":
    main()
