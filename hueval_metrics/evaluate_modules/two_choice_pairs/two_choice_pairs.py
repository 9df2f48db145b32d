"""The path of this module in version 0.1."""

from hueval_metrics.evaluate_modules.moved import moved

Moved = moved("two_choice_pairs")
