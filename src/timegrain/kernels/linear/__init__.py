"""The linear recurrence `x_k = a_k x_{k-1} + b_k` of complex modes, all its states returned."""
