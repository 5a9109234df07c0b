"""Learners as one names them on the command line: ``gtd2:alpha=1/32,beta=1/256,reading=2009``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from theory.experiments.learning import Run
    from theory.learners.rule import Rule
    from theory.problems import Problem

_WHOLE = ("k", "n", "window")


@dataclass(frozen=True)
class Asked:
    """A learner with the settings and variants that were given for it."""

    rule: type[Rule]
    setting: dict[str, float]
    options: dict[str, Any]

    def run(self, shared: dict[str, Any]) -> Run:
        """With the settings given and the defaults of the others."""
        from theory.experiments.learning import Run, default_setting

        if "alpha" in self.rule.columns and "alpha" not in self.setting:
            raise click.UsageError(f"--step-size: {self.rule.name} needs one, or --tune")
        setting = default_setting(self.rule.name, self.setting, shared["heads"])
        return Run(self.rule.name, setting, options=self.options, **shared)

    def tuned(self, problem: Problem, shared: dict[str, Any]) -> Run:
        """With the settings given and the best of the others."""
        from theory.experiments.learning import tune

        return tune(problem, self.rule.name, self.setting, options=self.options, **shared)


def asked_learners(
    learner: str | None, compare: str | None, given: dict[str, Any], readings: tuple[str, ...]
) -> list[Asked]:
    """All learners that were named, each with its own settings over those given for all.

    What is given for all goes to those that have it, and is refused where none does.
    """
    from theory.learners.families import find_learner

    parts = [(find_learner(name), words) for option in (learner, compare) for name, words in _split(option or "")]
    if not parts:
        raise click.UsageError("--learner: name one, e.g. --learner chained-sequential; `theory list` names them all")
    rules = [rule for rule, _ in parts]
    names = list(dict.fromkeys(rule.name for rule in rules))
    they_have = f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"
    for column, value in given.items():
        if value is not None and not any(column in rule.columns for rule in rules):
            raise click.UsageError(f"--{_word(column)}: {they_have} no such setting")
    common = dict(_pair(text, "--set") for text in readings)
    for key in common:
        if not any(key in rule.options() for rule in rules):
            known = dict.fromkeys(name for rule in rules for name in rule.options())
            has = f"there are {', '.join(known)}" if known else "there is none"
            raise click.UsageError(f"--set: {they_have} no variant {key!r}; {has}")
    found = []
    for rule, words in parts:
        setting = {c: _number(c, v) for c, v in given.items() if c in rule.columns and v is not None}
        options = {key: _variant(rule, key, value) for key, value in common.items() if key in rule.options()}
        for key, text in words.items():
            column = {"step-size": "alpha", "lambda": "lambda_"}.get(key, key)
            if column in rule.columns:
                setting[column] = _number(column, text)
            elif key in rule.options():
                options[key] = _variant(rule, key, text)
            else:
                has = ", ".join([*(c.rstrip("_") for c in rule.columns), *rule.options()])
                raise click.UsageError(f"{rule.name}: no setting {key!r}; it has {has}")
        found.append(Asked(rule, setting, options))
    return found


def as_float(value: Any, word: str) -> float:
    """The nearest double."""
    try:
        return float(value)
    except OverflowError:
        raise click.UsageError(f"--{word}: too large for double precision (about 1.8e308)") from None


def _split(text: str) -> list[tuple[str, dict[str, str]]]:
    """Names with their words: a comma begins the next word of a learner, or the next learner.

    >>> _split("td,gtd2:alpha=1/32,beta=1/256,etd")
    [('td', {}), ('gtd2', {'alpha': '1/32', 'beta': '1/256'}), ('etd', {})]
    """
    found: list[tuple[str, dict[str, str]]] = []
    for part in (p.strip() for p in text.split(",")):
        name, colon, rest = part.partition(":")
        if colon or "=" not in part:
            if part:
                found.append((name.strip(), {}))
            part = rest.strip()
        if part and "=" in part:
            if not found:
                raise click.UsageError(f"{part!r} belongs to no learner: write gtd2:{part}")
            key, value = _pair(part, found[-1][0])
            found[-1][1][key] = value
        elif colon:
            raise click.UsageError(f"{name}: settings are written {name}:key=value, got {part!r}")
    return found


def _pair(text: str, place: str) -> tuple[str, str]:
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not value:
        raise click.UsageError(f"{place}: write KEY=VALUE, got {text!r}")
    return key, value


def _number(column: str, value: Any) -> float:
    from theory.problems.numbers import parse_number

    number = parse_number(value, _word(column)) if isinstance(value, str) else value
    whole = column in _WHOLE and Fraction(number).denominator == 1
    return int(number) if whole else as_float(number, _word(column))


def _word(column: str) -> str:
    return {"alpha": "step-size"}.get(column, column.rstrip("_"))


def _variant(rule: type[Rule], key: str, value: str) -> Any:
    """A word, yes or no, or a number, as the default is."""
    from theory.problems.numbers import parse_number

    default = rule.options()[key].default
    if isinstance(default, str):
        return value
    if isinstance(default, bool):
        if value not in ("yes", "no"):
            raise click.UsageError(f"--set: {key} is yes or no, got {value!r}")
        return value == "yes"
    return float("inf") if value == "inf" else as_float(parse_number(value, key), key)


def own_settings(rule: Rule) -> dict[str, Any]:
    """What makes two lines of one learner different: step counts, and variants that are numbers or were chosen."""
    found: dict[str, Any] = {c: getattr(rule, c) for c in ("n", "window") if c in rule.columns}
    for name, choice in rule.options().items():
        if name in rule.arithmetic:
            continue
        value, plain = getattr(rule, name), choice.words or isinstance(choice.default, bool)
        if value != choice.default or not (plain or rule.obstacle()):
            found[name] = value
    return {name: str(value) if isinstance(value, Fraction) else value for name, value in found.items()}


def label(rule: Rule) -> str:
    """The learner's name, and what tells it from others of that name."""
    return " ".join([rule.name, ", ".join(f"{name}={value}" for name, value in own_settings(rule).items())]).strip()
