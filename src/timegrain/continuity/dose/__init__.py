"""What happens to D, and to the label, when a dial is turned."""
