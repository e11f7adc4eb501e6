"""Run the workflow in a copy of the repository, as a user would."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.lib.estimate import parse_plan

REPOSITORY = Path(__file__).parents[2]
PARTS = ("Snakefile", "rules", "scripts", "config", "envs", "profiles")
STUDIES = sorted(Path(__file__).parent.glob("tiny*.yaml"))


class Checkout:
    """A copy of the workflow in its own folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            source = REPOSITORY / part
            if source.is_dir():
                ignore = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, folder / part, ignore=ignore, dirs_exist_ok=True)
            else:
                shutil.copy2(source, folder / part)
        for study in STUDIES:
            shutil.copy2(study, folder)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    def environment(self) -> dict[str, str]:
        # Outer settings must not steer the copy.
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SNAKEMAKE", "PYTEST"))}
        return kept | {"XDG_CACHE_HOME": str(self.folder / ".cache")}

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"{arguments} failed:\n{done.stdout}\n{done.stderr}")
        return done

    def planned(self, *arguments: str) -> list[dict[str, str]]:
        """Return rule and wildcards of every job that a dry-run announces."""
        done = self.run("--dry-run", *arguments)
        found = parse_plan(done.stdout + done.stderr)
        return [{"rule": rule, **wildcards} for rule, wildcards in found]

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text()
        assert old in text, f"{name} does not hold {old!r}"
        path.write_text(text.replace(old, new, 1))
