"""Speak sentences with the espeak-ng library, each in the state of a freshly loaded library.

This file is run as a program of its own by `scripts.lib.synthesis.rendering` and therefore uses
the standard library only. It reads one JSON object from standard input and answers each sentence
on standard output with four bytes of length (little endian) and 16-bit samples.

espeak-ng is licensed GPL-3.0-or-later (the Sonic code inside it Apache-2.0). It is called, in this
process, from the wheel `espeakng-loader`; nothing of it is copied into the repository.
"""

import ctypes
import json
import os
import sys

# Values of espeak-ng's speak_lib.h.
AUDIO_OUTPUT_SYNCHRONOUS = 2
INITIALIZE_DONT_EXIT = 0x8000
PARAMETER_RATE = 1
PARAMETER_VOLUME = 2
POSITION_CHARACTER = 1
CHARS_UTF8 = 1
EE_OK = 0

# Half of espeak-ng's normal volume: strong formants clip at the full one.
VOLUME_PERCENT = 50

SAMPLES_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class Espeak:
    """The espeak-ng library, initialised and not used yet.

    Parameters
    ----------
    library
        Path of the shared library.
    data
        Folder with the library's data and, in `voices/!v`, the voice files to use.
    """

    def __init__(self, library: str, data: str) -> None:
        self._library = ctypes.CDLL(library)
        self._library.espeak_ng_SetRandSeed.argtypes = [ctypes.c_long]
        self._library.espeak_ListVoices.restype = ctypes.c_void_p
        self.rate_hz = self._library.espeak_Initialize(
            AUDIO_OUTPUT_SYNCHRONOUS, 0, os.fsencode(data), INITIALIZE_DONT_EXIT
        )
        if self.rate_hz <= 0:
            raise RuntimeError(f"espeak-ng cannot use the data folder {data}")
        # Scanned here once, the list of languages is inherited by every process forked below.
        self._library.espeak_ListVoices(None)

    def speak(self, text: str, voice: str, accent: str, rate_wpm: int, seed: int) -> bytes:
        """Return the 16-bit samples of one sentence.

        Only the first call in a process is reproducible: the phases of flutter and of the wave
        generator live in static variables that neither a new voice nor `espeak_Terminate` resets.
        """
        pieces: list[bytes] = []

        def collect(samples: "ctypes._Pointer[ctypes.c_short]", count: int, _events: int) -> int:
            if samples and count:
                pieces.append(ctypes.string_at(samples, 2 * count))
            return 0

        callback = SAMPLES_CALLBACK(collect)
        self._library.espeak_SetSynthCallback(callback)
        if self._library.espeak_SetVoiceByName(f"{accent}+{voice}".encode()) != EE_OK:
            raise RuntimeError(
                f"espeak-ng has no accent {accent!r}; use the name of a file below its folder lang"
            )
        self._library.espeak_SetParameter(PARAMETER_RATE, rate_wpm, 0)
        self._library.espeak_SetParameter(PARAMETER_VOLUME, VOLUME_PERCENT, 0)
        self._library.espeak_ng_SetRandSeed(seed)
        encoded = text.encode() + b"\0"
        status = self._library.espeak_Synth(
            encoded, len(encoded), 0, POSITION_CHARACTER, 0, CHARS_UTF8, None, None
        )
        self._library.espeak_Synchronize()
        if status != EE_OK or not pieces:
            raise RuntimeError(f"espeak-ng gave status {status} and {len(pieces)} pieces of sound")
        return b"".join(pieces)


def serve(job: dict, out: int) -> None:
    """Speak every sentence of a job, each in a forked copy of the unused library.

    Parameters
    ----------
    job
        Keys `library`, `data`, `rate_hz` and `sentences`, a list of arguments of `Espeak.speak`.
    out
        File descriptor that receives the answers.
    """
    espeak = Espeak(job["library"], job["data"])
    if espeak.rate_hz != job["rate_hz"]:
        raise RuntimeError(f"espeak-ng speaks at {espeak.rate_hz} Hz, not {job['rate_hz']} Hz")
    for sentence in job["sentences"]:
        child = os.fork()
        if child == 0:
            _answer(espeak, sentence, out)
        _, status = os.waitpid(child, 0)
        if status != 0:
            raise RuntimeError(f"could not speak {sentence['text']!r}")


def _answer(espeak: Espeak, sentence: dict, out: int) -> None:
    status = 1
    try:
        samples = espeak.speak(**sentence)
        answer = memoryview(len(samples).to_bytes(4, "little") + samples)
        while answer:
            answer = answer[os.write(out, answer) :]
        status = 0
    except Exception as error:
        print(error, file=sys.stderr, flush=True)
    finally:
        # Not sys.exit: the copy must not run the clean-up of the process it was forked from.
        os._exit(status)


if __name__ == "__main__":
    try:
        serve(json.load(sys.stdin), sys.stdout.fileno())
    except RuntimeError as error:
        sys.exit(str(error))
