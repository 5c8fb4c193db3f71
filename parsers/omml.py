"""Equations of Office files (OMML) as LaTeX. Source: ECMA-376 part 1, section 22.1."""

from __future__ import annotations

from collections.abc import Callable

from parsers.docx_xml import Node, child, is_on, local, value

_SYMBOLS = {
    **dict(zip("αβγδεζηθικλμνξπρστυφχψω", (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
        "omega").split(), strict=True)),
    **dict(zip("ΓΔΘΛΞΠΣΥΦΨΩ", "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(), strict=True)),
    **dict(zip("ϑϕϵϱςϖ∞∂∇ℏℓ∅", (
        "vartheta phi epsilon varrho varsigma varpi infty partial nabla hbar ell emptyset").split(), strict=True)),
    **dict(zip("×÷±∓⋅∙∘∗≤≥≠≈≡∼≅∝≪≫", (
        "times div pm mp cdot bullet circ ast le ge ne approx equiv sim cong propto ll gg").split(), strict=True)),
    **dict(zip("∈∉⊂⊃⊆⊇∪∩∧∨¬∀∃∄⊕⊗⊥∥", (
        "in notin subset supset subseteq supseteq cup cap wedge vee neg forall exists nexists oplus otimes perp "
        "parallel").split(), strict=True)),
    **dict(zip("→←↔⇒⇐⇔↦↑↓…⋯⋮⋱", (
        "to leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow mapsto uparrow downarrow ldots cdots vdots "
        "ddots").split(), strict=True)),
    **dict(zip("∑∏∐∫∬∭∮∯∰⋃⋂⋀⋁⨁⨂", (
        "sum prod coprod int iint iiint oint oiint oiiint bigcup bigcap bigwedge bigvee bigoplus bigotimes").split(),
        strict=True)),
}  # fmt: skip
_PLAIN = {"−": "-", "–": "-", "⁡": "", "%": r"\%", "#": r"\#", "&": r"\&", "{": r"\{", "}": r"\}"}
_FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max "
    "min Pr sec sin sinh sup tan tanh".split()
)
_ACCENTS = {
    "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "overline", "\u0306": "breve", "\u0307": "dot",
    "\u0308": "ddot", "\u030c": "check", "\u0301": "acute", "\u0300": "grave", "\u20d7": "vec", "\u20db": "dddot",
    "\u20d6": "overleftarrow",
}  # fmt: skip
_FENCES = {"{": r"\{", "}": r"\}", "⟨": r"\langle ", "⟩": r"\rangle ", "⌊": r"\lfloor ", "⌋": r"\rfloor ",
           "⌈": r"\lceil ", "⌉": r"\rceil ", "‖": r"\|", "": "."}  # fmt: skip
_SINGLE = frozenset(("r", "sSub", "sSup"))


def latex(node: Node) -> str:
    """LaTeX of an `oMath` or `oMathPara`, in dollars: one for an equation in the text, two for a line of its own."""
    if local(node) == "oMathPara":
        inner = (_children(equation) for equation in node if local(equation) == "oMath")
        return "\n".join(f"$${text}$$" for text in inner if text)
    text = _children(node)
    return f"${text}$" if text else ""


def symbols(text: str) -> str:
    """Letters and signs as the commands LaTeX has for them."""
    out = []
    for letter in text:
        name = _SYMBOLS.get(letter)
        out.append(f"\\{name} " if name else _PLAIN.get(letter, letter))
    return "".join(out)


def _read(node: Node) -> str:
    form = _FORMS.get(local(node))
    return form(node) if form else _children(node)


def _children(node: Node | None) -> str:
    parts = [_read(inner) for inner in node if not local(inner).endswith("Pr")] if node is not None else []
    return "".join(parts).strip()


def _part(node: Node, name: str) -> str:
    return _children(child(node, name))


def _run(node: Node) -> str:
    text = "".join(inner.text or "" for inner in node if local(inner) == "t")
    if is_on(child(node, "rPr"), "nor") and text.strip():
        return f"\\text{{{text}}}"
    return symbols(text)


def _fraction(node: Node) -> str:
    top, bottom, kind = _part(node, "num"), _part(node, "den"), value(node, "fPr", "type")
    if kind == "noBar":
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{top}}}{{{bottom}}}"
    return f"{top}/{bottom}" if kind == "lin" else f"\\frac{{{top}}}{{{bottom}}}"


