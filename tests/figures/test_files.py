"""What is written is the same on every processor: digits that another order of sums changes are not written."""

import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.command_line import run
from tests.documents import ROOT
from theory.figures import FigureSpec, figure_spec, names
from theory.figures._style import write_figure, write_svg
from theory.text.tables import DIGITS, csv_text, rounded


def perturbed(value, rng):
    """Every float times 1 ± 1e-12: far more than another processor changes."""
    if isinstance(value, float):
        return value * (1 + 1e-12 * rng.uniform(-1, 1))
    if isinstance(value, dict):
        return {key: perturbed(part, rng) for key, part in value.items()}
    return [perturbed(part, rng) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["expected-updates", "transient"])
def test_results_that_differ_by_rounding_give_the_same_bytes(name, tmp_path):
    """CSV, SVG and PNG; a rounding that lies this close to a tie has a probability of about 1e-6 each."""
    shown = figure_spec(name)
    result = shown.result()
    folders = [tmp_path / side for side in "ab"]
    for folder, data in zip(folders, (result, perturbed(result, np.random.default_rng(0))), strict=True):
        folder.mkdir()
        write_figure(shown, data, "quick", 0, folder)
    for path in folders[0].iterdir():
        assert path.read_bytes() == (folders[1] / path.name).read_bytes(), path.name


def test_tables_have_six_digits():
    rows = [{"k": 12345678, "x": 1 / 3, "tiny": -1e-20 / 7, "none": None, "text": "1/3", "inf": float("-inf")}]
    assert csv_text(rows, {}).splitlines()[1] == "12345678,0.333333,-1.42857e-21,,1/3,-inf"
    assert rounded({"a": [1 / 3, (2 / 3,)]}) == {"a": [0.333333, [0.666667]]}


def test_places_in_an_svg_have_two_decimals_and_its_parts_are_numbered(tmp_path):
    figure = Figure(figsize=(4, 3), layout="constrained")
    figure.subplots().plot([0, 1 / 3, 1], [0, 1 / 7, 1], marker="o")
    write_svg(figure, tmp_path / "x.svg", {})
    text = (tmp_path / "x.svg").read_text()
    places = re.findall(r' (?:d|x|y|width|height|transform)="[^"]*"', text)
    assert len(places) > 20
    assert not [place for place in places if re.search(r"\.\d{3}", place)]
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert not [one for one in ids if re.fullmatch(r"[a-z]+[0-9a-f]{10}", one)]
    used = set(re.findall(r'(?:url\(|href=")#([^)"]*)', text))
    assert used
    assert used <= set(ids)


@pytest.mark.parametrize("name", [*names(), "table1"])
def test_committed_tables_are_rounded(name):
    """As they would be written again: no number in them has more digits than are meant."""
    text = (ROOT / "reports" / f"{name}.csv").read_text()
    numbers = re.findall(r"(?<![\w.])-?\d+\.\d+(?:e[-+]\d+)?(?![\w.])", re.sub(r"^#.*$", "", text, flags=re.M))
    assert numbers
    assert not [x for x in numbers if float(x) != float(f"{float(x):.{DIGITS}g}")]


def test_the_committed_json_is_rounded():
    document = json.loads((ROOT / "reports/success-rate.json").read_text())
    assert document == rounded(document)


def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_computed(tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise AssertionError("computed")

    (tmp_path / "file").write_text("")
    monkeypatch.setattr(FigureSpec, "result", refuse)
    code, out, err = run(capsys, "figure", "transient", "--into", str(tmp_path / "file" / "folder"))
    assert (code, out) == (2, "")
    assert err.startswith("theory: error: into: cannot write to")
