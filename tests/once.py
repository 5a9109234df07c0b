"""What takes long to make (a report, a site, a compiled library) is made once for all processes that run the tests."""

import fcntl
import os
import shutil


def once(factory, name, make):
    """The folder `name` that ``make(folder)`` fills, by whichever process comes first; the others wait for it."""
    root = factory.getbasetemp()
    if worker() is not None:
        root = root.parent  # of all workers
    folder, made = root / name, root / f"{name}.made"
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of one that failed
            folder.mkdir()
            make(folder)
            made.touch()
    return folder


def worker():
    """The number of this process among those of xdist; None where there is but one."""
    name = os.environ.get("PYTEST_XDIST_WORKER")
    return None if name is None else int(name.removeprefix("gw"))