def _script(node: Node) -> str:
    base, inner = _part(node, "e"), child(node, "e")
    whole = [local(part) for part in inner if not local(part).endswith("Pr")] if inner is not None else []
    base = base if len(whole) <= 1 and not set(whole) - {"r", "d"} else f"{{{base}}}"
    low = f"_{{{_part(node, 'sub')}}}" if child(node, "sub") is not None else ""
    high = f"^{{{_part(node, 'sup')}}}" if child(node, "sup") is not None else ""
    return f"{{}}{low}{high}{base}" if local(node) == "sPre" else f"{base}{low}{high}"


def _radical(node: Node) -> str:
    degree = _part(node, "deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(node, 'e')}}}"


def _operator(node: Node) -> str:
    sign = symbols(value(node, "naryPr", "chr") or "∫").strip()
    low, high = _part(node, "sub"), _part(node, "sup")
    return f"{sign}{f'_{{{low}}}' if low else ''}{f'^{{{high}}}' if high else ''} {_part(node, 'e')}"


def _fenced(node: Node) -> str:
    properties = child(node, "dPr")
    begin, end = (value(properties, name) for name in ("begChr", "endChr"))
    between = value(properties, "sepChr") or "|"
    inside = between.join(_children(inner) for inner in node if local(inner) == "e")
    left, right = "(" if begin is None else begin, ")" if end is None else end
    return f"\\left{_FENCES.get(left, left)}{inside}\\right{_FENCES.get(right, right)}"


def _function(node: Node) -> str:
    name = _part(node, "fName")
    start = name.partition("_")[0].partition("^")[0]
    known = f"\\{name}" if start in _FUNCTIONS else name
    inner = _part(node, "e")
    return f"{known}{inner if inner[:1] in {'', '(', '{', chr(92)} else f' {inner}'}"


def _limit(node: Node) -> str:
    base, sign = _part(node, "e"), "_" if local(node) == "limLow" else "^"
    return f"{base}{sign}{{{_part(node, 'lim')}}}"


def _matrix(node: Node) -> str:
    rows = (" & ".join(_children(cell) for cell in row if local(cell) == "e") for row in node if local(row) == "mr")
    return f"\\begin{{matrix}}{f' {chr(92) * 2} '.join(rows)}\\end{{matrix}}"


def _lines(node: Node) -> str:
    rows = f" {chr(92) * 2} ".join(_children(inner) for inner in node if local(inner) == "e")
    return f"\\begin{{aligned}}{rows}\\end{{aligned}}"


def _accent(node: Node) -> str:
    sign = value(node, "accPr", "chr") or "\u0302"
    return f"\\{_ACCENTS.get(sign, 'hat')}{{{_part(node, 'e')}}}"


def _bar(node: Node) -> str:
    return f"\\{'overline' if value(node, 'barPr', 'pos') == 'top' else 'underline'}{{{_part(node, 'e')}}}"


def _brace(node: Node) -> str:
    above = value(node, "groupChrPr", "pos") == "top"
    return f"\\{'overbrace' if above else 'underbrace'}{{{_part(node, 'e')}}}"


def _boxed(node: Node) -> str:
    return f"\\boxed{{{_part(node, 'e')}}}"


_FORMS: dict[str, Callable[[Node], str]] = {
    "r": _run, "f": _fraction, "sSup": _script, "sSub": _script, "sSubSup": _script, "sPre": _script, "rad": _radical,
    "nary": _operator, "d": _fenced, "func": _function, "limLow": _limit, "limUpp": _limit, "m": _matrix,
    "eqArr": _lines, "acc": _accent, "bar": _bar, "groupChr": _brace, "borderBox": _boxed,
}  # fmt: skip
