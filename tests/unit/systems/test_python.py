import sys

import numpy as np
import pytest

from scripts.lib.audio import read_audio
from scripts.lib.systems import python
from scripts.lib.user_files import files_of_system, module_files
from tests.unit.systems.own_shards import make_manifest, make_shard

HEAD = "import numpy as np\ndef change(waveform, rate, speaker, gender, rng):\n    "


@pytest.fixture
def write_module(tmp_path):
    """Return a function that writes a module under a new name and gives the method's params."""
    written = []

    def write(body: str, function: str = "change") -> dict:
        name = f"own_{tmp_path.name}_{len(written)}"
        (tmp_path / f"{name}.py").write_text(HEAD + body + "\n")
        written.append(name)
        return {"function": f"{name}:{function}", "path": str(tmp_path), "files": []}

    yield write
    sys.path[:] = [entry for entry in sys.path if entry != str(tmp_path)]
    for name in written:
        sys.modules.pop(name, None)


def outputs(utterances, params, **options):
    return dict(python.process_shard(make_shard(python, utterances, params, **options)))


def test_the_function_gets_samples_rate_speaker_gender_and_generator(tmp_path, write_module):
    utterances = make_manifest(tmp_path)
    params = write_module(
        "assert waveform.dtype == np.float32 and waveform.ndim == 1 and rate == 16000\n"
        "    assert (speaker, gender) in {('f1', 'f'), ('m1', 'm')}\n"
        "    assert isinstance(rng, np.random.Generator)\n"
        "    return -waveform"
    )
    results = outputs(utterances, params)
    assert list(results) == list(utterances["utterance"])
    for row in utterances.itertuples():
        assert np.array_equal(results[row.utterance], -read_audio(row.path))


def first_draws(utterances, params, **options):
    return {name: samples[0] for name, samples in outputs(utterances, params, **options).items()}


def test_the_generator_is_that_of_the_level(tmp_path, write_module):
    enrol = make_manifest(tmp_path, subset="enrol")
    trials = make_manifest(tmp_path, subset="trials_f")
    params = write_module("return np.array([rng.random()])")
    speaker = first_draws(enrol, params)
    assert speaker["f1-u0"] == speaker["f1-u1"] != speaker["m1-u0"]
    assert speaker["f1-u0"] != first_draws(trials, params)["f1-u0"]
    shared = first_draws(enrol, params, level="global_speaker")
    assert shared["f1-u0"] == first_draws(trials, params, level="global_speaker")["f1-u0"]
    assert len(set(first_draws(enrol, params, level="utterance").values())) == 4
    assert len(set(first_draws(enrol, params, level="constant").values())) == 1
    assert first_draws(enrol, params, seed=1)["f1-u0"] != speaker["f1-u0"]


def test_shards_do_not_change_the_draws(tmp_path, write_module):
    utterances = make_manifest(tmp_path, count=3)
    params = write_module("return rng.uniform(-1, 1, 5)")
    whole = outputs(utterances, params, level="utterance")
    for start in range(2):
        part = outputs(utterances, params, level="utterance", part=slice(start, None, 2))
        assert len(part) == 3
        for name, samples in part.items():
            assert np.array_equal(samples, whole[name])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return None", "returned no samples"),
        ("return waveform[:0]", "returned no samples"),
        ("return 'speech'", "returned str, not samples"),
        ("return np.stack([waveform, waveform])", r"returned shape \(2, 3200\)"),
        ("return waveform * np.nan", "returned nan as sample 0"),
        ("return waveform * 0 + 1.5", r"returned a peak of 1\.500; scale it"),
        ("return (waveform * 32767).astype(np.int16)", r"returned a peak of \d+\.000; scale it"),
        ("raise KeyError('pitch')", "raised KeyError: 'pitch'"),
    ],
)
def test_a_bad_result_is_named_by_utterance(tmp_path, write_module, body, message):
    params = write_module(body)
    with pytest.raises(ValueError, match=f"utterance f1-u0: {params['function']} {message}"):
        outputs(make_manifest(tmp_path), params)


def test_a_missing_function_is_named(tmp_path, write_module):
    params = write_module("return waveform", function="chance")
    with pytest.raises(ValueError, match="holds no function 'chance'"):
        outputs(make_manifest(tmp_path), params)


def test_a_missing_module_is_named(tmp_path, write_module):
    params = {"function": "nowhere_to_be_found:change", "path": str(tmp_path), "files": []}
    with pytest.raises(ValueError, match="no module 'nowhere_to_be_found'; set `path`"):
        outputs(make_manifest(tmp_path), params)
    with pytest.raises(ValueError, match=r"system mine: no module nowhere_to_be_found; looked for"):
        files_of_system("mine", {"method": "python", "params": params})


def test_a_name_that_is_taken_is_refused(tmp_path):
    (tmp_path / "json.py").write_text(HEAD + "return waveform\n")
    params = {"function": "json:change", "path": str(tmp_path), "files": []}
    with pytest.raises(ValueError, match=r"the name 'json' belongs to .*json/__init__\.py, not to"):
        outputs(make_manifest(tmp_path), params)
    sys.path.remove(str(tmp_path))


def test_the_module_and_what_it_imports_beside_it_are_tracked(tmp_path):
    package = tmp_path / "vc" / "parts"
    package.mkdir(parents=True)
    files = {
        "vc/__init__.py": "",
        "vc/main.py": "from .parts import warp\nfrom . import tables\nimport beside, numpy\n",
        "vc/parts/__init__.py": "",
        "vc/parts/warp.py": "from ..deep import thing\n",
        "vc/deep.py": "thing = 1\n",
        "vc/tables.py": "",
        "vc/unused.py": "",
        "beside.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    expected = sorted(str(tmp_path / name) for name in files if "unused" not in name)
    assert module_files("vc.main", str(tmp_path)) == expected


def test_further_files_are_tracked_and_must_exist(tmp_path, write_module):
    weights = tmp_path / "weights.pt"
    params = write_module("return waveform") | {"files": [str(weights)]}
    with pytest.raises(ValueError, match=r"params\.files: no such file: .*weights\.pt"):
        files_of_system("mine", {"method": "python", "params": params})
    weights.touch()
    module = params["function"].split(":")[0]
    assert files_of_system("mine", {"method": "python", "params": params}) == [
        str(tmp_path / f"{module}.py"),
        str(weights),
    ]
