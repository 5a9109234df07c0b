"""Long work on a store: the one line where it ends early. Tables are never cut."""

from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext

import click
import pytest

from theory import cli
from theory.commands import running_work as running
from theory.montecarlo.chunks import VersionMismatch
from theory.problems import InvalidProblem
from theory.store import Store, StoreError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s.sqlite"


def work(path, error, *reports):
    """Tell the reports, then fail."""
    with running.running_work(path, "v", nullcontext(), "problems") as (store, _, progress):
        assert isinstance(store, Store)
        for report in reports:
            progress(*report)
        raise error


def test_interrupted_says_what_is_kept_and_where(path, capsys):
    with pytest.raises(click.exceptions.Exit) as end:
        work(path, KeyboardInterrupt(), (0, 2000, 0), (1200, 2000, 0))
    kept = f"theory: interrupted; 1,200 of 2,000 problems are kept in {path}: run the same command to go on\n"
    assert (end.value.exit_code, capsys.readouterr().err) == (130, kept)


def test_interrupted_before_anything_is_counted_counts_nothing(path, capsys):
    with pytest.raises(click.exceptions.Exit):
        work(path, KeyboardInterrupt())
    kept = f"theory: interrupted; what is finished is kept in {path}: run the same command to go on\n"
    assert capsys.readouterr().err == kept


def test_the_line_of_progress_is_gone_before_the_last_words(path, watched):
    terminal = watched()
    with pytest.raises(click.exceptions.Exit):
        work(path, KeyboardInterrupt(), (0, 10, 0))
    line, erased, last = terminal.getvalue().rpartition("\x1b[2K")
    assert "0 of 10 problems · starting" in line
    assert erased
    assert last.startswith("theory: interrupted")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StoreError("store: s.sqlite: database or disk is full"), "store: s.sqlite: database or disk is full"),
        (BrokenProcessPool("a process died"), "a worker failed (a process died)"),
        (VersionMismatch("install the same"), "a worker failed (install the same)"),
        (MemoryError(), "a worker failed (MemoryError)"),
    ],
)
def test_a_failure_says_how_much_is_kept_where_anything_was_to_be(path, error, said):
    with pytest.raises(click.ClickException) as end:
        work(path, error, (1, 3, 1))
    assert end.value.message == f"{said}; 1 of 3 problems are kept: run the same command to go on"
    with pytest.raises(click.ClickException) as end:
        work(path, error)
    assert end.value.message == said


def test_a_store_of_another_version_is_refused_before_a_process_is_started(path):
    @contextmanager
    def processes():
        raise AssertionError("processes were started")
        yield

    Store(path, "older").close()
    with pytest.raises(InvalidProblem, match="written by older"), running.running_work(path, "v", processes()):
        pass


@pytest.fixture
def theory(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            cli.main(arguments)
        return end.value.code, *capsys.readouterr()

    return run


def test_a_cluster_has_its_own_workers_and_no_store_is_made_to_say_so(theory, path):
    code, _, err = theory("success-rate", "--cluster", "tcp://host:1", "--workers", "2", "--store", str(path))
    assert (code, err.count("\n")) == (2, 1)
    assert "give one of them" in err
    assert not path.exists()


def test_a_narrow_terminal_cuts_no_number(theory, path, monkeypatch):
    asked = ("success-rate", "--states", "10", "--features", "S", "--samples", "30", "--workers", "1")
    monkeypatch.setenv("COLUMNS", "40")
    narrow = theory(*asked, "--store", str(path))[1]
    monkeypatch.setenv("COLUMNS", "120")
    rates = theory(*asked, "--store", str(path))[1].splitlines()[1].split()[2:6]  # two rates and their intervals
    assert all(number in narrow.split() for number in rates)
    assert "Left out at this width: both, rescued" in narrow


def test_names_with_brackets_are_printed_as_they_are(theory, tmp_path):
    file, table = tmp_path / "odd.json", tmp_path / "[b].csv"
    file.write_text(
        '{"name": "odd[/b]", "gamma": "9/10", "features": [[1], [-3]],'
        ' "target": {"transitions": [[0, 1], [1, 0]], "rewards": [0, 0]},'
        ' "behaviour": {"distribution": ["9/10", "1/10"]}}'
    )
    few = ("--step-size", "0.1", "--steps", "10", "--seeds", "2", "--realise")
    code, out, _ = theory("learn", str(file), "--learner", "td", *few, "--csv", str(table))
    assert (code, out.startswith("odd[/b], γ = 0.9")) == (0, True)
    assert out.endswith(f"wrote {table}\n")
