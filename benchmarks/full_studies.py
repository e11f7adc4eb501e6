"""What the complete studies of 2020 and 2024 cost, from steps of their networks at full size.

Run from the repository's root, best on an idle machine:

    python -m benchmarks.full_studies

Each network takes a few steps on noise; random weights take as long as trained ones. The operations
of a step are counted by torch, so that hours of a GPU follow from what it sustains.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from speechbrain.lobes.models.ECAPA_TDNN import Classifier as EcapaClassifier
from torch.nn.functional import cross_entropy, ctc_loss
from torch.utils.flop_counter import FlopCounterMode
from transformers import Wav2Vec2Config, Wav2Vec2Model

from scripts.lib.audio import RATE_HZ
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.markup import markdown_lines
from scripts.lib.models import ecapa, xvector
from scripts.lib.models.batching import Frames
from scripts.lib.models.ctc import AcousticModel
from scripts.lib.models.training import use_threads

THREADS = 2
SPEAKERS, PHONES, FRAMES_PER_S = 921, 40, 100
# Assumed, not measured: float32 of one current card in networks like these, a third of its
# nominal rate without tensor cores.
GPU_FLOPS = 1e13
# LibriSpeech train-clean-360; VCTK's short sentences and LibriSpeech's long ones among the rest.
TRAIN_H, UTTERANCE_H = 363.6, {"libri": 7.3 / 3600, "vctk": 3.4 / 3600}
EVALUATED_2020_H = (343 + 1978 + 438 + 1496) * UTTERANCE_H["libri"] + (
    600 + 695 + 10677 + 600 + 700 + 10748
) * UTTERANCE_H["vctk"]
EVALUATED_2024_H = (343 + 1978 + 438 + 1496) * UTTERANCE_H["libri"]
IEMOCAP_H, FOLDS, SER_EPOCHS = 7.0, 5, 30
SYSTEMS, RETRAINED = 19, 6
WAV_GB_PER_H, FLAC = RATE_HZ * 2 * 3600 / 1e9, 0.55


@dataclass(frozen=True)
class Step:
    """One measured step: seconds of speech it handles, its operations and its CPU time."""

    speech_s: float
    flops: float
    cpu_s: float

    def core_hours(self, hours: float) -> float:
        """Return what so many hours of speech take on cores like these."""
        return hours * self.cpu_s / self.speech_s

    def gpu_hours(self, hours: float) -> float:
        """Return what they take on the assumed GPU."""
        return hours * self.flops / self.speech_s / GPU_FLOPS


def measured(speech_s: float, step: Callable[[], object]) -> Step:
    """Return the CPU time of a step, all threads together, after one to warm up."""
    with FlopCounterMode(display=False) as counter:
        step()
    start = time.process_time()
    step()
    return Step(speech_s, counter.get_total_flops(), time.process_time() - start)


def training(network: torch.nn.Module, loss: Callable[[], torch.Tensor]) -> Callable[[], None]:
    """Return a step of a network's training."""
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-6)

    def step() -> None:
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    return step


def inference(network: torch.nn.Module, *inputs: object) -> Callable[[], None]:
    """Return a network at work."""
    network.eval()

    def step() -> None:
        with torch.no_grad():
            network(*inputs)

    return step


def ecapa_steps(entry: dict) -> tuple[Step, Step]:
    """Return training and embedding of an ECAPA."""
    batch, crop_s = entry["batch"], entry["crop_s"]
    extractor = ecapa.Extractor(entry)
    classifier = EcapaClassifier(entry["embedding"], out_neurons=SPEAKERS)
    waves, labels = torch.randn(batch, round(crop_s * RATE_HZ)), torch.arange(batch)
    both = torch.nn.ModuleList([extractor, classifier])
    train = training(
        both,
        lambda: cross_entropy(classifier(extractor(waves).unsqueeze(1)).squeeze(1), labels),
    )
    taught = measured(batch * crop_s, train)
    return taught, measured(8.0, inference(extractor, torch.randn(1, 8 * RATE_HZ)))


def xvector_steps(entry: dict) -> tuple[Step, Step]:
    """Return training and embedding of an x-vector network."""
    frames = (entry["chunk_frames"]["minimum"] + entry["chunk_frames"]["maximum"]) // 2
    extractor, classifier = xvector.Extractor(entry), xvector.Classifier(entry, SPEAKERS)
    cepstra = entry["features"]["cepstra"]
    inputs, labels = torch.randn(entry["batch"], cepstra, frames), torch.arange(entry["batch"])
    both = torch.nn.ModuleList([extractor, classifier])
    train = training(both, lambda: cross_entropy(classifier(extractor(inputs)), labels))
    taught = measured(entry["batch"] * frames / FRAMES_PER_S, train)
    return taught, measured(8.0, inference(extractor, torch.randn(1, cepstra, 800)))


