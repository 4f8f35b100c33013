from timegrain.checks.model.row import compared, failed, noted


def test_a_number_that_was_compared_is_said_before_what_it_is_of():
    row = compared(0.0123, 1e-10, reason="256 steps", cure="carry the state")
    assert row.said == "0.012, at most 1.0e-10 allowed (256 steps)"
    assert compared(3.0, 4.0, bound="at least", cure="x").said == "3, at least 4 allowed"
    assert compared(float("nan"), 1.0, reason="256 steps", cure="x").said == (
        "256 steps; NaN or infinity"
    )
    assert failed("out of memory", cure="x").said == "out of memory"
    assert noted("sees later samples: no", measured=0.0).said == "sees later samples: no"
