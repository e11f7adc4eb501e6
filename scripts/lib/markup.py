"""Text as Markdown and LaTeX want it."""

import textwrap
from collections.abc import Sequence

# Marks what rests on an attacker too weak to support a privacy claim.
WEAK = "†"
# Marks a system that had to be rebuilt from an incomplete description.
REBUILT = "‡"


def filled(text: str) -> str:
    """Return text in lines of 110 characters."""
    return textwrap.fill(text, 110, break_on_hyphens=False)


def markdown_lines(body: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table whose columns stand under each other.

    Parameters
    ----------
    body
        Rows of cells, the head first.

    Examples
    --------
    >>> markdown_lines([["a", "b"], ["10", "2"]])
    ['| a  | b |', '|----|---|', '| 10 | 2 |']
    """
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    padded = [[cell.ljust(w) for cell, w in zip(line, widths, strict=True)] for line in body]
    lines = ["| " + " | ".join(line) + " |" for line in padded]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def escape_latex(text: str) -> str:
    """Return plain text with the characters escaped that LaTeX reads as commands."""
    for plain, escaped in (
        ("%", r"\%"),
        ("_", r"\_"),
        ("&", r"\&"),
        ("^", r"\^{}"),
        (WEAK, r"\dag{}"),
        (REBUILT, r"\ddag{}"),
    ):
        text = text.replace(plain, escaped)
    return text
