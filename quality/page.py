"""An evaluation as one HTML page with inline plots: it opens without a server and loads nothing. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from quality.evaluation import RANKED_CLASSES
from quality.spec import QUESTION_CLASSES

STYLE = """
:root{color-scheme:light dark;--ink:#1c2024;--soft:#5b636b;--line:#d5dade;--page:#fff;--box:#f5f7f8;
--c0:#2864b4;--c1:#b5541c;--c2:#8a6d00;--c3:#1c7a4a;--c4:#7a3fa0}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa4ad;--line:#3a4249;--page:#14181b;--box:#1d2328;
--c0:#7fb2f0;--c1:#f0a070;--c2:#d9bf55;--c3:#6fd09a;--c4:#c79be8}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:2rem auto;max-width:70rem;
padding:0 1rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;margin:.5rem 0 1.5rem}
th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--line)}th:first-child,td:first-child,
th.text,td.text{text-align:left}th{color:var(--soft);font-weight:600}small,.soft{color:var(--soft)}
svg{width:100%;height:auto;background:var(--box);border-radius:6px}
svg text{fill:var(--soft);font:12px system-ui,sans-serif}
details{background:var(--box);border-radius:6px;padding:.5rem .8rem;margin:.4rem 0}summary{cursor:pointer}
h2{margin-top:2.5rem}summary{font-weight:600}summary small{font-weight:400;white-space:nowrap}
td:first-child{white-space:nowrap}blockquote{margin:.5rem 0;padding-left:.8rem;border-left:3px solid var(--line)}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:0 2rem}h4{margin:.6rem 0 0}
.best{font-weight:700}.better{color:var(--c3)}.worse{color:var(--c1)}
.wide{overflow-x:auto}
"""
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 1000, 280, 60, 20, 50
COLOURS = 5
MEASURES = ("hit@1", "hit@5", "recall@5", "ndcg@10", "mrr")


def page(evaluation: Mapping[str, Any]) -> str:
    """HTML of what `flows.evaluating.evaluate` gives."""
    parts = [f"<h1>Evaluation of {escape(evaluation['knowledge_base'])}, release {evaluation['release']}</h1>"]
    parts.append(
        f"<p class=soft>{escape(_moment(evaluation['made_at']))}. "
        "Below each mean, and across its bar: its 95 % interval.</p>"
    )
    for part in evaluation["sets"]:
        parts += _set(part)
    if evaluation["latency"]:
        parts += ["<h2>Latency</h2>", *_latency(evaluation["latency"]), _by_class(evaluation["latency_by_class"])]
    if len(evaluation["trend"]) > 1:
        parts += ["<h2>Recall@5 over releases</h2>", *_trend(evaluation["trend"])]
    if evaluation.get("comparison"):
        parts.append(_comparison(evaluation["comparison"]))
    rows = [(escape(name), escape(_setting(value))) for name, value in evaluation["settings"].items()]
    parts += ["<h2>Settings</h2>", _table(("setting", "value"), rows, text=2)]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Evaluation</title><style>{STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _moment(written: str) -> str:
    return written.replace("T", " ").replace("+00:00", " UTC")


def _setting(value: Any) -> str:
    """A value as people write it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_setting(inner)}" for name, inner in value.items()) or "by default"
    return str(value)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], text: int = 1) -> str:
    """A table of cells that are HTML; the first `text` columns are words, the others figures."""

    def line(tag: str, cells: Sequence[str]) -> str:
        marked = (f"<{tag}{' class=text' if place < text else ''}>{cell}</{tag}>" for place, cell in enumerate(cells))
        return f"<tr>{''.join(marked)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<div class=wide><table>{line('th', [escape(name) for name in names])}{body}</table></div>"


