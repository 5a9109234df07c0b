"""A document shows real things: its blocks are run again, in order, in one folder, as a reader would.

=======  ==========================================================================================
json     a problem, saved as ‹its name›.json
python   run; an expression with a comment behind it has that value, ``f(x)  # 3`` or ``f(x)  # 3: why``
pycon    a session, compared by doctest
console  ``$ .venv/bin/theory …`` is run and what it prints compared, times and port numbers aside; a line
         ``…`` stands for lines left out. ``$ make …`` is not run
others   are shown only
=======  ==========================================================================================
"""

import ast
import contextlib
import doctest
import io
import json
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.cells import cell_len

from theory.cli import main

ROOT = Path(__file__).parent.parent
LEFT_OUT = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line on which it begins."""

    language: str
    text: str
    line: int


def blocks(document):
    """The fenced blocks of a document."""
    text = document.read_text()
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)
    return [Block(m[1], m[2], text.count("\n", 0, m.start()) + 1) for m in found]


def links(document):
    """Where the document points, outside the web: to files beside it."""
    prose = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.S | re.M)
    targets = re.findall(r"\]\(([^)#\s]+)", prose)
    return [target for target in targets if "://" not in target]


def run_document(document, folder, monkeypatch, capsys):
    """Run every block in `folder`; a block that shows something else than what is fails, with its line."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    names = {}
    for block in blocks(document):
        where = f"{document.name}:{block.line}"
        if block.language == "json":
            Path(json.loads(block.text)["name"] + ".json").write_text(block.text)
        elif block.language == "python":
            run_python(block.text, names, where)
        elif block.language == "pycon":
            run_session(block.text, names, where)
        elif block.language == "console":
            for command, shown in commands(block.text):
                run_command(command, shown, capsys, where)


def run_python(code, names, where):
    """Statement by statement; the document's own text, not input."""
    lines = code.splitlines()
    for node in ast.parse(code).body:
        if not isinstance(node, ast.Expr):
            exec(compile(ast.Module([node], []), where, "exec"), names)
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            value = eval(compile(ast.Expression(node.value), where, "eval"), names)
        said = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode().partition("#")[2].strip()
        shown = printed.getvalue().strip() or repr(value)
        begun = said.endswith(LEFT_OUT) and shown.startswith(said.removesuffix(LEFT_OUT).rstrip())
        assert begun or not said or said == shown or said.startswith(f"{shown}: "), (
            f"{where}: {ast.unparse(node)} is {shown}, not {said}"
        )


def run_session(text, names, where):
    """As doctest does, which prints what differs."""
    session = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    assert session.examples, f"{where}: an empty session"
    assert doctest.DocTestRunner().run(session, clear_globs=False).failed == 0, where
    names.update(session.globs)


def commands(text):
    """Every ``$ command`` with the lines shown below it."""
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in re.split(r"^\$ ", text, flags=re.M)[1:]]


def run_command(command, shown, capsys, where):
    """A `theory` command in this process; `theory explore`, which runs until it is stopped, in one of its own."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "make":
        assert not shown.strip(), f"{where}: what make prints cannot be compared"
        return
    assert program == ".venv/bin/theory", f"{where}: {program} is not known here"
    printed, code = explore(arguments) if arguments[0] == "explore" else theory(arguments, capsys)
    refused = shown.startswith("theory: error:")
    assert code == 2 * refused or (code == 1 and shown.strip()), f"{where}: {command} ends with {code}: {printed}"
    if shown.strip():
        compare(lines_of(shown), lines_of(printed), f"{where}: theory {' '.join(arguments)}")


COLUMNS = 80  # of the terminal in which documents are shown


def too_wide(text, columns=COLUMNS):
    """Lines that do not fit; one line of JSON or LaTeX is for machines, and an error is one line."""
    return [line for line in text.splitlines() if cell_len(line) > columns]


def theory(arguments, capsys):
    """What the command prints, on standard error if it is bad input, and its exit code; it fits the terminal."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    printed = capsys.readouterr()
    for_people = not {"--json", "--latex", "--wide", "--help"} & set(arguments)
    assert not (for_people and too_wide(printed.out)), f"theory {' '.join(arguments)}: {too_wide(printed.out)}"
    return (printed.err if stop.value.code == 2 else printed.out), stop.value.code


def explore(arguments):
    """The address that the explorer prints; then it is stopped by Ctrl-C, and must end well."""
    command = [sys.executable, "-m", "theory", *arguments, *([] if "--headless" in arguments else ["--headless"])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        address = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        try:
            _, complaints = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode in (0, 130), complaints
    return address, 0


def lines_of(text):
    """Without what may differ between runs: times, the port and token, and blanks at the ends of lines."""
    text = re.sub(r"\d+\.\d\d( s|  [A-Z])", r"#\1", text)
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:#", text)
    text = re.sub(r"token=[\w-]+", "token=#", text)
    return [line.rstrip() for line in text.strip().splitlines()]


def compare(shown, printed, what):
    """Equal line by line; between the pieces that a ``…`` separates, anything may be."""
    pieces = [[]]
    for line in shown:
        if line.strip() == LEFT_OUT:
            pieces.append([])
        else:
            pieces[-1].append(line)
    assert printed[: len(pieces[0])] == pieces[0], what
    if len(pieces) == 1:
        assert printed == pieces[0], what
        return
    here = len(pieces[0])
    for piece in pieces[1:-1]:
        here = find(piece, printed, here, what) + len(piece)
    last = pieces[-1]
    assert len(printed) - here >= len(last), what
    assert printed[len(printed) - len(last) :] == last, what


def find(piece, printed, start, what):
    for at in range(start, len(printed) - len(piece) + 1):
        if printed[at : at + len(piece)] == piece:
            return at
    raise AssertionError(f"{what} does not print {piece} after line {start}; it prints {printed}")
