"""What was found in the timestamps of one recording."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TimestampAudit:
    """Findings on the times of one recording, and what was done about each.

    Args:
        recording: Its name.
        unit: Unit of `step`, `gap_time` and `longest_gap`.
        n_rows: Rows as they stand in the file.
        step: Median step.
        jitter: Half the range from the 5th to the 95th percentile of the steps that are no gaps,
            over the median step.
        regular: 90 % of the steps are within 25 % of the median.
        n_gaps: Steps above 1.5 medians where the recording is regular, else above 20 medians.
        gap_time: Time without a sample in all gaps, beyond one median step each.
        longest_gap: The longest of them; 0 without gaps.
        n_missing_rows: Rows that would have been in the gaps.
        n_duplicates: Rows with the time of the row before.
        n_resets: Steps back in time.
        n_zone_changes: How often the offset from UTC changes.
        share_missing: Share of the values without a number, missing rows included.
        actions: What was done about each finding, as sentences.
    """

    recording: str
    unit: str
    n_rows: int
    step: float
    jitter: float
    regular: bool
    n_gaps: int = 0
    gap_time: float = 0.0
    longest_gap: float = 0.0
    n_missing_rows: int = 0
    n_duplicates: int = 0
    n_resets: int = 0
    n_zone_changes: int = 0
    share_missing: float = 0.0
    actions: tuple[str, ...] = ()
