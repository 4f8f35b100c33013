"""S4D against the layer as one would write it in torch, with its Vandermonde matrix."""

import torch

from performance.rounds import Section, beside, compare, gradients, time_rounds, training
from timegrain.models import build_layer


class PlainS4D(torch.nn.Module):
    """S4D by its definition: all powers of all modes in memory, then an FFT convolution."""

    def __init__(self, layer):
        super().__init__()
        for name, parameter in layer.named_parameters():
            self.register_parameter(name, torch.nn.Parameter(parameter.detach().clone()))

    def forward(self, u):
        length = u.shape[1]
        modes = torch.complex(-self.log_decay.exp(), self.frequency)
        exponent = modes * self.log_dt.exp()[:, None]
        weight = torch.view_as_complex(self.C) * torch.expm1(exponent) / modes
        vandermonde = torch.exp(exponent[..., None] * torch.arange(length))  # (d, n, l)
        kernel = 2 * torch.einsum("dn,dnl->dl", weight, vandermonde).real
        spectrum = torch.fft.rfft(u.mT, n=2 * length) * torch.fft.rfft(kernel, n=2 * length)
        return torch.fft.irfft(spectrum, n=2 * length)[..., :length].mT + self.D * u


def measure(settings):
    b, length, d = (1, 64, 4) if settings.quick else (8, 1024, 64)
    ours = build_layer("s4d", d_model=d, seed=0)
    plain = PlainS4D(ours)
    generator = torch.Generator().manual_seed(0)
    x, upstream = (torch.randn(b, length, d, generator=generator) for _ in range(2))
    x.requires_grad_()
    layers, results = {"timegrain": ours, "plain torch": plain}, []
    names = [name for name, _ in ours.named_parameters()]
    for layer in layers.values():
        tensors = [x, *(dict(layer.named_parameters())[name] for name in names)]
        results.append(gradients(lambda f=layer: f(x), tensors, upstream))
    # the plain form takes its powers in float32, where a phase of l pi Delta_max has that rounding
    bound = 10 * length * torch.finfo(torch.float32).eps
    compare(*results, bound, ["y", "x", *names])
    runs = {
        name: training(lambda f=layer: f(x), [x, *layer.parameters()], upstream)
        for name, layer in layers.items()
    }
    seconds = time_rounds(runs, settings.rounds)
    what = f"forward and backward, b={b} l={length} d={d}, 32 pairs of modes"
    return Section(
        title="S4D",
        text="The layer against its definition in a dozen lines of torch: the Vandermonde matrix "
        "`(d, n, l)` of all powers, a sum over modes, an FFT convolution. A reference, not a tuned "
        "rival.",
        rows=[beside(what, "plain torch", *seconds.values(), at_least=3)],
    )
