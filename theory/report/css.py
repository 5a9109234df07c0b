"""The report's style sheet: one column to read, light and dark, screen, phone and paper; no font is loaded."""

from __future__ import annotations

CSS = """\
:root {
  color-scheme: light dark;
  --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --rule: #d0d7de; --tint: #f4f6f8; --link: #0550ae; --card: #ffffff;
  --shade: #8c959f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --soft: #a0a9b3; --paper: #15191e; --rule: #3a424b; --tint: #1e242b; --link: #7cb7ff;
    --shade: #768390;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif;
}
main { max-width: 50rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; overflow-wrap: break-word; }
h1, h2, h3, nav, table, figcaption, .skip { font-family: system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 1rem 0 0.75rem; }
h2 { font-size: 1.45rem; line-height: 1.25; margin: 3rem 0 0.75rem; padding-top: 0.75rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1.1rem; line-height: 1.3; margin: 2rem 0 0.5rem; }
p, ul, ol { margin: 0.7rem 0; }
li { margin: 0.25rem 0; }
a { color: var(--link); text-underline-offset: 0.15em; text-decoration-thickness: 0.06em; }
a:focus-visible, .scroll:focus-visible { outline: 0.15rem solid var(--link); outline-offset: 0.15rem; }
a.anchor { color: var(--soft); text-decoration: none; opacity: 0; margin-left: 0.35em; font-weight: 400; }
:is(h2, h3):hover a.anchor, a.anchor:focus { opacity: 1; }
:target { background: var(--tint); box-shadow: -0.5rem 0 0 var(--tint), -0.7rem 0 0 var(--link); }
.skip { position: absolute; left: -99rem; padding: 0.5rem 0.8rem; background: var(--paper); z-index: 2; }
.skip:focus { left: 0.5rem; top: 0.5rem; }
code { font: 0.86em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  background: var(--tint); padding: 0.08em 0.3em; border-radius: 0.25em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
td code { white-space: nowrap; }
td a code { white-space: normal; }
td code.long { white-space: normal; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 1rem 0; scrollbar-width: thin;
  background: linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 2.5rem 100% local,
    linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 2.5rem 100% local,
    linear-gradient(to right, var(--shade), transparent) 0 0 / 0.9rem 100% scroll,
    linear-gradient(to left, var(--shade), transparent) 100% 0 / 0.9rem 100% scroll;
  background-repeat: no-repeat; }
.scroll.within { display: inline-block; max-width: 100%; margin: 0; overflow-y: hidden; vertical-align: bottom; }
table { border-collapse: collapse; font-size: 0.86rem; line-height: 1.4; min-width: min(100%, 24rem); }
th, td { padding: 0.35rem 0.45rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--soft); vertical-align: bottom; font-weight: 600; }
td { font-variant-numeric: tabular-nums; }
th.right, td.right { text-align: right; }
td.right { white-space: nowrap; }
th.center, td.center { text-align: center; }
figure { margin: 1.5rem 0; }
figure img { display: block; width: 100%; max-width: var(--width, 100%); height: auto; margin: 0 auto;
  background: var(--card); border: 1px solid var(--rule); border-radius: 0.4rem; padding: 0.6rem; }
figcaption { font-size: 0.88rem; line-height: 1.45; color: var(--soft); margin-top: 0.5rem; }
figcaption strong { color: var(--ink); }
math { font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", "Libertinus Math", math, serif; }
.formula { display: flex; flex-wrap: wrap; justify-content: safe center; gap: 0.3em 1.6em; padding: 0.2em 0; }
.formula .one { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15em 0; }
.formula math { font-size: 1.06em; width: max-content; }
mo.drawn { display: none; }
mtable.matrix { margin: 0 0.15em; padding: 0.15em 0.3em; border: 0 solid; border-width: 0 0.09em; }
mtable.round { border-radius: 0.75em / 50%; }
mtable.square { border-width: 0; padding: 0.15em 0.4em;
  --bar: linear-gradient(currentColor, currentColor);
  background: var(--bar) 0 0 / 0.09em 100%, var(--bar) 100% 0 / 0.09em 100%, var(--bar) 0 0 / 0.35em 0.09em,
    var(--bar) 100% 0 / 0.35em 0.09em, var(--bar) 0 100% / 0.35em 0.09em, var(--bar) 100% 100% / 0.35em 0.09em;
  background-repeat: no-repeat; }
mtable.matrix mtd { padding: 0.2em 0.4em; }
nav { font-size: 0.92rem; line-height: 1.4; }
nav h2 { margin-top: 2rem; }
nav ul { padding-left: 1.2rem; }
@media (min-width: 78rem) {
  body { padding-left: 17rem; }
  nav { position: fixed; top: 0; left: 0; bottom: 0; width: 17rem; overflow-y: auto; padding: 1.5rem 1rem 1.5rem 1.5rem;
    border-right: 1px solid var(--rule); background: var(--tint); }
  nav h2 { margin-top: 0; border: 0; padding: 0; font-size: 1rem; }
  nav ul { list-style: none; padding: 0; }
  nav ul ul { padding-left: 0.9rem; }
  main { max-width: 54rem; }
}
@media (max-width: 40rem) {
  .prose table, .prose tbody, .prose tr, .prose td { display: block; }
  .prose thead { position: absolute; left: -99rem; }
  .prose tr { padding: 0.6rem 0; border-bottom: 1px solid var(--rule); }
  .prose td { border: 0; padding: 0.1rem 0; }
  .prose td::before { content: attr(data-label) ": "; color: var(--soft); }
  .prose td:first-child::before { content: none; }
  body { font-size: 1rem; }
  main { padding: 0.5rem 0.9rem 3rem; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
  table { font-size: 0.8rem; } th, td { padding: 0.3rem 0.45rem; }
  figure img { padding: 0.2rem; min-width: min(var(--width, 0px), 38rem); }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #333; --paper: #fff; --rule: #999; --tint: #fff; --link: #000; }
  @page { margin: 17mm 15mm 18mm; }
  html { font-size: 12.6px; }
  body { font-size: 1rem; line-height: 1.42; padding: 0; }
  main { max-width: none; padding: 0; }
  .skip, a.anchor { display: none; }
  nav { position: static; width: auto; padding: 0; border: 0; background: none; }
  h2 { margin-top: 1.6rem; } h3 { margin-top: 1.1rem; }
  h1, h2, h3 { break-after: avoid; }
  figure, tr, .formula, .short { break-inside: avoid; }
  figure img { width: auto; min-width: 0; max-width: 100%; max-height: 8.6cm; }
  p:has(+ .scroll) { break-after: avoid; }
  figcaption { break-before: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  .scroll { background: none; }
  .formula math { font-size: 0.95em; }
  table { font-size: 0.79rem; width: 100%; }
  th, td { padding: 0.2rem 0.35rem; overflow-wrap: break-word; }
  code { background: none; padding: 0; }
  a { text-decoration: none; }
  main a[href^="http"]::after { content: " (" attr(href) ")"; font-size: 0.85em; overflow-wrap: anywhere; }
}
"""
