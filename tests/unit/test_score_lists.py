import re

import pandas as pd
import pytest

from scripts.lib.score_lists import join_scores, name_speakers, read_score_list

TRIALS = pd.DataFrame(
    [("a", "a1", 1), ("b", "a1", 0), ("a", "b1", 0), ("b", "b1", 1), ("a", "x1", 0)],
    columns=["enrol", "test", "target"],
)


def scores_of(*pairs):
    return pd.DataFrame(
        [(*pair.split(), 0.5) for pair in pairs], columns=["enrol", "test", "score"]
    )


ALL = ("b b1", "a x1", "a a1", "b a1", "a b1")


def test_both_forms_of_a_list_are_read(tmp_path):
    (tmp_path / "kaldi").write_text("a u1 1.5\nb  u1\t-2e-1\n\n")
    (tmp_path / "tsv").write_text("target\tscore\ttest\tenrol\n1\t1.5\tu1\ta\n0\t-0.2\tu1\tb\n")
    for name in ("kaldi", "tsv"):
        table = read_score_list(tmp_path / name)
        assert table.values.tolist() == [["a", "u1", 1.5], ["b", "u1", -0.2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s: holds no scores"),
        ("a u1 1\na u2\n", r"s: 1 lines are not `speaker utterance score` \(line 2 'a u2'\)"),
        (
            "a u1 nan\nb u1 1\nc u1 inf\nd u1 one\ne u1 -\n",
            r"s: 4 scores are not finite numbers \(line 1 a u1 'nan', line 3 c u1 'inf', .*, …\)",
        ),
        ("enrol\ttest\tscore\na\tu1\n", "1 lines are not as many fields as the first line"),
    ],
)
def test_broken_lists_are_refused_with_counts_and_examples(tmp_path, text, message):
    (tmp_path / "s").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_score_list(tmp_path / "s")


def test_scores_are_joined_by_pair_in_the_order_of_the_trials():
    scores = scores_of(*ALL).assign(score=range(5))
    assert join_scores(TRIALS, scores, "s")["score"].tolist() == [2, 3, 4, 0, 1]


def test_every_kind_of_mismatch_is_counted_and_named_at_once():
    scores = scores_of("b b1", "a x1", "a x1", "a a1", "b a1", "c b1", "a z9")
    message = (
        "s.txt: 1 pairs are scored more than once (a x1); "
        "1 of the 5 trials have no score (a b1); "
        "2 of the 7 scored pairs are no trials (c b1, a z9)"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        join_scores(TRIALS, scores, "s.txt")


def test_speakers_come_from_the_list_then_from_targets_then_from_nowhere():
    assert name_speakers(TRIALS, {}, "t")["speaker"].tolist() == ["a", "a", "b", "b", "x1"]
    assert name_speakers(TRIALS, {"x1": "x"}, "t")["speaker"].tolist()[-1] == "x"


@pytest.mark.parametrize(
    ("trials", "speaker_of", "message"),
    [
        (TRIALS[:0], {}, "t: holds no trials"),
        (
            pd.concat([TRIALS, TRIALS[1:3]]),
            {},
            r"2 trials are listed more than once \(b a1, a b1\)",
        ),
        (
            TRIALS.assign(target=0),
            {},
            "needs both target and nontarget trials, found 0 target and 5",
        ),
        (TRIALS.assign(target=[1, 1, 0, 1, 0]), {}, r"1 utterances are target of two .* \(a1\)"),
        (TRIALS, {"x1": "a", "a1": "b"}, r"3 labels contradict .* \(a a1, b a1, a x1\)"),
    ],
)
def test_bad_trials_are_refused(trials, speaker_of, message):
    with pytest.raises(ValueError, match=message):
        name_speakers(trials, speaker_of, "t")
