"""Runs the `hueval` command and reduces what it writes and prints; the golden files hold the outcome.

It knows the command line and the files that it writes, and nothing of what is behind them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.judge_server import FakeJudge
from tests.features.judges.calibrate.runs import QA, judged_by, run_of
from tests.golden.reduce import (
    as_json,
    as_rows,
    csv_text,
    digests,
    json_rows,
    like_the_first,
    normal,
    page_numbers,
    page_text,
    read_json,
    short,
    without_nulls,
)
from tests.harness.runs import hueval_in_process
from tests.helpers import SHARED

GOLDEN = Path(__file__).parent
PRINTED = "printed/"  # the second set: words and layout
POLICIES = ("oracle", "random", "first", "abstain")
WHOLE = ("sample/random", "judged/die-1", "judged/panel", "earlier/cached")  # whose items are kept row by row
LONG = 60  # characters of an answer
MISSING = ("--allow-missing", "1")  # some replies of the judge cannot be read
Files = Iterator[tuple[str, str]]  # path below tests/golden, content

LIVE = (  # of lm-eval's results file
    *("results", "intervals", "metric_n", "ci_method", "ci_note", "n-samples", "n-shot", "versions"),
    *("higher_is_better", "group_subtasks"),
)


def hueval(*arguments: object, status: int = 0) -> tuple[str, str]:
    """Run the command here; returns what it printed, and its own lines on standard error, sorted."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        found = hueval_in_process(*arguments)
    assert found == status, f"hueval {arguments} gave {found}\n{out.getvalue()[-2000:]}\n{err.getvalue()[-2000:]}"
    own = sorted(line for line in err.getvalue().splitlines() if line.startswith("hueval: "))  # judges work at once
    return out.getvalue(), "".join(f"{line}\n" for line in own)


