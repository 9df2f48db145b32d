import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.reports.figures.ruler import CHARACTERS, in_tokens


@pytest.fixture
def folder(tmp_path):
    """A tokenizer that splits at blanks, and puts a special token before each text."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({"[CLS]": 0, "?": 1}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 0)])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_characters_are_the_default():
    assert CHARACTERS.of("香港 HK") == 5


def test_tokens_are_counted_without_special_ones(folder):
    ruler = in_tokens(str(folder))
    assert [ruler.of(text) for text in ("", "香港", "香港 HK 1997")] == [0, 1, 3]
    assert folder.name in ruler.unit["en"]
    assert folder.name in ruler.unit["hu"]


def test_a_folder_without_a_tokenizer_is_named(tmp_path):
    with pytest.raises(InputError, match=r"--tokenizer: there is no tokenizer\.json"):
        in_tokens(str(tmp_path))
