"""The one stylesheet of all pages: colours by name, for light and dark screens and for paper."""

from __future__ import annotations

#: Colours by their use; text on ``paper`` or ``soft`` has a contrast of at least 4.5.
LIGHT = {
    "paper": "#ffffff",
    "soft": "#f1f3f5",
    "ink": "#1b1f24",
    "quiet": "#505860",
    "line": "#c4cad0",
    "link": "#0b5cad",
    "good": "#0a6640",
    "bad": "#a3241b",
    "open": "#7a4d00",
}
DARK = {
    "paper": "#15181c",
    "soft": "#20252b",
    "ink": "#e6e9ec",
    "quiet": "#a9b2bb",
    "line": "#49525b",
    "link": "#7cb7ff",
    "good": "#6fd1a0",
    "bad": "#ff9a8f",
    "open": "#f0bc62",
}

_RULES = """
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.1rem; line-height: 1.3; margin: 2rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
h1, h2, h3, h4 { break-after: avoid; overflow-wrap: anywhere; }
p, li, figcaption { overflow-wrap: anywhere; }
header p { font-size: 1.1rem; }
a { color: var(--link); }
a.skip { position: absolute; left: -100vw; }
a.skip:focus { position: static; }
nav ul { padding-left: 1.2rem; }
.scroll { overflow-x: auto; margin: .75rem 0; }
.scroll:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
main > section { margin-top: 2.5rem; border-top: 1px solid var(--line); }
main > section > h2 { margin-top: 1rem; }
table { border-collapse: collapse; font-size: .9rem; min-width: min(100%, 32rem); }
caption { text-align: left; padding: .25rem 0; color: var(--quiet); }
th, td { padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; font-weight: normal; }
thead th { font-weight: 600; vertical-align: bottom; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.words { min-width: 8rem; }
tbody th { min-width: 5rem; }
.statements { width: 100%; }
.statements th, .statements td { min-width: 7rem; overflow-wrap: anywhere; }
.statements td:nth-child(2) { min-width: 12rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
pre { padding: .6rem; background: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere;
  font-size: .85rem; }
small { display: block; color: var(--quiet); font-size: .85rem; overflow-wrap: anywhere; }
.figures { display: grid; gap: 1.5rem; margin: 1rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); }
figure { margin: 0; min-width: 0; }
figure .scroll { margin: 0; }
figure svg { display: block; height: auto; background: #fff; }
figcaption { color: var(--quiet); font-size: .9rem; }
@media screen and (max-width: 36rem) {
  .statements thead { position: absolute; left: -100vw; }
  .statements tbody, .statements tr, .statements th, .statements td { display: block; }
  .statements, .statements caption { display: block; }
  .statements tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .statements th, .statements td { padding: .15rem 0; border: 0; }
  .statements th { font-weight: 600; }
}
@media print {
  html { font-size: 10pt; }
  body { max-width: none; padding: 0; }
  nav, a.skip { display: none; }
  tr, pre, figure, li { break-inside: avoid; }
  .scroll { overflow: visible; }
  table, small { font-size: .85rem; }
  th, td { padding-right: .6rem; }
  .number { white-space: normal; }
}
"""


def _colours(chosen: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in chosen.items())


def stylesheet() -> str:
    """Return the stylesheet; paper is always light."""
    return "\n".join(
        [
            f":root {{ color-scheme: light dark; {_colours(LIGHT)} }}",
            "@media screen and (prefers-color-scheme: dark) {",
            f"  :root {{ {_colours(DARK)} }}",
            "}",
            _RULES.strip(),
        ]
    )
