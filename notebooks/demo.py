"""The main job in a few lines: evaluate models on the packaged sample, print a table, write a page (`make demo`).

No model, no key, no network: HUEVAL_SAMPLE=1 HUEVAL_OFFLINE=1 HUEVAL_JUDGE=lexical python notebooks/demo.py
Two models are simulated, which know 70 and 40 % of the answers; two baselines stand beside them.
"""

import hueval_metrics as hueval

TASKS = "hueval-rule,openhueval_husimpleqa,openhueval_huproverbrea_oe"  # comparing words says nothing on HuWildBench
MODELS = (
    {"policy": "mixed", "skill": 0.7, "model": "simulated-70"},
    {"policy": "mixed", "skill": 0.4, "model": "simulated-40", "seed": 2},
    {"policy": "oracle"},
    {"policy": "random"},
)

for settings in MODELS:
    hueval.run("hueval-baseline", settings, TASKS, output="results/demo")
results = hueval.load("results/demo")
print(f"\n{results}")
print(f"\nOpen {hueval.report(results, 'results/demo/report.html')}")
