"""The documentation site, ``make docs``: tutorials as they are, and pages that are made from the code.

Made are one page a statement (verified while the site is built), the catalogue and the public names. Mathematics
becomes MathML here, so that a page needs nothing from elsewhere.
"""

import inspect
import re
from pathlib import Path

import theory
from theory.report.mathml import mathml

project, author = "chained-td", "The chained-td developers"
copyright = author
version = release = theory.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"chained-td {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"
add_module_names = False

HERE = Path(__file__).parent
MADE = HERE / "_made"  # not committed


def statement_page(name):
    """A statement with all that shows it, under the id by which it is cited."""
    from theory.propositions import statement

    finding, module = theory.verify(name), inspect.getmodule(statement(name).counterexamples)
    card = re.sub(r" in \d+\.\d+ s", "", finding._repr_markdown_().removeprefix("### "))  # same bytes every time
    lines = [f"({name})=", f"# {card}", "", "## See it yourself", "", "```console"]
    lines += [f"$ theory verify {name} --strict", "```", "", f"To cite it: *{name}*, chained-td {version}."]
    lines += ["", "## Derivation", "", "```text", own_words(name, inspect.cleandoc(module.__doc__)), "```"]
    proofs = [outcome for outcome in finding.outcomes if outcome.verdict == "proved"]
    if proofs:
        lines += ["", "## Proof", "", "Each identity follows by expanding; names in brackets are what is used.", ""]
    for outcome in proofs:
        lines += ["```text", str(outcome), str(outcome.certificate), "```", ""]
    return "\n".join(lines)


def own_words(name, text):
    """What a file says of this statement, where it has several: each begins with its id and a colon."""
    parts = re.split(rf"\n\n(?=(?:{'|'.join(theory.statements())}): )", text)
    return next(part for part in parts if part.startswith(f"{name}: "))


def catalogue_page():
    """The named problems."""
    lines = ["# The catalogue", "", "`theory inspect NAME`; parameters behind a colon, `kolter:p=3/5,gamma=9/10`.", ""]
    for name, entry in theory.catalogue().items():
        parameters = ", ".join(f"`{key}` = {value.default}" for key, value in entry.parameters.items())
        lines += [f"## {name}", "", f"*{escaped(entry.title)}.* {escaped(entry.famous_for)}", ""]
        lines += [f"Source: {escaped(entry.source)}", "", f"Parameters: {parameters}" if parameters else "", ""]
    return "\n".join(lines)


def commands_page():
    """Every command, from its help."""
    import click

    from theory.cli import COMMANDS, cli

    lines = [
        "# Command reference",
        "",
        "What `theory COMMAND --help` prints; by task in [All commands](../commands.md).",
        "",
    ]
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        context = click.Context(command, info_name=f"theory {name}", terminal_width=88, max_content_width=88)
        lines += [f"## theory {name}", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(lines)


def api_page():
    """The public names, from their docstrings."""
    lines = ["# API reference", "", "What `import theory` gives; by task in [Python API](../python_api.md).", ""]
    for name in theory.__all__:
        thing = getattr(theory, name)
        kind = "autoexception" if isinstance(thing, type) and issubclass(thing, Exception) else "autoclass"
        kind = kind if isinstance(thing, type) else "autofunction"
        lines += [f"## {name}", "", "```{eval-rst}", f".. {kind}:: {thing.__module__}.{thing.__qualname__}"]
        lines += ["   :members:" if kind == "autoclass" else "", "```", ""]
    return "\n".join(lines)


def escaped(text):
    """Text in which Markdown finds nothing to set."""
    return re.sub(r"[*_|`\\\[\]~$<&]", lambda match: f"&#{ord(match[0])};", text)


def make_pages(app):
    """Before Sphinx reads what there is."""
    pages = {"catalogue": catalogue_page(), "api": api_page(), "commands": commands_page()}
    statements = theory.statements()
    rows = [f"{name}" for name in statements]
    pages |= {f"statements/{name}": statement_page(name) for name in statements}
    contents = ["# Statements", "", "Every statement of the paper, and those beyond it, by its permanent id.", ""]
    pages["statements/index"] = "\n".join([*contents, "```{toctree}", ":maxdepth: 1", "", *rows, "```"])
    text = (HERE.parent / "CONTRIBUTING.md").read_text()
    pages["contributing"] = re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", text)
    for name, text in pages.items():
        path = MADE / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def keep_inside(app, name, source):
    """Links to files of the repository become their words: the site stands alone."""
    source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(\.\./(?!python_api)[^)]*\)", r"\1", source[0])


def inline(self, node):
    """A formula in a line."""
    from docutils import nodes

    self.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def display(self, node):
    """A formula of its own."""
    from docutils import nodes

    self.body.append(f'<div class="math">{mathml(node.astext(), display=True)}</div>')
    raise nodes.SkipNode


def setup(app):
    """Hooks for Sphinx."""
    app.connect("builder-inited", make_pages)
    app.connect("source-read", keep_inside)
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
