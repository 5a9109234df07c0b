"""``theory list``: what there is to name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import json_option, print_json

if TYPE_CHECKING:
    from theory.learners.rule import Option
    from theory.problems.catalogue import Entry
    from theory.views.page import Page


@click.command("list")
@json_option
def command(as_json: bool) -> None:
    """Catalogue of problems, with parameters and what they are famous for; statements; learners; methods."""
    from theory.learners.families import learners
    from theory.methods.family import methods
    from theory.problems.catalogue import catalogue, families, generated
    from theory.propositions.registry import IDS, statement

    entries = catalogue().values()
    if as_json:
        problems, by_rule = ([_entry(e) for e in some] for some in (entries, generated().values()))
        statements = [{"id": s.id, "title": s.title, "paper_verdict": s.verdict} for s in map(statement, IDS)]
        settings = {
            name: {
                "settings": [column.rstrip("_") for column in rule.columns],
                "variants": {k: {"default": o.default, "about": o.about} for k, o in rule.options().items()},
            }
            for name, rule in learners().items()
        }
        solvers = [
            {
                "name": name,
                "aliases": list(method.aliases),
                "about": method.about,
                "parameters": {
                    k: {"default": p.default, "range": p.range, "about": p.about}
                    for k, p in method.parameters().items()
                },
            }
            for name, method in methods().items()
        ]
        lettered = [
            {
                "name": f.name,
                "title": f.title,
                "source": f.source,
                "famous_for": f.famous_for,
                "parameters": {
                    letter: {"range": str(span), "meaning": f.letters[letter]}
                    for letter, span in f.family.parameters.items()
                },
            }
            for f in families().values()
        ]
        print_json(
            {
                "problems": problems,
                "families": lettered,
                "generated": by_rule,
                "statements": statements,
                "learners": list(learners()),
                "learner_settings": settings,
                "methods": solvers,
            }
        )
        return
    _page().print()


def _page() -> Page:
    from theory.learners.families import learners
    from theory.methods.family import methods
    from theory.problems.catalogue import catalogue, families, generated
    from theory.propositions.registry import IDS
    from theory.views.page import Block, Page, dim, prose, strong

    blocks: list[Block] = []
    for e in (*catalogue().values(), *generated().values()):
        parameters = ",".join(f"{k}={p.default}" for k, p in e.parameters.items())
        blocks += [prose(strong(e.name), dim(f":{parameters}"), hang=6), prose(f"    {e.famous_for}", hang=4)]
    blocks += [prose(), prose(strong("families"), " for theory derive; --set gives their letters numbers")]
    for f in families().values():
        spans = ", ".join(f"{letter} in {span}" for letter, span in f.family.parameters.items())
        blocks += [prose(strong(f.name), dim(f"  {spans}"), hang=6), prose(f"    {f.famous_for}", hang=4)]
    blocks += [prose(), prose(strong("statements"), " for theory verify: " + ", ".join(IDS)), prose()]
    blocks.append(prose(strong("learners"), " for theory learn, with their settings and (in brackets) variants"))
    for name, rule in learners().items():
        variants = ", ".join(f"{key}={_choices(choice)}" for key, choice in rule.options().items())
        columns = ", ".join(column.rstrip("_") for column in rule.columns)
        blocks.append(prose(strong(name), f" {columns} ", dim(f"({variants})" if variants else ""), hang=4))
    also = "with their parameters and (in brackets) other names"
    blocks += [prose(), prose(strong("methods"), f" for theory compare, {also}")]
    for name, method in methods().items():
        given = ", ".join(k if p.default is None else f"{k}={p.default}" for k, p in method.parameters().items())
        other = f" ({', '.join(method.aliases)})" if method.aliases else ""
        blocks.append(prose(strong(name), f" {given}" * bool(given), dim(other), hang=4))
    blocks += [
        prose(),
        prose("Parameters shown with their defaults; give those you change: theory inspect kolter:p=3/5"),
        prose("PROBLEM may also be a file (JSON, .npz, .mtx, - for standard input) or gymnasium:FrozenLake-v1."),
    ]
    return Page(tuple(blocks))


def _entry(e: Entry) -> dict[str, Any]:
    return {
        "name": e.name,
        "title": e.title,
        "source": e.source,
        "famous_for": e.famous_for,
        "parameters": {k: {"default": p.default, "meaning": p.meaning} for k, p in e.parameters.items()},
    }


def _choices(choice: Option) -> str:
    """What a variant may be, the default first."""
    if isinstance(choice.default, bool):
        return "yes|no" if choice.default else "no|yes"
    return "|".join(choice.words) or f"{choice.default:g}"
