"""What a label loses when samples are left out."""
