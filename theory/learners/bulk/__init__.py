"""All settings and seeds of a learner at once, over shared transitions; `run_bulk` is the way in."""

from theory.learners.bulk.draw import draw_transitions
from theory.learners.bulk.initials import Initials, draw_initials
from theory.learners.bulk.result import BulkResult
from theory.learners.bulk.run import run_bulk

__all__ = ["BulkResult", "Initials", "draw_initials", "draw_transitions", "run_bulk"]
