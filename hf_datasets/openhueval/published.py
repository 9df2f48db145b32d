"""What upstream published: the repository, the commit, its five files and the rows in them."""

from __future__ import annotations

FAMILY = "openhueval"
UPSTREAM_URL = "https://raw.githubusercontent.com/opendatalab/OpenHuEval/38c22bdfdcbf95d139e6001ea1b98934ebd2e7ca/data"
SPLIT = "test"  # the only one
BLOB_IDS = {  # of the files at that commit
    "HuMatchingFIB": "421c1a359fe5a1e1e945e77b288249bfca4d4bd7",
    "HuStandardFIB": "46d4a38095ec2430e25e8c0532e28cc9b38b723d",
    "HuProverbRea": "e3438650a87755852c30a7837d6bb5603d329651",
    "HuSimpleQA": "6d6b9c8878617d867cd83af05224fc9052c54a01",
    "HuWildBench": "1d3de789269eea70896cfd4b3ca1e0b3d0e10c5d",
}
# Counted in the files that were available; the other two could not be fetched.
ROWS = {"HuMatchingFIB": 278, "HuStandardFIB": 93, "HuProverbRea": 1_135}
PRINTED = {"HuSimpleQA": 1_343, "HuWildBench": 1_154}  # paper, Table 3; another version of it has 1,293 for HuSimpleQA
# `repo.content_hash` of the converted rows. A change of the schema changes them.
CONTENT = {
    "HuMatchingFIB": "9163afcec9ed552214d42de5b927279fc7a5a64dd285cd8f9d599762040bc58b",
    "HuStandardFIB": "81953ec6bed5278e7052bff132dc3af8502499feabbdc1b658c57cf2ad4c2544",
    "HuProverbRea": "fac599f09e658046bcec5194861b6452ec87a76aa64f6b2e8029c223945c660a",
}
