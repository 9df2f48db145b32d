"""Whole prompts of HKMMLU, as a model gets them (Figures 10, 11, 12, 21, 22)."""

from __future__ import annotations

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from lm_eval_tasks.hkmmlu.documents import letters, right, target, user_message
from tests.each import each
from tests.families.hkmmlu.one_subject import EXEMPLAR, row, write

HONG_KONG = (
    "香港特別行政區是中華人民共和國的一個特別行政區。香港位於珠江口東側,毗鄰廣東省深圳市,由香港島、九龍半島、新界等組成。"
    "香港是國際金融、航運、貿易中心之一,也是全球最自由經濟體之一。\n"
)
HONG_KONG_SC = (
    "香港特别行政区是中华人民共和国的一个特别行政区。香港位于珠江口东侧,毗邻广东省深圳市,由香港岛、九龙半岛、新界等组成。"
    "香港是国际金融、航运、贸易中心之一,也是全球最自由经济体之一。\n"
)
EXPERT = "作爲一個精通香港繁體字和中國歷史的專家,請完成以下繁體中文單選題。"
EXPERT_SC = "作为一个精通香港情况和中国历史的专家,请完成以下简体中文单选题。"
ASKED = "問題: 《史記》是誰寫的？\nA. {司馬遷}\nB. 班固\nC. 陳壽"  # braces are the question's own
ASKED_SC = "问题: 《史记》是谁写的？\nA. {司马迁}\nB. 班固\nC. 陈寿"
WORKED = "示例\n問題: 一加一等於幾？\nA. 一\nB. 二\n推理:\n一之後是二。\n答案: B\n\n"
WORKED_SC = "示例\n问题: 一加一等于几？\nA. 一\nB. 二\n推理:\n一之后是二。\n答案: B\n\n"
PROMPTS = {
    "Figure 10": (
        {},
        HONG_KONG
        + EXPERT
        + "\n\n答題要求:\n1. 請只輸出A/B/C/D選項字母\n2. 不需要解釋或其他註釋\n3. 答案必須準確無誤\n\n"
        "請回答以下問題:\n" + ASKED + "\n答案:",
    ),
    "Figure 10 with two examples": (
        {"shots": 2},
        HONG_KONG
        + EXPERT
        + "\n\n答題要求:\n1. 請只輸出A/B/C/D選項字母\n2. 不需要解釋或其他註釋\n3. 答案必須準確無誤\n\n"
        "問題: 孔子是哪國人？\nA. 魯\nB. 齊\n答案: A\n\n問題: 孟子是哪國人？\nA. 魯\nB. 鄒\nC. 燕\nD. 趙\n答案: B\n\n"
        "請回答以下問題:\n" + ASKED + "\n答案:",
    ),
    "Figure 11": (
        {"method": "cot"},
        HONG_KONG + EXPERT + "\n\n答题要求:\n1. 逐步分析並選出正確答案\n2. 最後明確標示答案選項(A/B/C/D)\n\n" + ASKED,
    ),
    "Figure 11 with its example": (
        {"method": "cot", "shots": 1},
        HONG_KONG + EXPERT + "\n\n" + WORKED + "答题要求:\n1. 逐步分析並選出正確答案\n"
        "2. 最後明確標示答案選項(A/B/C/D)\n\n" + ASKED,
    ),
    "Figure 21": (
        {"method": "cot", "cot_layout": "fig22"},
        EXPERT + "答题要求: 1. 逐步分析並選出正確答案。2. 最後明確標示答案選項(A/B/C/D)。\n" + ASKED,
    ),
    "Figure 22": (
        {"method": "cot", "cot_layout": "fig22", "shots": 1},
        WORKED + "作爲一個精通香港繁體字和中國歷史的專家,請參考上面的思考案例,完成以下繁體中文單選題。"
        "答题要求: 1. 逐步分析並選出正確答案。2. 最後明確標示答案選項(A/B/C/D)。\n" + ASKED,
    ),
    "Figure 10 in Simplified": (
        {"script": "sc", "shots": 1},
        HONG_KONG_SC + EXPERT_SC + "\n\n答题要求:\n1. 请只输出A/B/C/D选项字母\n2. 不需要解释或其他注释\n"
        "3. 答案必须准确无误\n\n问题: 孔子是哪国人？\nA. 鲁\nB. 齐\n答案: A\n\n请回答以下问题:\n"
        + ASKED_SC
        + "\n答案:",
    ),
    "Figure 11 in Simplified": (
        {"script": "sc", "method": "cot", "shots": 1},
        HONG_KONG_SC + EXPERT_SC + "\n\n" + WORKED_SC + "答题要求:\n1. 逐步分析并选出正确答案\n"
        "2. 最后明确标示答案选项(A/B/C/D)\n\n" + ASKED_SC,
    ),
    "Figure 21 in Simplified": (
        {"script": "sc", "method": "cot", "cot_layout": "fig22"},
        EXPERT_SC + "答题要求: 1. 逐步分析并选出正确答案。2. 最后明确标示答案选项(A/B/C/D)。\n" + ASKED_SC,
    ),
    "Figure 22 in Simplified": (
        {"script": "sc", "method": "cot", "cot_layout": "fig22", "shots": 1},
        WORKED_SC + "作为一个精通香港情况和中国历史的专家,请参考上面的思考案例,完成以下简体中文单选题。"
        "答题要求: 1. 逐步分析并选出正确答案。2. 最后明确标示答案选项(A/B/C/D)。\n" + ASKED_SC,
    ),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    dev = [row("孔子是哪國人？", "A", ("魯", "齊")), row("孟子是哪國人？", "B", ("魯", "鄒", "燕", "趙"))]
    test = [row("《史記》是誰寫的？", "A", ("{司馬遷}", "班固", "陳壽"))]
    return write(tmp_path_factory.mktemp("data"), "chinese_history", test=test, dev=dev, exemplar=EXEMPLAR)


@each("name", PROMPTS)
def test_a_whole_prompt(data, name):
    settings, expected = PROMPTS[name]
    (doc,), _ = documents("hkmmlu_chinese_history", data_dir=str(data), **settings)
    assert user_message(doc) == expected


def test_the_log_likelihood_form_asks_for_a_letter_likewise(data):
    (doc,), _ = documents("hkmmlull_chinese_history", data_dir=str(data), shots=2)
    assert user_message(doc) == PROMPTS["Figure 10 with two examples"][1]
    assert (letters(doc), right(doc), target(doc)) == (["A", "B", "C"], 0, "A")


@pytest.mark.parametrize(
    ("task", "start"),
    [
        ("yue_to_zh", "请你将以下嘅粤语翻成普通话。直接输出译咗嘅句子,唔使解释或者其他批注。"),
        ("zh_to_yue", "请将以下普通话翻译为粤语白话文。直接输出翻译过的句子,不需要解释或其他注释。"),
    ],
)
def test_translation(task, start, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    doc = documents(f"hkmmlutr_{task}")[0][0]
    assert user_message(doc) == f"{start}\n問題: {doc['input']}\n答案:"
    assert target(doc) == doc["output"]


@each("task", ["hkmmlull_chinese_history", "hkmmlutr_yue_to_zh"])
def test_forms_that_do_not_reason(data, task):
    with pytest.raises(InputError, match=f'method: "cot" is not on offer for {task}. One of: da'):
        documents(task, data_dir=str(data), method="cot")
