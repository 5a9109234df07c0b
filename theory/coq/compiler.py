"""Run ``coqc`` on files that require each other: in parallel, in the order of their Require lines.

A file ``A.v`` is the module ``theory.A``; ``From theory Require Import B C.`` makes it wait for ``B.v`` and ``C.v``. A
file that Coq rejects is a result with Coq's own words, and what needs it is not tried.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

LIBRARY = Path(__file__).parent
INSTALL = "apt-get install coq libcoq-mathcomp-real-closed libcoq-mathcomp-algebra-tactics"
_REQUIRE = re.compile(r"^From theory Require (?:Import |Export )?([\w\s]+)\.", re.MULTILINE)
_ASSUMPTIONS = re.compile(r"^(Closed under the global context|Axioms:\n(?:.+\n?)*)", re.MULTILINE)


class CoqMissing(RuntimeError):
    """There is no ``coqc`` on this machine."""

    def __init__(self) -> None:
        super().__init__(f"coqc was not found; on Debian or Ubuntu: {INSTALL}")


@dataclass(frozen=True)
class Compiled:
    """What Coq said about one file."""

    name: str
    accepted: bool
    output: str  # of the commands in it (Print Assumptions)
    error: str  # Coq's words, or which file it needed was rejected
    seconds: float


def find_coqc() -> str:
    """The path of ``coqc``, or `CoqMissing`."""
    found = shutil.which("coqc")
    if found is None:
        raise CoqMissing
    return found


def coq_version() -> str:
    """Coq's own number, such as 8.16.1."""
    said = subprocess.run([find_coqc(), "--print-version"], capture_output=True, text=True)
    return said.stdout.split()[0] if said.returncode == 0 and said.stdout.split() else "of unknown version"


def library() -> dict[str, str]:
    """The hand-written files: name to text."""
    return {path.stem: path.read_text() for path in sorted(LIBRARY.glob("*.v"))}


def requires(text: str) -> tuple[str, ...]:
    """The modules of this library that a file asks for.

    >>> requires("From mathcomp Require Import all_algebra.\\nFrom theory Require Import Powers Limits.")
    ('Powers', 'Limits')
    """
    return tuple(name for names in _REQUIRE.findall(text) for name in names.split())


def closure(text: str) -> dict[str, str]:
    """The files of the library that a text needs, also through others.

    >>> sorted(closure("From theory Require Import Limits."))
    ['Limits', 'Powers']
    """
    texts, found, pending = library(), dict[str, str](), [*requires(text)]
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = texts[name]
            pending += requires(texts[name])
    return found


def compile_files(
    texts: Mapping[str, str],
    directory: Path,
    *,
    jobs: int = 2,
    timeout: float = 1800,
    report: Callable[[Compiled, int, int], None] = lambda done, count, total: None,
) -> dict[str, Compiled]:
    """Write the files into a directory and compile them; files compiled there before may be required too."""
    coqc = find_coqc()
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (directory / f"{name}.v").write_text(text)
    needs = {name: [n for n in requires(text) if n in texts] for name, text in texts.items()}
    results: dict[str, Compiled] = {}
    running: dict[Future[Compiled], str] = {}
    with ThreadPoolExecutor(jobs) as pool:
        waiting = list(texts)
        while waiting or running:
            ready = [name for name in waiting if all(n in results for n in needs[name])]
            if not ready and not running:
                raise ValueError(f"these files require each other in a circle: {', '.join(waiting)}")
            for name in ready:
                waiting.remove(name)
                rejected = [n for n in needs[name] if not results[n].accepted]
                if rejected:
                    results[name] = Compiled(name, False, "", f"it needs {rejected[0]}, which was rejected", 0.0)
                    report(results[name], len(results), len(texts))
                else:
                    running[pool.submit(_compile, coqc, name, directory, timeout)] = name
            for future in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                result = future.result()
                results[running.pop(future)] = result
                report(result, len(results), len(texts))
    return results


def assumptions(output: str) -> list[tuple[str, ...]]:
    """What each ``Print Assumptions`` in a file printed: the axioms, none for a closed proof.

    >>> assumptions("Closed under the global context\\nAxioms:\\nfunext : forall A, A\\n  -> A\\n")
    [(), ('funext',)]
    """
    found = []
    for said in _ASSUMPTIONS.findall(output):
        names = re.findall(r"^([\w.']+)(?=\s*:|\s*$)", said.partition("\n")[2], re.MULTILINE)
        found.append(tuple(names))
    return found


def check_compiled(names: Iterable[str], directory: Path, timeout: float = 3600) -> None:
    """``coqchk``, the independent checker, on compiled files and all that they load; its complaint is a ValueError."""
    coqchk = shutil.which("coqchk")
    if coqchk is None:
        raise CoqMissing
    command = [coqchk, "-silent", "-Q", ".", "theory", *(f"theory.{name}" for name in names)]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise ValueError((done.stderr or done.stdout).strip() or "coqchk failed without a word")


def _compile(coqc: str, name: str, directory: Path, timeout: float) -> Compiled:
    begun = time.perf_counter()
    command = [coqc, "-q", "-w", "none", "-Q", ".", "theory", f"{name}.v"]
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return Compiled(name, False, "", f"no answer within {timeout:g} s", time.perf_counter() - begun)
    error = "" if done.returncode == 0 else done.stderr.strip() or "coqc failed without a word"
    return Compiled(name, done.returncode == 0, done.stdout, error, time.perf_counter() - begun)
