"""What the modules cite."""

from __future__ import annotations

OPENHUEVAL = """\
@misc{yang2025openhueval,
  title  = {OpenHuEval: Evaluating Large Language Model on Hungarian Specifics},
  author = {Yang, Haote and Wei, Xingjian and Wu, Jiang and Ligeti-Nagy, Noémi and others},
  year   = {2025},
  eprint = {2503.21500},
  archivePrefix = {arXiv}
}"""
OPENHUEVAL_URLS = ["https://arxiv.org/abs/2503.21500", "https://github.com/opendatalab/OpenHuEval"]
NAEINI = """\
@inproceedings{naeini2015calibrated,
  title     = {Obtaining Well Calibrated Probabilities Using Bayesian Binning},
  author    = {Naeini, Mahdi Pakdaman and Cooper, Gregory F. and Hauskrecht, Milos},
  booktitle = {Proceedings of the Twenty-Ninth AAAI Conference on Artificial Intelligence},
  year      = {2015}
}"""