def _set(part: Mapping[str, Any]) -> list[str]:
    """One file of questions: recall by class and configuration, what is apart from the means, and all figures."""
    found = part["configurations"]
    kinds = list(dict.fromkeys(kind for each in found.values() for kind in each["classes"]))
    groups = {
        kind: [
            (mean["value"], mean["low"], mean["high"])
            if (mean := each["classes"].get(kind, {}).get("recall@5"))
            else None
            for each in found.values()
        ]
        for kind in kinds
    }
    return [
        f"<h2>{escape(part['name'])}: {part['questions']} questions</h2><h3>Recall@5 by class and configuration</h3>",
        _bars(groups, list(found), 1.0),
        _recall(found, kinds),
        "<h3>Apart from the means</h3>",
        _apart(found),
        _missed(part),
        _wrong(part),
        f"<p>{_chosen(part)} {_candidates(part['candidates'])} {escape(routing(part['routing']))}</p>",
        f"<details><summary>All measures</summary>{_measures(found)}</details>",
        f"<details><summary>Questions</summary>{_questions(found)}</details>",
    ]


def _recall(found: Mapping[str, Any], kinds: Sequence[str]) -> str:
    rows = []
    for kind in kinds:
        means = [each["classes"].get(kind) for each in found.values()]
        best = max(mean["recall@5"]["value"] for mean in means if mean)
        n = next(mean["n"] for mean in means if mean)
        cells = [_cell(mean["recall@5"], best) if mean else "" for mean in means]
        rows.append([escape(kind), str(n), *cells])
    return _table(("class", "n", *found), rows)


def _cell(mean: Mapping[str, Any], best: float = 2.0) -> str:
    shown = f"<span class=best>{mean['value']:.3f}</span>" if mean["value"] >= best else f"{mean['value']:.3f}"
    return f"{shown}<br><small>{mean['low']:.2f} to {mean['high']:.2f}</small>"


def _apart(found: Mapping[str, Any]) -> str:
    rows = []
    for name, each in found.items():
        silent, denied = each["no_answer"], each["denied"]
        rows.append(
            [
                escape(name),
                f"{silent['n'] - silent['answered']} of {silent['n']}",
                f"{denied['leaking']} of {denied['n']}",
                str(len(each["failed"])),
            ]
        )
    return _table(("configuration", "no answer: silent", "denied: leaking", "failed"), rows)


def _chosen(part: Mapping[str, Any]) -> str:
    floors = ", ".join(f"{name} {floor}" for name, floor in part["thresholds"].items() if floor is not None)
    if not floors:
        return "No thresholds are set, so no configuration is named as good enough."
    if part["simplest"] is None:
        return (
            f"No configuration reaches {floors}, is silent without an answer, and leaks nothing, over enough questions."
            f"{_passed_over(part)}"
        )
    return (
        f"The simplest that reaches {floors}, is silent without an answer and leaks nothing: {part['simplest']}."
        f"{_passed_over(part)}"
    )


def _passed_over(part: Mapping[str, Any]) -> str:
    return "".join(f" Not taken: {name}, {'; '.join(reasons)}." for name, reasons in part["passed_over"].items())


def _wrong(part: Mapping[str, Any]) -> str:
    """Questions that could not be asked, and labels that do not hold."""
    rows = [(row["id"], f"could not be asked by {row['by']}: {row['error']}") for row in failures(part)]
    rows += [(row["id"], f"stale label: {row['document']}: {row['reason']}") for row in part["stale"]]
    return (
        _table(("question", "what is wrong"), [[escape(cell) for cell in row] for row in rows], text=2) if rows else ""
    )


def _missed(part: Mapping[str, Any]) -> str:
    """Questions that the last configuration misses, and why."""
    rows = [[escape(row["id"]), escape(row["class"]), escape(row["reason"])] for row in part.get("missed", ())]
    name = list(part["configurations"])[-1]
    title = f"<h3>Missed at 5 by {escape(name)}</h3>"
    return title + _table(("question", "class", "why"), rows, text=3) if rows else ""


