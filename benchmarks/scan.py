"""Time the selective scan against mamba.py's parallel scan and a plain loop, in one run.

    python benchmarks/scan.py [--rounds 11] [--threads 2] [--dtype float32]

Each round runs every contender once, one after the other, on the same tensors; a ratio is formed
within a round, and the median over rounds is printed with its smallest and largest value. Values
and gradients are compared before anything is timed.

`pscan` is used as mamba.py uses it: build exp(delta A) and delta B u, scan, multiply by C.

Large temporaries make page faults dominate on small machines, and those are erratic. So that the
allocator is not what is measured, the script sets

    MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 MALLOC_TOP_PAD_=268435456

(glibc keeps and reuses its memory) and starts itself again where they are not set. `--as-is` keeps
the environment as it is.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

MALLOC = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "100000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
SHAPES = ((8, 1024, 64, 16), (16, 427, 64, 16), (2, 4096, 64, 16), (8, 1024, 50, 16))
CONTENDERS = ("timegrain", "pscan", "loop")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=11, help="rounds a shape (the loop: a third)")
    parser.add_argument("--threads", type=int, default=None, help="torch threads")
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    parser.add_argument("--as-is", action="store_true", help="do not set the MALLOC variables")
    parser.add_argument("--memory-of", choices=CONTENDERS, help=argparse.SUPPRESS)
    return parser.parse_args()


def start_again_with_malloc(arguments):
    if arguments.as_is or arguments.memory_of or all(os.environ.get(k) for k in MALLOC):
        return
    print("starting again with", " ".join(f"{k}={v}" for k, v in MALLOC.items()), flush=True)
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **MALLOC})


def import_pscan():
    try:
        from mambapy.pscan import pscan
    except ImportError as error:
        print(
            f"mamba.py is not installed ({error}).\n"
            "Try: pip install --no-deps -r benchmarks/requirements.txt",
            file=sys.stderr,
        )
        raise SystemExit(2) from error
    return pscan


def contenders():
    """Return the three functions of (u, delta, A, B, C) that compute the same y."""
    import torch

    from timegrain.kernels import selective_scan

    pscan = import_pscan()

    def by_pscan(u, delta, A, B, C):
        delta_A = torch.exp(delta.unsqueeze(-1) * A)
        delta_B = delta.unsqueeze(-1) * B.unsqueeze(2)
        hs = pscan(delta_A, delta_B * u.unsqueeze(-1))
        return (hs @ C.unsqueeze(-1)).squeeze(3)

    def by_loop(u, delta, A, B, C):
        delta_A = torch.exp(delta.unsqueeze(-1) * A)
        delta_B_u = delta.unsqueeze(-1) * B.unsqueeze(2) * u.unsqueeze(-1)
        h = torch.zeros_like(delta_A[:, 0])
        y = []
        for a, x, c in zip(delta_A.unbind(1), delta_B_u.unbind(1), C.unbind(1), strict=True):
            h = a * h + x
            y.append((h @ c.unsqueeze(-1)).squeeze(-1))
        return torch.stack(y, 1)

    return {"timegrain": selective_scan, "pscan": by_pscan, "loop": by_loop}


def inputs(shape, dtype):
    """Mamba's initialisation: A = -(1..n), delta log-uniform around .001 to .1."""
    import torch

    b, length, d, n = shape
    generator = torch.Generator().manual_seed(0)

    def normal(*size):
        return torch.randn(*size, generator=generator, dtype=dtype)

    delta = torch.nn.functional.softplus(normal(b, length, d) - 4)
    A = -torch.arange(1, n + 1, dtype=dtype).repeat(d, 1)
    tensors = [normal(b, length, d), delta, A, normal(b, length, n), normal(b, length, n)]
    return [t.requires_grad_() for t in tensors], normal(b, length, d)


def forward(function, tensors, upstream):
    import torch

    with torch.no_grad():
        function(*tensors)


def forward_backward(function, tensors, upstream):
    for tensor in tensors:
        tensor.grad = None
    function(*tensors).backward(upstream)


