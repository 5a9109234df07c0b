import fcntl
import os
import pickle

import pytest

from theory.coq.compiler import CoqMissing, compile_files, find_coqc, library


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """The hand-written library, compiled once for all processes of a run: where, and what Coq said."""
    try:
        find_coqc()
    except CoqMissing as missing:
        pytest.skip(str(missing))
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    directory, said = root / "coq-library", root / "coq-library.pickle"
    with (root / "coq-library.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            said.write_bytes(pickle.dumps(compile_files(library(), directory)))
    return directory, pickle.loads(said.read_bytes())
