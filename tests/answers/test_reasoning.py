import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from lm_eval.filters import build_filter_ensemble

from hueval_metrics.answers.reasoning import StripReasoning, strip_reasoning
from hueval_metrics.answers.trace import markers
from hueval_metrics.answers.trace.marks import code_spans, marks
from hueval_metrics.answers.trace.split import split_reasoning
from hueval_metrics.records import Filtered
from tests.linear import LENGTH, repeated, slower_than_linear

CASES = json.loads((Path(__file__).parents[1] / "cases" / "reasoning.json").read_text(encoding="utf-8"))

OPENING = ["<think>", "<thinking>", "<thought>", "<reasoning>", "[THINK]", "◁think▷", "<seed:think>", "<think:x>"]
CLOSING = [
    *("</think>", "</thinking>", "</thought>", "</reasoning>", "[/THINK]", "◁/think▷", "</seed:think>", "</think:x>"),
]
OPENING += ["<|think:start|>", "<|open|>think<|sep|>", "＜think＞", "&lt;think&gt;", "<ifm|think>", "[unused16]"]
CLOSING += ["<|think:end|>", "<|close|>think<|sep|>", "＜/think＞", "&lt;/think&gt;", "</ifm|think>", "[unused17]"]
PARTS = [
    *(*OPENING, *CLOSING, "<|begin_of_thought|>", "<|end_of_thought|>", "<|begin_of_solution|>", "<|channel>thought"),
    *("<channel|>", "<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>", "<|end|>"),
    *(
        *("analysis", "assistantfinal", "**Final Answer**", "\n### Végső válasz:\n", "\\boxed{", "\\text{", "}", "{"),
        "\\{",
    ),
    *("\\", '"', "`", "„", "”", "<", ">", "/", "think", "ink>", "<th", "[", "◁", "\\_", "begin", "</s>", "<answer>"),
    *(
        *("Here is my thought process:", "Here is my response:", "Thinking...\n", "...done thinking.", "analysisWe"),
        "See above",
    ),
    *(
        *("<|think|>", "<|content_thinking|>", "<|end_message|>", "<|start|>assistant to=self<|message|>", "a "),
        *(" a", "(", ")"),
    ),
    *(
        *("```", "\n```\n", "*", "&lt;", "＜", "</answer>", '{"answer": ["#0#A"]}', "1", "2", " ", "\n", "\t", "ő"),
        *("\ud800", "$", ".", "<b think", "<|", "|>"),
    ),
]
# A byte order mark or a zero width space that begins a reply is a marker, too.
PLAIN = st.text(st.characters(exclude_characters="<[◁\\*#\ufeff\u200b")).filter(lambda t: "assistantfinal" not in t)
MESSY = st.one_of(st.text(st.characters()), st.lists(st.sampled_from(PARTS), max_size=25).map("".join))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["why"])
def test_strip_reasoning(case):
    assert strip_reasoning(case["text"]) == Filtered(case["response"], case["truncated"])


def test_a_trace_that_the_template_opens_and_nothing_ends_is_no_answer():
    assert strip_reasoning("1 vagy 2? Talán", opened=True) == Filtered("", truncated=True)


def test_what_is_stripped_stays_so():
    assert [case["why"] for case in CASES if strip_reasoning(case["response"]).response != case["response"]] == []


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        *((f"<{name}>", f"</{name}>") for name in [*markers.TAGS, f"{markers.SUFFIXED_TAG}x"]),
        *((pair.opening, pair.closing) for pair in markers.PAIRS),
    ],
)
def test_every_line_of_the_table(opening, closing):
    for write in (str, str.upper):
        opens, closes = write(opening), write(closing)
        assert strip_reasoning(f"{opens}Muhi?{closes}Mohács") == Filtered("Mohács")
        assert strip_reasoning(f"{opens}Muhi?") == Filtered("", truncated=True)
        if closing not in markers.SHARED_ENDS:
            assert strip_reasoning(f"Muhi?{closes}Mohács") == Filtered("Mohács")