def check(functions, tensors, upstream):
    """Stop unless values and gradients agree to length * eps of their largest value."""
    import torch

    results = {}
    for name, function in functions.items():
        for tensor in tensors:
            tensor.grad = None
        y = function(*tensors)
        y.backward(upstream)
        results[name] = [y.detach(), *(t.grad for t in tensors)]
    bound = tensors[0].shape[1] * torch.finfo(tensors[0].dtype).eps
    for name in ("pscan", "loop"):
        pairs = zip(results["timegrain"], results[name], strict=True)
        worst = max(float((a - b).abs().max() / b.abs().max()) for a, b in pairs)
        if not worst < bound:
            raise SystemExit(f"values or gradients differ from {name}: {worst:.1e} >= {bound:.1e}")
        print(f"  agrees with {name} to {worst:.1e} of the largest value, gradients included")


def time_rounds(functions, run, tensors, upstream, rounds):
    """Return seconds by contender, rounds interleaved; None where the slow loop sat a round out."""
    seconds = {name: [] for name in functions}
    for function in functions.values():
        run(function, tensors, upstream)
    for turn in range(rounds):
        for name, function in functions.items():
            if name == "loop" and turn % 3:
                seconds[name].append(None)
                continue
            start = time.perf_counter()
            run(function, tensors, upstream)
            seconds[name].append(time.perf_counter() - start)
    return seconds


def report(label, seconds):
    ours = seconds["timegrain"]
    parts = []
    for name in CONTENDERS:
        median = statistics.median(s for s in seconds[name] if s is not None)
        text = f"{name} {1e3 * median:.2f} ms"
        if name != "timegrain":
            ratios = [s / o for s, o in zip(seconds[name], ours, strict=True) if s is not None]
            text += f" = {statistics.median(ratios):.1f}x ({min(ratios):.1f}-{max(ratios):.1f})"
        parts.append(text)
    print(f"  {label:17s}", "   ".join(parts), flush=True)


def resident(field):
    with open("/proc/self/status") as lines:  # noqa: PTH123
        return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def print_memory(name):
    """Print the peak of forward and backward above what was resident before, in MiB."""
    import torch

    function = contenders()[name]
    forward_backward(function, *inputs((1, 64, 16, 16), torch.float32))
    tensors, upstream = inputs(SHAPES[0], torch.float32)
    before = resident("VmRSS")
    with open("/proc/self/clear_refs", "w") as reset:  # noqa: PTH123
        reset.write("5")
    forward_backward(function, tensors, upstream)
    print(f"{resident('VmHWM') - before:.0f}")


def memory_lines():
    """Peak memory, each contender in a process of its own with the allocator's defaults."""
    if not sys.platform.startswith("linux"):
        print("peak memory: measured on Linux only")
        return
    environment = {k: v for k, v in os.environ.items() if k not in MALLOC}
    print("peak extra memory, forward+backward, b=8 l=1024 d=64 n=16, float32:")
    for name in CONTENDERS:
        command = [sys.executable, __file__, "--memory-of", name]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        print(f"  {name}: {done.stdout.strip()} MiB")


def main():
    arguments = parse()
    start_again_with_malloc(arguments)
    import_pscan()
    import torch

    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    if arguments.memory_of:
        print_memory(arguments.memory_of)
        return
    functions = contenders()
    dtype = getattr(torch, arguments.dtype)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {arguments.dtype}")
    print("median ms; ratio to timegrain: median over rounds (smallest-largest)")
    for shape in SHAPES:
        print("b={} l={} d={} n={}".format(*shape))
        tensors, upstream = inputs(shape, dtype)
        check(functions, tensors, upstream)
        for label, run in (("forward", forward), ("forward+backward", forward_backward)):
            report(label, time_rounds(functions, run, tensors, upstream, arguments.rounds))
    from timegrain.kernels import explain

    print(explain()["selective_scan"])
    memory_lines()


if __name__ == "__main__":
    main()
