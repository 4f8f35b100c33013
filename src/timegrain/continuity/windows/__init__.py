"""D against the length of the window its roughness is measured in."""
