import torch

from scripts.lib.models.emotion_cnn import Network

CONFIG = {"channels": 8, "mel_bins": 6, "dropout": 0.0}


def test_logits_do_not_depend_on_the_company_in_a_batch():
    torch.manual_seed(0)
    network = Network(CONFIG)
    short, long = torch.randn(20, 6), torch.randn(50, 6)
    batch = torch.zeros(2, 50, 6)
    batch[0, :20], batch[1] = short, long
    together = network(batch, torch.tensor([20, 50]))
    alone = network(short[None], torch.tensor([20]))
    torch.testing.assert_close(together[:1], alone)
    torch.testing.assert_close(together[1:], network(long[None], torch.tensor([50])))
