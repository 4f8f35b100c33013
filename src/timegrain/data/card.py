"""What is known about a shipped dataset before it is read."""

import importlib.metadata
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from timegrain.data.cards.shelf import version_of
from timegrain.data.dataset import Dataset
from timegrain.data.generated.generator import Generator


@dataclass(frozen=True, kw_only=True)
class DatasetCard:
    """A shipped dataset: where it comes from, what it holds, and how to read it.

    Args:
        name: What people type.
        read: Returns the dataset; its name, source, step and unit are then set from the card, and
            its version from the file that describes it.
        source: One-line citation.
        package: Distribution that holds the files; empty when Python itself does.
        program: What makes the sequences, a command of this machine; empty where none is needed.
        values: What a sample is, with its unit.
        label: What the label is; empty when there is none.
        dt: Step between samples, in `unit`; 1 sample when the source does not know it.
        unit: Time unit.
        kind: `"real"` or `"tokens"`.
        split: `"published"` when the source says which sequences train and which test.
        generator: What makes the sequences by number, for a source that takes options.
    """

    name: str
    read: Callable[[], Dataset]
    source: str
    package: str = ""
    program: str = ""
    values: str
    label: str = ""
    dt: float = 1.0
    unit: str = "sample"
    kind: Literal["real", "tokens"] = "real"
    split: Literal["published", "none"] = "none"
    generator: Generator | None = None

    @property
    def installed(self) -> bool:
        """Whether the package or the program it needs is on this machine."""
        if self.program and shutil.which(self.program) is None:
            return False
        if not self.package:
            return True
        try:
            importlib.metadata.distribution(self.package)
        except importlib.metadata.PackageNotFoundError:
            return False
        return True

    def load(self) -> Dataset:
        """Return the dataset: TRAIN then TEST, raw values, float64.

        Raises:
            MissingPackageError: If the package that holds the files is not installed.
            DataError: If its files are not what they were.
        """
        return replace(
            self.read(),
            name=self.name,
            source=self.source,
            dt=self.dt,
            unit=self.unit,
            version=version_of(self.name),
        )