@contextlib.contextmanager
def environment(folder: Path, **variables: str) -> Iterator[None]:
    """Only these settings, a terminal of 100 columns, and a cache and working folder of one's own."""
    before, cwd = dict(os.environ), Path.cwd()
    for name in list(os.environ):
        if name.startswith(("HUEVAL_", "OPENAI_", "HF_")):
            del os.environ[name]
    os.environ |= {"HUEVAL_CACHE_DIR": str(folder / "cache"), "HUEVAL_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
    os.environ |= {"COLUMNS": "100", "HUEVAL_QUIET": "1", **variables}
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(before)


def sample(folder: Path) -> Files:
    """Four baselines live on the packaged sample, all tasks, judged by comparing words; every command on them."""
    with environment(folder, HUEVAL_SAMPLE="1", HUEVAL_JUDGE="lexical"):
        runs = {policy: folder / policy for policy in POLICIES}
        for policy, run in runs.items():
            live_run(run, policy, "openhueval")
            yield f"sample/{policy}.live.json", live(run, folder)
            yield from score(f"sample/{policy}", [run], folder)
        yield from tables("sample/", list(runs.values()), folder)
        yield from compare("sample/", list(runs.values()), folder)
        yield from report("sample/", [runs["random"], runs["oracle"]], folder)
        yield from export("sample/", runs["random"], folder)


def real(folder: Path) -> Files:
    """The rule tasks on the benchmark itself: made predictions and labelled messy ones. Only numbers are kept."""
    parity = SHARED / "parity"
    with environment(folder, HUEVAL_DATA_DIR=str(SHARED / "data")):
        scored: dict[str, list[Path]] = {}
        for task in ("humatchingfib", "hustandardfib", "huproverbrea_2cq"):
            files = {path.name.split(".")[0]: path for path in sorted((parity / task).glob("*.predictions.jsonl"))}
            gold = folder / f"{task}.gold.jsonl"
            for name, path in (files | {"gold": gold} | messy(parity / "fresh" / f"{task}.jsonl", folder)).items():
                output = folder / task / name
                printed = hueval("score", path, "--task", f"openhueval_{task}", "--output", output)
                yield f"real/{task}.{name}.results.json", results(output, folder)
                rows = json_rows((output / "items.jsonl").read_text(encoding="utf-8"))
                if not gold.exists():
                    gold.write_text(as_rows(gold_of(row) for row in rows), encoding="utf-8")
                yield f"real/{task}.{name}.items.json", columns(rows)
                yield f"{PRINTED}real/{task}.{name}.score.txt", normal("".join(printed), folder)
                scored.setdefault(task, []).append(output)
        for task, outputs in scored.items():
            yield from tables(f"real/{task}.", outputs, folder)
            yield from compare(f"real/{task}.", [path for path in outputs if "messy" not in path.name], folder)


def gold_of(item: dict[str, Any]) -> dict[str, Any]:
    """The prediction that is wholly right."""
    option = {"correct_option": item["correct_option"]} if "correct_option" in item else {}
    return {"qid": item["qid"], **option, "prediction": item["reference"]}


def messy(path: Path, folder: Path) -> dict[str, Path]:
    """The labelled replies as predictions; where an item has several replies, each in a file of its own."""
    seen: dict[tuple[Any, Any], int] = {}
    rounds: list[list[dict[str, Any]]] = []
    for row in (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line):
        key = row["qid"], row.get("correct_option")
        seen[key] = seen.get(key, -1) + 1
        if seen[key] == len(rounds):
            rounds.append([])
        option = {"correct_option": row["correct_option"]} if "correct_option" in row else {}
        rounds[seen[key]].append({"qid": row["qid"], **option, "prediction": row["input"]})
    files = {}
    for number, rows in enumerate(rounds):
        files[f"messy{number}"] = file = folder / f"{path.stem}.messy{number}.jsonl"
        file.write_text(as_rows(rows), encoding="utf-8")
    return files


JUDGED = ("openhueval_husimpleqa", "openhueval_huproverbrea_oe", "openhueval_huwildbench")
REPLIES = {
    "husimpleqa": (
        *('{"evaluation": "CORRECT"}', '{"evaluation": "Incorrect"}', '{"evaluation": "NOT_ATTEMPTED"}'),
        *('```json\n{"evaluation": "correct"}\n```', "The answer is INCORRECT.", "I cannot say."),
    ),
    "huproverbrea_oe": ('{"decision": "YES"}', "NO", "YES", "**Decision:** NO", "Perhaps.", "Igen"),
    "huwildbench": (
        *('{"strengths": "Jó.", "weaknesses": "Rövid.", "score": "8"}', '{"strengths": "", "score": "3/10"}'),
        *('{"score": 10}', "Strengths: sok. Score: 6", "no idea", '{"score": "11"}', '{"score": "7.5"}'),
    ),
}
WORDS = {"husimpleqa": "NOT_ATTEMPTED", "huwildbench": "strengths", "huproverbrea_oe": ""}  # by which a rubric is known


def verdict(request: dict[str, Any], _: int = 0) -> str:
    """The reply of a judge that throws a die, the same one for the same question."""
    asked = json.dumps([request["model"], request["messages"]], ensure_ascii=False)
    name = next(name for name, word in WORDS.items() if word in asked)
    return REPLIES[name][int(hashlib.sha256(asked.encode()).hexdigest(), 16) % len(REPLIES[name])]


def asked(judge: FakeJudge) -> dict[str, Any]:
    """What a judge was asked: how often, and a name for all of it, whatever the order."""
    bodies = sorted(json.dumps(body, ensure_ascii=False, sort_keys=True) for body in judge.requests)
    return {"requests": len(bodies), "bodies": short("\n".join(bodies))}


def judged(folder: Path) -> Files:
    """The judged tasks: live with one judge, scored again from what was kept, by a second one, and by a panel."""
    with FakeJudge(verdict) as judge, environment(folder, HUEVAL_SAMPLE="1", HUEVAL_JUDGE_MODEL="die-1"):
        os.environ |= {"HUEVAL_JUDGE_BASE_URL": judge.url, "HUEVAL_JUDGE_API_KEY": "none"}
        run = folder / "first"
        live_run(run, "first", ",".join(JUDGED))
        yield "judged/die-1.live.json", live(run, folder)
        yield "judged/die-1.asked.json", as_json(asked(judge))
        yield from score("judged/die-1", [run], folder)
        yield from score("judged/die-2", [run], folder, "--rejudge", "die-2")
        yield from score("judged/panel", [run], folder, "--rejudge", "die-1,die-2,die-3")
        yield "judged/panel.asked.json", as_json(asked(judge))
        scored = [folder / f"{name}.scored" for name in ("die-1", "die-2")]
        yield from tables("judged/", [run, *scored], folder)
        out, err = hueval("judge-agreement", *scored, "--json")
        yield "judged/agreement.json", as_json(read_json(normal(out, folder)))
        out, err = hueval("judge-agreement", *scored)
        yield f"{PRINTED}judged/agreement.txt", normal(out + err, folder)
        yield from report("judged/", [folder / "panel.scored"], folder)
        yield from export("judged/", scored[0], folder)


def live_run(run: Path, policy: str, tasks: str) -> None:
    """`hueval run` of a baseline."""
    model = ("--model", "hueval-baseline", "--model_args", f"policy={policy}")
    hueval("run", *model, "--tasks", tasks, "--output_path", run, *MISSING)


def live(run: Path, folder: Path) -> str:
    """The numbers of lm-eval's results file, each task's signature, and names for its prompts and targets."""
    (file,) = run.rglob("results_*.json")
    found = read_json(normal(file.read_text(encoding="utf-8"), folder))
    numbers = {key: found[key] for key in LIVE}
    for row in numbers["results"].values():
        for key in [key for key, value in row.items() if value == "N/A"]:
            del row[key]
    numbers["provenance"] = {
        task: config["metadata"]["provenance"] for task, config in found["configs"].items() if "metadata" in config
    }
    numbers["asked"] = {}
    for path in sorted(run.rglob("samples_*.jsonl")):
        rows = sorted(json_rows(path.read_text(encoding="utf-8")), key=lambda row: int(row["doc_id"]))
        hashes = [[row["prompt_hash"], row["target_hash"]] for row in rows]
        numbers["asked"][path.name.split("_20")[0]] = f"{len(rows)} {short(json.dumps(hashes))}"
    return as_json(numbers)


def score(name: str, paths: list[Path], folder: Path, *options: str) -> Files:
    """`hueval score`: its results, its items and what it prints."""
    output = folder / f"{Path(name).name}.scored"
    printed = hueval("score", *paths, "--output", output, *MISSING, *options)
    yield f"{name}.results.json", results(output, folder)
    rows = items(output, folder)
    if name in WHOLE:
        yield f"{name}.items.jsonl", as_rows(without_nulls(rows))
    else:
        yield f"{name}.items.json", columns(rows)
    yield f"{PRINTED}{name}.score.txt", normal("".join(printed), folder)


def results(output: Path, folder: Path) -> str:
    """A results file of `hueval score`."""
    return as_json(read_json(normal((output / "results.json").read_text(encoding="utf-8"), folder)))


def items(output: Path, folder: Path) -> list[dict[str, Any]]:
    """The items; names of what was asked and of long answers."""
    rows = json_rows(normal((output / "items.jsonl").read_text(encoding="utf-8"), folder))
    for row in rows:
        for key in ("prompt", "reference", "prediction", "answer"):
            if isinstance(row[key], str) and (len(row[key]) > LONG or key in ("prompt", "reference")):
                row[key] = short(row[key])
    return rows


def columns(rows: list[dict[str, Any]]) -> str:
    """A name for all items, and for each key what `digests` says."""
    return as_json({"sha256": hashlib.sha256(as_rows(rows).encode()).hexdigest(), **digests(rows)})


def tables(name: str, runs: list[Path], folder: Path) -> Files:
    """`hueval table`: both tables as data, and as printed."""
    for option in ([], ["--all"]):
        title = "-".join(["table", *option]).replace("--", "")
        out, err = hueval("table", *runs, "--format", "csv", *option)
        yield f"{name}{title}.csv", csv_text(normal(out, folder))
        for form in ("terminal", "markdown", "latex")[: 1 if option else None]:
            out, err = hueval("table", *runs, "--format", form, *option)
            yield f"{PRINTED}{name}{title}.{form}.txt", normal(out + err, folder)


def compare(name: str, runs: list[Path], folder: Path) -> Files:
    """`hueval compare`: the headline with all it says, every metric as rows, and as printed."""
    status = 1 if name == "sample/" else 0  # HuWildBench has no verdicts there
    out, _ = hueval("compare", *runs, "--format", "json", status=status)
    yield f"{name}compare.json", as_json(read_json(normal(out, folder)))
    out, _ = hueval("compare", *runs, "--format", "csv", "--all", status=status)
    yield f"{name}compare-all.csv", csv_text(normal(out, folder))
    for form in ("text", "markdown") if name == "sample/" else ("text",):
        out, err = hueval("compare", *runs, "--format", form, status=status)
        yield f"{PRINTED}{name}compare.{form}.txt", normal(out + err, folder)


def report(name: str, runs: list[Path], folder: Path) -> Files:
    """`hueval report`: the numbers of its figures, tables and items, and its text."""
    page, figures = folder / "report.html", folder / "figures"
    hueval("report", *runs, "--output", page, "--figures", figures)
    text = normal(page.read_text(encoding="utf-8"), folder)
    yield f"{name}report.json", as_json(page_numbers(text))
    for path in sorted(figures.glob("*.csv")):
        yield f"{name}figures/{path.name}", csv_text(path.read_text(encoding="utf-8"))
    yield f"{PRINTED}{name}report.txt", page_text(text)


def export(name: str, run: Path, folder: Path) -> Files:
    """`hueval export`: every form; of the instances names for their values."""
    output = folder / "export"
    options = ("--even-sample", "--even-partial", "--model", "org/name", "--dataset", f"org/data@{'0123456789' * 4}")
    hueval("export", run, "--to", "all", "--output", output, *options)
    entries, instances, logs = [], {}, {}
    for path in sorted(path for path in output.rglob("*") if path.is_file()):
        text = normal(path.read_text(encoding="utf-8"), folder)
        if path.suffix == ".yaml":
            yield f"{name}export/{path.stem}.json", as_json(yaml.load(text, yaml.BaseLoader))
        elif path.parent.name == "inspect":
            log = read_json(text)
            logs[log["eval"]["task"]] = {"scores": log["results"]["scores"][:1], "samples": digests(log["samples"])}
        elif path.suffix == ".json":
            entry = read_json(text.replace(path.stem, "UUID"))
            entries.append((entry["evaluation_id"], entry))
        else:
            rows = json_rows(text)
            instances[rows[0]["evaluation_name"]] = digests(rows)
    for title, entry in sorted(entries):
        results_ = entry.pop("evaluation_results")
        yield f"{name}export/{title.split('/')[0]}.jsonl", as_rows([entry, *like_the_first(results_)])
    yield f"{name}export/instances.json", as_json(dict(sorted(instances.items())))
    yield f"{name}export/inspect.json", as_json(dict(sorted(logs.items())))


def earlier(folder: Path) -> Files:
    """Results, samples and verdicts that version 0.1 wrote (`v0.1/`): still read, and nothing is asked again."""
    old = folder / "v0.1"
    shutil.copytree(GOLDEN / "v0.1", old)
    with FakeJudge(verdict) as judge, environment(folder, HUEVAL_SAMPLE="1", HUEVAL_JUDGE_MODEL="die-1"):
        os.environ |= {"HUEVAL_JUDGE_BASE_URL": judge.url, "HUEVAL_JUDGE_API_KEY": "none"}
        yield from tables("earlier/", [old / "live", old / "scored"], folder)
        yield from score("earlier/live", [old / "live"], folder)
        os.environ["HUEVAL_CACHE_DIR"] = str(old / "cache")
        yield from score("earlier/cached", [old / "deferred"], folder)
        os.environ["HUEVAL_CACHE_DIR"] = str(folder / "empty cache")
        (old / "scored").rename(folder / "missing.scored")
        yield from score("earlier/missing", [old / "deferred"], folder, "--only-missing")
        yield "earlier/asked.json", as_json(asked(judge))


ERRORS = {  # true label → how often a lenient judge gives each label
    "CORRECT": {"CORRECT": 0.9, "INCORRECT": 0.08, "NOT_ATTEMPTED": 0.02},
    "INCORRECT": {"CORRECT": 0.25, "INCORRECT": 0.7, "NOT_ATTEMPTED": 0.05},
    "NOT_ATTEMPTED": {"CORRECT": 0.05, "INCORRECT": 0.05, "NOT_ATTEMPTED": 0.9},
}


def calibrated(folder: Path) -> Files:
    """Runs of a judge of known errors: two with ratings of their own, one without, and one by the reference itself."""
    with environment(folder):
        draws = random.Random(0)
        truth = {}
        for model, right in (("a", 0.7), ("b", 0.4), ("c", 0.5), ("d", 0.6)):
            truth[model] = draws.choices(list(ERRORS), [right, 0.75 * (1 - right), 0.25 * (1 - right)], k=120)
        runs = {m: run_of(folder / f"{m}.cheap", judged_by(truth[m], ERRORS, ord(m)), "cheap", QA) for m in "abc"}
        rated = {m: run_of(folder / f"{m}.rated", truth[m][:60], "dear", QA) for m in "abc"}
        runs["d"] = run_of(folder / "d.dear", truth["d"], "dear", QA)
        fit = ("--judge", runs["a"], runs["b"], "--reference", rated["a"], rated["b"], "--output", "calibration.json")
        apply = ("calibration.json", *(runs[m] for m in "abc"), "--output", "out")
        check = ("calibration.json", runs["c"], "--reference", rated["c"])
        for action, options in (("fit", fit), ("apply", apply), ("check", check)):
            yield f"{PRINTED}calibrated/{action}.txt", normal("".join(hueval("calibrate", action, *options)), folder)
        outputs = [*(folder / "out" / f"{m}.cheap" for m in "abc"), runs["d"]]
        yield "calibrated/a.results.json", results(outputs[0], folder)
        yield from tables("calibrated/", outputs, folder)
        yield from compare("calibrated/", outputs, folder)
        yield from report("calibrated/", outputs[::2], folder)


STAGES: dict[str, Callable[[Path], Files]] = {
    **{"sample": sample, "real": real, "judged": judged, "earlier": earlier},
    "calibrated": calibrated,
}
