"""Where the explorer's problems come from.

Catalogue entries by name with parameters, a short list of Gymnasium tasks, an uploaded file, a seed, or the grid in
which a problem's numbers are edited. In the grid, a row is a state and every cell a text such as ``-3`` or ``6/7``.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theory.explorer.texts import changed
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue, catalogue_problem, generated
from theory.problems.files import parse_problem
from theory.problems.npz import load_npz
from theory.problems.numbers import Number, parse_number

# An upload is read into memory and parsed while the page waits.
MAX_UPLOAD = 1 << 20
MAX_DATA = 16 << 20  # bytes of recorded transitions; the page's script and the server know this limit too
DATA = (".csv", ".parquet")
MAX_UNPACKED = 16 << 20  # bytes of all arrays of an archive
MAX_EDITED = 12  # states that a grid on a page can hold
LAWS = ("normal", "absolute-normal", "binary", "aggregation", "tile", "tabular")

# The only ids that a page may ask for: gymnasium.make imports what an id of another form names.
GYMNASIUM = {
    "FrozenLake, 4 groups of states": "gymnasium:FrozenLake-v1,features=aggregated,groups=4",
    "FrozenLake that does not slip, 4 groups": "gymnasium:FrozenLake-v1,is_slippery=false,features=aggregated,groups=4",
    "FrozenLake, 6 random features": "gymnasium:FrozenLake-v1,features=random,count=6",
    "CliffWalking, 6 groups of states": "gymnasium:CliffWalking-v1,features=aggregated,groups=6",
}


def open_source(spec: str) -> tuple[Problem, str]:
    """A problem by catalogue name or listed Gymnasium task, with the text that builds it again.

    >>> open_source("kolter:p=3/5")[1]
    'kolter:p=3/5'
    """
    if spec.startswith("gymnasium:"):
        if spec not in GYMNASIUM.values():
            raise InvalidProblem("only the listed Gymnasium tasks can be opened here; use `theory inspect`", "problem")
        from theory.problems.sources import open_problem

        return open_problem(spec), spec
    if spec.partition(":")[0].strip() in generated():  # of any size: an address must not fill the memory
        raise InvalidProblem("problems made by rule are not opened here; use `theory inspect`", "problem")
    problem = catalogue_problem(spec)
    return problem, problem.name


def catalogue_choices() -> dict[str, str]:
    """What the list of the catalogue shows: the title, and the name it opens."""
    return {f"{name} – {entry.title}": name for name, entry in catalogue().items()}


def open_environment(spec: str) -> Problem:
    """A Gymnasium environment that the visitor typed: any registered id, but no other module's."""
    if ":" in spec.partition(",")[0]:
        raise InvalidProblem("environments of other modules are opened by `theory explore ID`", "gymnasium")
    from theory.problems.gymnasium import gymnasium_problem

    return gymnasium_problem(spec)


def random_spec(seed: int, states: int, features: int, law: str) -> str:
    """The catalogue's text for a random problem."""
    if law not in LAWS:
        raise InvalidProblem(f"{law!r} is none of {', '.join(LAWS)}", "law")
    return f"random:seed={int(seed)},states={int(states)},features={int(features)},law={law}"


def read_upload(name: str, contents: bytes) -> Problem:
    """An uploaded problem file, JSON or a NumPy archive; a complaint begins with the file's name."""
    shown = name[:60] if name.isprintable() and name.strip() else "the uploaded file"
    try:
        if len(contents) > MAX_UPLOAD:
            raise InvalidProblem(f"has {len(contents)} bytes; uploads may have {MAX_UPLOAD >> 20} MiB")
        if name.lower().endswith(".npz"):
            return _read_archive(contents)
        if "." in name and not name.lower().endswith(".json"):
            raise InvalidProblem("is not a problem file, .json or .npz as Export writes them, and no .csv or .parquet")
        stem = name.rpartition(".")[0].strip() or "problem"
        return parse_problem(contents.decode("utf-8-sig"), name=stem[:60] if stem.isprintable() else "problem")
    except UnicodeDecodeError as error:
        raise InvalidProblem(f"{shown}: is not UTF-8 text, at byte {error.start}") from None
    except InvalidProblem as error:
        raise InvalidProblem(f"{shown}: {error}") from None


