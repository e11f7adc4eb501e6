import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Patch

from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.figures import SHADES, attacker_bars, save_figure
from tests.unit.test_tables import make_metrics


@pytest.fixture(scope="module")
def config():
    catalogue = Catalogue("config", load_yaml("config/config.yaml"))
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