@given(MESSY)
@example("\\boxed{<|begin\\_of\\_thought|>x}")
@example("\\boxed{\\boxed\\{\\boxed\\\\{1\\\\}\\}}")
@example("\\boxed{**Final Answer** analysis assistantfinal 1}")
@example('**Final Answer**\n"<think \\boxed{[THINK]}>"')
@example("<think>x</think>analysis a assistantfinal b")
def test_idempotent(text):
    once = strip_reasoning(text).response
    assert strip_reasoning(once).response == once


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("", []),
        (" Igen.\n", [("answer", "Igen.")]),
        ("<think>1 vagy 2?</think>\n\n2", [("trace", "1 vagy 2?"), ("answer", "2")]),
        ("Lássuk.\n</think>2", [("trace", "Lássuk."), ("answer", "2")]),
        ("2\n<think>Biztos?", [("answer", "2"), ("trace", "Biztos?")]),
        (
            "Az<think>a</think>és<think>b</think>2</s>",
            [("answer", "Az"), ("trace", "a"), ("answer", "és"), ("trace", "b"), ("answer", "2")],
        ),
        # gpt-oss, with and without its special tokens: no control text in a trace, which judges read and tokens count
        ("analysisHm.assistantfinal2", [("trace", "Hm."), ("answer", "2")]),
        ("analysisHm.\n\nassistantfinal**2**", [("trace", "Hm."), ("answer", "**2**")]),
        ('analysisHm.assistantfinal json{"answer": 2}', [("trace", "Hm."), ("answer", '{"answer": 2}')]),
        (
            "analysisHm.assistantcommentary to=functions.find json{}assistantanalysisSo 2.assistantfinal2",
            [("trace", "Hm."), ("trace", "{}"), ("trace", "So 2."), ("answer", "2")],
        ),
        (
            "analysisHm.assistant to=functions.findcommentary json{}assistantanalysis2!assistantfinal2",
            [("trace", "Hm."), ("trace", "{}"), ("trace", "2!"), ("answer", "2")],
        ),
        ("commentary to=functions.find json{}assistantfinal2", [("trace", "{}"), ("answer", "2")]),
        ("analysisI am an assistant", [("trace", "I am an assistant")]),
        ("analysisHm.assistant", [("trace", "Hm.")]),
        ("analysisHm.assistantanalysis1 or", [("trace", "Hm."), ("trace", "1 or")]),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>2<|return|>",
            [("trace", "Hm."), ("answer", "2")],
        ),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.find "
            "<|constrain|>json<|message|>{}<|call|><|start|>assistant<|channel|>analysis<|message|>So.<|end|>"
            "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}<|return|>",
            [("trace", "Hm."), ("trace", "{}"), ("trace", "So."), ("answer", "{}")],
        ),
        ("<|channel|>analysis<|message|>Hm.<|end|>", [("trace", "Hm.")]),
        ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant", [("trace", "Hm.")]),
        ("<|channel|>analysis<|message|>Hm", [("trace", "Hm")]),
        # Other models' sentences and tokens of the end of a turn are markers too.
        ("Here is my thought process: Hm.\nHere is my response: 2", [("trace", "Hm."), ("answer", "2")]),
        ("<think>Hm.<|im_end|>\n", [("trace", "Hm.")]),
        (
            "Hm.\n\n**Final Answer**\n\n\\[ \\boxed{x = 2\\text{ m} + 1} \\]",
            [("trace", "Hm.\n\n**Final Answer**\n\n\\["), ("answer", "x = 2\\text{ m} + 1")],
        ),
    ],
)
def test_spans_of_trace_and_answer(text, spans):
    assert [(span.kind, text[span.start : span.end]) for span in split_reasoning(text).spans] == spans


@given(MESSY, st.booleans(), st.booleans())
def test_the_answer_spans_are_the_response(text, final_answer, opened):
    split = split_reasoning(text, final_answer, opened)
    places = [place for span in split.spans for place in (span.start, span.end)]
    pieces = [text[span.start : span.end] for span in split.spans]
    assert places == sorted(places)
    assert all(piece and piece == piece.strip() for piece in pieces)
    answer = "\n\n".join(piece for span, piece in zip(split.spans, pieces, strict=True) if span.kind == "answer")
    rest = iter(answer)
    assert answer == split.response or ("\\" in text and all(letter in rest for letter in split.response))


@given(PLAIN, st.sampled_from(list(zip(OPENING, CLOSING, strict=True))), PLAIN)
def test_all_but_markers_is_trace_or_answer(trace, tags, answer):
    assume(trace.strip() and answer.strip())
    text = f"{tags[0]}{trace}\n{tags[1]}{answer}"
    assert [text[span.start : span.end] for span in split_reasoning(text).spans] == [trace.strip(), answer.strip()]


@given(MESSY)
def test_no_marker_remains_but_mentions(text):
    """Remaining markers are quoted (`marks` omits those), a word of a sentence, code, or the end of a plain message."""
    response = strip_reasoning(text).response
    code = code_spans(response)
    assert all(
        mark.is_word or mark.kind in ("end", "turn") or any(start <= mark.start < end for start, end in code)
        for mark in marks(response)
    )


@given(MESSY)
def test_only_pieces_of_the_text(text):
    rest = iter(text)
    assert all(letter in rest for letter in strip_reasoning(text).response if not letter.isspace())


@given(PLAIN)
def test_text_without_markers_is_only_stripped(text):
    assert strip_reasoning(text) == Filtered(text.strip(), truncated=not text.strip())


