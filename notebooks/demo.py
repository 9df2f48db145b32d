"""The main job in six lines: evaluate four baselines on the packaged sample, print a table, write a page (`make demo`).

No model, no key, no network: HUEVAL_SAMPLE=1 HUEVAL_OFFLINE=1 HUEVAL_JUDGE=lexical python notebooks/demo.py
"""

import hueval_metrics as hueval

for policy in ("oracle", "random", "first", "abstain"):
    hueval.run("hueval-baseline", {"policy": policy}, "openhueval", output="results/demo")
results = hueval.load("results/demo")
print(f"\n{results}")
print(f"\nOpen {hueval.report(results, 'results/demo/report.html')}")
