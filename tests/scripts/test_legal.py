"""Legal evaluation from manifests and embeddings to figure and table."""

import math

import numpy as np
import pandas as pd
import pytest

from scripts import (
    build_legal_sets,
    compute_linkability,
    compute_singling_out,
    make_legal_figure,
    make_legal_table,
    read_published_legal,
)
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import checked, load_yaml
from scripts.lib.embeddings import save_embeddings
from scripts.lib.manifest import read_table, write_manifest, write_table

SPEAKERS, IN_A, IN_B = 40, 30, 4
CONFIG = checked(
    {
        "set_a": {"crowd": ["set_a"]},
        "set_b": {"crowd": ["set_b"]},
        "lengths": [1, 3],
        "runs": 3,
        "singling_out": {"enrolment_utterances": 4, "folds": 10, "speakers": [5, 20]},
        "linkability": {"speakers": [5, 20]},
        "eer": {"speakers": [5, 20]},
    },
    load_yaml("config/schemas/legal.schema.yaml"),
    "a test",
)


def make_crowd(folder, noise):
    """Write the manifest of a crowd and embeddings: a voice each, and noise in every utterance."""
    rng = np.random.default_rng(0)
    rows, vectors = [], {}
    for number in range(SPEAKERS):
        voice = rng.normal(size=24)
        for place in range(IN_A + IN_B):
            name = f"s{number:02d}-{place:02d}"
            subset = "set_a" if place < IN_A else "set_b"
            rows.append((name, f"s{number:02d}", "fm"[number % 2], subset, "x.wav", 1.0, ""))
            vectors[name] = (voice if np.isfinite(noise) else 0) + rng.normal(size=24) * (
                noise if np.isfinite(noise) else 1
            )
    columns = ["utterance", "speaker", "gender", "subset", "path", "duration_s", "text"]
    (folder / "crowd").mkdir()
    write_manifest(folder / "crowd" / "manifest.tsv", pd.DataFrame(rows, columns=columns))
    save_embeddings(folder / "000.npz", vectors)


def measure(folder, noise):
    """Run the three computing steps; return all rows by metric, length and size."""
    make_crowd(folder, noise)
    sets = str(folder / "sets.tsv")
    build_legal_sets.main([str(folder / "crowd" / "manifest.tsv")], sets, CONFIG)
    for script, name in ((compute_singling_out, "sing.tsv"), (compute_linkability, "link.tsv")):
        script.main(sets, [str(folder / "000.npz")], str(folder / name), {"seed": "0"}, CONFIG)
    rows = pd.concat([read_table(folder / "sing.tsv"), read_table(folder / "link.tsv")])
    numbers = [name for name in rows if name not in ("metric", "definition")]
    rows = rows.astype(dict.fromkeys(numbers, float))
    return rows.set_index(["metric", "length", "speakers"]).sort_index()


@pytest.fixture(scope="module")
def voices(tmp_path_factory):
    return measure(tmp_path_factory.mktemp("voices"), noise=2.0)


@pytest.fixture(scope="module")
def strangers(tmp_path_factory):
    return measure(tmp_path_factory.mktemp("strangers"), noise=math.inf)


def test_sets_hold_every_utterance_once(tmp_path):
    make_crowd(tmp_path, 1.0)
    build_legal_sets.main(
        [str(tmp_path / "crowd" / "manifest.tsv")], str(tmp_path / "sets.tsv"), CONFIG
    )
    sets = read_table(tmp_path / "sets.tsv")
    assert sets["utterance"].is_unique
    assert sets.groupby("set")["utterance"].size().to_dict() == {"a": 1200, "b": 160}


@pytest.mark.parametrize("metric", ["singling_out", "linkability"])
def test_risk_falls_with_the_population_and_rises_with_the_length(voices, metric):
    value = voices["value"][metric]
    for length in (1, 3):
        # A few hundred draws: one step may be up by their noise, the whole way is down.
        assert value[length].diff().max() < 0.03
        assert value[length][5] > value[length][40] + 0.05
    assert (value[3] >= value[1]).all()
    assert value[3].mean() > value[1].mean() + 0.05


def test_eer_hardly_depends_on_the_population(voices):
    value = voices["value"]["one_minus_eer"]
    assert abs(value[1][5] - value[1][40]) < 0.06
    assert (value[3] > value[1]).all()


def test_embeddings_without_a_voice_lie_at_chance(strangers):
    for length in (1, 3):
        # 40 items: four standard errors of a share p are 4 sqrt(p (1 - p) / 40).
        for size in (5, 20, 40):
            linked, p = strangers["value"]["linkability", length, size], 1 / size
            assert abs(linked - p) < 4 * math.sqrt(p * (1 - p) / 40)
            assert strangers["chance"]["linkability", length, size] == p
        assert 0.5 <= strangers["value"]["one_minus_eer", length, 40] < 0.6


