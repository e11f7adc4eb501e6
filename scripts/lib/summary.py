"""Show in the terminal where a study's tables and figures are, and its main tables.

Usage: python -m scripts.lib.summary results/demo
"""

import sys
from pathlib import Path

MAIN_TABLES = ("table_03", "table_11", "table_2024_07", "table_2024_08")


def summary(folder: str | Path) -> str:
    """Return the main tables of a study and the paths of all it made."""
    folder = Path(folder)
    shown = [folder / "tables" / f"{name}.md" for name in MAIN_TABLES]
    tables = [path.read_text(encoding="utf-8") for path in shown if path.exists()]
    files = sorted(path for path in folder.rglob("*") if path.suffix in {".md", ".pdf"})
    if not files:
        raise SystemExit(f"{folder}: no tables or figures; run `snakemake {folder.name}` first")
    lines = ["Tables (.md beside .tsv with full precision and .tex) and figures (.pdf, .png):"]
    return "\n".join([*tables, *lines, *(f"  {path}" for path in files)])


if __name__ == "__main__":
    print(summary(sys.argv[1]))
