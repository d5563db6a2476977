"""Laws of the access time X: mean, a stable log-Laplace transform, and samples.

>>> from crawlproof import laws
>>> X = laws.Exponential(mean=2.0)
>>> X.log_laplace(1e-300)
-2e-300
"""

from crawlproof.laws.base import Law
from crawlproof.laws.elementary import Deterministic, Erlang, Exponential, Gamma, Uniform
from crawlproof.laws.from_scipy import FromScipy
from crawlproof.laws.heavy import Lognormal, Pareto
from crawlproof.laws.mixtures import Empirical, Hyperexponential, TwoPoint
from crawlproof.laws.phase_type import PhaseType
from crawlproof.laws.text import parse

__all__ = [
    "Deterministic",
    "Empirical",
    "Erlang",
    "Exponential",
    "FromScipy",
    "Gamma",
    "Hyperexponential",
    "Law",
    "Lognormal",
    "Pareto",
    "PhaseType",
    "TwoPoint",
    "Uniform",
    "parse",
]
