"""The embedded corpus of synthetic voices: speakers, sentences, emotions and their recordings."""
