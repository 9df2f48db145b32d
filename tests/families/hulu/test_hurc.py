"""HuRC: candidates, scores and examples, and a run from the data to the export, on articles written for this test."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from hueval_metrics.records import Filtered
from hueval_metrics.registry import task_spec
from lm_eval_tasks.hulu.fewshot import OtherArticles
from lm_eval_tasks.hulu.hooks import template
from lm_eval_tasks.hulu.hurc import answer, candidates, choices, context, instruction, target, token_f1
from tests.fakes import tiny_model
from tests.harness.runs import hueval_here
from tests.helpers import json_lines

TASKS = ("hulu_hurc", "hulugen_hurc")
LEAD = "Elkészült az új gyorsvasút terve."
RAIL = (
    "Az új vonal Gödöllőn ér véget, közölte a MÁV.",
    "A terveket Keleti Márta és a kerület mérnöke, Vasas Gergely készítette.",
)
MILL = ("Tűz volt a malomban.", "Az épületet Molnár Erzsébet vette észre, aki Vácott lakik.")
NOBODY = ("tegnap esett.", "holnap is fog.")


def row(number: int, passage, query: str, mask: str | None = None, lead: str = LEAD) -> dict:
    return {"id": str(number), "lead": [lead], "passage": list(passage), "query": query} | (
        {"MASK": mask} if mask else {}
    )


ROWS = [
    row(0, RAIL, "A vonatok jövőre indulnak [MASK].", "Gödöllőre"),  # inflected: no candidate is equal
    row(1, RAIL, "A tervező, [MASK] elégedett.", "Keleti Márta"),
    row(2, RAIL, "A másik mérnök, [MASK] is az.", "Vasas Gergely"),
    row(3, RAIL, "A beruházó a [MASK] lesz.", "MÁV"),
    row(4, MILL, "A tüzet jelentő [MASK] kitüntetést kapott.", "Molnár Erzsébet", "Leégett a malom."),
    row(5, MILL, "A tűzoltók [MASK] érkeztek.", "Vácról", "Leégett a malom."),
    row(6, NOBODY, "Mondta [MASK].", "Kis Pál", "időjárás."),
    row(7, ("A Duna árad.", "A Tisza is."), "Csak a [MASK] apad.", "Tisza", "Árvíz."),
]
TRAIN = [
    row(0, RAIL, "Az ellenzéki [MASK] tiltakozott.", "Keleti Márta"),  # the article of validation rows, too
    row(1, ("Nyílik a Zsolnay kiállítása.",), "Ott lesz [MASK] is.", "Zsolnay", "Pécs ünnepel."),
    row(2, ("Zár a Zsolnay kiállítása.",), "Elment [MASK] is.", "Zsolnay", "Pécs búcsúzik."),
]
TEST = [row(0, MILL, "A malmot [MASK] építette.")]
REPLIES = {
    "0": "A vonatok jövőre indulnak **Gödöllőn**.",
    "1": "Keleti Márta",
    "2": '{"név": "Vasas Gergely"}',
    "3": "A hiányzó név: MÁV.",
    "4": "Molnár",
    "5": "Nem tudom.",
    "6": "Kis Pál vagy Nagy Pál",
    "7": "a Tisza",
}


def put(folder, name: str, rows) -> None:
    (folder / "hulu" / "hurc").mkdir(parents=True, exist_ok=True)
    (folder / "hulu" / "hurc" / name).write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")


@pytest.fixture(autouse=True)
def data(monkeypatch, tmp_path):
    folder = tmp_path / "data"
    for name, rows in {"hurc_train.json": TRAIN, "hurc_val.json": ROWS, "hurc_test.json": TEST}.items():
        put(folder, name, rows)
    monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(folder))
    return folder


def docs(task: str = "hulu_hurc", **settings) -> list[dict]:
    return documents(task, **settings)[0]


def run(tmp_path, *arguments: object):
    done = hueval_here(*arguments, cwd=tmp_path)
    assert done.status == 0, done.err
    return done.out


def metrics(scored) -> dict[str, dict[str, float]]:
    return {task: json.loads((scored / "results.json").read_text(encoding="utf-8"))[task] for task in TASKS}


def test_the_article_is_the_context_and_the_filled_paragraph_a_choice():
    doc = docs()[0]
    assert context(doc) == "\n\n".join([LEAD, "\n".join(RAIL), "A cikk utolsó bekezdése:"])
    assert candidates(doc) == ["Gödöllőn", "MÁV", "Keleti Márta", "Vasas Gergely"]
    assert choices(doc)[:2] == ["A vonatok jövőre indulnak Gödöllőn.", "A vonatok jövőre indulnak MÁV."]


def test_the_right_choice_is_the_label_or_has_another_ending():
    assert [answer(doc) for doc in docs()] == [0, 2, 3, 1, 0, 1, 0, 1]
    assert [answer(doc) for doc in docs(split="test")] == [0]


def test_an_article_without_names_leaves_the_mask():
    assert choices(docs()[6]) == ["Mondta [MASK]."]


def test_an_instruction_has_the_paragraph_as_it_is():
    assert all(ROWS[1]["query"] in instruction(docs("hulugen_hurc", prompt=prompt)[1]) for prompt in (1, 2, 3))


@pytest.mark.parametrize(("form", "fields"), [("hulu", ("lead", "passage")), ("hulugen", ("lead", "passage", "query"))])
def test_prompts_differ_and_ask_with_every_field(form, fields):
    texts = [template(form, "hurc", prompt) for prompt in (1, 2, 3)]
    assert len(set(texts)) == 3
    assert all(text.count("{") == len(fields) and all(f"{{{field}}}" in text for field in fields) for text in texts)


@pytest.mark.parametrize(
    ("guess", "gold", "f1"),
    [
        ("Bolyai János", "bolyai jános", 1.0),
        ("Bolyai", "Bolyai János", 2 / 3),  # precision 1, recall 1/2
        ("Bolyai Farkas", "Bolyai János", 0.5),
        ("A Hét", "Hét", 2 / 3),  # no article is taken off
        ("Baden Baden", "Baden", 2 / 3),  # each word as often as it stands
        ("Forma–1", "Forma-1", 1.0),
        ("", "Pécs", 0.0),
    ],
)
def test_f1_of_words(guess, gold, f1):
    assert token_f1(guess, gold) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("number", "likeliest", "expected"),
    [
        (0, 0, {"em": 0.0, "f1": 0.0, "em_suffix": 1.0, "candidate_recall": 0.0}),  # Gödöllőn for Gödöllőre
        (1, 2, {"em": 1.0, "f1": 1.0, "em_suffix": 1.0, "candidate_recall": 1.0}),
        (1, 1, {"em": 0.0, "f1": 0.0, "em_suffix": 0.0, "candidate_recall": 1.0}),
        (6, 0, {"em": 0.0, "f1": 0.0, "em_suffix": 0.0, "candidate_recall": 0.0}),
    ],
)
def test_scores_by_likelihood(number, likeliest, expected):
    doc = docs()[number]
    pairs = [(-1.0 if place == likeliest else -2.0, False) for place in range(len(candidates(doc)))]
    assert task_spec("hulu_hurc").process_results(doc, pairs) == expected


@pytest.mark.parametrize(
    ("number", "reply", "expected"),
    [
        (0, Filtered("Gödöllőre"), (1.0, 1.0, 1.0, 1.0, 0.0)),
        (0, Filtered("Gödöllő"), (0.0, 0.0, 1.0, 1.0, 0.0)),
        (1, Filtered("Keleti"), (0.0, pytest.approx(2 / 3), 0.0, 1.0, 0.0)),
        (1, Filtered("A cikk utolsó bekezdése kihagyott egy nevet."), (0.0, 0.0, 0.0, 0.0, 0.0)),
        (1, Filtered("", truncated=True), (0.0, 0.0, 0.0, 0.0, 1.0)),
    ],
)
def test_scores_of_a_reply(number, reply, expected):
    values = task_spec("hulugen_hurc").process_results(docs("hulugen_hurc")[number], [reply.to_json()])
    assert tuple(values[name] for name in ("em", "f1", "em_suffix", "parse_rate", "truncated_rate")) == expected


def test_a_repeated_prompt_is_no_answer():
    doc = docs("hulugen_hurc")[1]
    spec = task_spec("hulugen_hurc")
    for reply, em in ((instruction(doc), 0.0), (f"{instruction(doc)}\n\nKeleti Márta", 1.0)):
        assert spec.process_results(doc, [Filtered(reply).to_json()])["em"] == em
    next_task = "Keleti Márta\n\n" + instruction(docs("hulugen_hurc")[4])
    assert spec.process_results(doc, [Filtered(next_task).to_json()])["em"] == 1.0


def test_a_hidden_name_is_not_scored():
    (doc,) = docs(split="test")
    values = task_spec("hulu_hurc").process_results(doc, [(-1.0, False)] * len(candidates(doc)))
    assert set(values.values()) == {None} and target(doc) == ""
    values = task_spec("hulugen_hurc").process_results(doc, [Filtered("Vác").to_json()])
    assert {name for name, value in values.items() if value is not None} == {"parse_rate", "truncated_rate"}


def test_examples_are_never_of_the_items_article():
    sampler, doc, other = OtherArticles([]).set_rnd(1234), docs()[0], docs()[4]
    assert {each["qid"] for each in sampler.sample(2, doc)} == {"1", "2"}
    assert {each["qid"] for each in sampler.sample(3, other)} == {"0", "1", "2"}
    again = OtherArticles([]).set_rnd(1234)
    assert again.sample(2, other) == OtherArticles([]).set_rnd(1234).sample(2, other)  # whatever was drawn before
    with pytest.raises(InputError, match=r"^--num_fewshot 3: train of HuRC has 2 rows of other articles\. Ask for"):
        sampler.sample(3, doc)


def test_an_example_ends_with_its_own_name(tmp_path):
    model = ("run", "--model", "hueval-baseline", "--tasks", ",".join(TASKS), "--num_fewshot", "1", "--limit", "1")
    run(tmp_path, *model, "--output_path", "out")
    for task, last in {"hulu_hurc": "is.\n\n" + LEAD, "hulugen_hurc": " Zsolnay\n\nAz alábbi cikk"}.items():
        (file,) = (tmp_path / "out").rglob(f"samples_{task}_*.jsonl")
        shown = json_lines(file)[0]["arguments"]["gen_args_0"]["arg_0"]
        assert last in shown and "Zsolnay" in shown


def test_without_data_a_line_says_where_they_are(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path / "empty"))
    done = hueval_here("run", "--model", "hueval-baseline", "--tasks", "hulu_hurc", cwd=tmp_path)
    (line,) = [line for line in done.err.splitlines() if line.startswith("hueval: ")]
    assert done.status == 1
    assert "has neither hulu/hurc/hurc_val.json nor hurc/hurc_val.json. Put the file there (" in line
    assert "/datasets/NYTK/HuRC/resolve/" in line and line.endswith(
        "or leave HUEVAL_DATA_DIR out to have it downloaded"
    )


def test_replies_from_elsewhere_are_scored(tmp_path):
    text = "".join(
        json.dumps({"qid": qid, "split": "validation", "prediction": reply}) + "\n" for qid, reply in REPLIES.items()
    )
    (tmp_path / "replies.jsonl").write_text(text, encoding="utf-8")
    run(tmp_path, "score", "replies.jsonl", "--task", "hulugen_hurc", "--output", "scored")
    found = json.loads((tmp_path / "scored" / "results.json").read_text(encoding="utf-8"))["hulugen_hurc"]
    # Right: 1, 2, 3, 7; but for its ending 0; "Molnár" has half of the words of 4; 5 and 6 name nobody.
    assert (found["em"], found["em_suffix"], found["parse_rate"]) == (50.0, 62.5, 75.0)
    assert found["f1"] == pytest.approx(100 * (4 + 2 / 3) / 8)
    rows = json_lines(tmp_path / "scored" / "items.jsonl")
    assert [each["answer"] for each in rows] == [
        *("Gödöllőn", "Keleti Márta", "Vasas Gergely", "MÁV", "Molnár", None, None, "Tisza")
    ]
    assert len({each["article_id"] for each in rows}) == 4


def test_from_a_run_to_the_export(tmp_path):
    """Whatever follows a run takes it: four articles are the clusters, and choices vary in number."""
    for policy in ("oracle", "random"):
        model = ("run", "--model", "hueval-baseline", "--model_args", f"policy={policy}", "--tasks", ",".join(TASKS))
        run(tmp_path, *model, "--output_path", policy, "--log_samples")
        run(tmp_path, "score", policy, "--output", f"scored-{policy}")
    oracle, random = (metrics(tmp_path / f"scored-{policy}") for policy in ("oracle", "random"))
    # Gödöllőre, Vácról and Kis Pál are no candidates; of the first two another form is.
    chosen = oracle["hulu_hurc"]
    assert [chosen[name] for name in ("em", "f1", "em_suffix", "candidate_recall")] == [62.5, 62.5, 87.5, 62.5]
    assert random["hulu_hurc"]["candidate_recall"] == 62.5
    assert [oracle["hulugen_hurc"][name] for name in ("em", "f1", "em_suffix", "parse_rate")] == [100.0] * 4
    assert chosen["ci_method"]["em"] != "wilson"  # rows of one article are not independent
    rows = json_lines(tmp_path / "scored-oracle" / "items.jsonl")
    assert [len(each["prediction"]["loglikelihoods"]) for each in rows[:8]] == [4, 4, 4, 4, 2, 2, 1, 2]
    compared = json.loads(run(tmp_path, "compare", "oracle", "random", "--format", "json", "--metric", "em_suffix"))
    assert all(task in json.dumps(compared) for task in TASKS)
    assert "HuRC" in run(tmp_path, "table", "oracle", "random")
    run(tmp_path, "report", "oracle", "random", "--output", "page.html")
    assert "HuRC" in (tmp_path / "page.html").read_text(encoding="utf-8")
    exported = ("export", "oracle", "--to", "every-eval-ever", "--output", "exported", "--model", "org/model")
    run(tmp_path, *exported, "--even-partial", "--dataset", f"NYTK/HuRC@{'0' * 40}")
    assert any("hulu_hurc" in path.read_text(encoding="utf-8") for path in (tmp_path / "exported").rglob("*.json"))


def test_baselines_answer_with_names_of_the_article(tmp_path):
    model = ("run", "--model", "hueval-baseline", "--model_args", "policy=first", "--tasks", ",".join(TASKS))
    run(tmp_path, *model, "--output_path", "first", "--log_samples")
    run(tmp_path, "score", "first", "--output", "scored")
    answers = [each["answer"] for each in json_lines(tmp_path / "scored" / "items.jsonl")]
    first = ["Gödöllőn"] * 4 + ["Molnár Erzsébet"] * 2
    assert answers[:7] == [*first, "[MASK]"] and answers[8:15] == [*first, None]


@pytest.mark.slow
def test_log_likelihoods_of_a_model(tmp_path):
    model = f"pretrained={tiny_model.build(tmp_path / 'model')},dtype=float32"
    common = ("run", "--model", "hf", "--device", "cpu", "--model_args", model, "--tasks", "hulu_hurc")
    run(tmp_path, *common, "--output_path", "hf", "--log_samples", "--num_fewshot", "1")
    run(tmp_path, "score", "hf", "--output", "scored")
    (live,) = (json.loads(file.read_text(encoding="utf-8")) for file in (tmp_path / "hf").rglob("results_*.json"))
    scored = json.loads((tmp_path / "scored" / "results.json").read_text(encoding="utf-8"))["hulu_hurc"]
    rows = json_lines(tmp_path / "scored" / "items.jsonl")
    assert [len(each["prediction"]["loglikelihoods"]) for each in rows] == [4, 4, 4, 4, 2, 2, 1, 2]
    assert all(max(each["prediction"]["loglikelihoods"]) < 0 for each in rows)
    assert {name: scored[name] for name in ("em", "f1", "em_suffix", "candidate_recall")} == {
        name: live["results"]["hulu_hurc"][f"{name},none"] for name in ("em", "f1", "em_suffix", "candidate_recall")
    }
