"""The store: nothing is lost, nothing counted twice, and what cannot be is said in one line."""

import json
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.adversary import stores
from theory.montecarlo.cells import Cell
from theory.montecarlo.chunks import Task, run_chunk, store_path, unsound, version
from theory.montecarlo.study import Study, compute, run_study
from theory.problems import InvalidProblem
from theory.store import Store, StoreError

CELL = Cell(2, 1)


def test_what_is_put_is_found_again_by_another_process(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.put("sums", 0, 5, {"a": [1, 0.1]})
    with Store(path) as store:
        assert list(store.rows("sums")) == [(0, 5, {"a": [1, 0.1]})]
        assert store.known("sums") == {(0, 5)}
        assert store.known("products") == set()


@pytest.mark.parametrize(
    "other", [Study((Cell(2, 1, "0.9"),), 5), Study((CELL,), 5, 1), Study((CELL,), 5, 0, 6), Study((Cell(2, 2),), 5)]
)
def test_everything_that_determines_a_chunk_is_part_of_what_it_is_called(other):
    assert other.what(other.cells[0]) != Study((CELL,), 5).what(CELL)


def test_a_seed_may_be_as_long_as_numpy_takes():
    study = Study((CELL,), 3, seed=2**127 + 1)
    with Store(None) as store:
        (row,) = run_study(study, store)
        assert row["samples"] == 3
        assert len(store) == 1


def test_writing_twice_counts_once(tmp_path):
    """Eight writers at once, each with its own connection, all with the same forty chunks."""
    path = tmp_path / "s.sqlite"
    study = Study((CELL,), 40, chunk=1)
    counts = {t.index: run_chunk(t) for t in study.tasks(CELL)}

    def write(_):
        with Store(path, version()) as store:
            for t in study.tasks(CELL):
                store.put(study.what(CELL), t.index, 1, counts[t.index])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    with Store(path) as store:
        assert len(store) == 40
        assert run_study(study, store)[0]["samples"] == 40


def test_two_processes_on_one_store_give_one_answer(tmp_path):
    path = tmp_path / "s.sqlite"
    study = Study((Cell(3, 2), Cell(3, 3)), 600, chunk=20)
    code = (
        "from theory.montecarlo import *\n"
        f"with Store({str(path)!r}) as s: compute = run_study(Study((Cell(3, 2), Cell(3, 3)), 600, chunk=20), s)\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in started:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    with Store(None) as memory, Store(path) as shared:
        assert len(shared) == 60
        assert run_study(study, shared) == run_study(study, memory)


def test_a_store_of_another_version_is_refused(tmp_path):
    path = tmp_path / "s.sqlite"
    Store(path, version()).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE about SET version = 'theory 0.0.1'")
    db.close()
    with pytest.raises(InvalidProblem, match=r"written by theory 0\.0\.1, this is theory .*another --store"):
        Store(path, version())
    with Store(path) as store, pytest.raises(InvalidProblem, match=r"written by theory 0\.0\.1"):
        run_study(Study((CELL,), 5), store)


def test_of_two_claims_at_once_one_wins(tmp_path):
    def claim(name):
        with Store(tmp_path / "s.sqlite") as store:
            try:
                store.claim(name)
            except InvalidProblem:
                return None
            return name

    with ThreadPoolExecutor(8) as pool:
        kept = {name for name in pool.map(claim, "abcdefgh") if name}
    assert len(kept) == 1


def test_the_default_store_is_named_after_the_version(tmp_path):
    path = store_path(tmp_path / "deep" / "er")
    assert path.parent.is_dir()  # a default's folder is made, a given one must be there
    assert path.name.startswith("success-rate-")
    assert path.suffix == ".sqlite"


def test_a_full_disk_is_one_line_and_keeps_what_is_there(tmp_path):
    """SQLite's own limit on pages raises what a full disk does."""
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        compute(Study((CELL,), 50, chunk=5), store)
        kept = len(store)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"s\.sqlite: database or disk is full"):
            compute(Study((CELL,), 500, chunk=5), store)
        kept = len(store)
    assert kept >= 10
    with Store(path) as store:
        assert run_study(Study((CELL,), 500, chunk=5), store)[0]["samples"] == 500


@pytest.mark.parametrize("path", ["/proc/nowhere/s.sqlite", "/dev/full", "/"])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux's /proc and /dev/full")
def test_an_unwritable_store_is_one_line(path):
    with pytest.raises(StoreError, match="store: "):
        Store(path)


def test_a_store_in_a_folder_that_is_not_there_is_one_line_and_makes_none(tmp_path):
    with pytest.raises(StoreError, match=r"there is no folder .*deep"):
        Store(tmp_path / "deep" / "s.sqlite")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_store_is_one_line(tmp_path):
    path = tmp_path / "s.sqlite"
    path.write_text("not a database, but long enough to look like something else\n" * 20)
    with pytest.raises(StoreError, match="not a database"):
        Store(path)


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(InvalidProblem, match="of something else"):
        Store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", [":memory:", "file:x"])
def test_a_name_that_sqlite_reads_in_its_own_way_is_a_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with Store(name) as store:
        store.put("sums", 0, 1, 1)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("forge", [False, True], ids=["as they are", "with digests made right"])
def test_edited_stores_are_refused_in_one_line_or_give_the_same_rows(forge):
    """A sample of ``python -m tests.adversary.stores``; forged counts that add up cannot be told from true ones."""
    ends = {end for _, end in stores.run(60, seed=7, forge=forge)}
    assert "refused" in ends
    assert not any(end.startswith("RAISED") for end in ends)
    assert forge or "WRONG" not in ends


CHUNK = {
    **dict.fromkeys(("neither", "td_only", "chain_only", "both", "undecided", "near_boundary"), 1),
    "bound": 2.5,
    "decided_by": {"td": {"norm": 5}, "chain": {"norm": 4, "exact": 1}},
    "windows": [[3, 1]],
    "rho": [0.5] * 5,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"both": 2}, "do not add up to its 5 problems"),
        ({"both": -1, "neither": 3}, "no numbers of problems among 5"),
        ({"both": True}, "no numbers of problems"),
        ({"both": 1.0}, "no numbers of problems"),
        ({"near_boundary": 6}, "no numbers of problems"),
        ({"decided_by": {"td": {"norm": 4}, "chain": {"norm": 5}}}, "tests that do not add up"),
        ({"decided_by": {"td": {"norm": 5}}}, "tests that do not add up"),
        ({"windows": []}, "does not hold 1 windows"),
        ({"windows": [[5, 1]]}, "windows that do not add up"),
        ({"windows": [3]}, "windows that do not add up"),
        ({"bound": float("nan")}, "no sum of probabilities"),
        ({"bound": 5.1}, "no sum of probabilities"),
        ({"rho": [0.5] * 4}, "for each of its 5 problems"),
        ({"rho": [-0.5] * 5}, "for each of its 5 problems"),
        ({"more": 1}, "does not hold the counts"),
    ],
)
def test_counts_that_cannot_be_are_refused_even_with_a_right_digest(change, said):
    study = Study((Cell(2, 1, windows=(2.0,), quantiles=True),), 5, chunk=5)
    (cell,) = study.cells
    assert unsound(Task(cell, 0, 0, 5, version()), CHUNK) is None
    with Store(None, version()) as store:
        store.put(study.what(cell), 0, 5, CHUNK | change)
        with pytest.raises(StoreError, match=rf"row 0 .*{said}.*: delete the file"):
            run_study(study, store)


