"""A voice that is made, at every time, so that it can be sampled at any rate; no file is needed.

    python examples/made_voice.py voice.wav

Glottal pulses are a series of harmonics of a pitch that glides. Each harmonic has the gain of three
formants at its frequency, so that what sounds is a row of vowels, in syllables and phrases with
pauses between. Nothing lies above 3.6 kHz: 8,000 samples a second hold all of it.
"""

import sys

import numpy as np

TOP = 3_600.0  # Hz
PHRASES = ((0.5, 1.7), (2.6, 4.0))  # seconds in which there is a voice
SYLLABLE = 0.2  # seconds
VOWELS = np.array([[730, 1090, 2440], [270, 2290, 3010], [570, 840, 2410], [530, 1840, 2480]])
WIDTHS = np.array([80.0, 100.0, 120.0])  # of the formants, Hz


def voice(times: np.ndarray) -> np.ndarray:
    """Return the sound pressure at some times in seconds, `(time,)`: about 1 where it is loud."""
    return loudness(times) * vowels(times)


def vowels(times: np.ndarray) -> np.ndarray:
    """Return the same voice without syllables and pauses, before its first phrase as well."""
    t = np.asarray(times, dtype=np.float64)
    pitch = 120 + 20 * np.sin(2 * np.pi * 0.7 * t) + 4 * np.sin(2 * np.pi * 5 * t)
    phase = 2 * np.pi * 120 * t
    phase -= 20 / 0.7 * np.cos(2 * np.pi * 0.7 * t) + 4 / 5 * np.cos(2 * np.pi * 5 * t)
    formants = _formants(t)
    sound = np.zeros_like(t)
    for k in range(1, int(TOP / 90)):
        frequency = k * pitch
        # pulses fall by 12 dB an octave, and lips give 6 of them back
        level = _gain(frequency, formants) / k * np.clip((TOP - frequency) / 300, 0, 1)
        sound += level * np.sin(k * phase)
    return 0.2 * sound


def loudness(times: np.ndarray) -> np.ndarray:
    """Return how loud the voice is at some times: 0 in the pauses, 1 within a syllable."""
    t = np.asarray(times, dtype=np.float64)
    out = np.zeros_like(t)
    for start, stop in PHRASES:
        edge = np.clip(np.minimum(t - start, stop - t) / 0.03, 0, 1)
        syllable = 0.25 + 0.75 * np.sin(np.pi * (t - start) / SYLLABLE) ** 2
        out += edge**2 * (3 - 2 * edge) * syllable
    return out


def is_voiced(times: np.ndarray) -> np.ndarray:
    """Return whether there is a voice at some times."""
    return loudness(times) > 0


def _formants(t: np.ndarray) -> np.ndarray:
    place = t / SYLLABLE
    first = np.floor(place).astype(int)
    glide = np.clip((place - first - 0.7) / 0.3, 0, 1)[:, None]
    here, there = VOWELS[first % len(VOWELS)], VOWELS[(first + 1) % len(VOWELS)]
    return (1 - glide) * here + glide * there


def _gain(frequency: np.ndarray, formants: np.ndarray) -> np.ndarray:
    gain = np.ones_like(frequency)
    for centre, width in zip(formants.T, WIDTHS, strict=True):
        gain *= centre**2 / np.hypot(centre**2 - frequency**2, width * frequency)
    return gain


if __name__ == "__main__":
    import wave

    samples = voice(np.arange(0, 4.5, 1 / 16_000))
    with wave.open(sys.argv[1], "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes((0.9 * 32_767 * samples / abs(samples).max()).astype("<i2").tobytes())
