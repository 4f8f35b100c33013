"""Nested lists of digits under operators; the label is the value of the whole."""

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.data.dataset import Dataset

DIGITS = tuple(str(digit) for digit in range(10))
OPERATORS = ("[MIN", "[MAX", "[MED", "[SM")
VOCABULARY = (*DIGITS, *OPERATORS, "]")
END = len(VOCABULARY) - 1

N_CASES = 5000
LIST_SHARE = 0.25
MAX_ARGUMENTS = 5
MAX_DEPTH = 20
LENGTHS = (32, 128)
# draws in a row that give nothing new, after which no more is expected
_PATIENCE = 100_000


def listops(
    n_cases: int = N_CASES, *, lengths: tuple[int, int] = LENGTHS, seed: int = 0
) -> Dataset:
    """Return different expressions, each labelled with its value, a digit.

    An argument is a list with probability 1/4 and else a uniform digit; a list has 2 to 5
    arguments and nests to a depth of at most 20. Its operator is uniform among the minimum, the
    maximum, the median (of an even number of arguments the mean of the middle two, rounded down)
    and the sum modulo 10.

    Args:
        n_cases: Expressions, four in five of them to train.
        lengths: Fewest and most symbols of an expression.
        seed: Of the draw.

    Raises:
        ConfigError: If an argument is outside its domain, or there are too few such expressions.

    Note:
        The rule is the published one. Shorter here are the set, 5,000 expressions for 100,000, and
        the expressions: those from 32 to 128 symbols are kept. Symbols that only mark the binary
        tree, which sequence models are not given elsewhere either, are left out.

    Source:
        Nangia and Bowman, ListOps: A Diagnostic Dataset for Latent Tree Learning (NAACL student
        research workshop 2018), section 2.

    Example:
        >>> data = listops(10)
        >>> " ".join(data.vocabulary[symbol] for symbol in data.sequences[0][:6])
        '[MIN [MIN [MIN 4 1 8'
    """
    shortest, longest = lengths
    if n_cases < 2 or not 4 <= shortest <= longest:
        raise ConfigError(
            "no such expressions",
            got=f"n_cases={n_cases}, lengths={lengths}",
            expected="2 cases or more, and two ascending lengths from 4 on",
        )
    draw = _Draw(stream(seed, "listops"), longest)
    found: dict[tuple[int, ...], int] = {}
    in_vain = 0
    while len(found) < n_cases and in_vain < _PATIENCE:
        symbols, value = draw.expression()
        before = len(found)
        if shortest <= len(symbols) <= longest:
            found.setdefault(tuple(symbols), value)
        in_vain = in_vain + 1 if len(found) == before else 0
    if len(found) < n_cases:
        raise ConfigError(
            "there are too few expressions of these lengths",
            got=f"{len(found):,} for lengths={lengths}",
            expected=f"{n_cases:,}",
        )
    return Dataset(
        name="listops",
        sequences=tuple(np.array(symbols, dtype=np.int64) for symbols in found),
        labels=np.array(list(found.values()), dtype=np.int64),
        class_names=DIGITS,
        n_train=4 * n_cases // 5,
        vocabulary=VOCABULARY,
        kind="tokens",
    )


def apply(operator: int, arguments: list[int]) -> int:
    """Return the value of a list.

    Args:
        operator: Place in `OPERATORS`.
        arguments: Digits.

    Example:
        >>> [apply(operator, [7, 2, 8, 4]) for operator in range(4)]
        [2, 8, 5, 1]
    """
    if operator == 0:
        return min(arguments)
    if operator == 1:
        return max(arguments)
    if operator == 2:
        ordered, half = sorted(arguments), len(arguments) // 2
        return (ordered[half] + ordered[-half - 1]) // 2
    return sum(arguments) % 10


class _Draw:
    """Draws expressions, in uniform numbers taken from the generator by the block."""

    BLOCK = 1 << 14

    def __init__(self, random: np.random.Generator, longest: int) -> None:
        self.random, self.longest = random, longest
        self.left: list[float] = []

    def expression(self) -> tuple[list[int], int]:
        """Return the symbols of one list, and its value; more than `longest` symbols are cut."""
        symbols: list[int] = []
        return symbols, self._list(symbols, 1)

    def _uniform(self) -> float:
        if not self.left:
            self.left = self.random.random(self.BLOCK).tolist()
        return self.left.pop()

    def _list(self, symbols: list[int], depth: int) -> int:
        operator = int(4 * self._uniform())
        symbols.append(len(DIGITS) + operator)
        values = []
        for _ in range(2 + int((MAX_ARGUMENTS - 1) * self._uniform())):
            # what is too long is thrown away, so that it need not be drawn to its end
            if len(symbols) > self.longest:
                break
            if depth < MAX_DEPTH - 1 and self._uniform() < LIST_SHARE:
                values.append(self._list(symbols, depth + 1))
            else:
                digit = int(10 * self._uniform())
                symbols.append(digit)
                values.append(digit)
        symbols.append(END)
        return apply(operator, values) if values else 0
