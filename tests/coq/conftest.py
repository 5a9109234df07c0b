import pytest

from theory.coq.compiler import CoqMissing, compile_files, find_coqc, library


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """The hand-written library, compiled once: where, and what Coq said."""
    try:
        find_coqc()
    except CoqMissing as missing:
        pytest.skip(str(missing))
    directory = tmp_path_factory.mktemp("coq")
    return directory, compile_files(library(), directory)
