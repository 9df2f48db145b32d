"""All 90,550 translations of a full-size copy in one `hueval score`: time and peak memory.

Aim: under 90 s and 500 MiB, for BLEU, METEOR, ROUGE-L and chrF of the texts as they are and of both in one script.
For comparison: the same scores by sacrebleu, nltk and rouge-score, one normalisation, of a part of the translations.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from measure import HUEVAL, QUICK, ROOT, measure, report, report_processes, skipped

from hueval_metrics.loader import documents

TASKS = ("hkmmlutr_yue_to_zh", "hkmmlutr_zh_to_yue")
ROUNDS, PART = 3, 50 if QUICK else 2000
LIBRARIES = ("nltk", "rouge_score", "sacrebleu")
_LIBRARIES = """
import json, sys
from itertools import islice
from nltk.translate.meteor_score import meteor_score
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF
class Nothing:
    def synsets(self, word): return []
    def stem(self, word): return word
class Characters:
    def tokenize(self, text): return list(text)
rouge, bleu, chrf = RougeScorer(["rougeL"], tokenizer=Characters()), BLEU(tokenize="zh", effective_order=True), CHRF()
rows = [json.loads(line) for line in islice(open(sys.argv[1], encoding="utf-8"), int(sys.argv[2]))]
for row in rows:
    said, wanted = row["prediction"], row["wanted"]
    bleu.sentence_score(said, [wanted])
    meteor_score([list(wanted)], list(said), wordnet=Nothing(), stemmer=Nothing())
    rouge.score(wanted, said)
said, wanted = [row["prediction"] for row in rows], [[row["wanted"] for row in rows]]
print(BLEU(tokenize="zh").corpus_score(said, wanted), chrf.corpus_score(said, wanted))
"""


def translations(folder: Path) -> Path:
    """A file with a translation of every sentence, a seventh of its characters wrong, some with words around them."""
    draws, path = random.Random(1), folder / "translations.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for task in TASKS:
            for doc in documents(task, data_dir=str(folder))[0]:
                wanted = doc["output"]
                said = "".join(letter if draws.random() < 6 / 7 else draws.choice(wanted) for letter in wanted)
                if draws.random() < 0.2:
                    said = f"以下是翻譯：\n\n「{said}」\n\n註：口語。"
                row = {"task": task, "qid": doc["qid"], "prediction": said, "wanted": wanted}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        sys.path.insert(0, str(ROOT))
        from tests.families.hkmmlu.full_size import write

        folder = write(Path(name))
        path = translations(folder)
        count = sum(1 for _ in path.open(encoding="utf-8"))
        name = f"{count} translations, two normalisations"
        scored = [HUEVAL, "score", str(path), "--data-dir", str(folder), "--output", str(folder / "scored")]
        commands = {name: scored}
        if missing := [library for library in LIBRARIES if find_spec(library) is None]:
            skipped("beside the libraries", f"not installed: {', '.join(missing)}")
        else:
            commands |= {
                f"libraries, {PART} of them": [sys.executable, "-c", _LIBRARIES, str(path), str(PART)],
                "start of the libraries": [sys.executable, "-c", _LIBRARIES, str(path), "1"],
            }
        found = measure(commands, ROUNDS, {"HUEVAL_OFFLINE": "1"})
    report_processes(found, {name: 90})
    report("peak", found[name]["peak_mib"], "MiB", at_most=500)
    if not missing:
        ours, some, start = (numbers["wall_s"] for numbers in found.values())
        theirs = start + (some - start) / PART * count * 2
        report("to the libraries", ours / theirs, "x", also=f"libraries, two normalisations: {theirs:.0f} s")


if __name__ == "__main__":
    main()
