"""Each rule of the decision matters: without the words of its keys a literal case is read otherwise."""

from __future__ import annotations

from contextlib import ExitStack

from hueval_metrics.answers.decide import decided
from hueval_metrics.languages import load
from tests.answers.test_decide import LANGUAGES, named
from tests.each import each
from tests.helpers import load_cases

RULES = {  # rule → its keys in the language files, and the answer of the cases that need it: with them, and without
    "negation": ("not no", {"a negation before the name": (None, 0)}),
    "condition": ("if", {"a condition": (None, 0)}),
    "withdrawal": (
        "instead wrong",
        {"taken back by a sentence that points at it": (None, 0), "a correction replaces": (1, None)},
    ),
    "doubt": ("maybe", {"doubt beside a statement": (None, 0)}),
    "finality": ("therefore", {"a conclusion outranks its reasons": (1, None)}),
}


def answers():
    found = {}
    for case in load_cases("decisions"):
        mention = decided(case["text"], named(case["text"]), LANGUAGES, among=range(2)).mention
        found[case["why"]] = mention.candidate if mention else None
    return found


def answers_without(keys):
    """The answers when no language has a word for some keys."""
    with ExitStack() as removed:
        for code in (*LANGUAGES, load.ENGLISH):
            for key in keys.split():
                for word in load.language(code).get(key, ()):
                    removed.enter_context(load.without(code, key, word))
        return answers()


@each("rule", RULES)
def test_without_its_words_a_rule_is_not_kept(rule):
    keys, cases = RULES[rule]
    before, after = answers(), answers_without(keys)
    assert {why: (before[why], after[why]) for why in cases} == cases
