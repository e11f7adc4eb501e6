import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Patch

from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.figures.bars import attacker_bars, sorted_bars
from scripts.lib.figures.densities import score_densities
from scripts.lib.figures.matrices import similarity_matrices
from scripts.lib.figures.profiles import ece_profiles
from scripts.lib.figures.scatter import scatter
from scripts.lib.figures.style import SHADES, markers_of, save_figure
from scripts.lib.metrics import linkability, zebra
from tests.unit.test_tables import make_metrics


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue("config", load_yaml("config/config.yaml"))


@pytest.fixture(scope="module")
def config(catalogue):
    return catalogue.report_config("demo", "figures", "figure_15")


def test_bars_show_every_attacker_of_every_system(config):
    figure = attacker_bars(config, make_metrics())
    heights = sorted(bar.get_height() for bar in figure.axes[0].patches)
    # orig f, m; two systems x two genders x (lazy, semi) and x ignorant.
    assert heights == pytest.approx(sorted([1, 3] + [11, 13] * 4 + [21, 23] * 2))


def test_stronger_attackers_are_darker_and_in_front(config):
    figure = attacker_bars(config, make_metrics())
    bars = [
        bar for bar in figure.axes[0].patches if abs(bar.get_x() + bar.get_width() / 2 - 0.8) < 0.01
    ]
    shades = [to_hex(bar.get_facecolor()) for bar in sorted(bars, key=Patch.get_zorder)]
    assert shades == list(SHADES)
    grey = [int(shade[1:3], 16) + int(shade[3:5], 16) + int(shade[5:], 16) for shade in SHADES]
    assert grey == sorted(grey, reverse=True)


def test_same_numbers_give_the_same_bytes(config, tmp_path):
    for name in ("a", "b"):
        figure = attacker_bars(config, make_metrics())
        save_figure(figure, tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
    for form in ("pdf", "png"):
        assert (tmp_path / f"a.{form}").read_bytes() == (tmp_path / f"b.{form}").read_bytes()


def test_a_missing_bar_is_named(config):
    metrics = make_metrics()
    with pytest.raises(ValueError, match="no eer of system b2, attacker ignorant, synth_test f"):
        attacker_bars(config, metrics[metrics["system"] != "b2"])


def test_narrower_bars_in_front_leave_every_bar_visible(config):
    figure = attacker_bars(config, make_metrics())
    widths = {bar.get_label(): bar.get_width() for bar in figure.axes[0].patches}
    assert widths["ignorant"] > widths["lazy-informed"] > widths["semi-informed"]


def test_sorted_bars_fall_by_the_bar_that_decides(catalogue):
    config = catalogue.report_config("demo", "figures", "figure_01")
    metrics = make_metrics()
    raised = (
        (metrics["system"] == "b2_2024")
        & (metrics["attacker"] == "lazy_informed")
        & (metrics["gender"] == "f")
    )
    metrics.loc[raised, "value"] = "0.4"
    panel = sorted_bars(config, metrics).axes[0]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["B2-2024", "B2", "Orig"]
    hatched = [bar for bar in panel.patches if bar.get_hatch()]
    # Men are hatched: two attackers of two systems, and orig.
    assert len(hatched) == 5
    assert len(panel.patches) == 10


def test_labels_tell_lineages_apart_in_colour_and_in_grey(catalogue):
    config = catalogue.report_config("demo", "figures", "figure_01")
    labels = sorted_bars(config, make_metrics()).axes[0].get_xticklabels()
    style = {text.get_text(): (text.get_color(), text.get_fontstyle()) for text in labels}
    assert style["B2"] == style["B2-2024"] == ("#d55e00", "italic")
    assert style["Orig"] == ("black", "normal")


def test_no_two_systems_share_a_marker(catalogue):
    config = catalogue.report_config("published", "figures", "figure_17")
    markers = markers_of(config["display"], config["study"]["systems"])
    looks = {(m["marker"], m.get("markerfacecolor", "") == "none") for m in markers.values()}
    assert len(looks) == len(markers) == 19


def test_scatter_has_a_point_per_system_and_condition(catalogue):
    config = catalogue.report_config("demo", "figures", "figure_17")
    figure = scatter(config, make_metrics())
    assert len(figure.axes) == 3
    for panel in figure.axes:
        points = np.concatenate([line.get_xydata() for line in panel.lines])
        assert len(points) == 3 * 4
        # The made-up C_llr^min equals the EER, which is shown in percent.
        assert points[:, 0] == pytest.approx(100 * points[:, 1])


def made_up_scores(config, shift=1.0):
    rng = np.random.default_rng(0)
    return [(ids, (rng.normal(shift, 1, 60), rng.normal(0, 1, 300))) for ids in config["drawn"]]


def test_profiles_carry_their_disclosure_in_the_legend(catalogue):
    config = catalogue.report_config("demo", "figures", "figure_03")
    files = made_up_scores(config)
    figure = ece_profiles(config, files)
    for panel, attacker in zip(figure.axes, ("ignorant", "lazy_informed"), strict=True):
        texts = [text.get_text() for text in panel.get_legend().get_texts()]
        assert texts[0] == "perfect privacy (0, 0, 0)"
        shown = [f for f in files if f[0]["attacker"] in (attacker, "original")]
        found = sorted(zebra(*scores) for _, scores in shown)
        assert [text.split("(")[1].split(",")[0] for text in texts[1:]] == [
            f"{item.d_ece:.3f}" for item in found
        ]
        # Evidence never makes the calibrated curve worse than the one without.
        zero = panel.lines[0].get_ydata()
        assert all((line.get_ydata() <= zero + 1e-6).all() for line in panel.lines[1:])


def test_densities_state_the_linkability(catalogue):
    config = catalogue.report_config("demo", "figures", "figure_07")
    files = made_up_scores(config)
    titles = [axis.get_title() for axis in score_densities(config, files).axes]
    for ids, scores in files:
        assert any(f"D_sys = {linkability(*scores):.2f}" in title for title in titles), ids
    assert any(title.startswith("B2, semi-informed") for title in titles)


def test_matrices_show_original_and_anonymized_voices(catalogue):
    config = catalogue.report_config("demo", "figures", "figure_12")
    rng = np.random.default_rng(0)
    files = [
        (ids, {name: rng.uniform(size=(3, 3)) for name in ("oo", "oa", "aa")})
        for ids in config["drawn"]
    ]
    axes = [axis for axis in similarity_matrices(config, files).axes if axis.get_images()]
    # Two systems, by models of original and of anonymized speech.
    assert len(axes) == 4
    for axis, (_, matrices) in zip(axes, files, strict=True):
        shown = np.asarray(axis.get_images()[0].get_array())
        assert (shown[:3, :3] == matrices["oo"]).all()
        assert (shown[:3, 3:] == matrices["oa"]).all()
        assert (shown[3:, :3] == matrices["oa"].T).all()
        assert (shown[3:, 3:] == matrices["aa"]).all()
