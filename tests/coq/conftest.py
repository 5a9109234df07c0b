import pickle

import pytest

from tests.once import once
from theory.coq.compiler import CoqMissing, compile_files, find_coqc, library


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """The hand-written library, compiled once for all processes of a run: where, and what Coq said."""
    try:
        find_coqc()
    except CoqMissing as missing:
        pytest.skip(str(missing))

    def make(folder):
        said = compile_files(library(), folder / "library")
        (folder / "said.pickle").write_bytes(pickle.dumps(said))

    folder = once(tmp_path_factory, "coq", make)
    return folder / "library", pickle.loads((folder / "said.pickle").read_bytes())
