"""`tensorboard_log`: the numbers of a training as TensorBoard shows them."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from timegrain.core.errors import ResultError
from timegrain.data.readers.extra import need


class TensorBoardLog:
    """Writes what `train(..., log=)` hands over; the files are whole after every epoch.

    Args:
        writer: With `add_scalar(name, value, step)`, `flush()` and `close()`.
    """

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def __call__(self, values: Mapping[str, float], step: int) -> None:
        """Write numbers at a step."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)
        if "test/score" in values:
            self._writer.flush()

    def close(self) -> None:
        """Write what is left and close the files."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def tensorboard_log(directory: str | Path) -> TensorBoardLog:
    """Return what writes the numbers of a training for TensorBoard.

    Args:
        directory: Where to; `tensorboard --logdir` shows it. Two trainings need two directories.

    Raises:
        MissingPackageError: If the package tensorboard is not installed.
        ResultError: If the directory cannot be written.

    Example:
        with tensorboard_log("runs/first") as log:
            train(model, task, log=log)
    """
    need_tensorboard()
    from torch.utils.tensorboard import SummaryWriter

    try:
        return TensorBoardLog(SummaryWriter(log_dir=str(directory)))
    except OSError as error:
        raise ResultError(
            "cannot write TensorBoard files", got=f"{directory} ({error.strerror})"
        ) from error


def need_tensorboard() -> None:
    """Check that there is what writes for TensorBoard.

    Raises:
        MissingPackageError: If the package tensorboard is not installed.
    """
    need("tensorboard", "tensorboard", "TensorBoard files", done="written")
