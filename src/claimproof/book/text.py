"""The texts of claims (words, ``$formulas$``, ``*stress*``, ```code```) as HTML, Markdown and LaTeX."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

# A formula first: stars and backticks inside one are its own.
_PIECE = re.compile(r"\$(?P<math>[^$]+)\$|`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|(?<![\w*])\*(?P<em>[^*\s][^*]*)\*(?!\w)")

_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\(<\)", ">": r"\(>\)",
    "’": "'", "‘": "`", "“": "``", "”": "''", "–": "--", "—": "---", "…": r"\ldots{}", "\u00a0": "~", "§": r"\S{}",
}
# Letters and signs that turn up outside of formulas, and inside some.
_SIGNS = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta",
    "θ": r"\theta", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho",
    "σ": r"\sigma", "τ": r"\tau", "φ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma",
    "Δ": r"\Delta", "Λ": r"\Lambda", "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "→": r"\to", "∞": r"\infty", "×": r"\times", "·": r"\cdot",
    "−": "-", "±": r"\pm", "∑": r"\sum", "∈": r"\in", "⊗": r"\otimes", "⊕": r"\oplus", "′": "'", "²": "^2", "³": "^3",
    "½": r"\tfrac12", "√": r"\surd", "∫": r"\int", "∏": r"\prod", "∂": r"\partial", "∝": r"\propto", "≡": r"\equiv",
    "∼": r"\sim", "≪": r"\ll", "≫": r"\gg", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "←": r"\leftarrow",
    "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "↦": r"\mapsto", "∀": r"\forall", "∃": r"\exists",
    "∅": r"\emptyset", "∪": r"\cup", "∩": r"\cap", "⊂": r"\subset", "⊆": r"\subseteq", "∉": r"\notin", "⟨": r"\langle",
    "⟩": r"\rangle", "°": r"{}^\circ", "ℓ": r"\ell", "†": r"\dagger", "ϕ": r"\phi", "ι": r"\iota", "υ": r"\upsilon", "Θ": r"\Theta",
    "Ξ": r"\Xi", "Π": r"\Pi",
    **{digit: f"_{n}" for n, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")}, **{digit: f"^{n}" for n, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    "⁻": "^-", "⁺": "^+", "₊": "_+", "ⁿ": "^n",
}
# Combining marks that a letter decomposes into, and LaTeX's commands for them.
_ACCENTS = {"\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0308": r"\"", "\u030c": r"\v", "\u0327": r"\c"}


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text as (kind, content): ``text``, ``math``, ``code``, ``strong`` or ``em``."""
    position = 0
    for match in _PIECE.finditer(text):
        if match.start() > position:
            yield "text", text[position : match.start()]
        yield match.lastgroup, match[match.lastgroup]
        position = match.end()
    if position < len(text):
        yield "text", text[position:]


def with_dollars(formula_or_text: str) -> str:
    """A text as it is; a formula that was recorded bare, as sympy printed it, between dollars."""
    if "$" not in formula_or_text and re.search(r"\\[a-z]|\^\{|_\{", formula_or_text):
        return f"${formula_or_text}$"
    return formula_or_text


def to_html(text: str) -> str:
    r"""HTML in which formulas wait as ``\(...\)`` for the page to typeset them."""
    def one(kind: str, content: str) -> str:
        safe = html.escape(content, quote=False)
        if kind == "math":
            return rf'<span class="math notranslate nohighlight">\({safe}\)</span>'
        return safe if kind == "text" else f"<{kind}>{safe}</{kind}>"

    return "".join(one(kind, content) for kind, content in pieces(text))


def to_markdown(text: str) -> str:
    """Markdown whose formulas any renderer with dollar math shows; other stars and the like are kept literal."""
    marks = {"math": "$", "code": "`", "strong": "**", "em": "*"}
    out = []
    for kind, content in pieces(text):
        if kind == "text":
            out.append(re.sub(r"([\\*_`<>\[\]$])", r"\\\1", content))
        else:
            out.append(f"{marks[kind]}{content.strip()}{marks[kind]}")
    return "".join(out)


def _latex_text(content: str) -> str:
    out = []
    for letter in content:
        if letter in _SIGNS:
            out.append(rf"\({_SIGNS[letter]}\)")
        elif letter in _LATEX_SPECIAL:
            out.append(_LATEX_SPECIAL[letter])
        elif letter.isascii():
            out.append(letter)
        elif (parts := unicodedata.normalize("NFD", letter))[1:] in _ACCENTS:
            out.append(f"{_ACCENTS[parts[1:]]}{{{parts[0]}}}")
        else:
            raise ValueError(f"no LaTeX is known for {letter!r} in {content!r}: add it to claimproof.book.text")
    return "".join(out)


def _latex_math(content: str) -> str:
    return "".join(f"{_SIGNS[letter]} " if letter in _SIGNS else letter for letter in content)


def to_latex(text: str) -> str:
    """LaTeX in plain ASCII for amsmath, whatever the text holds."""
    commands = {"code": r"\texttt", "strong": r"\textbf", "em": r"\emph"}
    out = []
    for kind, content in pieces(text):
        if kind == "math":
            out.append(rf"\({_latex_math(content)}\)")
        elif kind == "text":
            out.append(_latex_text(content))
        else:
            out.append(f"{commands[kind]}{{{_latex_text(content)}}}")
    return "".join(out)
