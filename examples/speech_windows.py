"""Silero's speech detector as a module of sound, (batch, time, 1) in and out, its state carried.

The package gives one probability for each window of 32 ms. Here each is held over its window, so
that outputs have the times of the input at any rate. What is heard in a window, what is remembered
of those before, and what is decided are modules of their own, so that each can be looked at.
"""

import warnings
from importlib.metadata import distribution

import torch
from torch import Tensor, nn
from torch.nn import functional as F

RATES = (8_000, 16_000)  # samples a second that the network was trained at


def load_script() -> torch.jit.ScriptModule:
    """Return the network in the package; its code is not imported, which would set torch's threads.

    Raises:
        PackageNotFoundError: If silero-vad is not installed.
    """
    file = distribution("silero-vad").locate_file("silero_vad/data/silero_vad.jit")
    with warnings.catch_warnings():  # torch would rather have other formats
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.load(str(file), map_location="cpu").eval()


class Part(nn.Module):
    """One step of the detector at each of its rates, from one value a sample to one a window."""

    def __init__(self, *branches: nn.Module) -> None:
        super().__init__()
        self.branches = nn.ModuleDict(dict(zip(map(str, RATES), branches, strict=True)))

    def forward(self, x: Tensor, rate: int, every: int) -> Tensor:
        """Return values held over windows; `every` so manyth sample is one of that rate."""
        windows = self.of_windows(x[:, ::every], self.branches[str(rate)], rate * 32 // 1000)
        return windows.repeat_interleave(rate * 32 // 1000 * every, 1)[:, : x.shape[1]]


class Hear(Part):
    """A Fourier transform and convolutions of each window, and of a little of the one before."""

    def of_windows(self, sound: Tensor, branch: nn.Module, size: int) -> Tensor:
        """Return 128 numbers for each window."""
        padded = F.pad(sound[..., 0], (size // 8, -sound.shape[1] % size))
        windows = padded.unfold(1, size + size // 8, size)
        return branch(windows.flatten(0, 1)).unflatten(0, windows.shape[:2])[..., 0]


class Remember(Part):
    """The LSTM, its state carried from window to window."""

    def of_windows(self, heard: Tensor, branch: nn.Module, size: int) -> Tensor:
        """Return its 128 outputs for each window."""
        h = c = heard.new_zeros(len(heard), heard.shape[2])
        outputs = []
        for window in heard[:, ::size].unbind(1):
            h, c = branch(window, (h, c))
            outputs.append(h)
        return torch.stack(outputs, 1)


class Decide(Part):
    """The probability of speech."""

    def of_windows(self, remembered: Tensor, branch: nn.Module, size: int) -> Tensor:
        """Return it for each window."""
        windows = remembered[:, ::size]
        return branch(windows.flatten(0, 1)[..., None]).unflatten(0, windows.shape[:2])[..., 0]


class SpeechWindows(nn.Module):
    """The detector; `sr` is how many samples a second it is told that it is given."""

    d_input = 1

    def __init__(self) -> None:
        super().__init__()
        script = load_script()
        networks = (script._model_8k, script._model)
        self.hear = Hear(*(nn.Sequential(n.stft, n.encoder) for n in networks))
        self.remember = Remember(*(n.decoder.rnn for n in networks))
        self.decide = Decide(*(n.decoder.decoder for n in networks))

    def forward(self, sound: Tensor, sr: float = 16_000) -> Tensor:
        """Return the probability of speech at each sample.

        As in the package, of a multiple of 16,000 every so-manyth sample is read.
        """
        every = max(round(sr) // 16_000, 1)
        rate = round(sr) // every
        if rate not in RATES or rate * every != round(sr):
            raise ValueError(f"the detector knows 8,000 and multiples of 16,000, not {sr}")
        out = self.hear(sound, rate, every)
        return self.decide(self.remember(out, rate, every), rate, every)
