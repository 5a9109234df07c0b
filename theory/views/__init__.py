"""A result as text, JSON or HTML: one way each.

A result says what there is to see as a `Page` of prose and tables (`theory.views.page`); the page knows how to fit a
terminal (`theory.views.text`) and how to be HTML (`theory.views.html`). `theory.commands.common` makes JSON of it.
"""
