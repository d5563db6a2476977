"""A BMAP/PH/1/K queue whose arrivals are switched by thresholds, with phase-type obsolescence of waiting pages.

>>> from crawlproof.queue import Bmap, PhaseType, ThresholdQueue
>>> slow, fast = Bmap([[[-1]], [[1]]]), Bmap([[[-2]], [[2]]])
>>> queue = ThresholdQueue([slow, fast], service=PhaseType([1], [[-1]]), obsolescence=PhaseType([1], [[-1]]), capacity=2)
>>> round(queue.solve(thresholds=(0,), modes=(2, 1)).starvation, 12)
0.25
"""

from crawlproof.laws.phase_type import ModelError, PhaseType
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.decision import Control
from crawlproof.queue.errors import NotConverged
from crawlproof.queue.measures import Costs, Measures
from crawlproof.queue.model import Choice, Optimum, ThresholdQueue
from crawlproof.queue.sensitivity import Sensitivities
from crawlproof.queue.sojourn import SojournTime
from crawlproof.queue.transient import AfterBurst

__all__ = ["AfterBurst", "Bmap", "Choice", "Control", "Costs", "Measures", "ModelError", "NotConverged", "Optimum",
           "PhaseType", "Sensitivities", "SojournTime", "ThresholdQueue"]