@given(st.sampled_from(list(zip(OPENING, CLOSING, strict=True))), PLAIN, PLAIN)
def test_every_trace_form(tags, trace, answer):
    opening, closing = tags
    body = f"{trace}\n{closing}\n{answer}"
    assert strip_reasoning(opening + body) == strip_reasoning(body) == Filtered(answer.strip())
    assert (
        strip_reasoning(body, opened=True) == strip_reasoning(opening + body, opened=True) == Filtered(answer.strip())
    )
    assert strip_reasoning(f"{opening}\n{trace}") == strip_reasoning(trace, opened=True) == Filtered("", truncated=True)


@given(st.sampled_from([*OPENING, *CLOSING]), st.from_regex(r"[a-ző]{1,9}", fullmatch=True))
def test_a_tag_as_a_word_of_the_answer_stays(tag, word):
    answer = f"{word.capitalize()} {tag} {word}."
    assert strip_reasoning(answer) == strip_reasoning(f"<think>\n{word}\n</think>\n{answer}") == Filtered(answer)


RUNAWAYS = (
    *("<think>", "</think>", "<think>a", "<think>a</think>b", "<", "<think ", '"<think>"', "</s>", "<answer>"),
    *("<|channel|>analysis", "<|start|>assistant", "**Final Answer**\n", "\n**", "analysis", "Thinking..."),
    *("Here is my thought process:Here is my response:", "Thinking... ...done thinking.", "a <think> b "),
    *("<answer>Here is my thought process:Here is my response:", "**Final Answer**\nsee above\n", "a </think> b "),
    *("x `<think>` ", "x `<think>a` ", "```\n<think>\n", "a\n```\n<think>\n```\n", "<|open|>think", "&lt;", "to="),
    *("to=self<|message|>", "Ki korán kel, aranyat lel. "),
)


def runaways(length):
    return repeated(RUNAWAYS)(length) | {
        "a tag of spaces": "<" + " " * length,
        "a long tag": "<" + "a" * length,
        "boxes": "\\boxed{" * (length // 8) + "}" * (length // 8),
        "texts in a box": "\\boxed{" + "\\text{" * (length // 7) + "}" * (length // 7 + 1),
        "backslashes in a box": "\\boxed{" + "\\" * length + "}",
        "braces in a box": "\\boxed{\\text{" + "{a}" * (length // 3) + "}",
        "braces before a box": "{ " * (length // 2) + "\\boxed{1}",
        "spaces": "\n" + " " * length,
        "final answers after one": '{"answer": 1}\n' + "**Final Answer**\nx\n" * (length // 18),
        "braces before a final answer": "{" * length + "**Final Answer**\n1",
    }


@pytest.mark.slow
@pytest.mark.no_cover
def test_returns_in_linear_time():
    def read(text):
        assert len(strip_reasoning(text).response) <= len(text)

    assert not slower_than_linear(read, runaways, 5 * LENGTH)


@dataclass
class FakeInstance:
    resps: list
    doc: dict = field(default_factory=dict)
    filtered_resps: dict = field(default_factory=dict)


def test_filter_in_an_lm_eval_pipeline():
    replies = ["<think>a</think>Őszi éj", "<think>a", "", None, 1.5, "\ud800", "Igen"]
    instances = [FakeInstance([reply, "<think>a second sample</think>x"]) for reply in replies]
    build_filter_ensemble("answer", [["take_first", None], [StripReasoning, None]]).apply(instances)
    logged = [i.filtered_resps["answer"] for i in instances]
    assert [Filtered.from_json(line) for line in logged] == [
        Filtered("Őszi éj"),
        *[Filtered("", truncated=True)] * 4,
        Filtered("\ud800"),
        Filtered("Igen"),
    ]
    assert all(line.isascii() for line in logged)
    assert [i.resps[0] for i in instances] == replies  # the raw traces stay


def test_filter_of_no_documents():
    assert StripReasoning().apply([], []) == []


def test_cases_have_distinct_reasons():
    assert len({c["why"] for c in CASES}) == len(CASES) >= 180
    assert not any(re.search(r"\s\Z", c["response"]) for c in CASES)


def test_open_answers_keep_their_boxes_and_headings():
    text = "<think>hm</think>Így számolj:\n\n**Végső válasz**\n\n\\boxed{42}"
    assert strip_reasoning(text).response == "42"
    assert strip_reasoning(text, final_answer=False).response == "Így számolj:\n\n**Végső válasz**\n\n\\boxed{42}"
    (logged,) = StripReasoning(final_answer=False).apply([text], [])
    assert Filtered.from_json(logged) == strip_reasoning(text, final_answer=False)
