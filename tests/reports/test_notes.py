from dataclasses import replace
from pathlib import Path

from hueval_metrics.reports.notes import notes
from hueval_metrics.runs.run import Flips
from tests.each import each
from tests.helpers import run_of

FIB, QA = "openhueval_humatchingfib", "openhueval_husimpleqa"


def run(label, **more):
    return run_of(label, Path("results.json"), **more)


def said(runs, language="en"):
    return [note[language] for note in notes(runs)]


RUNS = [
    run("s", sample=True),
    run("l", limit=10.0),
    run("m", missing={FIB: 3, QA: 0}, scores={QA: {"judge_coverage": 97.5}}),
    run("m2", scores={QA: {"judge_coverage": 97.5}}),
    run("whole", scores={QA: {"judge_coverage": 100.0, "suspicious_rate": 0.0}}),
    run("x", scores={QA: {"suspicious_rate": 12.5}}, signature={QA: "task:t|judge:gpt-4o,lexical|rubric:r"}),
]


def test_in_english():
    assert said(RUNS) == [
        "Packaged sample: not comparable with published numbers (s).",
        "Run with --limit 10: not comparable with published numbers (l).",
        "Rows with such a restriction take no first, second or third place.",
        "Judged by comparing words (HUEVAL_JUDGE=lexical): approximate (x).",
        f"Missing predictions: m lacks 3 of {FIB}; scored on the others.",
        f"Missing judge verdicts: {QA} (97.50 % judged); scored on the others (m, m2).",
        f"Answers with marks of an attempt on the judge: {QA} (12.50 %) of x; look at them in its items.",
    ]


def test_in_hungarian():
    assert said(RUNS, "hu") == [
        "Mellékelt minta: a közölt számokkal nem vethető össze (s).",
        "A futás --limit 10 beállítással készült: a közölt számokkal nem vethető össze (l).",
        "Az ilyen megkötéssel készült sorok nem kapnak első, második vagy harmadik helyet.",
        "Szavak összevetésével bírálva (HUEVAL_JUDGE=lexical): közelítő érték (x).",
        f"Hiányzó válaszok: m, {FIB}: 3; a pontszám a többiből készült.",
        f"Hiányzó bírálatok: {QA} (97,50% bírálva); a pontszám a többiből készült (m, m2).",
        f"A bírálónak szánt jelek a válaszokban: x, {QA} (12,50%); érdemes megnézni őket a tételek között.",
    ]


def test_an_interval_that_holds_what_guessing_gives():
    two, mcc = "openhueval_huproverbrea_2cq", "hulu_hucola"  # a quarter of the proverbs; MCC 0
    intervals = {two: {"acc": (20.0, 40.0)}, mcc: {"mcc": (-3.0, 8.0)}, FIB: {"blank_acc": (0.0, 9.0)}}
    scores = {task: dict.fromkeys(ends, 5.0) for task, ends in intervals.items()}
    above = run("above", scores=scores, intervals={two: {"acc": (25.1, 40.0)}})
    assert said([run("a", scores=scores, intervals=intervals), above]) == [
        "Not told apart from guessing, as the 95 % interval holds it: a (HuCOLA MCC, HuProverbRea Acc. (2CQ))."
    ]


def test_verdicts_that_changed_are_counted():
    runs = [run("twice", scores={QA: {"correct": 50.0}}, flips={QA: Flips(57, 3, (1.8, 14.37))})]
    assert said(runs) == [
        "The judge was asked a second time about some answers of twice; verdicts that changed: "
        f"{QA} 3 of 57 (95 % interval 1.8 to 14.4 %). None of these counts."
    ]
    assert said(runs, "hu") == [
        "A bíráló néhány választ másodszor is megkapott (twice); megváltozott bírálatok: "
        f"{QA}: 57 közül 3 (95%-os intervallum: 1,8–14,4%). Ezek egyike sem számít a pontszámba."
    ]


ASKED = "task:t|prompt:x|shots:{}|script:{}|method:da"
LAW = "hkmmlu_hk_law"


def test_rows_asked_in_another_setting_are_named_and_the_tasks_own_is_not():
    runs = [
        run(label, scores={LAW: {"acc": 50.0}}, signature={LAW: ASKED.format(*asked)})
        for label, asked in (
            ("own", (0, "tc")),
            ("a", (0, "sc")),
            ("b", (0, "sc")),
            ("c", (3, "sc")),
            ("?", ("?", "tc")),
        )
    ]
    assert said(runs) == ["Asked with script=sc: a, b.", "Asked with script=sc, shots=3: c."]
    assert said(runs, "hu")[0] == "A kérdések beállítása script=sc: a, b."
    assert said(runs[1:3]) == []  # all rows alike