@pytest.mark.parametrize("value", [[], None, 3, "x", {"both": 1}])
def test_rows_of_another_shape_are_refused(value):
    with Store(None, version()) as store:
        store.put(Study((CELL,), 5).what(CELL), 0, 5, value)
        with pytest.raises(StoreError, match="row 0 does not hold the counts of a chunk"):
            run_study(Study((CELL,), 5), store)


@pytest.mark.parametrize("byte", [b"\n", b"\xff"])
def test_a_damaged_schema_is_one_line(tmp_path, byte):
    """SQLite quotes the name that it cannot use, with its line break, or fails to say it because it is no text."""
    path = tmp_path / "s.sqlite"
    Store(path, "v").close()
    path.write_bytes(path.read_bytes().replace(b"tableresults", b"tableres" + byte + b"lts"))
    with pytest.raises(StoreError, match=r"malformed database schema|is damaged") as refused:
        Store(path, "v")
    assert str(refused.value).isprintable()


def test_what_run_chunk_gives_is_sound():
    for cell in (Cell(3, 2, windows=(1.0, 3.0), quantiles=True), Cell(2, 2), Cell(4, 1, n_steps=2)):
        task = Task(cell, 0, 0, 30, version())
        assert unsound(task, json.loads(json.dumps(run_chunk(task)))) is None
