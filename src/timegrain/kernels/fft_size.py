"""Lengths of which torch's Fourier transform is fast."""

import torch


def fft_size(least: int) -> int:
    """Return the smallest fast transform length that is `>= least`: `8 * 2^i 3^j 5^k`.

    Odd lengths and lengths with large prime factors are several times slower.

    Example:
        >>> [fft_size(n) for n in (1, 9, 1023, 4097)]
        [8, 16, 1024, 4320]
    """
    units = -(-(int(least) if torch.jit.is_tracing() else least) // 8)
    best = 1 << (units - 1).bit_length()
    five = 1
    while five < best:
        odd = five
        while odd < best:
            quotient = -(-units // odd)
            best = min(best, odd << (quotient - 1).bit_length())
            odd *= 3
        five *= 5
    return 8 * best
