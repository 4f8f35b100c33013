"""What cures a model whose continuity is lost, and what that costs."""
