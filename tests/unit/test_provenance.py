import pytest

from scripts.lib.provenance import IGNORED, fingerprint, source_files


@pytest.fixture
def repository(tmp_path):
    files = {
        "scripts/__init__.py": "",
        "scripts/lib/__init__.py": "",
        "scripts/lib/a.py": "from scripts.lib import b\n",
        "scripts/lib/b.py": "import numpy\n",
        "scripts/lib/heavy.py": "import torch\n",
        "scripts/lib/unused.py": "",
        "scripts/lib/joblog.py": "",
        "scripts/light.py": "from scripts.lib.a import x\nfrom scripts.lib.joblog import job_log\n",
        "scripts/deep.py": "def f():\n    import scripts.lib.heavy\n",
        "envs/analysis.lock.txt": "",
        "envs/torch.lock.txt": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_imports_are_followed_and_the_log_is_ignored(repository):
    assert source_files("scripts/light.py", repository) == [
        "envs/analysis.lock.txt",
        "scripts/__init__.py",
        "scripts/lib/__init__.py",
        "scripts/lib/a.py",
        "scripts/lib/b.py",
        "scripts/light.py",
    ]
    assert "scripts/lib/joblog.py" in IGNORED


def test_a_heavy_import_anywhere_adds_the_heavy_lock(repository):
    files = source_files("scripts/deep.py", repository)
    assert "envs/torch.lock.txt" in files
    assert "scripts/lib/heavy.py" in files


def test_a_pretrained_network_adds_the_lock_of_its_package():
    files = source_files("scripts/lib/models/resemblyzer.py")
    assert {"envs/torch.lock.txt", "envs/pretrained.lock.txt"} <= set(files)
    assert "envs/pretrained.lock.txt" not in source_files("scripts/lib/models/ecapa.py")


def test_fingerprint_follows_config_data_and_code(tmp_path):
    code = tmp_path / "a.py"
    code.write_text("1")
    base = fingerprint({"a": 1, "b": 2}, ["x"], [str(code)])
    assert fingerprint({"b": 2, "a": 1}, ["x"], [str(code)]) == base
    assert fingerprint({"a": 2, "b": 2}, ["x"], [str(code)]) != base
    assert fingerprint({"a": 1, "b": 2}, ["y"], [str(code)]) != base
    code.write_text("2")
    assert fingerprint({"a": 1, "b": 2}, ["x"], [str(code)]) != base
