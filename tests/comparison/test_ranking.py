"""Another benchmark's scores or ranks, as people save them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.comparison.published import published_ranks
from hueval_metrics.comparison.ranking import benchmark_ranks, read_ranking
from hueval_metrics.errors import InputError


def read(tmp_path, content: str | bytes):
    path = tmp_path / "other.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_ranking(path)


@pytest.mark.parametrize(
    ("why", "content", "expected"),
    [
        ("scores: higher is better", "model,score\na,10\nb,30.5\nc,20\n", {"a": 3, "b": 1, "c": 2}),
        ("equal scores share a rank", "model,score\na,1\nb,1\nc,0\n", {"a": 1, "b": 1, "c": 3}),
        ("ranks as given", "model,rank\na,2\nb,1\n", {"a": 2, "b": 1}),
        ("average ranks", "model,rank\na,1.5\nb,1.5\n", {"a": 1.5, "b": 1.5}),
        ("other columns and another order", "date,score,model\n2025,1,a\n2025,2,b\n", {"a": 2, "b": 1}),
        ("rank counts before score", "model,score,rank\na,9,2\nb,8,1\n", {"a": 2, "b": 1}),
        ("headings in capitals, with blanks", "Model , Score\na, 1\n b ,2\n", {"a": 2, "b": 1}),
        (
            "a spreadsheet's byte order mark and line ends",
            b"\xef\xbb\xbfmodel,rank\r\na,1\r\nb,2\r\n",
            {"a": 1, "b": 2},
        ),
        ("semicolons and decimal commas", "model;score\na;80,5\nb;80,25\n", {"a": 1, "b": 2}),
        ("quoted names", 'model,rank\n"a, b",1\n"""c""",2\n', {"a, b": 1, '"c"': 2}),
        ("blank lines", "model,rank\na,1\n\nb,2\n", {"a": 1, "b": 2}),
        ("one model", "model,score\na,1\n", {"a": 1}),
    ],
)
def test_what_is_read(tmp_path, why, content, expected):
    assert read(tmp_path, content) == expected, why


@pytest.mark.parametrize(
    ("why", "content", "message"),
    [
        ("empty file", "", ': no column "model". Expected a header model,score or model,rank'),
        ("no header", "a,1\nb,2\n", ': no column "model"'),
        ("no figures", "model,accuracy\na,1\n", ': no column "score" or "rank"'),
        ("header alone", "model,score\n", ": no model in it"),
        ("a model twice", "model,rank\na,1\nb,2\na,3\n", ' line 4: model "a" a second time'),
        ("no name", "model,rank\n ,1\n", " line 2: no model"),
        ("NaN", "model,score\na,nan\n", ' line 2: score "nan" is no number'),
        ("infinity", "model,score\na,inf\n", ' line 2: score "inf" is no number'),
        ("nothing", "model,score\na,\n", ' line 2: score "" is no number'),
        ("a line cut short", "model,score\na,1\nb\n", ' line 3: score "" is no number'),
        ("a decimal comma between commas", 'model,score\na,"80,5"\n', ' line 2: score "80,5" is no number'),
        ("a word", "model,rank\na,first\n", ' line 2: rank "first" is no number'),
        ("ranks from 0", "model,rank\na,0\nb,1\n", " line 2: rank 0 is below 1"),
        ("another encoding", "model,rank\nő,1\n".encode("iso-8859-2"), ": not UTF-8"),
        ("a field without end", "model,rank\n" + "a" * 200_000 + ",1\n", ": not valid CSV (field larger"),
    ],
)
def test_mistakes(tmp_path, why, content, message):
    with pytest.raises(InputError) as error:
        read(tmp_path, content)
    line = str(error.value)
    assert line.startswith(f"{tmp_path / 'other.csv'}{message}"), why
    assert "\n" not in line


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_one_line(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "other.csv"
    path.write_text("model,score\n" + text, encoding="utf-8", errors="surrogatepass", newline="")
    try:
        assert all(rank >= 1 for rank in read_ranking(path).values())
    except InputError as error:
        assert str(error).isprintable()


def test_published_name_comes_first(tmp_path, monkeypatch):
    (tmp_path / "maps-en").write_text("model,rank\na,1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert benchmark_ranks("maps-en") == published_ranks("maps-en")
    assert benchmark_ranks("./maps-en") == {"a": 1}


def test_neither_name_nor_file(tmp_path):
    with pytest.raises(InputError, match=r"no such file, and no published benchmark \(maps-en, .*simpleqa\)"):
        benchmark_ranks(str(tmp_path / "none.csv"))
