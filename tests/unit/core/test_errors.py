from timegrain.core.errors import GridError, TimegrainError


def test_text_says_what_got_expected_and_hint():
    error = GridError("a grid needs a step", got="dt=0", expected="dt > 0", hint="--dt 2ms.")
    assert str(error) == "a grid needs a step, got dt=0, expected dt > 0.\nTry --dt 2ms."


def test_absent_parts_are_left_out():
    assert str(TimegrainError("broken")) == "broken."


def test_within_keeps_the_class_and_the_parts():
    error = GridError("no step", got=0, hint="--dt").within("ecg.csv")
    assert isinstance(error, GridError)
    assert str(error) == "ecg.csv: no step, got 0.\nTry --dt."


def test_user_errors_are_value_errors():
    assert issubclass(TimegrainError, ValueError)
