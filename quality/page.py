"""An evaluation as one HTML page with inline plots: it opens without a server and loads nothing. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

STYLE = """
:root{color-scheme:light dark;--ink:#1c2024;--soft:#5b636b;--line:#d5dade;--page:#fff;--box:#f5f7f8;
--c0:#2864b4;--c1:#b5541c;--c2:#1c7a4a;--c3:#7a3fa0}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa4ad;--line:#3a4249;--page:#14181b;--box:#1d2328;
--c0:#7fb2f0;--c1:#f0a070;--c2:#6fd09a;--c3:#c79be8}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);margin:2rem auto;max-width:70rem;
padding:0 1rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;margin:.5rem 0 1.5rem}
th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--line)}th:first-child,td:first-child,
th.text,td.text{text-align:left}th{color:var(--soft);font-weight:600}small,.soft{color:var(--soft)}
svg{width:100%;height:auto;background:var(--box);border-radius:6px}
svg text{fill:var(--soft);font:12px system-ui,sans-serif}
details{background:var(--box);border-radius:6px;padding:.5rem .8rem;margin:.4rem 0}summary{cursor:pointer}
.better{color:var(--c2)}.worse{color:var(--c1)}pre{white-space:pre-wrap;font:13px/1.45 ui-monospace,monospace}
.wide{overflow-x:auto}
"""
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 900, 280, 50, 20, 50


def page(evaluation: Mapping[str, Any]) -> str:
    """HTML of what `flows.evaluating.evaluate` gives."""
    parts = [f"<h1>Evaluation of {escape(evaluation['knowledge_base'])}, release {evaluation['release']}</h1>"]
    for part in evaluation["sets"]:
        parts.append(f"<h2>{escape(part['name'])}</h2>")
        parts += [_measures(part["configurations"]), _bars(part["configurations"])]
    parts += ["<h2>Latency</h2>", _latency(evaluation["latency"])]
    if len(evaluation["trend"]) > 1:
        parts += ["<h2>Recall@5 over releases</h2>", _trend(evaluation["trend"])]
    if evaluation.get("comparison"):
        parts.append(_comparison(evaluation["comparison"]))
    parts += ["<h2>Settings</h2>", f"<pre>{escape(_settings(evaluation['settings']))}</pre>"]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Evaluation</title><style>{STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _settings(settings: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in settings.items())


def _measures(configurations: Mapping[str, Any]) -> str:
    names = ("hit@1", "hit@5", "recall@5", "ndcg@10", "mrr")
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = []
    for configuration, found in configurations.items():
        for kind, means in found["classes"].items():
            cells = "".join(_cell(means[name]) for name in names)
            rows.append(
                f"<tr><td>{escape(configuration)}</td><td class=text>{kind}</td><td>{means['n']}</td>{cells}</tr>"
            )
        silent, denied = found["no_answer"], found["denied"]
        apart = (
            f"no answer: {silent['n'] - silent['answered']} of {silent['n']} silent; "
            f"denied: {denied['leaking']} of {denied['n']} leak; failed: {len(found['failed'])}"
        )
        rows.append(
            f"<tr><td>{escape(configuration)}</td><td class='text soft' colspan={len(names) + 2}>{apart}</td></tr>"
        )
    return (
        f"<div class=wide><table><tr><th>configuration</th><th class=text>class</th><th>n</th>{head}</tr>"
        f"{''.join(rows)}</table></div>"
    )


def _cell(mean: Mapping[str, Any]) -> str:
    return f"<td>{mean['value']:.3f}<br><small>{mean['low']:.2f} to {mean['high']:.2f}</small></td>"


def _axis() -> str:
    plot = HEIGHT - TOP - BOTTOM
    return "".join(
        f'<line x1="{LEFT}" x2="{WIDTH}" y1="{TOP + plot * (1 - share)}" y2="{TOP + plot * (1 - share)}" '
        f'stroke="var(--line)"/><text x="8" y="{TOP + plot * (1 - share) + 4}">{share:.2f}</text>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    )


def _legend(names: Sequence[str]) -> str:
    return "".join(
        f'<rect x="{LEFT + number * 200}" y="{HEIGHT - 18}" width="12" height="12" fill="var(--c{number % 4})"/>'
        f'<text x="{LEFT + number * 200 + 18}" y="{HEIGHT - 8}">{escape(name)}</text>'
        for number, name in enumerate(names)
    )


def _bars(configurations: Mapping[str, Any]) -> str:
    """Recall@5 by class and configuration, with intervals."""
    names = list(configurations)
    kinds = list(dict.fromkeys(kind for found in configurations.values() for kind in found["classes"]))
    plot, group = HEIGHT - TOP - BOTTOM, (WIDTH - LEFT) / max(1, len(kinds))
    width = group * 0.8 / max(1, len(names))
    drawn = []
    for place, kind in enumerate(kinds):
        drawn.append(
            f'<text x="{LEFT + group * (place + 0.4)}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{kind}</text>'
        )
        for number, name in enumerate(names):
            mean = configurations[name]["classes"].get(kind, {}).get("recall@5")
            if mean is None:
                continue
            x, y = LEFT + group * place + width * number, TOP + plot * (1 - mean["value"])
            middle, low, high = x + width / 2, TOP + plot * (1 - mean["low"]), TOP + plot * (1 - mean["high"])
            drawn.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width * 0.9:.1f}" height="{plot * mean["value"]:.1f}" '
                f'fill="var(--c{number % 4})"><title>{escape(name)}, {kind}: {mean["value"]:.3f}</title></rect>'
                f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="var(--ink)"/>'
            )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="recall at 5 by class and configuration">'
        f"{_axis()}{''.join(drawn)}{_legend(names)}</svg>"
    )


def _latency(rows: Sequence[Mapping[str, Any]]) -> str:
    most = max((row["p95_ms"] for row in rows), default=1.0) or 1.0
    lines = []
    for row in rows:
        share = 100 * row["p95_ms"] / most
        bar = '<svg viewBox="0 0 100 8" preserveAspectRatio="none" style="height:8px">'
        bar += f'<rect width="{share:.1f}" height="8" '
        bar += 'fill="var(--c0)"/></svg>'
        lines.append(
            f"<tr><td>{escape(row['configuration'])}</td><td class=text>{row['state']}</td>"
            f"<td>{row['concurrency']}</td><td>{row['n']}</td><td>{row['p50_ms']:.1f}</td>"
            f"<td>{row['p95_ms']:.1f}</td><td>{bar}</td></tr>"
        )
    names = ("at a time", "n", "p50 ms", "p95 ms", "")
    head = (
        "<tr><th>configuration</th><th class=text>state</th>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"
    )
    return f"<div class=wide><table>{head}{''.join(lines)}</table></div>"


def _trend(rows: Sequence[Mapping[str, Any]]) -> str:
    """Recall@5 by class over the published releases, as their gates measured it."""
    kinds = list(dict.fromkeys(kind for row in rows for kind in row["recall@5"]))
    plot, step = HEIGHT - TOP - BOTTOM, (WIDTH - LEFT - 40) / max(1, len(rows) - 1)
    drawn = [
        f'<text x="{LEFT + step * place}" y="{HEIGHT - BOTTOM + 16}">{row["release"]}</text>'
        for place, row in enumerate(rows)
    ]
    for number, kind in enumerate(kinds):
        points = " ".join(
            f"{LEFT + step * place:.1f},{TOP + plot * (1 - row['recall@5'][kind]):.1f}"
            for place, row in enumerate(rows)
            if kind in row["recall@5"]
        )
        drawn.append(f'<polyline points="{points}" fill="none" stroke="var(--c{number % 4})" stroke-width="2"/>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="recall at 5 over releases">'
        f"{_axis()}{''.join(drawn)}{_legend(kinds)}</svg>"
    )


def _comparison(comparison: Mapping[str, Any]) -> str:
    rows = []
    for row in comparison["questions"]:
        if row["verdict"] == "same":
            continue
        passages = "".join(
            f"<h4>{name}</h4>"
            + "".join(
                f"<p><small>{escape(hit['document_uri'])}</small><br>{escape(hit['text'])}</p>" for hit in row[name]
            )
            for name in ("before", "after")
        )
        rows.append(
            f"<details><summary><span class={row['verdict']}>{row['verdict']}</span> {escape(row['question'])} "
            f"<small>{escape(row['id'])}: rank {row['was']['first_rank']} to {row['is']['first_rank']}</small>"
            f"</summary>{passages}</details>"
        )
    return (
        f"<h2>Against release {comparison['release']}</h2>"
        f"<p>{comparison['better']} better, {comparison['worse']} worse, {comparison['same']} the same.</p>"
        f"{''.join(rows)}"
    )
