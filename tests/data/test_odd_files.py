"""Some two hundred files as they should not be: each is one line that names the file, or an answer."""

import datetime
import decimal
import io

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet

from tests.command_line import run

N = 120
GOOD = {
    "phi_0": (np.arange(N) % 2 + 1.0).tolist(),
    "next_phi_0": (np.arange(N) // 2 % 2 + 1.0).tolist(),
    "reward": [1.0] * N,
    "ratio": (np.arange(N) // 2 % 2 * 2.0).tolist(),
    "done": (np.arange(N) % 3 == 2).astype(int).tolist(),
    "truncated": [0] * N,
    "episode": (np.arange(N) // 3).tolist(),
}
CELLS = ["x", "nan", "inf", "-inf", "", "1e400", "1_0", "0x10", "None", "1.2.3", "١", "1 2", "π", "-1e31"]
HARMLESS = {  # cells that may stand in these columns
    *((column, cell) for column in ("done", "truncated") for cell in ("", "١")),
    *(("episode", cell) for cell in CELLS if cell not in ("",)),
    *((column, "١") for column in ("phi_0", "next_phi_0", "reward", "ratio")),  # a digit, to Python as to Unicode
}
TYPES = {
    "text": (lambda x: str(x) + "?", arrow.string()),
    "dates": (lambda x: datetime.date(2024, 1, 1), arrow.date32()),
    "times": (lambda x: datetime.datetime(2024, 1, 1), arrow.timestamp("us")),
    "durations": (lambda x: datetime.timedelta(1), arrow.duration("us")),
    "bytes": (lambda x: b"\x00\xff", arrow.binary()),
    "structs": (lambda x: {"a": 1}, arrow.struct([("a", arrow.int8())])),
    "maps": (lambda x: [("a", 1)], arrow.map_(arrow.string(), arrow.int8())),
    "lists of two": (lambda x: [1.0, 2.0], arrow.list_(arrow.float64())),
    "ragged lists": (lambda x: [1.0] * int(x + 1), arrow.list_(arrow.float64())),
    "empty lists": (lambda x: [], arrow.list_(arrow.float64())),
    "nothing": (lambda x: None, arrow.null()),
    "gaps": (lambda x: None if x in (1, 2) else x, arrow.float64()),
    "NaN": (lambda x: float("nan"), arrow.float64()),
    "decimals": (lambda x: decimal.Decimal(int(x)), arrow.decimal128(10, 2)),
    "halves": (lambda x: np.float16(x), arrow.float16()),
    "whole numbers": (int, arrow.int64()),
    "truth": (bool, arrow.bool_()),
}
COLUMNS = ["phi_0", "next_phi_0", "reward", "ratio", "done", "episode"]


def csv(columns):
    return (
        "\n".join([",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]) + "\n"
    )


def with_cell(column, cell):
    cells = list(GOOD[column])
    cells[1] = cell  # of a row that does not end its episode
    return csv({**GOOD, column: cells}).encode()


def typed(column, kind):
    value, arrow_type = TYPES[kind]
    table = {key: arrow.array(x) for key, x in GOOD.items()}
    table[column] = arrow.array([value(x) for x in GOOD[column]], arrow_type)
    file = io.BytesIO()
    parquet.write_table(arrow.table(table), file)
    return file.getvalue()


def parquet_of(columns, **options):
    file = io.BytesIO()
    parquet.write_table(arrow.table(columns), file, **options)
    return file.getvalue()


def archive(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def without(*columns):
    return {key: x for key, x in GOOD.items() if key not in columns}


ARRAYS = {key: np.array(x) for key, x in GOOD.items()}
ODD = {
    **{(f"{i}.csv", column, cell): with_cell(column, cell) for i, column in enumerate(GOOD) for cell in CELLS},
    **{("t.parquet", column, kind): typed(column, kind) for column in COLUMNS for kind in TYPES},
    **{("m.csv", "without", column): csv(without(column)).encode() for column in ("phi_0", "next_phi_0", "reward")},
    ("m.parquet", "without", "reward"): parquet_of(without("reward")),
    ("e.csv", "nothing", ""): b"",
    ("e.csv", "blank lines", ""): b"\n\n\n",
    ("e.csv", "no rows", ""): csv({key: [] for key in GOOD}).encode(),
    ("e.parquet", "no rows", ""): parquet_of({key: arrow.array([], arrow.float64()) for key in GOOD}),
    ("e.parquet", "nothing", ""): b"",
    ("e.parquet", "no columns", ""): parquet_of({}),
    ("e.npz", "empty arrays", ""): archive(phi=np.ones((0, 1)), next_phi=np.ones((0, 1)), reward=np.ones(0)),
    ("b.csv", "not UTF-8", ""): b"\xff\xfe" + csv(GOOD).encode("utf-16-le"),
    ("b.csv", "an image", ""): b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    ("b.csv", "a quote that never ends", ""): csv(GOOD).replace("1.0,1.0,1.0", '"1.0,1.0,1.0', 1).encode(),
    ("b.parquet", "an image", ""): b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    ("b.parquet", "cut off", ""): parquet_of(GOOD)[:-40],
    ("b.parquet", "without its beginning", ""): b"PAR1" + parquet_of(GOOD)[400:],
    ("b.parquet", "CSV", ""): csv(GOOD).encode(),
    ("b.npz", "0 axes", ""): archive(**{**ARRAYS, "reward": np.array(1.0)}),
    ("b.npz", "objects", ""): archive(**{**ARRAYS, "reward": np.array([None] * N)}),
    ("b.npz", "complex", ""): archive(**{**ARRAYS, "reward": np.ones(N) * 1j}),
    ("b.npz", "short", ""): archive(**{**ARRAYS, "reward": np.ones(N - 1)}),
    ("b.npz", "three axes", ""): archive(**without("phi_0"), phi=np.ones((N, 1, 1))),
    ("b.npz", "both", ""): archive(**ARRAYS, phi=np.ones((N, 1))),
    ("n.csv", "twice", ""): csv(GOOD).replace("truncated", "reward").encode(),
    ("n.csv", "two names for one", ""): csv(GOOD).replace("truncated", "rewards").encode(),
    ("n.csv", "misspelt", ""): csv(GOOD).replace("ratio", "ratoi").encode(),
    ("n.csv", "numbers", ""): csv(GOOD).split("\n", 1)[1].encode(),
    ("n.csv", "gap in numbers", ""): csv({**GOOD, "phi_2": GOOD["phi_0"]}).encode(),
    ("r.csv", "negative ratio", ""): with_cell("ratio", "-1"),
    ("r.csv", "ratios of 3", ""): csv({**GOOD, "ratio": [3] * N}).encode(),
    ("r.csv", "all NaN", ""): csv({**GOOD, "ratio": ["nan"] * N}).encode(),
    ("r.csv", "mu of 0", ""): csv({**without("ratio"), "pi": [1] * N, "mu": [0] * N}).encode(),
    ("r.csv", "pi alone", ""): csv({**without("ratio"), "pi": [1] * N}).encode(),
    ("f.csv", "features of 0", ""): csv({**GOOD, "phi_0": [0] * N, "next_phi_0": [0] * N}).encode(),
    ("f.csv", "huge", ""): csv({**GOOD, "phi_0": [1e200] * N}).encode(),
    ("f.csv", "tiny", ""): csv({**GOOD, "phi_0": [1e-200] * N, "next_phi_0": [0] * N}).encode(),
}
FINE = {"decimals", "halves", "whole numbers", "truth"}


def answered(name, column, what):
    """Is this one meant to be read?"""
    if name == "t.parquet":
        if column == "episode":
            return what in {*FINE, "text", "dates", "times", "durations", "bytes"}
        return what in FINE and (column, what) != ("ratio", "truth")  # ratios of 0 and 1 do not average 1
    return (column, what) in HARMLESS


def test_there_are_two_hundred():
    assert len(ODD) > 200


@pytest.mark.parametrize("case", ODD, ids=lambda case: "-".join(case))
def test_an_odd_file_is_one_line_or_an_answer(case, tmp_path, capsys):
    path = tmp_path / case[0]
    path.write_bytes(ODD[case])
    code, out, err = run(capsys, "inspect", str(path), "--gamma", "0.9")
    if answered(*case):
        assert (code, err) == (0, "")
        return
    assert (code, out, err.count("\n")) == (2, "", 1), (out, err)
    assert err.startswith("theory: error: ")
    assert path.name in err
