"""``make bench``: run every benchmark of this folder, or those named: ``python -m benchmarks verdicts``.

Each runs in a process of its own, so that none measures what another has left behind: its threads, its caches, its
``__main__``. ``--quick`` asks each for its shortest form, which shows that it runs and measures nothing.
"""

import pkgutil
import subprocess
import sys

import benchmarks

quick = "--quick" in sys.argv[1:]
named = [word for word in sys.argv[1:] if word != "--quick"]
for name in named or [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_")]:
    print(f"== {name}", flush=True)
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *(["quick"] if quick else [])], check=False)
    if done.returncode:
        sys.exit(done.returncode)