def failures(part: Mapping[str, Any]) -> list[dict[str, str]]:
    """{id, error, by}: questions that could not be asked, with the configurations that met the error."""
    by: dict[tuple[str, str], list[str]] = {}
    for name, each in part["configurations"].items():
        for failed in each["failed"]:
            by.setdefault((failed["id"], failed["error"]), []).append(name)
    return [{"id": key, "error": error, "by": ", ".join(names)} for (key, error), names in by.items()]


def _candidates(told: Mapping[str, Any]) -> str:
    return (
        f"Of {told['spans']} expected places {told['both']} are among the first {told['limit']} hits of both arms, "
        f"{told['lexical']} of keywords alone, {told['dense']} of meaning alone, {told['neither']} of neither."
    )


def routing(told: Mapping[str, Any]) -> str:
    """A sentence on what routing would do to the questions that are nothing but identifiers; "" when there are none."""
    if not told["questions"]:
        return ""
    lost = f" ({', '.join(told['lost'])})" if told["lost"] else ""
    one = told["questions"] == 1
    routed = (
        "1 question that is nothing but an identifier"
        if one
        else f"{told['questions']} questions that are nothing but identifiers"
    )
    return (
        f"Routing sends {routed} to keywords alone: "
        f"{told['better']} better, {told['worse']} worse{lost}, {told['same']} the same."
    )


def _measures(found: Mapping[str, Any]) -> str:
    rows = [
        [escape(configuration), escape(kind), str(means["n"]), *(_cell(means[name]) for name in MEASURES)]
        for configuration, each in found.items()
        for kind, means in each["classes"].items()
    ]
    return _table(("configuration", "class", "n", *MEASURES), rows, text=2)


def _questions(found: Mapping[str, Any]) -> str:
    """First rank of what is expected in each configuration; questions that any of them misses first."""
    ranks: dict[tuple[str, str], dict[str, int | None]] = {}
    for name, each in found.items():
        for row in each["questions"]:
            ranks.setdefault((row["id"], row["class"]), {})[name] = row["first_rank"]
    order = sorted(ranks, key=lambda key: (-sum(rank != 1 for rank in ranks[key].values()), key))
    rows = [
        [
            escape(key[0]),
            escape(key[1]),
            *(_rank(ranks[key][name]) if name in ranks[key] else "failed" for name in found),
        ]
        for key in order
    ]
    return _table(("question", "class", *found), rows, text=2)


def _rank(rank: int | None) -> str:
    return "<span class=worse>none</span>" if rank is None else str(rank)


def _axis(most: float) -> str:
    plot = HEIGHT - TOP - BOTTOM
    return "".join(
        f'<line x1="{LEFT}" x2="{WIDTH}" y1="{TOP + plot * (1 - share)}" y2="{TOP + plot * (1 - share)}" '
        f'stroke="var(--line)"/><text x="{LEFT - 8}" y="{TOP + plot * (1 - share) + 4}" text-anchor="end">'
        f"{most * share:.{2 if most <= 1 else 0}f}</text>"
        for share in (0, 0.25, 0.5, 0.75, 1)
    )


def _round_up(most: float) -> float:
    """The least top of an axis of four steps that people can read."""
    least = max(most, 0.004) / 4
    power = 10.0 ** math.floor(math.log10(least))
    return 4 * next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= least)


def _legend(names: Sequence[str]) -> str:
    step = (WIDTH - LEFT) / max(COLOURS, len(names))
    return "".join(
        f'<rect x="{LEFT + number * step:.0f}" y="{HEIGHT - 18}" width="12" height="12" '
        f'fill="var(--c{number % COLOURS})"/>'
        f'<text x="{LEFT + number * step + 18:.0f}" y="{HEIGHT - 8}">{escape(name)}</text>'
        for number, name in enumerate(names)
    )


Bar = tuple[float, float, float]
"""Height, and the ends of the line across it."""


