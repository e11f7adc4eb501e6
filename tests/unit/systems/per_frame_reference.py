"""The McAdams signal path frame by frame, as its description reads: the oracle of `lpc_warp`."""

import numpy as np
from scipy.signal import lfilter

OFFSET = 2.0**-23


def burg_one(signal, order):
    """Burg's recursion for one frame."""
    coefficients = np.array([1.0])
    forward, backward = signal[1:], signal[:-1]
    energy = np.sum(forward**2 + backward**2)
    for _ in range(order):
        reflection = -2.0 * np.sum(forward * backward) / energy
        grown = np.append(coefficients, 0.0)
        coefficients = grown + reflection * grown[::-1]
        forward, backward = forward + reflection * backward, backward + reflection * forward
        energy = (1.0 - reflection**2) * energy - backward[-1] ** 2 - forward[0] ** 2
        forward, backward = forward[1:], backward[:-1]
    return coefficients


def warp_per_frame(samples, alpha, rho=1.0, order=20, window=320, hop=160, first=0):
    """Analysis, pole shift, synthesis and overlap-add of one frame after the other."""
    signal = samples.astype(np.float64) + OFFSET
    hann = np.hanning(window)
    taper = np.sqrt(hann / (hann.sum() / hop))
    result = np.zeros(len(signal))
    for index in range(first, (len(signal) - window) // hop + 1):
        place = slice(index * hop, index * hop + window)
        frame = signal[place] * taper
        predictor = burg_one(frame + OFFSET, order)
        poles = np.roots(predictor)
        angle = np.angle(poles)
        warped = np.sign(angle) * np.minimum(np.abs(angle) ** alpha, np.pi)
        moved = np.where(poles.imag == 0, angle, warped)
        shifted = np.real(np.poly(rho * np.abs(poles) * np.exp(1j * moved)))
        residual = lfilter(predictor, [1.0], frame)
        result[place] += taper * lfilter([1.0], shifted, residual)
    return result


def vector_of_2024():
    """Return the input of the published test vector: two tones in noise of a known generator."""
    value, noise = 12345, []
    for _ in range(4000):
        value = (1103515245 * value + 12345) % 2**31
        noise.append(value / 2**31 - 0.5)
    t = np.arange(4000) / 16000
    tones = 0.3 * np.sin(2 * np.pi * 200 * t) + 0.2 * np.sin(2 * np.pi * 1200 * t + 0.5)
    return (tones + 0.05 * np.array(noise)).astype(np.float32)


def speech_like(seconds, seed=0, pitch_hz=120.0, rate_hz=16000):
    """Return pulses and noise through moving resonances, with pauses of digital silence."""
    rng = np.random.default_rng(seed)
    n = round(seconds * rate_hz)
    t = np.arange(n) / rate_hz
    phase = np.cumsum(pitch_hz * (1 + 0.1 * np.sin(2 * np.pi * 0.7 * t))) / rate_hz
    source = np.diff(np.floor(phase), prepend=0.0) + 0.02 * rng.normal(size=n)
    speech = np.zeros(n)
    for start in range(0, n, 1600):
        part = source[start : start + 1600]
        for centre, width in ((550, 80), (1500, 110), (2500, 150), (3500, 250)):
            radius = np.exp(-np.pi * width / rate_hz)
            angle = 2 * np.pi * centre * (1 + 0.15 * rng.uniform(-1, 1)) / rate_hz
            part = lfilter([1.0], [1.0, -2 * radius * np.cos(angle), radius**2], part)
        speech[start : start + 1600] = part
    speech *= 0.5 / np.max(np.abs(speech))
    speech[n // 2 : n // 2 + 1200] = 0.0
    return speech.astype(np.float32)