def _read_archive(contents: bytes) -> Problem:
    """What Export wrote; `load_npz` unpickles nothing, but would unpack far more than a page can show."""
    try:
        with zipfile.ZipFile(io.BytesIO(contents)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except Exception:  # damaged bytes make zipfile raise almost anything
        raise InvalidProblem("is not a NumPy archive, or is damaged") from None
    if unpacked > MAX_UNPACKED:
        raise InvalidProblem(f"unpacks to more than {MAX_UNPACKED >> 20} MiB")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        path.write_bytes(contents)
        try:
            found = load_npz(path)
        except InvalidProblem as error:  # which begins with a path that the visitor has never seen
            raise InvalidProblem(str(error).removeprefix(f"{path}: ")) from None
    if found.is_large:
        raise InvalidProblem(f"has {found.n_states:,} states, too many for a page; use `theory inspect`")
    return found


def grid_rows(problem: Problem) -> list[dict[str, str]]:
    """The problem as rows of texts: features, moves of π, reward, how often μ visits."""
    g = problem.given
    rows = []
    for s, label in enumerate(problem.state_labels):
        row = {"state": label}
        row |= {f"φ{f}": _text(x) for f, x in enumerate(g.Phi[s])}
        row |= {f"→ {t}": _text(x) for t, x in zip(problem.state_labels, g.P_pi[s], strict=True)}
        rows.append(row | {"r_π": _text(g.r_pi[s]), "d_μ": _text(g.d_mu[s])})
    return rows


def edit(problem: Problem, rows: Sequence[Mapping[str, Any]]) -> Problem:
    """The problem with the grid's numbers.

    Changed features alone leave the MDP as it is. A changed target makes it a problem of matrices that keeps the
    behaviour; a changed distribution belongs to no known chain, so the behaviour's own is dropped.
    """
    S, F = problem.n_states, problem.n_features
    if len(rows) != S or any(len(row) != 1 + F + S + 2 for row in rows):
        raise InvalidProblem(f"must keep its {S} rows and {1 + F + S + 2} columns", "grid")
    cells = [list(row.items())[1:] for row in rows]
    before = [list(row.items())[1:] for row in grid_rows(problem)]
    given = [
        [*problem.given.Phi[s], *problem.given.P_pi[s], problem.given.r_pi[s], problem.given.d_mu[s]] for s in range(S)
    ]
    # A cell that still has its text keeps its number: a float's text is shorter than the float.
    new = [
        [old if str(text) == was else parse_number(str(text), problem.state_labels[s], name)
         for (name, text), (_, was), old in zip(row, texts, numbers, strict=True)]
        for s, (row, texts, numbers) in enumerate(zip(cells, before, given, strict=True))
    ]  # fmt: skip
    same = [
        all(a is b for a, b in zip(x, y, strict=True))
        for x, y in zip(_parts(new, F, S), _parts(given, F, S), strict=True)
    ]
    if all(same[1:]):
        Phi = [row[:F] for row in new]
        return problem if same[0] else changed(problem.with_features(Phi), problem.name)
    known: dict[str, Any] = {"P_mu": problem.given.P_mu, "r_mu": problem.given.r_mu} if same[3] else {}
    return _made(problem, new, F, **known)


def resize(problem: Problem, states: int = 0, features: int = 0) -> Problem:
    """With one state or feature more (+1) or less (−1), the last one.

    A new feature is 0; so are the features and the reward of a new state, which stays where it is and is visited as
    often as the others on average. What led to a state that is gone stays where it was.
    """
    S, F = problem.n_states, problem.n_features
    if not (1 <= S + states <= MAX_EDITED and 1 <= F + features <= MAX_EDITED):
        raise InvalidProblem(f"from 1 to {MAX_EDITED} states and features can be edited", "grid")
    g, zero, n = problem.given, 0 * problem.given.d_mu[0], S + min(states, 0)
    P = [list(row[:n]) for row in g.P_pi[:n]]
    for s in range(n):
        P[s][s] += sum(g.P_pi[s, n:], zero)
    whole = sum(g.d_mu[:n], zero)
    d = [x / whole for x in g.d_mu[:n]]
    rows = [[*g.Phi[s][: F + min(features, 0)], *P[s], g.r_pi[s], d[s]] for s in range(n)]
    wide = F + min(features, 0)
    for row in rows:
        row[wide:wide] = [zero] * max(features, 0)
    wide += max(features, 0)
    if states > 0:
        for row in rows:
            row.insert(wide + n, zero)
            row[-1] = row[-1] * n / (n + 1)
        share = (whole / whole) / (n + 1)
        rows.append([*[zero] * (wide + n), share * (n + 1), zero, share])
    return _made(problem, rows, wide)


PLACES = {"all, as in the grid": "all", "features Φ": "Phi", "moves → of π": "P", "rewards r_π": "r", "visits d_μ": "d"}


def paste(problem: Problem, text: str, place: str) -> Problem:
    """The problem with a block of numbers, from a spreadsheet or as NumPy prints them, in one of its `PLACES`."""
    rows = read_block(text)
    S, g = problem.n_states, problem.given
    if place == "all":
        S = len(rows)
        if len(rows[0]) < S + 3:
            raise InvalidProblem(f"{S} rows of {len(rows[0])} numbers: features, {S} moves, reward, visits", "paste")
        return _made(problem, rows, len(rows[0]) - S - 2)
    if place in ("r", "d"):
        flat = [x for row in rows for x in row]
        rows = [[x] for x in flat]
    if len(rows) != S or (place == "P" and len(rows[0]) != S):
        raise InvalidProblem(f"{len(rows)} × {len(rows[0])} numbers for {S} states", "paste")
    columns = {"Phi": g.Phi.tolist(), "P": g.P_pi.tolist(), "r": [[x] for x in g.r_pi], "d": [[x] for x in g.d_mu]}
    columns[place] = rows
    together = [[*a, *b, *c, *d] for a, b, c, d in zip(*columns.values(), strict=True)]
    return _made(problem, together, len(columns["Phi"][0]))


def read_block(text: str) -> list[list[Any]]:
    """Rows of numbers out of a spreadsheet's cells, NumPy's print or nested lists.

    >>> read_block("[[1. 0.5]\\n [2. 1/3]]") == read_block("1\\t0.5\\n2\\t1/3") == read_block("[[1, 0.5], [2, 1/3]]")
    True
    """
    if len(text) > MAX_UPLOAD:
        raise InvalidProblem("is too long", "paste")
    plain = re.sub(r"array\(|np\.|dtype=\w+|[()]", " ", text.strip())
    lines = re.split(r"\]\s*[,;]?\s*\[|[\n;]", plain)
    cells = [re.split(r"[\s,\[\]]+", line.strip(" \t\r,[]")) for line in lines if line.strip(" \t\r,[]")]
    rows = [
        [parse_number(re.sub(r"\.$", "", x), "paste", i, j) for j, x in enumerate(row)] for i, row in enumerate(cells)
    ]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise InvalidProblem("expected rows of equally many numbers", "paste")
    return rows


def _made(problem: Problem, rows: list[list[Any]], F: int, **known: Any) -> Problem:
    """A problem of matrices with a grid's numbers; complaints name its rows and columns as the page does."""
    S = len(rows)
    states = problem.states if problem.n_states == S else None
    labels = problem.state_labels if states is not None else tuple(map(str, range(S)))
    try:
        edited = Problem.from_matrices(
            problem.given.gamma,
            Phi=[row[:F] for row in rows],
            P_pi=[row[F : F + S] for row in rows],
            r_pi=[row[F + S] for row in rows],
            d_mu=[row[F + S + 1] for row in rows],
            states=states,
            episodic=problem.is_episodic,
            **known,
        )
    except InvalidProblem as error:
        words = {"P_pi": "→", "Phi": "φ", "r_pi": "r_π", "d_mu": "d_μ"}
        place = re.compile(r"(P_pi|Phi|r_pi|d_mu)\[(\d+)\]")
        text = place.sub(lambda m: f"{words[m[1]]} of state {labels[int(m[2])]}", str(error))
        raise InvalidProblem(text) from None
    return changed(edited, problem.name)


def _parts(rows: list[list[Any]], F: int, S: int) -> list[list[Any]]:
    flat = lambda a, b: [x for row in rows for x in row[a:b]]  # noqa: E731
    return [flat(0, F), flat(F, F + S), flat(F + S, F + S + 1), flat(F + S + 1, F + S + 2)]


def _text(value: Number) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
