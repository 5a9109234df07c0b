"""What ``--coq`` does in `verify` and `inspect`: find Coq, tell how far it is, say what it said."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from theory.certified.verdicts import Verdict
    from theory.coq.compiler import Compiled
    from theory.coq.run import Report
    from theory.propositions.statement import Finding
    from theory.views.page import Page


def require_coq() -> None:
    """One line how to install Coq, where it is missing."""
    from theory.coq.compiler import CoqMissing, find_coqc

    try:
        find_coqc()
    except CoqMissing as missing:
        raise click.UsageError(str(missing)) from None


def certificates(finding: Finding) -> list[dict]:
    """The certificates of a statement as they are stored."""
    from theory.symbolic.outcomes import Proved

    return [o.certificate.to_dict() for o in finding.outcomes if isinstance(o, Proved)]


def ask_coq(findings: Sequence[Finding], again: bool = False) -> Report:
    """The library, the certificates and the final theorems through the kernel, with progress on standard error."""
    from theory.coq.run import check_statements

    proofs = {f.statement.id: certificates(f) for f in findings}
    cites = {f.statement.id: f.statement.cites for f in findings}

    def progress(done: Compiled, count: int, total: int) -> None:
        _tell(f"{count}/{total} {'coqchk …' if again and count == total else f'{done.name}.v'}")

    report = check_statements(proofs, cites, again=again, report=progress)
    _tell("")
    return report


def _tell(now: str) -> None:
    """One line of progress in place of the last, where someone is looking."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{now}", nl=False, err=True)


def write_coq(findings: Sequence[Finding], file: str) -> None:
    """The certificates as one Coq file, with the file that it needs beside it."""
    from theory.coq.export import certificate_name, coq_file, write_coq_file

    path = Path(file)
    require_file(path)
    named = {}
    for f in findings:
        for data in certificates(f):
            named[f"{f.statement.id.replace('-', '_')}_{certificate_name(data)}"] = data
    write_coq_file(path, coq_file(named.items()))
    coqc = "coqc -w none -Q . theory"
    click.echo(f"wrote {path} and Certify.v beside it: {coqc} Certify.v && {coqc} {path.name}", err=True)


def require_file(path: Path) -> None:
    """What is wrong with the name of a Coq file is said before anything is computed."""
    from theory.coq.export import check_file_name

    try:
        check_file_name(path)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--coq") from None
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.parent)!r}", param_hint="--coq")


def write_verdicts(verdicts: Sequence[Verdict], path: Path) -> dict[str, Any]:
    """The decided verdicts as theorems about the problem; `checked` is what Coq says, None where it is missing."""
    from theory.coq.compiler import CoqMissing, assumptions, closure
    from theory.coq.trees import NotExported
    from theory.coq.verdicts import theorem_names, verdict_file

    documents = [v.certificate.to_dict() for v in verdicts if v.certificate is not None]
    if not documents:
        raise click.UsageError("neither verdict is certified: there is nothing to write for Coq")
    try:
        text = verdict_file(documents)
    except NotExported as reason:
        raise click.UsageError(f"for Coq there is no proof of {reason}") from None
    path.write_text(text)
    said: dict[str, Any] = {"file": str(path), "theorems": theorem_names(text)}
    try:
        done = _with_library(path.stem, text, closure(text))
    except CoqMissing as missing:
        return {**said, "checked": None, "reason": str(missing)}
    wrong = next((r for r in done.values() if not r.accepted), None)
    if wrong is not None:
        raise click.ClickException(f"Coq rejects {wrong.name}.v: {wrong.error.splitlines()[-1]}")
    axioms = sorted({a for some in assumptions(done[path.stem].output) for a in some})
    return {**said, "checked": True, "axioms": axioms}


def _with_library(name: str, text: str, needed: dict[str, str]) -> dict[str, Compiled]:
    """The file compiled after what it needs of the library, which is kept compiled for the next time.

    All of it in one folder that comes into being at once, known by Coq's version and all its texts: Coq refuses files
    that were not compiled together. If it refuses what was kept, that is compiled anew. ``verify --coq`` trusts no such
    folder.
    """
    from theory.coq.compiler import compile_files, coq_version
    from theory.store import cache_folder

    def progress(done: Compiled, count: int, total: int) -> None:
        _tell(f"{count}/{total} {done.name}.v")

    digest = hashlib.sha256(repr((coq_version(), sorted(needed.items()))).encode()).hexdigest()[:16]
    kept = cache_folder() / f"coq-library-{digest}"
    try:
        if kept.is_dir():
            with tempfile.TemporaryDirectory(prefix="theory-coq-") as fresh:
                shutil.copytree(kept, fresh, dirs_exist_ok=True)
                _tell(f"{name}.v")
                done = compile_files({name: text}, Path(fresh))
            if done[name].accepted:
                return done
        with tempfile.TemporaryDirectory(prefix="theory-coq-") as fresh:
            done = compile_files({**needed, name: text}, Path(fresh), report=progress)
            if all(done[n].accepted for n in needed):
                _keep(Path(fresh), needed, kept)
        return done
    finally:
        _tell("")


def _keep(fresh: Path, names: Iterable[str], kept: Path) -> None:
    """Where that cannot be written it is compiled again next time."""
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="coq-library-", dir=kept.parent) as beside:
            whole = Path(beside) / "whole"
            whole.mkdir()
            for name in names:
                shutil.copy(fresh / f"{name}.vo", whole)
            shutil.rmtree(kept, ignore_errors=True)
            whole.rename(kept)


def verdict_line(said: dict[str, Any]) -> str:
    """What was written, and what Coq said."""
    names = ", ".join(said["theorems"])
    if said["checked"] is None:
        return f"wrote {said['file']}: {names}, not checked here ({said['reason']})"
    return f"wrote {said['file']}: {names}, kernel-checked, {', '.join(said['axioms']) or 'no axioms'}"


def coq_page(report: Report) -> Page:
    """A line a statement, and the count."""
    from theory.views.page import Block, Page, prose

    blocks: list[Block] = [prose(f"{id:<21}{word.text}", hang=23) for id, word in report.words.items()]
    blocks += [prose(f"rejected: {name}.v: {error.splitlines()[-1]}") for name, error in report.errors.items()]
    axioms = ", ".join(report.axioms) or "no axioms"
    one = sum(word.status == "checked" for word in report.words.values())
    text = (
        f"Coq: {one} of {len(report.words)} statements are one theorem, {axioms}; {report.certificates} distinct"
        f" certificates accepted, {report.rejected} rejected;"
        + (f" {report.untranslated} without a translation;" if report.untranslated else "")
        + (f" coqchk accepts all {report.rechecked} compiled files;" if report.rechecked is not None else "")
        + f" {report.seconds:.0f} s."
    )
    return Page((*blocks, prose(), prose(text)))
