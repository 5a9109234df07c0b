"""How often? Random problems by the million: draws in chunks, verdicts in bulk, a store, executors.

`Cell` says which problems are drawn and what is asked of them; `run_chunk` is the unit of work; `run_study`
runs what a `Store` does not hold yet on any executor and returns one row a cell.
"""

from theory.montecarlo.cells import Cell
from theory.montecarlo.chunks import Task, run_chunk
from theory.montecarlo.study import Study, run_study
from theory.store import Store

__all__ = ["Cell", "Store", "Study", "Task", "run_chunk", "run_study"]
