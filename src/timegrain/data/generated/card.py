"""The card of a generated source."""

from timegrain.data.card import DatasetCard
from timegrain.data.generated.dataset import generated_dataset
from timegrain.data.generated.generator import Generator


def generated_card(generator: Generator) -> DatasetCard:
    """Return what is known of a source before a case of it is made.

    Args:
        generator: As registered.
    """
    return DatasetCard(
        name=generator.name,
        read=lambda: generated_dataset(generator),
        source=generator.source,
        values=generator.values,
        label=generator.label,
        dt=generator.dt,
        unit=generator.unit,
        kind=generator.kind,
        split="published",
        generator=generator,
    )
