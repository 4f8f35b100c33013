"""Silero's speech detector as a module of sound, (batch, time, 1) in and out, its state carried.

The package gives one probability for each window of 32 ms. Here each is held over its window, so
that a rate that is twice as high has twice as many outputs at the same times. The three parts, what
is heard in a window, what is remembered of the windows before, and what is decided, are modules of
their own, so that each can be looked at.
"""

import warnings
from importlib.metadata import distribution
from pathlib import Path

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
        return torch.jit.load(Path(str(file)), map_location="cpu").eval()


class Part(nn.Module):
    """One step of the detector, from values at each sample to values held over each window."""

    def __init__(self, branches: dict[int, nn.Module]) -> None:
        super().__init__()
        self.branches = nn.ModuleDict({str(rate): branch for rate, branch in branches.items()})


class Hear(Part):
    """The short Fourier transform and convolutions of a window and a little of the one before."""

    def forward(self, sound: Tensor, rate: int, every: int) -> Tensor:
        """Return 128 channels, held over each window."""
        size, branch = window(rate), self.branches[str(rate)]
        read = sound[:, ::every, 0]
        windows = F.pad(read, (size // 8, -read.shape[1] % size)).unfold(1, size + size // 8, size)
        heard = branch(windows.flatten(0, 1))[..., 0]
        return hold(heard.unflatten(0, windows.shape[:2]), size * every, sound.shape[1])


class Remember(Part):
    """The LSTM, its state carried from window to window."""

    def forward(self, heard: Tensor, rate: int, every: int) -> Tensor:
        """Return its 128 outputs, held over each window."""
        size, cell = window(rate) * every, self.branches[str(rate)]
        h = c = heard.new_zeros(len(heard), heard.shape[2])
        outputs = []
        for one in heard[:, ::size].unbind(1):
            h, c = cell(one, (h, c))
            outputs.append(h)
        return hold(torch.stack(outputs, 1), size, heard.shape[1])


class Decide(Part):
    """One probability of speech for each window."""

    def forward(self, remembered: Tensor, rate: int, every: int) -> Tensor:
        """Return it, held over the window."""
        size, branch = window(rate) * every, self.branches[str(rate)]
        windows = remembered[:, ::size]
        decided = branch(windows.flatten(0, 1)[..., None])[..., 0]
        return hold(decided.unflatten(0, windows.shape[:2]), size, remembered.shape[1])


class _Encoder(nn.Module):
    """Of one rate: sound of a window to 128 numbers."""

    def __init__(self, network: torch.jit.ScriptModule) -> None:
        super().__init__()
        self.stft, self.encoder = network.stft, network.encoder

    def forward(self, x: Tensor) -> Tensor:
        return self.encoder(self.stft(x))


class SpeechWindows(nn.Module):
    """The detector; `sr` is how many samples a second it is told that it is given."""

    d_input = 1

    def __init__(self) -> None:
        super().__init__()
        script = load_script()
        networks = dict(zip(RATES, (script._model_8k, script._model), strict=True))
        self.hear = Hear({r: _Encoder(n) for r, n in networks.items()})
        self.remember = Remember({r: n.decoder.rnn for r, n in networks.items()})
        self.decide = Decide({r: n.decoder.decoder for r, n in networks.items()})

    def forward(self, sound: Tensor, sr: float = 16_000) -> Tensor:
        """Return the probability of speech at each sample.

        As in the package, of a multiple of 16,000 every so-manyth sample is read.
        """
        told = round(sr)
        every = told // 16_000 if told % 16_000 == 0 else 1
        rate = told // every
        if rate not in RATES:
            raise ValueError(f"the detector knows 8,000 and multiples of 16,000, not {sr}")
        out = self.hear(sound, rate, every)
        for part in (self.remember, self.decide):
            out = part(out, rate, every)
        return out


def window(rate: int) -> int:
    """Return the samples in 32 ms."""
    return rate * 32 // 1000


def hold(windows: Tensor, size: int, n: int) -> Tensor:
    """Return values of windows as a sequence of n samples."""
    return windows.repeat_interleave(size, 1)[:, :n]
