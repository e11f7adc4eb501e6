"""One module per downloaded corpus, which turns its archive into Kaldi data directories."""
