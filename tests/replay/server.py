"""A process that answers ``theory`` commands, one JSON line each; started by path, with `theory` from PYTHONPATH.

It imports the command line once, so that most answers take less time than starting Python. Each reply has the exit
code, both outputs and the processor seconds. What compiled code prints goes to /dev/null.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

WARM_UP = ("inspect threestate", "compare threestate", "chain threestate --k 2", "derive twostate", "noise twostate")


def answer(main: Callable[[list[str]], Any], arguments: list[str]) -> dict[str, Any]:
    """Call the command line with ``--json``."""
    out, err = io.StringIO(), io.StringIO()
    start = time.process_time()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([*arguments, "--json"])
        except SystemExit as stop:
            code = stop.code
        except BaseException as error:  # a traceback is an answer to be recorded
            code = f"{type(error).__name__}: {error}"[:300]
    return {"code": code, "out": out.getvalue(), "err": err.getvalue(), "seconds": time.process_time() - start}


def serve() -> None:
    reply = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    from theory.cli import main

    for command in WARM_UP:
        answer(main, command.split())
    print("ready", file=reply, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(main, json.loads(line))), file=reply, flush=True)


if __name__ == "__main__":
    serve()
