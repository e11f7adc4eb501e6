"""Which claims are made about which steps, and when they hold."""

import pandas as pd

from scripts.lib.vector_claims import Figures, claims
from scripts.lib.vectors_report import vectors_report

DISPLAY = {"systems": {"b1": "B1", "s1c1": "S1c1", "s2c1": "S2c1"}, "datasets": {"d": "Data"}}
NETWORK = {"speaker_before": 1.0, "speaker_after": 0.05, "speaker_chance": 0.025}
NETWORK |= {"gender_before": 0.99, "gender_after": 0.6, "rebuilt_cosine": 0.7, "spread": 0.1}
BY_GENDER = {"voice_cosine", "pool_cosine", "pool_median", "ks", "ks_p", "source_cosine"}
BY_GENDER |= {"source_cosine_highest"}


def table(**systems):
    rows = [
        {"dataset": "d", "system": system, "quantity": name, "gender": gender, "value": str(value)}
        for system, figures in systems.items()
        for name, value in {"voices": 4, "distinct": 4, **figures}.items()
        for gender in ("fm" if name in BY_GENDER else [""])
    ]
    return pd.DataFrame(rows)


def verdicts(steps, **figures):
    found = claims({"x": steps}, Figures(table(x=figures)))
    return [claim.holds for claim in found]


def test_averages_contract_and_samples_do_not():
    figures = {"pool_cosine": 0.6, "pool_median": 0.6, "source_cosine_highest": 0.5}
    near = {"voice_cosine": 0.64, "ks": 0.2, "ks_p": 0.1}
    far = {"voice_cosine": 0.97, "ks": 1.0, "ks_p": 1e-9}
    assert verdicts([{"step": "pool"}], **figures, **far) == [True]
    assert verdicts([{"step": "pool"}], **figures, **near) == [None]
    assert verdicts([{"step": "pool"}], **figures, **near | {"voice_cosine": 0.5}) == [False]
    sampled = [{"step": "gmm_pca"}]
    assert verdicts(sampled, **figures, **near) == [True]
    assert verdicts(sampled, **figures, **far) == [False]
    limited = [{"step": "gmm_pca", "tau": "pool_median"}]
    assert verdicts(limited, **figures, **near) == [True, True]
    figures["source_cosine_highest"] = 0.61
    assert verdicts(limited, **figures, **near) == [True, False]


def test_one_gender_is_enough_to_fail():
    rows = table(x={"source_cosine": 0.5, "pool_median": 0.6})
    rows.loc[(rows["quantity"] == "source_cosine") & (rows["gender"] == "m"), "value"] = "0.7"
    (claim,) = claims({"x": [{"step": "regress"}]}, Figures(rows))
    assert not claim.holds
    assert claim.found == "f: 0.50 against 0.60; m: 0.70 against 0.60"


def test_distance_from_the_speaker_follows_the_step():
    like = {"source_cosine": 1.0, "pool_median": 0.6}
    unlike = {"source_cosine": 0.5, "pool_median": 0.6}
    for step, expected in (
        ({"step": "identity"}, like),
        ({"step": "svd", "mode": "own_utterances"}, like),
        ({"step": "svd", "mode": "pool_basis"}, unlike),
        ({"step": "regress"}, unlike),
    ):
        other = unlike if expected is like else like
        assert verdicts([step], **expected) == [True]
        assert verdicts([step], **other) == [False]


def test_a_broken_privacy_bound_is_said():
    step = [{"step": "exponential", "epsilon": 20}]
    assert verdicts(step, privacy_excess=-0.1) == [True]
    assert verdicts(step, privacy_excess=0.1) == [False]


def test_networks_have_to_forget_and_the_stronger_one_to_collapse():
    network = [{"step": "autoencoder", "autoencoder": "s1"}]
    assert verdicts(network, **NETWORK) == [True] * 3
    bad = {"speaker_after": 0.2, "gender_after": 0.8, "rebuilt_cosine": 0.1}
    assert verdicts(network, **NETWORK | bad) == [False] * 3
    # A gender that no probe finds before cannot be forgotten.
    assert verdicts(network, **NETWORK | {"gender_before": 0.6}) == [True, None, True]
    both = {"s1": network, "s1c1": network, "s2c1": [network[0] | {"autoencoder": "s2"}]}
    for spread, holds in ((0.019, True), (0.021, False)):
        figures = table(s1=NETWORK, s1c1=NETWORK, s2c1=NETWORK | {"spread": spread})
        found = claims(both, Figures(figures))
        # Systems that share a network share its lines.
        assert [claim.systems for claim in found[2:4]] == [("s1", "s1c1"), ("s2c1",)]
        assert found[-1].holds is holds


def test_the_page_names_systems_verdicts_and_reasons():
    network = [{"step": "autoencoder", "autoencoder": "s1"}]
    rows = table(
        b1={"voice_cosine": 0.97, "pool_cosine": 0.6, "ks": 1.0, "ks_p": 1e-9},
        s1c1=NETWORK | {"rebuilt_cosine": 0.1},
    )
    page = vectors_report("mini", rows, {"d": {"b1": [{"step": "pool"}], "s1c1": network}}, DISPLAY)
    assert "## Data" in page
    assert "3 of 4 figures are as expected." in page
    assert page.count("**not as expected**") == 1
    assert "- S1c1, vectors are rebuilt with a cosine above 0.5: it may be that vectors" in page
    assert "| B1     | 4      | 4        | 0.97" in page