def _bars(groups: Mapping[str, Sequence[Bar | None]], names: Sequence[str], most: float) -> str:
    """Bars of each name in each group, with a line from low to high; `most` is the top of the axis."""
    plot, group = HEIGHT - TOP - BOTTOM, (WIDTH - LEFT) / max(1, len(groups))
    width = group * 0.8 / max(1, len(names))
    drawn = []
    for place, (label, bars) in enumerate(groups.items()):
        middle_of_group = LEFT + group * place + group * 0.4
        drawn.append(
            f'<text x="{middle_of_group:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{escape(label)}</text>'
        )
        for number, (name, bar) in enumerate(zip(names, bars, strict=True)):
            if bar is None:
                continue
            value, low, high = (share / most for share in bar)
            x, middle = LEFT + group * place + width * number, LEFT + group * place + width * (number + 0.45)
            drawn.append(
                f'<rect x="{x:.1f}" y="{TOP + plot * (1 - value):.1f}" width="{width * 0.9:.1f}" '
                f'height="{plot * value:.1f}" fill="var(--c{number % COLOURS})">'
                f"<title>{escape(name)}, {escape(label)}: {bar[0]:.4g} ({bar[1]:.4g} to {bar[2]:.4g})</title></rect>"
                f"{_line(middle, TOP + plot * (1 - low), TOP + plot * (1 - high))}"
            )
    label = f"{', '.join(names)} by {', '.join(groups)}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f"{_axis(most)}{''.join(drawn)}{_legend(names)}</svg>"
    )


def _line(x: float, start: float, end: float) -> str:
    """An upright line that is seen on a bar and beside it, in light and dark."""
    return "".join(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{start:.1f}" y2="{end:.1f}" stroke="var(--{colour})" '
        f'stroke-width="{width}"/>'
        for colour, width in (("box", 4), ("ink", 1.5))
    )


def _latency(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Median with a line up to the 95th percentile, and both as a table."""
    names = list(dict.fromkeys(row["configuration"] for row in rows))
    found = {(row["configuration"], row["state"], row["concurrency"]): row for row in rows}
    states = list(dict.fromkeys((row["state"], row["concurrency"]) for row in rows))
    groups: dict[str, list[Bar | None]] = {
        f"{state}, {together} at a time": [
            (row["p50_ms"], row["p50_ms"], row["p95_ms"]) if (row := found.get((name, state, together))) else None
            for name in names
        ]
        for state, together in states
    }
    most = _round_up(max((row["p95_ms"] for row in rows), default=1.0))
    cells = [
        [
            escape(name),
            *(
                f"{row['p50_ms']:.1f}<br><small>{row['p95_ms']:.1f}</small>"
                if (row := found.get((name, *state)))
                else ""
                for state in states
            ),
        ]
        for name in names
    ]
    told = (
        f"<p class=soft>Milliseconds of whole searches, {rows[0]['n']} questions: median, below it (the line) p95.</p>"
    )
    return [told, _bars(groups, names, most), _table(("configuration", *groups), cells)]


def _by_class(rows: Sequence[Mapping[str, Any]]) -> str:
    cells = [
        [
            escape(row["configuration"]),
            escape(row["class"]),
            str(row["n"]),
            f"{row['p50_ms']:.1f}",
            f"{row['p95_ms']:.1f}",
            f"{row['embedded_tokens']:g}",
        ]
        for row in rows
    ]
    names = ("configuration", "class", "n", "p50 ms", "p95 ms", "embedded tokens a question")
    return (
        f"<details><summary>Latency and cost by class, one at a time</summary>{_table(names, cells, text=2)}</details>"
    )


def _trend(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Recall@5 over the published releases, as their gates measured it: a plot for each class, side by side so that no
    line hides another, and the figures."""
    kinds = [kind for kind in RANKED_CLASSES if any(kind in row["recall@5"] for row in rows)]
    wide = (WIDTH - LEFT) / max(1, len(kinds))
    drawn = [_line_of(kind, rows, LEFT + wide * number, wide) for number, kind in enumerate(kinds)]
    svg = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="recall at 5 over releases">'
    cells = [
        [str(row["release"]), *(f"{row['recall@5'][kind]:.3f}" if kind in row["recall@5"] else "" for kind in kinds)]
        for row in reversed(rows)
    ]
    return [
        "<p class=soft>As the gate of each published release measured it, the newest on the right.</p>",
        f"{svg}{_axis(1.0)}{''.join(drawn)}</svg>",
        f"<details><summary>Figures by release</summary>{_table(('release', *kinds), cells)}</details>",
    ]


def _line_of(kind: str, rows: Sequence[Mapping[str, Any]], left: float, wide: float) -> str:
    """The line of one class, in a plot of its own."""
    plot, step = HEIGHT - TOP - BOTTOM, (wide - 60) / max(1, len(rows) - 1)
    points = [
        (left + 20 + step * place, TOP + plot * (1 - row["recall@5"][kind]), row)
        for place, row in enumerate(rows)
        if kind in row["recall@5"]
    ]
    told = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    parts = [f'<polyline points="{told}" fill="none" stroke="var(--c0)" stroke-width="2"/>']
    parts += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="var(--c0)">'
        f"<title>{escape(kind)}, release {row['release']}: {row['recall@5'][kind]:.3f}</title></circle>"
        for x, y, row in points
    ]
    every, below = -(-len(rows) // 8), HEIGHT - BOTTOM + 16
    parts += [
        f'<text x="{left + 20 + step * place:.1f}" y="{below}" text-anchor="middle">{row["release"]}</text>'
        for place, row in enumerate(rows)
        if (len(rows) - 1 - place) % every == 0
    ]
    middle = left + wide / 2 - 10
    parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(kind)}</text>')
    return "".join(parts)


