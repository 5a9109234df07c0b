"""``theory prove``: the answer with its certificate or its witness, and clear complaints."""

import json

from tests.command_line import run


def test_a_proof_names_what_it_uses(capsys):
    words = ["prove", "Pi P Pi = P Pi", "--assume", "P Phi = Pi P Phi"]
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    assert out.startswith("Proved 'Pi P Pi = P Pi': for all dimensions")
    assert "assuming [P Phi = Pi P Phi]" in out
    code, out, _ = run(capsys, *words, "--json")
    found = json.loads(out)
    assert (found["result"], found["uses"], found["assume"]) == ("proved", ["P Phi = Pi P Phi"], ["P Phi = Pi P Phi"])
    code, out, _ = run(capsys, *words, "--latex")
    assert r"\begin{align*}" in out


def test_a_counterexample_is_exact_and_ends_with_one(capsys):
    code, out, _ = run(capsys, "prove", "Pi P = P Pi", "--json")
    found = json.loads(out)
    assert (code, found["result"], found["certificate"]) == (1, "refuted", None)
    assert found["witness"]


def test_what_cannot_be_read_is_one_line(capsys):
    code, out, err = run(capsys, "prove", "Pi Q = Pi")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "no letter 'Q'" in err
