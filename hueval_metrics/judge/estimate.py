"""What a judging of known responses would cost, before any API call: replies in the cache cost nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.client.chat_api import RequestKeys
from hueval_metrics.judge.panel import is_rechecked, members_asked, members_of
from hueval_metrics.judge.progress import Estimate
from hueval_metrics.judge.rubric import load_rubric, reply_tokens, rubric_id
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.tokens import tokens_in
from hueval_metrics.text.quick_json import to_json


def estimates(
    items: Sequence[tuple[Mapping[str, Any], str]], rubric: str, settings: JudgeSettings
) -> Iterator[Estimate]:
    """The estimated price: one estimate for each model of the judge.

    Args:
        items: documents and responses.
        rubric: the rubric's name, or the dotted path of its module.
        settings: the judge or panel.
    """
    module = load_rubric(rubric)
    messages = [to_json(module.render(doc, response)) for doc, response in items]
    asked_of = [members_asked(settings, rubric, doc) for doc, _ in items]
    again = [is_rechecked(settings, doc, response) for doc, response in items]
    for model in settings.models:
        members = [one for one in members_of(settings) if one.model == model]
        with ReplyCache() as cache:
            asked = [
                (keys.key(text, is_again=second), text)
                for one in members
                for keys in [RequestKeys(one, module)]
                for text, those, twice in zip(messages, asked_of, again, strict=True)
                if one in those
                for second in (False, True)[: 1 + twice]
            ]
            open_ = {key: text for key, text in dict(asked).items() if cache.get(key) is None}
        yield Estimate(
            rubric_id(module),
            settings.at(model),
            verdicts=len(asked),
            cached=sum(key not in open_ for key, _ in asked),
            calls=len(open_),
            prompt_tokens=sum(map(tokens_in, open_.values())),
            reply_tokens=reply_tokens(module, open_.values()),
        )
