import re

from hueval_metrics.reports.figures.build import figures
from hueval_metrics.reports.figures.dimensions import dimension_figures
from hueval_metrics.reports.figures.figure import Figure, caption
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.traces.report import texts as traces
from hueval_metrics.words.texts import FOLDER, LANGUAGES, Words
from lm_eval_tasks.kolassimpleqa.figures import maps
from lm_eval_tasks.openhueval.figures import blanks
from tests.each import each

FOLDERS = (FOLDER, traces.FOLDER, blanks.CAPTIONS, maps.CAPTIONS)
KINDS = [
    (kind, file)
    for file in FOLDERS
    for kind in dict.fromkeys(key.partition(".")[0] for key in Words(file, "captions").of("en"))
]


@each(("kind", "file"), KINDS, ids=[kind for kind, _ in KINDS])
def test_every_kind_has_a_title_and_a_caption_in_both_languages(kind, file):
    given = {"task": "HuSimpleQA", "dimensions": {"en": "L: Language", "hu": "L: nyelv"}, "shown": 6, "left_out": 4}
    given |= {"setting": {"en": "direct", "hu": "saját nyelven"}}
    given |= {"group": "HuSimpleQA", "other": "SimpleQA", "source": {"en": "Table 7", "hu": "7. táblázat"}}
    figure = Figure("name", kind, [], lambda theme: None, given, file)
    told = [caption(figure, language) for language in LANGUAGES]
    assert told[0].title != told[1].title
    for one in told:
        assert not re.search(r"[{}\n]", one.title + one.text)
        assert one.text.endswith(".")


def test_every_figure_has_a_caption(published_runs):
    for figure in figures(FigureData(), published_runs):
        assert all(caption(figure, language).title for language in LANGUAGES)


def test_captions_name_the_dimensions_and_the_models_left_out(published_runs):
    radar, *_ = dimension_figures(published_runs)
    assert "H: History; LCC: Life, Culture, and Customs" in caption(radar, "en").text
    assert "Only the first 6 models are drawn" in caption(radar, "en").text
    assert "H: történelem" in caption(radar, "hu").text
    assert "csak az első 6 modell" in caption(radar, "hu").text
    few, *_ = dimension_figures(published_runs[:2])
    assert "Only" not in caption(few, "en").text
