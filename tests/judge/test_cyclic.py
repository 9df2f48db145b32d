"""A cyclic panel, judges with servers of their own, and verdicts that are asked for a second time."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr

from hueval_metrics.comparison.check import differences, refusal
from hueval_metrics.errors import InputError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.estimate import estimates
from hueval_metrics.judge.ledger import ledger
from hueval_metrics.judge.panel import members_asked
from hueval_metrics.judge.settings import JudgeServer, JudgeSettings
from hueval_metrics.records import Verdict
from hueval_metrics.scoring.judge_tally import JudgeTally
from tests.fakes.judge_server import KEY, Answer, FakeJudge, even, install_toy_rubric, judge_all, refuse, settings_for

ABC = {"model": "a", "panel": ("a", "b", "c"), "is_cyclic": True}
# The judge with the highest SHA-256 of ["a", "husimpleqa", "q0"] and so on, as JSON.
DRAWN = dict(zip(("q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9"), "bbacbacbbb", strict=True))
PRICED = "gpt-4o-2024-11-20"  # $2.50 for a million tokens in, $10 out
TWICE = ("q2", "q5", "q6", "q7", "q8", "q9")  # drawn by the hash of seed, document and response
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100}  # 0.0035 dollars


@pytest.fixture(autouse=True)
def toy():
    ledger.cache_clear()
    return install_toy_rubric()


def items(qids=DRAWN, answer="answer"):
    return [({"task": "husimpleqa", "qid": qid, "question": qid}, f"{answer} to {qid}") for qid in qids]


def asked(judge):
    """Question → who was asked."""
    return {json.loads(r["messages"][0]["content"])["question"]: r["model"] for r in judge.requests}


def test_one_judge_an_item_whatever_the_answers_the_order_or_the_limit():
    ((doc, _), *_) = items()
    assert [one.model for one in members_asked(JudgeSettings(**ABC), "husimpleqa", doc)] == ["b"]
    runs = [items(), items(answer="another model"), items(reversed(DRAWN)), items(["q2", "q3"])]
    for number, given in enumerate(runs):
        with FakeJudge(even) as judge:
            verdicts = judge_all(given, "toy", settings_for(judge.url, **ABC, seed=number))
        names = [doc["qid"] for doc, _ in given]
        assert asked(judge) == {name: DRAWN[name] for name in names}
        assert len(judge.requests) == len(given)
        assert [v.label for v in verdicts] == ["NO" if int(name[1]) % 2 else "YES" for name in names]
        assert {v.judge for v in verdicts} == {"a+b+c/cyclic"}
        assert [[vote.judge for vote in v.votes] for v in verdicts] == [[DRAWN[name]] for name in names]


def test_a_dead_judge_leaves_its_items_missing_and_is_asked_again_for_them_alone():
    def answer(request, number):
        return refuse(500, "down") if request["model"] == "c" else even(request)

    with FakeJudge(answer) as judge:
        first = judge_all(items(), "toy", settings_for(judge.url, **ABC))
    assert [v.is_missing for v in first] == [DRAWN[qid] == "c" for qid in DRAWN]
    tally = JudgeTally()
    for verdict in first:
        tally.add(verdict, is_asked=True)
    assert tally.summary()["n_unanswered"] == 2
    assert "judge_agreement" not in tally.summary()
    assert tally.signed("task:t") == "task:t|judge:a+b+c/cyclic|rubric:toy/1"
    with FakeJudge(even) as judge:
        assert not any(v.is_missing for v in judge_all(items(), "toy", settings_for(judge.url, **ABC)))
        assert asked(judge) == {"q3": "c", "q6": "c"}


def test_a_key_goes_to_its_own_host_only(tmp_path, monkeypatch):
    with FakeJudge(even) as shared, FakeJudge(even) as own:
        file = tmp_path / "servers.yaml"
        file.write_text(f"b:\n  base_url: {own.url}/\n  key: KEY_OF_B\n", "utf-8")
        variables = {"MODEL": "a,b", "BASE_URL": shared.url, "API_KEY": "key-of-all", "SERVERS": str(file)}
        variables["HEADERS"] = '{"X-Secret": "header-of-all"}'
        for name, value in variables.items():
            monkeypatch.setenv(f"HUEVAL_JUDGE_{name}", value)
        monkeypatch.setenv("KEY_OF_B", "key-of-b")
        settings = judge_settings()
        assert "key-of" not in repr(settings)
        judge_all(items(["q0", "q1"]), "toy", settings)  # a panel whose judges all vote
        monkeypatch.setenv("HUEVAL_JUDGE_PANEL", "cyclic")
        judge_all(items(["q2", "q3", "q4"]), "toy", judge_settings())
    assert {h["Authorization"] for h in [*shared.headers, *shared.looks]} == {"Bearer key-of-all"}
    assert {h["Authorization"] for h in [*own.headers, *own.looks]} == {"Bearer key-of-b"}
    assert {h["X-Secret"] for h in shared.headers} == {"header-of-all"}
    assert not any("X-Secret" in h for h in [*own.headers, *own.looks])
    assert ({r["model"] for r in shared.requests}, {r["model"] for r in own.requests}) == ({"a"}, {"b"})


def test_a_judge_alone_is_asked_at_its_own_server():
    with FakeJudge(even) as own:
        servers = (JudgeServer("b", own.url, SecretStr("key-of-b")),)
        settings = settings_for("http://127.0.0.1:1/v1", model="b", servers=servers, api_key=SecretStr("key-of-all"))
        assert [v.label for v in judge_all(items(["q1"]), "toy", settings)] == ["NO"]
    assert own.headers[0]["Authorization"] == "Bearer key-of-b"


@pytest.mark.parametrize("other", ["a+b+c", "a", "a+b/cyclic"])
def test_a_cyclic_panel_is_compared_with_the_same_alone(other):
    cyclic = "task:t|judge:a+b+c/cyclic|rubric:r/1"
    assert differences(cyclic, cyclic) == []
    found = differences(cyclic, f"task:t|judge:{other}|rubric:r/1")
    said = f"different judge (a+b+c/cyclic against {other}). To compare anyway: hueval compare --despite judge"
    assert refusal(found, []) == said
    assert refusal(found, ["judge"]) is None


def test_verdicts_asked_a_second_time_do_not_count_but_are_counted():
    def answer(request, number):
        text = request["messages"][0]["content"]
        seen[text] = seen.get(text, 0) + 1
        return Answer(even(request) if seen[text] == 1 else "YES", usage=USAGE)

    seen, tally = {}, JudgeTally()
    with FakeJudge(answer) as judge:
        settings = settings_for(judge.url, model=PRICED, recheck=0.5, concurrency=1)
        (estimate,) = estimates(items(), "toy", settings)
        verdicts = judge_all(items(), "toy", settings)
        n = len(judge.requests)
        assert [v.label for v in verdicts] == ["YES", "NO"] * 5
        assert {doc["qid"] for (doc, _), v in zip(items(), verdicts, strict=True) if v.again} == set(TWICE)
        judge_all(items(), "toy", settings)
        assert len(judge.requests) == n == estimate.calls == 16  # the second reply is paid once, too
    assert ledger().spent_usd == pytest.approx(16 * 0.0035)  # what a budget counts
    for verdict in verdicts:
        tally.add(Verdict.from_json(verdict.to_dict()))
    assert tally.summary()["judge"][PRICED]["calls"] == n
    # 3 of 6, z² = 3.8415: 1.96 √(0.25 / 6 + 3.8415 / 144) / (1 + 3.8415 / 6) = 0.3124
    assert tally.summary()["judge_flips"] == {"n": 6, "flips": 3, "ci95": [18.76, 81.24]}


def test_a_budget_stops_before_the_second_replies_exceed_it(caplog):
    with FakeJudge(lambda request, _: Answer(even(request), usage=USAGE)) as judge:
        settings = settings_for(judge.url, model=PRICED, recheck=0.5, concurrency=1, budget_usd=0.04)
        verdicts = judge_all(items(), "toy", settings)
    assert ledger().spent_usd == pytest.approx(len(judge.requests) * 0.0035)
    assert ledger().spent_usd <= 0.04
    assert sum(v.again is not None for v in verdicts) > 0
    reason = next(v.error for v in verdicts if v.is_missing)
    assert reason.startswith("not asked: a further call could exceed the budget")
    (line,) = [line for line in caplog.messages if "are missing" in line]
    assert line.startswith(f"toy: {sum(v.is_missing for v in verdicts)} of 10 verdicts are missing: ")


def test_a_panel_may_be_asked_twice_and_a_second_failure_counts_nowhere():
    def answer(request, number):
        text = request["model"] + request["messages"][0]["content"]
        seen[text] = seen.get(text, 0) + 1
        return refuse(400, "no") if seen[text] > 1 and request["model"] == "b" else even(request)

    seen, tally = {}, JudgeTally()
    with FakeJudge(answer) as judge:
        settings = settings_for(judge.url, model="a", panel=("a", "b"), recheck=0.5, concurrency=2)
        for verdict in judge_all(items(), "toy", settings):
            assert not verdict.is_missing
            tally.add(verdict, is_asked=True)
    found = tally.summary()
    assert (found["judge_flips"]["n"], found["judge_flips"]["flips"], found["n_judge_errors"]) == (6, 0, 0)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"PANEL": "round"}, 'HUEVAL_JUDGE_PANEL: "round" is not on offer, expected cyclic'),
        ({"PANEL": "cyclic", "MODEL": "a"}, "HUEVAL_JUDGE_PANEL=cyclic: expected two judges or more, such as"),
        ({"PANEL": "cyclic", "MODEL": "a,b,a"}, "HUEVAL_JUDGE_MODEL: a judge is named twice"),
        ({"PANEL": "cyclic", "MODEL": "a,b", "REPEATS": "2"}, "HUEVAL_JUDGE_PANEL=cyclic asks one judge an item, once"),
        *(
            ({"RECHECK": share}, f'HUEVAL_JUDGE_RECHECK: "{share}" is not usable, expected a share above 0 and below 1')
            for share in ("0", "1", "2", "5%")
        ),
        ({"RECHECK": "0.1", "": "lexical"}, "HUEVAL_JUDGE_RECHECK: HUEVAL_JUDGE=lexical cannot be asked again"),
        ({"RECHECK": "0.1", "": "batch"}, "HUEVAL_JUDGE_RECHECK: HUEVAL_JUDGE=batch cannot be asked again"),
        ({"SERVERS": "none.yaml"}, "HUEVAL_JUDGE_SERVERS: cannot read none.yaml (No such file or directory)"),
        ({"SERVERS": "a: [1"}, "servers.yaml is not YAML in UTF-8, expected MODEL: {base_url: "),
        ({"SERVERS": "- a"}, "servers.yaml names no judge"),
        ({"SERVERS": "a: http://h/v1"}, 'servers.yaml, "a": expected base_url and, where the server needs one, key'),
        ({"SERVERS": "a: {base_url: h}"}, 'servers.yaml, "a": "h" is not usable, expected an address'),
        ({"SERVERS": f"a: {{base_url: http://h/v1, key: {KEY}}}"}, "key is not the name of a variable that is set"),
    ],
)
def test_one_line_says_what_is_wrong(monkeypatch, tmp_path, variables, said):
    for name, value in variables.items():
        if name == "SERVERS" and not value.endswith(".yaml"):
            (tmp_path / "servers.yaml").write_text(value, "utf-8")
            value = str(tmp_path / "servers.yaml")
        monkeypatch.setenv(f"HUEVAL_JUDGE_{name}".rstrip("_"), value)
    with pytest.raises(InputError) as caught:
        judge_settings()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value) and KEY not in str(caught.value)
