"""``make bench``: run every benchmark of this folder, or those named: ``python -m benchmarks verdicts``."""

import importlib
import pkgutil
import sys

import benchmarks

names = sys.argv[1:] or [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_")]
for name in names:
    print(f"== {name}", flush=True)
    importlib.import_module(f"benchmarks.{name}").main()
