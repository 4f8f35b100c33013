"""Sequences of symbols, made when they are asked for."""

from timegrain.data.card import DatasetCard
from timegrain.data.symbolic.copying import selective_copy_last
from timegrain.data.symbolic.expressions import listops

LISTOPS = DatasetCard(
    name="listops",
    read=listops,
    source="N. Nangia and S. R. Bowman, ListOps: a diagnostic dataset for latent tree learning, "
    "NAACL SRW (2018) 92-99; generated here, 32 to 128 symbols long",
    values="a digit, an operator or the end of a list",
    label="value of the expression, 10 classes",
    unit="symbol",
    kind="tokens",
    split="published",
)
SELECTIVE_COPY_LAST = DatasetCard(
    name="selective-copy-last",
    read=selective_copy_last,
    source="after A. Gu and T. Dao, Mamba: linear-time sequence modeling with selective state "
    "spaces, arXiv 2312.00752 (2023); generated here, 128 places long, one answer",
    values="a symbol, or a blank",
    label="the last symbol, 14 classes",
    unit="symbol",
    kind="tokens",
    split="published",
)
