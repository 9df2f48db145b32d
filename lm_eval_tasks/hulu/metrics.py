"""The metrics of HuLU by number of classes, under the names that the YAMLs use."""

from __future__ import annotations

from hueval_metrics.metrics.classification import ACCURACY, balanced_accuracy, f1_macro, f1_weighted, mcc

MCC_2, BALANCED_ACC_2, F1_MACRO_2, F1_WEIGHTED_2 = mcc(2), balanced_accuracy(2), f1_macro(2), f1_weighted(2)
MCC_3, BALANCED_ACC_3, F1_MACRO_3, F1_WEIGHTED_3 = mcc(3), balanced_accuracy(3), f1_macro(3), f1_weighted(3)

OF_CLASSES = {
    2: {
        "mcc": MCC_2,
        "acc": ACCURACY,
        "balanced_acc": BALANCED_ACC_2,
        "f1_macro": F1_MACRO_2,
        "f1_weighted": F1_WEIGHTED_2,
    },
    3: {
        "mcc": MCC_3,
        "acc": ACCURACY,
        "balanced_acc": BALANCED_ACC_3,
        "f1_macro": F1_MACRO_3,
        "f1_weighted": F1_WEIGHTED_3,
    },
}