def tdnnf_steps(entry: dict) -> tuple[Step, Step]:
    """Return training and scoring of a TDNN-F, without the search for words."""
    network = AcousticModel(entry, PHONES)
    lengths = [800] * 4
    features = torch.randn(sum(lengths), entry["features"]["mel_bins"])
    targets, sizes = torch.randint(1, PHONES, (4, 80)), torch.full((4,), 80)

    def loss() -> torch.Tensor:
        scores, layout = network(features, Frames(lengths))
        scores = torch.stack(scores.split(layout.lengths), dim=1)
        return ctc_loss(scores, targets, torch.tensor(layout.lengths), sizes)

    taught = measured(sum(lengths) / FRAMES_PER_S, training(network, loss))
    scoring = inference(network, features[:800], Frames(lengths[:1]))
    return taught, measured(8.0, scoring)


def wav2vec2_steps() -> tuple[Step, Step]:
    """Return the training of the base size (emotions) and the work of the large one (words)."""
    base = Wav2Vec2Model(Wav2Vec2Config())
    base.freeze_feature_encoder()
    samples = torch.randn(1, 4 * RATE_HZ)
    train = training(base, lambda: base(samples).last_hidden_state.mean())
    taught = measured(4.0, train)
    large = Wav2Vec2Config(
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
        feat_extract_norm="layer",
        conv_bias=True,
        do_stable_layer_norm=True,
    )
    return taught, measured(8.0, inference(Wav2Vec2Model(large), torch.randn(1, 8 * RATE_HZ)))


def rows_of_studies(entries: Catalogue) -> list[tuple[str, str, float, Step]]:
    """Return study, what is done, the hours of speech it is done on, and its step."""
    asv, asr = entries["asv"], entries["asr"]["tdnnf_vpc2020"]
    xvector_train, xvector_embed = xvector_steps(asv["xvector_vpc2020"])
    ecapa_train, ecapa_embed = ecapa_steps(asv["ecapa_vpc2024"])
    tdnnf_train, tdnnf_score = tdnnf_steps(asr)
    emotion_train, large = wav2vec2_steps()
    passes = asv["xvector_vpc2020"]["epochs"]
    asr_passes = asr["epochs"] * len(asr["training"]["speeds"])
    ecapa_passes = asv["ecapa_vpc2024"]["epochs"]
    models, heard = 1 + RETRAINED, SYSTEMS + RETRAINED
    return [
        ("2020", "train the x-vector network on one system", passes * TRAIN_H, xvector_train),
        ("2020", f"… on {models} systems", models * passes * TRAIN_H, xvector_train),
        ("2020", f"embed {heard} times", heard * (TRAIN_H + EVALUATED_2020_H), xvector_embed),
        ("2020", "train the TDNN-F", asr_passes * TRAIN_H, tdnnf_train),
        ("2020", f"… on {models} systems", models * asr_passes * TRAIN_H, tdnnf_train),
        ("2020", f"score units of {SYSTEMS} systems", SYSTEMS * EVALUATED_2020_H, tdnnf_score),
        ("2024", "train the ECAPA on one system", ecapa_passes * TRAIN_H, ecapa_train),
        ("2024", "embed one system", EVALUATED_2024_H, ecapa_embed),
        ("2024", "transcribe one system", EVALUATED_2024_H, large),
        ("2024", f"train {FOLDS} emotion folds", FOLDS * SER_EPOCHS * IEMOCAP_H, emotion_train),
    ]


def main() -> None:
    """Print what each part of the studies costs."""
    use_threads(THREADS)
    torch.manual_seed(0)
    entries = Catalogue("config", load_yaml("config/config.yaml"))
    speech = ("hours of speech", "times real time, one core")
    body = [["study", "what", *speech, "core-hours", "GPU-hours"]]
    for study, what, hours, step in rows_of_studies(entries):
        speed = step.speech_s / step.cpu_s
        costs = (step.core_hours(hours), step.gpu_hours(hours))
        body.append([study, what, f"{hours:,.0f}", f"{speed:.1f}", *(f"{c:,.1f}" for c in costs)])
    print("\n".join(markdown_lines(body)))
    rendered = RETRAINED * TRAIN_H + SYSTEMS * EVALUATED_2020_H
    print(f"\n2020: {rendered:,.0f} hours are rendered, {rendered * WAV_GB_PER_H:,.0f} GB of wav")
    print(f"or {rendered * WAV_GB_PER_H * FLAC:,.0f} GB of flac. GPU: {GPU_FLOPS:.0e} per second.")


if __name__ == "__main__":
    main()
