"""Facts about layers as text of 80 columns."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timegrain.models.card import LayerCard

WIDTH = 80


def cards_text(cards: "Sequence[LayerCard]") -> str:
    """Return a table of layers, then what each is and which kernels it ran.

    Args:
        cards: At least one, built with one width.
    """
    name = max(len(card.name) for card in cards)
    orders = [_orders(card) for card in cards]
    lines = [f"{'':{name}}  parameters  tau  steps  order by discretization, default first"]
    for card, order in zip(cards, orders, strict=True):
        head = f"{card.name:{name}}  {card.parameters:>10,}  {_yes(card.takes_tau)}  "
        head += f"{_yes(card.steps):<5}  "
        first, *rest = textwrap.wrap(order, WIDTH - len(head))
        lines += [head + first, *(" " * len(head) + part for part in rest)]
    lines += ["", f"Parameters at {cards[0].d_model} channels. tau: can be told its step. steps:"]
    lines += ["takes one sample at a time. Kernels that ran here, forward and backward:", ""]
    for card in cards:
        ran = ", ".join(f"{each.kernel} on {each.backend}" for each in card.backends)
        text = f"{card.summary}; {ran or 'torch operations alone'}"
        lines += textwrap.wrap(
            text,
            WIDTH,
            initial_indent=f"{card.name:{name}}  ",
            subsequent_indent=" " * (name + 2),
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def _orders(card: "LayerCard") -> str:
    if card.orders[0].discretization is None:
        order = f"{card.orders[0].order}"
        return order if card.takes_tau else f"{order}, to a function of the input of now"
    return ", ".join(f"{each.discretization} {each.order}" for each in card.orders)


def _yes(value: bool) -> str:
    return "yes" if value else "no "
