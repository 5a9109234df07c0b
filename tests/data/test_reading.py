"""One pass over rows of any number: the same bytes wherever batches, files and machines cut them."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet

from tests.command_line import run
from tests.montecarlo.test_cluster import cluster
from theory.data import moments, reading, several_steps
from theory.data.estimate import of_steps
from theory.data.inspect import open_data
from theory.problems import InvalidProblem
from theory.problems.recordings import _counted

METHODS = ["td", "chain", "tdc", "n-step:3", "td-lambda:0.5"]


def walks(trajectories, moves, F=3, seed=0, **extra):
    """Trajectories of random features that end, in order."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((trajectories, moves + 1, F))
    columns = {f"phi_{i}": x[:, :-1, i].ravel() for i in range(F)}
    columns |= {f"next_phi_{i}": x[:, 1:, i].ravel() for i in range(F)}
    n = trajectories * moves
    columns |= {"reward": rng.random(n), "ratio": rng.choice([0.5, 1.5], n)}
    columns |= {"done": np.arange(n) % moves == moves - 1, "episode": np.repeat(np.arange(trajectories), moves)}
    return columns | extra


def small_units(monkeypatch, unit=2**12, look=2**10, block=2**8):
    """Many units from few rows."""
    monkeypatch.setattr(reading, "UNIT", unit)
    monkeypatch.setattr(reading, "LOOK", look)
    monkeypatch.setattr(several_steps, "AHEAD", look // 2)
    monkeypatch.setattr(reading, "block_rows", lambda F: block)


def said(source, batch=65_536, **options):
    """All that is printed, without the name."""
    data = open_data(source, 0.9, batch=batch, **options)
    found = data.compare(METHODS).to_dict() | data.to_dict()
    del found["data"]["name"]
    return json.dumps(found)


def in_parts(folder, columns, edges, **options):
    folder.mkdir()
    table = arrow.table(columns)
    for i, (a, b) in enumerate(zip([0, *edges], [*edges, len(table)], strict=True)):
        parquet.write_table(table.slice(a, b - a), folder / f"part-{i + 8}.parquet", **options)
    return folder


@pytest.mark.parametrize("dropped", [(), ("episode",), ("episode", "done")], ids=["episode", "ends", "blocks"])
def test_batches_and_cuts_change_no_byte(dropped, tmp_path, monkeypatch):
    small_units(monkeypatch)
    columns = {key: x for key, x in walks(200, 60).items() if key not in dropped}
    whole = said(columns)
    cut = in_parts(tmp_path / "parts", columns, [777, 4095, 4097, 9000], row_group_size=500)
    assert said(columns, batch=7_777) == whole
    for batch in (65_536, 7_777, 13):
        assert said(cut, batch=batch) == whole


def test_the_batches_of_the_issue_change_no_byte(tmp_path):
    columns = walks(150, 1000)
    assert said(columns, batch=7_777) == said(in_parts(tmp_path / "p", columns, [70_500]), batch=65_536)


@pytest.mark.parametrize("dropped", [(), ("episode",), ("episode", "done")], ids=["episode", "ends", "blocks"])
def test_units_add_up_to_what_one_would_be(dropped, monkeypatch):
    """Up to rounding: also the windows and traces that cross from one unit to the next."""
    shape = (200, 60) if "done" not in dropped else (1, 12_000)
    columns = {key: x for key, x in walks(*shape).items() if key not in dropped}
    steps = (("n", 3, 0.9), ("lambda", 0.5, 0.9))[: 2 - ("done" in dropped)]  # one trajectory's trace is too long
    one = open_data(columns, 0.9)
    whole = one.passed(steps).moments
    small_units(monkeypatch)
    many = open_data(columns, 0.9)
    parts = many.passed(steps).moments
    assert not any(step.why_not for step in parts.steps)
    assert one.estimate.about == many.estimate.about
    for i in range(len(steps)):
        a, b = (of_steps(x.estimate, m.steps[i], m.base) for x, m in ((one, whole), (many, parts)))
        assert a.lengths.sum() == b.lengths.sum()
        for mine, theirs in zip(a.mean, b.mean, strict=True):
            assert np.allclose(mine * a.n / a.lengths.sum(), theirs * b.n / b.lengths.sum(), rtol=0, atol=1e-13)
    for mine, theirs in zip(one.estimate.mean, many.estimate.mean, strict=True):
        assert np.allclose(mine, theirs, rtol=0, atol=1e-13)


def test_groups_stand_for_many_trajectories(monkeypatch):
    """Their interval is that of the trajectories themselves, about, and it needs far less memory."""
    columns = walks(6000, 2, F=1)
    columns["next_phi_0"] = columns["phi_0"] * 0.5 + columns["next_phi_0"]
    grouped = open_data(columns, 0.9)
    assert grouped.estimate.about.grouped == grouped.estimate.n == 1021  # of 1,024, three are empty
    assert grouped.estimate.about.trajectories == 6000
    assert grouped.to_dict()["td"]["how"] == "bootstrap over 1,021 groups of trajectories"
    monkeypatch.setattr(moments, "MOST", 10_000)
    each = open_data(columns, 0.9)
    assert each.estimate.n == 6000
    assert grouped.td.value == pytest.approx(each.td.value, rel=1e-12)
    width = each.td.interval[1] - each.td.interval[0]
    assert np.abs(np.subtract(grouped.td.interval, each.td.interval)).max() < 0.15 * width


def test_groups_are_the_same_however_rows_are_mixed():
    """A trajectory adds to one group, wherever its rows are; how many there are is then about known."""
    columns = walks(6000, 4, F=1)
    order = np.argsort(np.tile(np.arange(4), 6000), kind="stable")
    mixed = open_data({key: x[order] for key, x in columns.items()}, 0.9)
    known = open_data(columns, 0.9)
    lengths = (sorted(x.estimate.lengths.tolist()) for x in (known, mixed))
    assert next(lengths) == next(lengths)
    about = mixed.estimate.about
    assert not about.counted
    assert abs(about.trajectories - 6000) < 600  # three standard errors of a sketch of 1,024
    assert "in about" in mixed.title
    (row,) = mixed.compare(["n-step:2"]).rows
    assert "mixed" in row.reason


def test_memory_is_that_of_sums_and_a_block():
    """A generator of 60 frames of 50,000 rows: their 200 MB are never there at once."""
    code = (
        "import resource, numpy as np, theory\n"
        "def frames(k):\n"
        "    rng = np.random.default_rng(0)\n"
        "    for i in range(k):\n"
        "        x = rng.standard_normal((50_001, 4))\n"
        "        episode = np.arange(50_000) // 100 + 500 * i\n"
        "        yield {'phi': x[:-1], 'next_phi': x[1:], 'reward': x[1:, 0], 'episode': episode}\n"
        "for k in (6, 60):\n"
        "    theory.open_data(frames(k), 0.9).estimate\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    few, many = (float(line) for line in done.stdout.split())
    assert many < few + 40


def test_a_trajectory_that_is_longer_than_a_unit_sees_leaves_its_trace_undecided(monkeypatch):
    small_units(monkeypatch)
    rows = open_data(walks(40, 900), 0.9).compare(["td-lambda:0.5", "n-step:3"]).rows
    assert rows[0].reason == "a trajectory stretches over more than 512 rows, and its trace with it"
    assert rows[1].value is not None


def test_parts_are_read_in_the_order_that_numbers_have():
    assert sorted(["part-10", "part-9", "part-a", "b/part-1"], key=_counted) == [
        "b/part-1",
        "part-9",
        "part-10",
        "part-a",
    ]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_units_are_read_alone_as_they_are_among_others(ending, tmp_path, monkeypatch):
    """As a cluster reads them, each after being sent; CSV does not say how many rows its files have."""
    small_units(monkeypatch)
    folder = in_parts(tmp_path / "parts", walks(200, 60), [777, 4095, 4097, 9000])
    if ending == "csv":
        for path in folder.iterdir():
            parquet.read_table(path).to_pandas().to_csv(path.with_suffix(".csv"), index=False)
            path.unlink()
    steps = (("n", 3, 0.9), ("lambda", 0.5, 0.9))
    data = open_data(folder, 0.9)
    whole = data.passed(steps).moments
    total = moments.Moments(3, whole.how, 0, reading.new_steps(steps, 3))
    for start in range(0, 12_000, 2**12):
        unit = pickle.loads(pickle.dumps(reading.Unit(data.recorded, steps, start, start + 2**12)))
        total.merge(unit.moments())
    assert total.rows == 12_000
    for mine, theirs in zip((total, *total.steps), (whole, *whole.steps), strict=True):
        mine, theirs = (getattr(x, "base", None) or x.sums for x in (mine, theirs))
        assert np.array_equal(mine.sums, theirs.sums)


@pytest.mark.filterwarnings("ignore")  # dask's own, about processes that we kill
@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_though_a_worker_is_killed(tmp_path, monkeypatch):
    columns = walks(3000, 1000)
    here = said(in_parts(tmp_path / "parts", columns, [1_000_001, 2_345_678]))
    with cluster(tmp_path, 2) as (address, processes):
        killed = []

        def kill(rows, _share):
            if not killed:
                killed.append(rows)
                processes[2].send_signal(signal.SIGKILL)

        data = open_data(tmp_path / "parts", 0.9, scheduler=address, progress=kill)
        data.compare(METHODS)
        found = data.compare(METHODS).to_dict() | data.to_dict()
        assert processes[2].wait(timeout=20) == -signal.SIGKILL
        assert 0 < killed[0] < 3_000_000
        del found["data"]["name"]
        assert json.dumps(found) == here
        few = tmp_path / "few"
        few.mkdir()
        for i in range(3):
            lines = [f"{j % 3},{(j + 1) % 3},1,{j // 9}" for j in range(900 * i, 900 * (i + 1))]
            (few / f"{i}.csv").write_text("\n".join(["phi_0,next_phi_0,reward,episode", *lines]))
        assert said(few, scheduler=address) == said(few)
        with pytest.raises(InvalidProblem, match="only files are read by other machines"):
            _ = open_data(walks(40, 3), 0.9, scheduler=address).td
        code = "import sys; from theory.cli import main; main(sys.argv[1:])"
        line = [sys.executable, "-c", code, "inspect", str(tmp_path / "parts"), "--gamma", "0.9", "--json"]
        one, two = (
            json.loads(subprocess.run([*line, *more], capture_output=True, text=True, check=True).stdout)
            for more in ([], ["--scheduler", address])
        )
        assert one == two


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_read(tmp_path):
    """A pipe that never ends stands for a long file; Ctrl-C prints what its first rows say, and that they are first."""
    fifo = tmp_path / "endless.csv"
    path = tmp_path / "rows.csv"
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        file.write("phi_0,next_phi_0,reward,episode\n")
        for i in range(600_000):
            file.write(f"{rng.random():.3f},{rng.random():.3f},1,{i // 100}\n")
    os.symlink(path, fifo)
    code = "import sys; from theory.cli import main; main(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code, "inspect", str(fifo), "--gamma", "0.9", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(0.1)
    for _ in range(600):  # until the file is being read
        if any(os.path.realpath(f"/proc/{process.pid}/fd/{x}") == str(path) for x in fds(process.pid)):
            break
        time.sleep(0.02)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    document = json.loads(out)
    assert document["data"]["complete"] is False
    assert 0 < document["data"]["transitions"] < 600_000
    assert f"interrupted after {document['data']['transitions']:,} transitions" in err


def fds(pid):
    try:
        return os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return []


def test_interrupted_reading_is_of_the_first_rows(monkeypatch):
    small_units(monkeypatch)
    columns = walks(200, 60)

    def press(rows, _share):
        if rows >= 5000 and not pressed:
            pressed.append(rows)
            signal.raise_signal(signal.SIGINT)

    pressed = []
    data = open_data(columns, 0.9, progress=press)
    about = data.estimate.about
    assert not about.complete
    assert about.rows == pressed[0] == 5120
    assert "interrupted: what follows is of the first 5,120 transitions alone" in str(data)
    first = open_data({key: x[:5120] for key, x in columns.items()}, 0.9)
    assert first.td == data.td


def test_progress_says_rows_pace_and_what_is_left(tmp_path, capsys, monkeypatch):
    from theory.text import progress

    monkeypatch.setattr(progress, "EVERY", 0.0)
    small_units(monkeypatch)
    folder = in_parts(tmp_path / "parts", walks(200, 60), [700])
    code, _, err = run(capsys, "inspect", str(folder), "--gamma", "0.9")
    assert code == 0
    assert "12,000 rows · 100%" in err


def test_broken_files_are_named(tmp_path):
    folder = in_parts(tmp_path / "parts", walks(200, 60), [4000, 8000], row_group_size=1000)
    broken = folder / "part-9.parquet"
    data = bytearray(broken.read_bytes())
    offset = parquet.ParquetFile(broken).metadata.row_group(2).column(0).data_page_offset
    data[offset : offset + 40] = b"\xff" * 40
    broken.write_bytes(data)
    with pytest.raises(InvalidProblem, match=r"part-9\.parquet: row group 3 cannot be read: ") as error:
        _ = open_data(folder, 0.9).td
    assert "\n" not in str(error.value)
    broken.write_bytes(data[:1000])
    with pytest.raises(InvalidProblem, match=r"part-9\.parquet: cannot be read: "):
        _ = open_data(folder, 0.9).td
    broken.unlink()
    table = arrow.table({key: x for key, x in walks(10, 60).items() if key != "ratio"})
    parquet.write_table(table, broken)
    with pytest.raises(InvalidProblem, match=r"part-9\.parquet: there is no column ratio, which part-8\.parquet has"):
        _ = open_data(folder, 0.9).td
