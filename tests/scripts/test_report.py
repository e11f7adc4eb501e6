"""The steps from embeddings to similarity, and from rows to tables and figures."""

import numpy as np
import pandas as pd
import pytest

from scripts import (
    compute_distinctiveness,
    compute_similarity,
    make_figure,
    make_table,
    report_attackers,
)
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.embeddings import save_embeddings
from scripts.lib.manifest import read_table, write_manifest, write_table
from scripts.lib.metrics import de_id, g_vd
from tests.unit.test_tables import config_of, make_metrics


def test_table_is_written_three_times(tmp_path):
    write_table(tmp_path / "metrics.tsv", make_metrics())
    outputs = {form: str(tmp_path / f"table_03.{form}") for form in ("tsv", "md", "tex")}
    rows, curve = str(tmp_path / "metrics.tsv"), str(tmp_path / "curve.tsv")
    accuracy = {"train_accuracy": [0.9], "valid_accuracy": [0.3]}
    write_table(curve, pd.DataFrame({"train_loss": [1.0], "valid_loss": [1.0], **accuracy}))
    make_table.main([rows], [rows], [curve], config=config_of("table_03"), **outputs)
    assert len(read_table(outputs["tsv"])) == 6 * 2 * 3
    assert "21.00†" in (tmp_path / "table_03.md").read_text()
    assert r"\bottomrule" in (tmp_path / "table_03.tex").read_text()


def test_report_card_is_written(tmp_path):
    write_table(tmp_path / "metrics.tsv", make_metrics())
    catalogue = Catalogue("config", load_yaml("config/config.yaml"))
    config = {**catalogue.card_config("demo"), "curves": []}
    report_attackers.main([str(tmp_path / "metrics.tsv")], [], str(tmp_path / "a.md"), config)
    assert "Attackers of the study: Embedded demonstration" in (tmp_path / "a.md").read_text()


def figure_config(figure):
    catalogue = Catalogue("config", load_yaml("config/config.yaml"))
    return catalogue.report_config("demo", "figures", figure)


def draw(folder, figure, files):
    outputs = {form: str(folder / f"figure.{form}") for form in ("pdf", "png")}
    make_figure.main(list(map(str, files)), config=figure_config(figure), **outputs)
    assert (folder / "figure.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_figure_of_metrics_is_written_as_vector_and_picture(tmp_path):
    write_table(tmp_path / "metrics.tsv", make_metrics())
    draw(tmp_path, "figure_15", [tmp_path / "metrics.tsv"])


def test_figure_of_scores_is_written(tmp_path):
    rng = np.random.default_rng(0)
    score = rng.normal(size=300)
    table = pd.DataFrame({"target": [1, 0, 0] * 100, "score": score + [1, 0, 0] * 100})
    write_table(tmp_path / "scores.tsv", table)
    for figure in ("figure_03", "figure_07"):
        draw(tmp_path, figure, [tmp_path / "scores.tsv"] * len(figure_config(figure)["drawn"]))


@pytest.fixture
def voices(tmp_path):
    """Three women whose voices lie at 0, 60 and 120 degrees, and men who must not count."""
    rows = [
        (f"{speaker}-{number}", speaker, gender, f"trials_{gender}", angle + 4 * number)
        for speaker, gender, angle in (
            ("a", "f", 0),
            ("b", "f", 60),
            ("c", "f", 120),
            ("d", "m", 9),
        )
        for number in range(3)
    ]
    table = pd.DataFrame(rows, columns=["utterance", "speaker", "gender", "subset", "angle"])
    table = table.assign(path="x.wav", duration_s=1.0, text="")
    write_manifest(tmp_path / "manifest.tsv", table)
    # Anonymized voices lie closer together.
    for name, factor in (("original", 1.0), ("anonymized", 0.1)):
        angles = np.deg2rad(table["angle"] * factor)
        vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        save_embeddings(
            tmp_path / f"{name}.npz", dict(zip(table["utterance"], vectors, strict=True))
        )
    return tmp_path


def test_similarity_of_voices_becomes_metric_rows(voices):
    compute_similarity.main(
        original=[str(voices / "original.npz")],
        anonymized=[str(voices / "anonymized.npz")],
        manifest=str(voices / "manifest.tsv"),
        matrices=str(voices / "f.npz"),
        gender="f",
        scoring_files=[],
        config={"method": "cosine", "unit_enrolment": False},
    )
    with np.load(voices / "f.npz") as archive:
        matrices = {name: archive[name] for name in archive.files}
    assert matrices["speakers"].tolist() == ["a", "b", "c"]
    # Original voices never come closer than one's own, so that the diagonal dominates fully.
    assert np.diag(matrices["oo"]).min() > matrices["oo"][~np.eye(3, dtype=bool)].max()
    assert (matrices["oa"] == matrices["oa"].T).all()
    compute_distinctiveness.main(
        [str(voices / "f.npz")], metrics=str(voices / "m.tsv"), ids={"system": "b2"}
    )
    rows = read_table(voices / "m.tsv").set_index("metric")
    assert float(rows["value"]["g_vd"]) == pytest.approx(g_vd(matrices["aa"], matrices["oo"]))
    assert float(rows["value"]["de_id"]) == pytest.approx(de_id(matrices["oa"], matrices["oo"]))
    assert set(rows["gender"]) == {"f"}
    assert (rows["low"].astype(float) <= rows["high"].astype(float)).all()
    draw(voices, "figure_08", [voices / "f.npz"] * 2)


def test_an_utterance_without_embedding_is_named(voices):
    save_embeddings(voices / "anonymized.npz", {"a-0": np.ones(2)})
    with pytest.raises(ValueError, match="trials_f: utterances a-1, a-2, b-0 and 5 more without"):
        compute_similarity.main(
            original=[str(voices / "original.npz")],
            anonymized=[str(voices / "anonymized.npz")],
            manifest=str(voices / "manifest.tsv"),
            matrices=str(voices / "f.npz"),
            gender="f",
            scoring_files=[],
            config={"method": "cosine", "unit_enrolment": False},
        )
