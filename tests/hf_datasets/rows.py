"""One sound row of each OpenHuEval file, written for the tests; a test changes a copy."""

from __future__ import annotations

from typing import Any

from hf_datasets.openhueval.schema import MODELS

ROWS = {
    "HuMatchingFIB": {
        "qid": "m-1",
        "question": "Egészítsd ki! A #0# fővárosa #1#.",
        "options": ["A.Budapest", "B.Magyarország", "C.Bécs"],
        "answer": ["#0#B", "#1#A"],
        "hu_specific_dim": "language",
        "source_info": {"url": "https://example.org/lecke", "major": "nyelvtan", "grade": "9"},
        "question_en": "Fill in! The capital of #0# is #1#.",
        "options_en": ["A.Budapest", "B.Hungary", "C.Vienna"],
        "question_zh": "填空！#0#的首都是#1#。",
        "options_zh": ["A.布达佩斯", "B.匈牙利", "C.维也纳"],
    },
    "HuStandardFIB": {
        "qid": "s-1",
        "instruction": "Egészítsd ki a mondatokat!",
        "questions": ["A. Az első magyar király #0# volt.", "B. Apja #1# fejedelem."],
        "answers": ["#0#István;Szent István", "#1#Géza"],
        "hu_specific_dim": "history",
        "source_info": {"url": "https://example.org/lecke", "major": "tortenelem", "grade": "9"},
    },
    "HuProverbRea": {
        "qid": "p-1",
        "question": "Mit jelent a közmondás?",
        "context": ["Anna: Megint későn indultál.", "Béla: Lassan járj, tovább érsz."],
        "options": ["Aki nem kapkod, hamarabb célba ér.", "Aki lassú, elkésik."],
        "answer": 0,
        "hu_specific_dim": "language",
        "source_info": {
            "source_id": "1",
            "data_source": "https://example.org/kozmondasok",
            "proverb": "Lassan járj, tovább érsz.",
            "en_trans": None,
            "en_expl": "Haste makes you slower.",
            "hu_expl": "A kapkodás lassít.",
        },
    },
    "HuSimpleQA": {
        "qid": "q-1",
        "question": "Melyik folyó partján fekszik Szeged?",
        "answer": "Tisza",
        "hu_specific_dim": "geography_place",
    },
    "HuWildBench": {
        "session_id": "w-1",
        "turn": [{"role": "user", "content": "a kérdés az: Hol érdemes albérletet keresni? a leírás: Szegeden."}],
        "checklist": ["Does the answer name a district of Szeged?"],
        "primary_tag": "life_culture_custom",
        "secondary_tag": ["lakhatás"],
    },
}

MADE = {  # by the conversion
    "HuProverbRea": {
        "question_in_context": "Anna: Megint későn indultál.\nBéla: Lassan járj, tovább érsz.\n\n"
        "Mit jelent a közmondás?"
    },
}


def as_converted(name: str, **changes: Any) -> dict[str, Any]:
    """The row as the loader gives it, whatever it was read from."""
    new_names = {"session_id": "qid", "primary_tag": "hu_specific_dim"}
    given = {new_names.get(field, field): value for field, value in ROWS[name].items()}
    return {**dict.fromkeys(MODELS[name].model_fields), **given, **MADE.get(name, {}), **changes}
