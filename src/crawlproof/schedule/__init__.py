"""Frequencies, policies and their evaluation."""

from crawlproof.schedule.estimation import RateEstimates, estimate_rates
from crawlproof.schedule.evaluation import Evaluation, cyclic_gaps, evaluate, evaluate_random_phase
from crawlproof.schedule.frequencies import Plan, frequencies
from crawlproof.schedule.golden_ratio import (
    GoldenRatioSchedule,
    golden_ratio_access,
    golden_ratio_gap_law,
    golden_ratio_guarantee,
)
from crawlproof.schedule.policies import POLICIES, sequence, stream
from crawlproof.schedule.posterior import Prior
from crawlproof.schedule.robots import Deal, DealEvaluation, deal, evaluate_robots
from crawlproof.schedule.simulation import Simulation, simulate

__all__ = [
    "POLICIES",
    "Deal",
    "DealEvaluation",
    "Evaluation",
    "GoldenRatioSchedule",
    "Plan",
    "Prior",
    "RateEstimates",
    "Simulation",
    "cyclic_gaps",
    "deal",
    "estimate_rates",
    "evaluate",
    "evaluate_random_phase",
    "evaluate_robots",
    "frequencies",
    "golden_ratio_access",
    "golden_ratio_gap_law",
    "golden_ratio_guarantee",
    "sequence",
    "simulate",
    "stream",
]