def _comparison(comparison: Mapping[str, Any]) -> str:
    left = comparison["not_compared"]
    return (
        f"<h2>Against release {comparison['release']}</h2>"
        f"<p>{comparison['better']} better, {comparison['worse']} worse, {comparison['same']} the same"
        f"{f', not compared: {escape(chr(44).join(left))}' if left else ''}.</p>"
        f"{_verdicts(comparison['questions'])}"
        f"{''.join(_compared(row) for row in comparison['questions'] if row['verdict'] != 'same')}"
    )


def _verdicts(rows: Sequence[Mapping[str, Any]]) -> str:
    """Better, worse and same questions by class."""
    verdicts = ("better", "worse", "same")
    counts = Counter((row["class"], row["verdict"]) for row in rows)
    kinds = [kind for kind in QUESTION_CLASSES if any((kind, verdict) in counts for verdict in verdicts)]
    return _table(("class", *verdicts), [[kind, *(str(counts[kind, name]) for name in verdicts)] for kind in kinds])


def _compared(row: Mapping[str, Any]) -> str:
    """One question with what is expected, and what it found before beside what it finds now."""
    expected = "".join(
        f"<blockquote><small>expected in {escape(span['document'])}</small><br>{escape(span['quote'])}</blockquote>"
        for span in row.get("expected", ())
    )
    sides = "".join(
        f"<div><h4>{name}</h4>" + ("".join(map(_passage, row[name])) or "<p class=soft>no hit</p>") + "</div>"
        for name in ("before", "after")
        if name in row
    )
    return (
        f"<details><summary><span class={row['verdict']}>{row['verdict']}</span> {escape(row['question'])} "
        f"<small>{escape(row['id'])}: {standing(row['was'])} to {standing(row['is'])}</small>"
        f"</summary>{expected}<div class=sides>{sides}</div></details>"
    )


def _passage(hit: Mapping[str, Any]) -> str:
    rank = f"{hit['rank']}. " if "rank" in hit else ""
    here = " (holds what is expected)" if hit.get("holds") else ""
    return f"<p><small>{rank}{escape(hit['document_uri'])}{here}</small><br>{escape(hit['text'])}</p>"


def standing(row: Mapping[str, Any]) -> str:
    """Where a question stands in one of two releases: "rank 3", "not found", "silent", "leaking"."""
    if "state" in row:
        return str(row["state"])
    return f"rank {row['first_rank']}" if row["first_rank"] else "not found"
