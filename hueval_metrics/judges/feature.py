"""How far to trust a judge: agreement with people and judges, correction by a reference, a benchmark of judges."""

from hueval_metrics.features import Feature

_COMMANDS = "hueval_metrics.judges.commands"

FEATURE = Feature(
    name="judges",
    commands={
        "judge-agreement": f"{_COMMANDS}.judge_agreement",
        "validate-judge": f"{_COMMANDS}.validate_judge",
        "calibrate": f"{_COMMANDS}.calibrate",
        "judge-bench": f"{_COMMANDS}.judge_bench",
    },
    comparison="hueval_metrics.judges.comparison.further.CalibratedScores",
)
