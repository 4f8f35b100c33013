"""A training whose numbers are no longer finite."""

from timegrain.core.errors import ModelError


class DivergedError(ModelError):
    """A loss, a gradient or an answer that is NaN or infinity; the weights are as they were then.

    Args:
        what: What is not finite.
        got: What was found, and where.
        hint: What to try next; None for a lower learning rate.
    """


def diverged(what: str, got: str, *, hint: str | None = None) -> DivergedError:
    """Return the error.

    Args:
        what: Such as `"the loss"`.
        got: Such as `"nan in epoch 3 at stride 2"`.
        hint: What to try in the place of a lower rate.
    """
    return DivergedError(
        f"the training diverged: {what} is not finite",
        got=got,
        hint=hint or "a lower learning rate (lr=0.001), or looking for extreme values in the data",
    )