def test_singling_out_of_strangers_lies_at_its_floor_below_chance(strangers):
    found = strangers.loc["singling_out"]
    # Nine calibration conversations of each speaker: 0.36 to 0.35 instead of 1/e.
    assert found["floor"].between(0.35, 0.41).all()
    assert (found["floor"].loc[:, [20, 40]] < math.exp(-1)).all()
    # 400 outcomes at the largest size, 1200 at the others: four standard errors of 0.36.
    assert (found["value"] - found["floor"]).abs().max() < 4 * math.sqrt(0.36 * 0.64 / 400)
    assert abs((found["value"] - found["floor"]).mean()) < 0.03


def test_intervals_hold_the_estimate(voices):
    rows = voices.loc[["singling_out", "linkability"]]
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()
    # Forty speakers leave tens of points of doubt where the value is not at an end.
    assert (rows["high"] - rows["low"])["singling_out"].between(0.05, 0.4).all()


def test_certain_success_is_exactly_one(tmp_path):
    found = measure(tmp_path, noise=0.01).loc["linkability"]
    assert (found["value"] == 1).all()


def test_rows_say_how_they_came_about(voices):
    assert set(voices.loc["singling_out"]["enrolled"]) == {SPEAKERS}
    assert set(voices.loc["singling_out"]["repeats"]) == {10}
    assert set(voices.loc["linkability"]["repeats"]) == {3}
    assert (voices["spread"] >= 0).all()
    # With everybody enrolled there is nothing to draw.
    assert voices["spread"]["linkability", 1, 40] == 0


def test_an_utterance_without_embedding_is_named(tmp_path):
    make_crowd(tmp_path, 1.0)
    sets = str(tmp_path / "sets.tsv")
    build_legal_sets.main([str(tmp_path / "crowd" / "manifest.tsv")], sets, CONFIG)
    save_embeddings(tmp_path / "000.npz", {"s00-00": np.ones(4)})
    with pytest.raises(ValueError, match="utterances s00-01, s00-02, s00-03 and "):
        compute_singling_out.main(sets, [str(tmp_path / "000.npz")], "x.tsv", {}, CONFIG)


def test_too_few_utterances_to_enrol_with_are_named(tmp_path):
    make_crowd(tmp_path, 1.0)
    sets = str(tmp_path / "sets.tsv")
    build_legal_sets.main([str(tmp_path / "crowd" / "manifest.tsv")], sets, CONFIG)
    config = {**CONFIG, "singling_out": {**CONFIG["singling_out"], "enrolment_utterances": 9}}
    with pytest.raises(ValueError, match="set B: no speaker has 9 utterances"):
        compute_singling_out.main(sets, [str(tmp_path / "000.npz")], "x.tsv", {}, config)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    read_published_legal.main("config/published/legal_figure1.csv", str(folder / "legal.tsv"))
    return folder


def report_config():
    return (
        Catalogue("config", load_yaml("config/config.yaml")).legal_plan("published").report_config
    )


def test_table_names_attackers_twice_and_shows_chance(published, tmp_path):
    outputs = {form: str(tmp_path / f"legal_table_1.{form}") for form in ("tsv", "md", "tex")}
    make_legal_table.main([str(published / "legal.tsv")], config=report_config(), **outputs)
    text = (tmp_path / "legal_table_1.md").read_text()
    assert "Informed (VPC: semi-informed)" in text
    assert "Semi-Informed (VPC: none)" in text
    line = next(line for line in text.splitlines() if line.startswith("| Linkability  | 1  | 20 "))
    assert [cell.strip() for cell in line.split("|")[4:-1]] == [
        "82.2",
        "15.2",
        "23.6",
        "77.1",
        "5.0",
    ]
    cells = read_table(outputs["tsv"])
    informed = cells[(cells["attacker"] == "informed") & (cells["metric"] == "linkability")]
    assert set(informed["challenge_attacker"]) == {"semi-informed"}
    assert r"\bottomrule" in (tmp_path / "legal_table_1.tex").read_text()


def test_a_size_without_a_point_is_named(published, tmp_path):
    config = report_config()
    config["table_speakers"] = {**config["table_speakers"], "linkability": [21]}
    outputs = {form: str(tmp_path / f"x.{form}") for form in ("tsv", "md", "tex")}
    with pytest.raises(ValueError, match="no linkability at 21 speakers; the curves have 20, 120"):
        make_legal_table.main([str(published / "legal.tsv")], config=config, **outputs)


def test_figure_has_a_panel_per_metric_and_length(published, tmp_path):
    outputs = {form: str(tmp_path / f"legal_figure_1.{form}") for form in ("pdf", "png")}
    make_legal_figure.main([str(published / "legal.tsv")], config=report_config(), **outputs)
    assert (tmp_path / "legal_figure_1.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "legal_figure_1.png").read_bytes().startswith(b"\x89PNG")


def test_an_attacker_without_rows_is_named(published, tmp_path):
    rows = read_table(published / "legal.tsv")
    write_table(tmp_path / "legal.tsv", rows[rows["trained_on"] != "b1_2022a"])
    outputs = {form: str(tmp_path / f"legal_figure_1.{form}") for form in ("pdf", "png")}
    with pytest.raises(ValueError, match="attacker semi_informed: no row of b1_2024 by a model of"):
        make_legal_figure.main([str(tmp_path / "legal.tsv")], config=report_config(), **outputs)
