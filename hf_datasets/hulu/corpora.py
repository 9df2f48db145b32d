"""The seven corpora of HuLU, one record each: their files, what these hold, and where they are published.

The counts and hashes are those of the files at the commits in the addresses. Where the papers print another number,
`printed` has it. HuRC was not available: its counts are those of its card on the Hub, and its content is not verified.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from hf_datasets.hulu.schema import HuCb, HuCola, HuCopa, HuRc, HuRte, HuSst, HuWnli
from hf_datasets.repo import Split


@dataclass(frozen=True)
class Corpus:
    """A corpus as upstream publishes it.

    Attributes:
        row: the schema of a row.
        texts: the fields with a row's texts.
        folder: the address of its files, at a commit.
        splits: train, validation and test, each with the name of its file.
        blob_ids: the git blob ids of these files; None where they are unknown.
        is_free_form: whether its files may be JSON Lines or Parquet, and may lack ids.
    """

    row: type[BaseModel]
    texts: tuple[str, ...]
    folder: str
    splits: tuple[Split, Split, Split]
    blob_ids: tuple[str, str, str] | None
    is_free_form: bool = False

    def split(self, name: str) -> Split:
        """The split of this name: `train`, `validation` or `test`."""
        return next(split for split in self.splits if split.name == name)


_GITHUB = "https://raw.githubusercontent.com/nytud"
CORPORA = {
    "hucola": Corpus(
        HuCola,
        ("sentence",),
        f"{_GITHUB}/HuCOLA/8e56e34b9be078bade44aea60d79c65f3a902107/data",
        (
            Split(
                "train",
                7_274,
                "52d7cf0e410d03dd4f246338fc690f619904118e49de863db65e01c0b3b77959",
                file="cola_train.json",
            ),
            Split(
                "validation",
                910,
                "73ff41dd002f40d025de1f116b02d4e49ebf2a47d2c3077efd72400386e55478",
                file="cola_dev.json",
            ),
            Split(
                "test", 910, "3f08a1ddaee7453b53eefccb83b6ae21ceffb3eafcf57d6c6e44039c56a41989", file="cola_test.json"
            ),
        ),
        (
            "0bce9c4278e70bc31088eda61403c8c803c2a071",
            "baa2ecd8da0d7b5a8e38bcbe6dea19b9f7e2bc40",
            "97e75660af64d2e1987a93049956c1358ee22de8",
        ),
    ),
    "hucopa": Corpus(
        HuCopa,
        ("premise", "question", "choice1", "choice2"),
        f"{_GITHUB}/HuCoPA/ba7fac203210715e1f0918894cb4c5fcde782c62/data",
        (
            Split("train", 400, "3735e1665d6e9ee10d6b1bd0e6ed6531d420d0a1c4730e6c290640bcc585f628", file="train.json"),
            Split(
                "validation", 100, "97bbd3aa2fa77f40feb4e8a7201331a4377f85753f3d787362136fb20467293f", file="val.json"
            ),
            Split("test", 500, "c3e0f6b5889bfe1c72cf12eb87bbb4cc72550379d5eee479e0d3c92dc4872a67", file="test.json"),
        ),
        (
            "e04f0a13556ee36025dd05326e9cd03867e598d5",
            "eff243d7eef5cfe5a7c99698f360e9ddb916985a",
            "abc705f6efa680e6d705b2db580b505614b78de9",
        ),
    ),
    "hurte": Corpus(
        HuRte,
        ("premise", "hypothesis"),
        f"{_GITHUB}/HuRTE/f24a6365e189201cf32744b8202b8ecd9d9e4342/data",
        (
            Split(
                "train",
                2_132,
                "8d711fcbce79d5aa366fcb6b47c49d6e3c0da7c4610453e9b34c0eb6c6cc68ba",
                printed=2_131,
                file="rte_train.json",
            ),
            Split(
                "validation",
                243,
                "6958c4b3d280a93c14ded77d15da00ba6e57a405264e00fe611c5a393f829b38",
                printed=242,
                file="rte_dev.json",
            ),
            Split(
                "test", 2_123, "3731972ec996c7bd95fe564c254a8b5b9fdb881ef265e523dbdb19fbf1034779", file="rte_test.json"
            ),
        ),
        (
            "54106bdfdf3234231315be31a2baae4c33386d8d",
            "d52330ea98bae8cce9e4a7298d8f28f33b913284",
            "ef32906243f0ae368d0bc71088940569f0a354bd",
        ),
    ),
    "husst": Corpus(
        HuSst,
        ("sentence",),
        f"{_GITHUB}/HuSST/05a9250b1c41419a0da8fe73c4e2b82f262a3383/data",
        (
            Split(
                "train",
                9_328,
                "557b49520eddd3bfd6df3caf25193d590d66e39a3be341b63724db5a41171696",
                printed=9_347,
                file="sst_train.json",
            ),
            Split(
                "validation",
                1_165,
                "224d0e2b64de54019776c4dbec49db62f8a520400205c0bbcbfc0a9db35d3335",
                printed=1_168,
                file="sst_dev.json",
            ),
            Split(
                "test",
                1_165,
                "69b7a6855d2f4af6f13a3a147afe840443746a204829a3655e9d8b48d9fc2170",
                printed=1_168,
                file="sst_test.json",
            ),
        ),
        (
            "b80d1c73a4064404e3c9bf1abe3e245f7c7698da",
            "80523602fbf208cccbe25b8c2abfe7f3a450212b",
            "c1decd8e323daa22d2df45c75cdd15bee0b86992",
        ),
    ),
    "huwnli": Corpus(
        HuWnli,
        ("sentence1", "sentence2"),
        f"{_GITHUB}/HuWNLI/95fe2897da3c2f04f568b6f7f9250fe28b1954a9/data",
        (
            Split("train", 562, "e8b1a9792d58e8809ea7c44df5c14c2b0cbdd74083dbefad91cc565363941c13", file="train.json"),
            Split(
                "validation",
                60,
                "4f349945ae4ec6df3099062988dd7f5196c45d7ac2ab664dc88155d36ae0ecdc",
                printed=59,
                file="dev.json",
            ),
            Split("test", 134, "ad5afbacdce1f53a07bc93b7b556a4b9a4f40a4d81177056dc2fe7be6cf367cd", file="test.json"),
        ),
        (
            "cc295e30d6007d61100498326daff3984e23bdb4",
            "84ad5c1afbf4f5cdd549375ffa63e505735297f5",
            "871f59ef7729c8eee6625a051ff4fbf930b80e47",
        ),
    ),
    "hucb": Corpus(
        HuCb,
        ("premise", "hypothesis"),
        f"{_GITHUB}/HuCommitmentBank/df6c103adea51b9a20005c6e449457e6faa59541/data",
        (
            Split(
                "train", 250, "657bcfb7a25f3c69ac05068ae1cc1f760efd60f8d0ed075c134a8ecc99932583", file="hucb_train.json"
            ),
            Split(
                "validation",
                103,
                "12d20ffc754e60e5731b6c075f191269a2b22c7cd7e32737a52a16a3d6a784f4",
                file="hucb_dev.json",
            ),
            Split(
                "test", 250, "e6f087efd770a0d73efe47b65de356d3917e5bf54474ca05b13787bdf390e527", file="hucb_test.json"
            ),
        ),
        (
            "19b55166f736e87ce7f5b2f965ff110b72c2287c",
            "176ecfd1732dc8639f38161418b1fef9b23a6882",
            "604c1f2e8cd6e79d2993b1e8812bcfada6eea6ac",
        ),
    ),
    "hurc": Corpus(
        HuRc,
        ("lead", "passage", "query"),
        # Its repository at nytud has no data; its git blob ids on the Hub would be those of git-lfs pointers.
        "https://huggingface.co/datasets/NYTK/HuRC/resolve/b45ea6dbdec3b8692f02df89e8f943fa8d84e5bf/data",
        (  # 80,587 rows in all in print
            Split("train", 64_614, file="hurc_train.json"),
            Split("validation", 8_000, file="hurc_val.json"),
            Split("test", 8_000, file="hurc_test.json"),
        ),
        None,
        is_free_form=True,
    ),
}
