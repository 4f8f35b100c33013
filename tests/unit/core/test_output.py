import pytest

from timegrain.core.errors import ResultError
from timegrain.core.output import check_writable


@pytest.mark.parametrize("text", ["mine", '{"a": 1}', '{"schema": 3}', ""])
@pytest.mark.parametrize("name", ["result.json", "report.html", "rows.parquet", "stream.json"])
def test_a_file_of_anybody_elses_is_not_replaced(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(ResultError, match="holds"):
        check_writable(tmp_path)
    assert (tmp_path / name).read_text() == text
