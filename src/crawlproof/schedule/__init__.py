"""Frequencies, policies and their evaluation."""

from crawlproof.schedule.estimation import RateEstimates, estimate_rates
from crawlproof.schedule.evaluation import Evaluation, cyclic_gaps, evaluate
from crawlproof.schedule.golden_ratio import (
    GoldenRatioSchedule,
    golden_ratio_access,
    golden_ratio_gap_law,
    golden_ratio_guarantee,
)
from crawlproof.schedule.policies import POLICIES, sequence, stream
from crawlproof.schedule.simulation import Simulation, simulate

__all__ = [
    "POLICIES",
    "Evaluation",
    "GoldenRatioSchedule",
    "RateEstimates",
    "Simulation",
    "cyclic_gaps",
    "estimate_rates",
    "evaluate",
    "golden_ratio_access",
    "golden_ratio_gap_law",
    "golden_ratio_guarantee",
    "sequence",
    "simulate",
    "stream",
]
