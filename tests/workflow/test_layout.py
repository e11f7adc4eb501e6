"""The conventions of the repository that a machine can check."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
RULES = "\n".join(path.read_text() for path in [Path("Snakefile"), *Path("rules").glob("*.smk")])
SCRIPTS = [path for path in Path("scripts").glob("*.py") if path.name != "__init__.py"]
LIBRARY = sorted(Path("scripts/lib").rglob("*.py"))


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("snakefmt", "--check", "Snakefile", "rules"),
        ("snakemake", "--lint"),
    ],
    ids=" ".join,
)
def test_layout_and_lint(command):
    done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_scripts_are_exactly_the_script_directives():
    assert {path.stem for path in SCRIPTS} == set(re.findall(r"scripts/(\w+)\.py", RULES))


def test_every_script_is_named_like_its_rule():
    bodies = re.split(r"^rule ", RULES, flags=re.M)[1:]
    for body in bodies:
        for script in re.findall(r"scripts/(\w+)\.py", body):
            assert body.startswith(f"{script}:")


def test_rules_have_sources_log_benchmark_and_docstring():
    for body in re.split(r"^rule ", RULES, flags=re.M)[1:]:
        name = body.split(":")[0]
        if "script:" in body:
            for part in (f'src=sources("{name}")', "log:", "benchmark:", "conda:", "threads:"):
                assert part in body, f"rule {name} lacks {part}"
        assert '"""' in body.split("input:")[0], f"rule {name} lacks a docstring"


def test_the_snakemake_object_stays_in_the_last_block():
    for path in SCRIPTS:
        head = path.read_text().split('if __name__ == "__main__":')[0]
        assert not re.search(r"(?<!from )snakemake\.(?!iocontainers)", head), path
        assert "snakemake.config" not in path.read_text(), path
    for path in LIBRARY:
        assert "snakemake.input" not in path.read_text(), path


def test_scripts_do_not_import_scripts():
    names = "|".join(path.stem for path in SCRIPTS)
    for path in [*SCRIPTS, *LIBRARY]:
        text = path.read_text()
        assert not re.search(rf"from scripts\.({names})\b|from scripts import", text), path


def test_torch_is_imported_only_by_models():
    for path in LIBRARY:
        if "models" not in path.parts:
            heavy = re.search(
                r"^\s*(import|from) (torch|torchaudio|speechbrain)", path.read_text(), re.M
            )
            assert heavy is None, path


def test_parsing_the_workflow_loads_neither_torch_nor_pandas():
    code = (
        "import sys, scripts.lib.catalogue, scripts.lib.kaldi_files, scripts.lib.provenance;"
        "import scripts.lib.user_files;"
        "print([m for m in ('torch', 'pandas', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_lock_files_pin_versions_and_hold_no_addresses():
    for path in Path("envs").glob("*.lock.txt"):
        lines = path.read_text().splitlines()
        assert lines, path
        for line in lines:
            assert re.match(r"[\w.\[\]-]+==[\w.+]+( ;.*)?$", line), f"{path}: {line}"
            assert "://" not in line


def test_one_spelling_per_term():
    strays = re.compile(r"anonymis|enrollment", re.IGNORECASE)
    for path in [*SCRIPTS, *LIBRARY, *Path("rules").glob("*.smk"), *Path("config").rglob("*.yaml")]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert not strays.search(line), f"{path}:{number}: {line.strip()}"
