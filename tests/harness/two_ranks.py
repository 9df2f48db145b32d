"""Models on several ranks, for torchrun: `torchrun … two_ranks.py run --model ranked … then NAME=VALUE run …`.

Several commands at one start, each with the settings before it: to start torch twice takes longer than what they do.
Without torchrun it is one rank.
"""

from __future__ import annotations

import os
import sys
from itertools import groupby

import lm_eval.models  # noqa: F401  before any model is registered
import torch
import torch.distributed as dist
from lm_eval.api.registry import register_model
from lm_eval.models.huggingface import HFLM

from hueval_metrics.cli import main
from hueval_metrics.harness.baseline import Baseline


class Ranks:
    """A model whose documents are shared out among the processes of a gloo group."""

    device = torch.device("cpu")

    def __init__(self, **arguments):
        super().__init__(**arguments)
        if "RANK" in os.environ:
            if not dist.is_initialized():
                dist.init_process_group("gloo")
            self._rank, self._world_size = dist.get_rank(), dist.get_world_size()

    def all_gather(self, tensor):
        parts = [torch.zeros_like(tensor) for _ in range(self.world_size)]
        dist.all_gather(parts, tensor)
        return torch.stack(parts)

    def gather_object(self, obj, dst=0):
        parts = [None] * self.world_size if self.rank == dst else None
        dist.gather_object(obj, parts, dst=dst)
        return parts

    def barrier(self):
        dist.barrier()


@register_model("ranked")
class RankedBaseline(Ranks, Baseline):
    """The baseline."""


@register_model("ranked-hf")
class RankedHF(Ranks, HFLM):
    """lm-eval's `hf`, which takes one rank where there is no GPU."""


if __name__ == "__main__":
    statuses = []
    for is_end, group in groupby(sys.argv[1:], "then".__eq__):
        if not is_end:
            words = list(group)
            start = words.index("run")
            os.environ.update(word.split("=", 1) for word in words[:start])
            statuses.append(main(words[start:]))
    if dist.is_initialized():
        dist.destroy_process_group()
    raise SystemExit(max(statuses))
