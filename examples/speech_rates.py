"""Does a trained speech detector survive another sampling rate? Run it, and measure it.

    pip install --no-deps silero-vad==6.2.3
    python examples/speech_rates.py

At 8, 16, 32 and 64 kHz the detector decides where a made voice speaks, once told the rate and once
taking every rate for 16 kHz. `TOLD` and `UNTOLD` are the same two for timegrain to measure, which
needs neither decisions nor a voice that is known: docs/how-to/a-trained-recognizer.md.
"""

import numpy as np
import torch
from made_voice import is_voiced, voice, vowels
from speech_windows import SpeechWindows
from torch import Tensor, nn

import timegrain as tg

RATES = (8_000, 16_000, 32_000, 64_000)
SECONDS = 1.0  # that a measurement lasts: 8,000 samples at 8 kHz


def decisions(detector: nn.Module, rate: int) -> list[tuple[float, float]]:
    """Return the share of 4.5 s in which it is right, and the share of the speech that it finds.

    Both first where it is told the rate, then where it takes it for 16 kHz.
    """
    times = np.arange(0, 4.5, 1 / rate)
    sound, there = torch.from_numpy(voice(times)).float()[None, :, None], is_voiced(times)
    found = []
    for sr in (rate, 16_000):
        with torch.no_grad():
            speaks = detector(sound, sr)[0, :, 0].numpy() > 0.5
        found.append((float((speaks == there).mean()), float(speaks[there].mean())))
    return found


class Said(nn.Module):
    """The detector as a function of how loud the made voice is, at any rate.

    Signals of timegrain are slow, and so is the burst by which it looks for memory. As sound nobody
    would hear them. As loudness they are syllables.
    """

    d_input = 1

    def __init__(self) -> None:
        super().__init__()
        self.detector = SpeechWindows()
        self.vowels: dict[int, Tensor] = {}

    def forward(self, loud: Tensor, sr: float = 16_000) -> Tensor:
        """Return the probability of speech at each sample."""
        n = loud.shape[1]
        if n not in self.vowels:  # all grids begin and end at the same times
            times = np.linspace(0, SECONDS - 1 / RATES[0], n)
            self.vowels[n] = torch.from_numpy(vowels(times)).float()[:, None]
        return self.detector(self.vowels[n] * loud, sr)


# an argument of that name is given the samples a second
TOLD = tg.ModelAdapter(Said(), tau="sr", name="told")
UNTOLD = tg.ModelAdapter(TOLD.model, tau=None, name="untold")


def main() -> dict[int, list[tuple[float, float]]]:
    """Print and return what is decided at each rate: told the rate, and taking it for 16 kHz."""
    detector = TOLD.model.detector
    found = {rate: decisions(detector, rate) for rate in RATES}
    print("          told its rate           taken for 16 kHz")
    for rate, shares in found.items():
        words = [f"{right:4.0%} right, {heard:4.0%} found" for right, heard in shares]
        print(f"{rate // 1000:3} kHz   " + "   ".join(words))
    return found


if __name__ == "__main__":
    main()
