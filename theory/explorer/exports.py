"""A view to take away: the problem's file, NumPy arrays, LaTeX, and the command line that shows the same."""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

import numpy as np

from theory.explorer.view import View
from theory.problems.display import problem_latex
from theory.problems.files import problem_to_json
from theory.problems.npz import save_npz


def as_json(view: View) -> str:
    """The problem's file."""
    return problem_to_json(view.problem) + "\n"


def as_latex(view: View) -> str:
    """The problem's letters as one displayed formula."""
    body = problem_latex(view.problem).removeprefix(r"$\displaystyle ").removesuffix("$")
    return f"\\[\n{body}\n\\]\n"


def as_numpy(view: View) -> str:
    """Python that makes the arrays; doubles, as NumPy has no fractions."""
    letters = {name: getattr(view.problem, name) for name in ("Phi", "P_pi", "r_pi", "d_mu", "P_mu", "r_mu")}
    out = io.StringIO()
    out.write("import numpy as np\n\n" + f"gamma = {view.problem.gamma!r}\n")
    with np.printoptions(threshold=10**6, floatmode="unique", linewidth=110):
        for name, array in letters.items():
            if array is not None:
                out.write(f"{name} = np.{array!r}\n")
    return out.getvalue()


def as_npz(view: View) -> bytes:
    """The same losslessly, as a file for `theory inspect`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        save_npz(view.problem, path)
        return path.read_bytes()


def file_stem(view: View) -> str:
    """A file's name without its ending: the problem's name in letters that every system takes."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", view.problem.name).strip("-")[:60] or "problem"


def command(view: View) -> str:
    """What to type to see the same verdicts in a terminal."""
    target = f"{file_stem(view)}.json" if view.spec is None or view.is_moved else view.spec
    shown = f"'{target}'" if re.search(r"[^A-Za-z0-9:=,./_-]", target) else target
    return f"theory inspect {shown} --gamma {view.gamma} --step-size {view.alpha} --window {view.window}"