def test_one_word_stands_for_the_names_of_all_rows():
    both = [replace(RUNS[0], label="a"), replace(RUNS[0], label="b")]
    assert said(both) == ["Packaged sample: not comparable with published numbers (every row)."]
    assert said(both, "hu") == ["Mellékelt minta: a közölt számokkal nem vethető össze (minden sor)."]
    assert said(both[:1]) == ["Packaged sample: not comparable with published numbers (a)."]


@each("judge", ["lexical", "gpt-4o,lexical"])
def test_a_lexical_judge_is_named_as_approximate(judge):
    signed = run("m", signature={QA: f"task:t|judge:{judge}|rubric:r"})
    assert said([signed]) == ["Judged by comparing words (HUEVAL_JUDGE=lexical): approximate (m)."]


def test_names_hold_no_sequences_that_a_terminal_obeys():
    runs = [run("a\x1b[2Jb{0}\u202e", sample=True, missing={"t\x1b[31m{x}": 1})]
    assert said(runs) == [
        "Packaged sample: not comparable with published numbers (ab{0}).",
        "Missing predictions: ab{0} lacks 1 of t{x}; scored on the others.",
    ]


@each("some", [RUNS[4:5], []])
def test_nothing_to_say(some):
    assert notes(some) == []


@each(
    ("gen", "expected"),
    [
        ("max_gen_toks=160,until=[]", ["Answers cut at 160 tokens, fewer than the task allows: "]),
        ("max_gen_toks=2048,until=[]", []),  # the task's own number
        ("max_gen_toks=8192,until=[]", []),  # a reasoning model's
        ("temperature=0.6", []),
        ("?", []),
    ],
)
def test_answers_cut_short_are_noted(gen, expected):
    runs = [run("a", signature={FIB: f"task:{FIB}|gen:{gen}|chat:no"})]
    assert said(runs) == [f"{text}not comparable with published numbers (a)." for text in expected]


def test_answers_cut_short_are_noted_once_for_each_number():
    short, shorter = (f"task:t|gen:max_gen_toks={cap}" for cap in (160, 16))
    runs = [run("a", signature={FIB: short, QA: shorter}), run("b", signature={FIB: short}), run("c")]
    assert said(runs, "hu") == [
        "A válaszok 16 token után levágva, a feladat többet enged: a közölt számokkal nem vethető össze (a).",
        "A válaszok 160 token után levágva, a feladat többet enged: a közölt számokkal nem vethető össze (b).",
    ]


UNREAD = {"answered": 88.0, "refused": 8.25, "several": 3.75}


def test_many_replies_without_an_answer_are_told_with_their_kinds():
    runs = [run("a", readings={FIB: UNREAD, QA: {"answered": 95.5, "nothing": 4.5}}), run("hueval-baseline abstain")]
    told = f"12.00 % of {FIB} (refused 8.25 %, several answers 3.75 %)"
    assert said(runs) == [f"Replies without an answer that could be read, of a: {told}; look at them in its items."]
    told = f"{FIB}: 12,00% (elutasítás 8,25%, több válasz 3,75%)"
    assert said(runs, "hu") == [
        f"Válaszok, amelyekből nem volt kiolvasható válasz (a): {told}; érdemes megnézni őket a tételek között."
    ]


def test_of_one_kind_the_share_is_told_once():
    runs = [run("a", readings={FIB: {"answered": 88.0, "several": 12.0}})]
    told = f"12.00 % of {FIB} (several answers)"
    assert said(runs) == [f"Replies without an answer that could be read, of a: {told}; look at them in its items."]


def test_a_baseline_that_gives_no_answers_is_not_told():
    assert said([run("hueval-baseline abstain", readings={FIB: {"nothing": 100.0}})]) == []


def test_of_many_tasks_with_such_replies_the_number_is_told():
    readings = {f"hkmmlu_{n}": {"answered": 90.0 - n, "unreadable": 10.0 + n} for n in range(21)}
    assert said([run("a", readings=readings)]) == [
        "Replies without an answer that could be read, of a: up to 30.00 %, in 21 tasks; look at them in its items."
    ]
