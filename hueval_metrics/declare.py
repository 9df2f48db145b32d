"""What a benchmark family declares: metrics, tasks, and the family itself. `registry` finds the declarations.

A declaration is data. It names what is heavy or rarely needed (documents, rubrics, figures) by dotted path, so that
importing it costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from hueval_metrics.metric import Metric as Metric  # families of other packages import it from here too
from hueval_metrics.text.normalize import Key, compare_key

if TYPE_CHECKING:
    from hueval_metrics.summary import Summary
    from hueval_metrics.traced import Traces

ANSWER = "answer"  # of `Task.labels`
_REMEMBERED = 128  # keys, as the options of a question are asked for again and again; whole replies are among them


@dataclass(frozen=True)
class Strata:
    """How a family divides its items.

    Attributes:
        name: what one part is called, such as `domain`.
        field: the field of a document that says to which it belongs.
        titles: code → title by language (`en`, `hu`), in the order in which they are shown.
        code: the field's value → code; None for a value that names none.
    """

    name: str
    field: str
    titles: Mapping[str, Mapping[str, str]]
    code: Callable[[str], str | None]


@dataclass(frozen=True)
class Task:
    """One task: a YAML that lm-eval runs, and what all else needs to know of it.

    Attributes:
        title: as the paper calls it.
        headline: the columns of the overview: metric → heading.
        metrics: column → metric, in the order of the YAML's `metric_list`, which is held to it.
        config: the config of the data set that has its rows; empty where that is named as the task without its prefix.
        group: heading above the columns of the overview; the title where it is empty.
        part: code of the part of its family in which figures show it together with other tasks; empty for by itself.
        main: the metrics that are compared unless others are asked for; those of the headline where it is empty.
        by_name: whether no group has it, so that it runs, and has columns in the overview, only where it is asked for.
        at_length: the metric that is also reported at one length of all responses, since its judges favour long ones.
        key: the fields of a document that name an item: a text, and further ones that are texts or integers.
        unique: fields whose values, taken together, no two documents share; empty where the key alone ensures that.
        cluster: the field whose values are resampled: items with the same are not independent.
        rubric: dotted path of the module by which a judge scores the answers; None for tasks scored by rule.
        by_rule: metrics of a task with a rubric whose values need no verdict, such as `judge_coverage`.
        rated: dotted path of `(values, rating) -> dict`: from the values that `process_results` returned for a document
            with a verdict, those that another rating of its response, a label or a score, would give, of the metrics
            that can be calibrated to another judge. None where no metric can be.
        answer: dotted path of `(doc, response) -> Any`, what was read from a response; None: the response. Without
            generation of `(doc, pairs) -> Any`, with a (log-likelihood, greedy) a choice; None: the likeliest's index.
        reading: dotted path of `(doc, response) -> answers.reading.Reading`, how and where; None without a reader.
        item: dotted path of `(doc, metrics) -> dict`, further columns of items.jsonl; None for none.
        parts: two of these columns, where an item has parts: how many are right, and how many there are.
        marked: dotted path of `(doc, response) -> answers.marked.Marked`, its parts one by one; None where it has none.
        form: of an answer: all that there may be, or the key of a list of blanks; None: as the prompt says it.
        labels: of a task whose answers are labels or options: the metric whose values end with the one in the key and
            the one in the reply, or `ANSWER` where `answer` is to be what the reference is. None for any other task.
        chance: what guessing gives in the first metric of the headline, as a share: 0.25 of four choices; where it
            depends on the document, a dotted path of `(doc) -> float | None`, whose mean it is; None for open answers.
        baselines: policy of `hueval-baseline` → dotted path of `(doc, rng) -> str`, a reply; without generation
            `(doc, rng) -> int | None`, the index of a choice or None for no preference; `first`, `random` need none.
        output_type: lm-eval's.
        untemplated: dotted path of `(variants) -> str | None`, what to say before a run without a chat template.
        libraries: the distributions that its score needs, besides those of its family: a run or scoring without one is
            refused before it begins, and the signature has their versions.
        variants: key of `--metadata` → the values that this task has of those that its family declares.
        opencompass: a pattern of the names of the reference's prediction files; None where there are none. Its named
            groups are the variants in which a file was made, such as `(?P<question_lang>..)`.
        opencompass_key: dotted path of `(gold) -> tuple`, the key of the item that a row's `gold` names, its first part
            None where only the position names it; it raises ValueError where that must not be. None: the fields.
    """

    title: str
    headline: Mapping[str, str]
    metrics: Mapping[str, Metric]
    config: str = ""
    group: str = ""
    part: str = ""
    main: tuple[str, ...] = ()
    by_name: bool = False
    at_length: str | None = None
    key: tuple[str, ...] = ("qid",)
    unique: tuple[str, ...] = ()
    cluster: str = "qid"
    rubric: str | None = None
    by_rule: tuple[str, ...] = ()
    rated: str | None = None
    answer: str | None = None
    reading: str | None = None
    item: str | None = None
    parts: tuple[str, str] | None = None
    marked: str | None = None
    form: tuple[str, ...] | str | None = None
    labels: str | None = None
    chance: float | str | None = None
    baselines: Mapping[str, str] = field(default_factory=dict)
    output_type: str = "generate_until"
    untemplated: str | None = None
    libraries: tuple[str, ...] = ()
    variants: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    opencompass: str | None = None
    opencompass_key: str | None = None


@dataclass(frozen=True)
class Counterpart:
    """Another benchmark with published ranks of the same models.

    Attributes:
        title: as its paper calls it.
        task, metric: ours, which the paper holds against it.
        source: language → where its ranks are printed, such as `Table 7`.
    """

    title: str
    task: str
    metric: str
    source: Mapping[str, str]


@dataclass(frozen=True)
class Family:
    """A benchmark family: the folder beside its `family.py`, and its data set.

    Attributes:
        name: the folder's name.
        title: as the paper calls it.
        folder: where `family.py` and the YAML tasks lie.
        prefixes: how the names of its tasks begin; no other family's do. With several, each is a form of the tasks:
            `toy_x` and `toygen_x` ask for the same answer to the same rows in two ways.
        tasks: full name → task, in the order in which tables show them.
        documents: dotted path of `(task, row, variants) -> documents`, the documents of one row of the data: `task` is
            the name without the prefix, `variants` are key → value.
        shared: dotted path of `(task, variants, rows) -> Any`, what the documents of a task have in common, such as
            worked examples: `documents` gets it as a fourth argument, `prompt` as a third. `rows(split, config=None)`
            gives the `hf_datasets.load.Loaded` of another split of the same source, or of another config, None where it
            has no such split (`hf_datasets.repo.Split.optional`). None for nothing.
        prompt: dotted path of `(task, variants) -> str`, the part `prompt` of the signature: see `loader.prompt_id`.
        libraries: the distributions that the score of every task needs besides hueval (`Task.libraries`).
        languages: of the replies, ISO 639-1.
        letters: letter → the one that it stands for, where texts of its language passed through an old code page.
        variants: key of `--metadata` → the values on offer, texts or integers; the YAML has the default. Three keys
            mean the same in every family: `question_lang`, the language of the questions, `split`, that of the data,
            and `prompt`, one of several wordings of each question, over which tables show the mean.
        signed: variants that are parts of the signature, each by its name, so that tables and comparisons can tell runs
            apart by them; `split` and `question_lang` always are. `shots` replaces lm-eval's own examples.
        strata: how its items are divided; None where they are not.
        parts: how its tasks are divided, where they are too many for a panel each: code → title by language (`en`,
            `hu`). Figures then have a panel for each part, with the items of all its tasks or their summary
            `<metric>_<code>`, and the overview has the columns of the summaries in place of the tasks'.
        summaries: numbers over several tasks.
        data: the name of its data set in `hf_datasets`, or the dotted path of its `hf_datasets.repo.DatasetRepo`, which
            has the family's name then.
        published: folder of published figures; None without any.
        traces: task → how its reasoning traces are read; one that is not there has the steps that need no declaration.
            Published figures of them are in `traces.csv` of the folder `published`.
        counterparts: other benchmarks with published ranks, by the start of their names in `ranks.csv`.
        figures: dotted paths of classes (`reports.figures.gather.Maker`) that draw what other families have not.
        legend: language → what the headings of the overview mean.
        views: name of `hueval table --view` → dotted path of `(runs, settings) -> blocks` (`reports.views`).
        views_need: name of a view → the runs without which it is empty, for the message that says so.
        on_page: the views that the report page shows too, in both of its languages.
        beside: how the names of lm-eval's tasks of other benchmarks begin that views show beside its own.
        commands: sub-command of `hueval <name>` → dotted path of `(arguments) -> exit status`; the first line of its
            docstring is the help.
        citation: BibTeX.
        urls: of the paper and the code.
        site: the YAML file that declares its boards of the leaderboard (`hueval_site.boards`); None for none.
    """

    name: str
    title: str
    folder: Path
    prefixes: tuple[str, ...]
    tasks: Mapping[str, Task]
    documents: str
    prompt: str
    shared: str | None = None
    libraries: tuple[str, ...] = ("lm_eval",)
    languages: tuple[str, ...] = ("hu",)
    letters: Mapping[str, str] = field(default_factory=dict)
    variants: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    signed: tuple[str, ...] = ()
    strata: Strata | None = None
    parts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    summaries: tuple[Summary, ...] = ()
    data: str = ""
    published: Path | None = None
    traces: Mapping[str, Traces] = field(default_factory=dict)
    counterparts: Mapping[str, Counterpart] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    views_need: Mapping[str, str] = field(default_factory=dict)
    on_page: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    commands: Mapping[str, str] = field(default_factory=dict)
    citation: str = ""
    urls: tuple[str, ...] = ()
    site: Path | None = None

    def short_name(self, task: str) -> str:
        """A task's name without its prefix, the same in each form of the task; another name as it is."""
        return task.removeprefix(next(filter(task.startswith, self.prefixes), ""))

    @property
    def data_set(self) -> str:
        """The name of its data set; one that is declared by its dotted path has the family's name."""
        return self.data if self.data.isidentifier() else self.name

    @cached_property
    def key(self) -> Key:
        """What its answers are compared by: `text.normalize.compare_key` with its letters."""
        letters = str.maketrans("".join(self.letters), "".join(self.letters.values()))
        return lru_cache(_REMEMBERED)(partial(compare_key, letters=letters))
