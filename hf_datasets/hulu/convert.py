"""HuLU as a dataset repository: seven configs, their official files, and what these hold.

The counts and hashes are those of the files at the commits below. Where the papers print another number, `printed` has
it. HuRC was not available: its counts are those of its card on the Hub, and its content is not verified.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hf_datasets.hulu.reader import SPLITS, find, path_of, read
from hf_datasets.hulu.schema import MODELS
from hf_datasets.repo import Config, DatasetRepo, Row, SourceFile, Split

_TEXTS = {
    "hucola": ("sentence",),
    "hucopa": ("premise", "question", "choice1", "choice2"),
    "hurte": ("premise", "hypothesis"),
    "husst": ("sentence",),
    "huwnli": ("sentence1", "sentence2"),
    "hucb": ("premise", "hypothesis"),
    "hurc": ("lead", "passage", "query"),
}
_SPLITS = {
    "hucola": (
        Split("train", 7_274, "52d7cf0e410d03dd4f246338fc690f619904118e49de863db65e01c0b3b77959"),
        Split("validation", 910, "73ff41dd002f40d025de1f116b02d4e49ebf2a47d2c3077efd72400386e55478"),
        Split("test", 910, "3f08a1ddaee7453b53eefccb83b6ae21ceffb3eafcf57d6c6e44039c56a41989"),
    ),
    "hucopa": (
        Split("train", 400, "3735e1665d6e9ee10d6b1bd0e6ed6531d420d0a1c4730e6c290640bcc585f628"),
        Split("validation", 100, "97bbd3aa2fa77f40feb4e8a7201331a4377f85753f3d787362136fb20467293f"),
        Split("test", 500, "c3e0f6b5889bfe1c72cf12eb87bbb4cc72550379d5eee479e0d3c92dc4872a67"),
    ),
    "hurte": (
        Split("train", 2_132, "8d711fcbce79d5aa366fcb6b47c49d6e3c0da7c4610453e9b34c0eb6c6cc68ba", printed=2_131),
        Split("validation", 243, "6958c4b3d280a93c14ded77d15da00ba6e57a405264e00fe611c5a393f829b38", printed=242),
        Split("test", 2_123, "3731972ec996c7bd95fe564c254a8b5b9fdb881ef265e523dbdb19fbf1034779"),
    ),
    "husst": (
        Split("train", 9_328, "557b49520eddd3bfd6df3caf25193d590d66e39a3be341b63724db5a41171696", printed=9_347),
        Split("validation", 1_165, "224d0e2b64de54019776c4dbec49db62f8a520400205c0bbcbfc0a9db35d3335", printed=1_168),
        Split("test", 1_165, "69b7a6855d2f4af6f13a3a147afe840443746a204829a3655e9d8b48d9fc2170", printed=1_168),
    ),
    "huwnli": (
        Split("train", 562, "e8b1a9792d58e8809ea7c44df5c14c2b0cbdd74083dbefad91cc565363941c13"),
        Split("validation", 60, "4f349945ae4ec6df3099062988dd7f5196c45d7ac2ab664dc88155d36ae0ecdc", printed=59),
        Split("test", 134, "ad5afbacdce1f53a07bc93b7b556a4b9a4f40a4d81177056dc2fe7be6cf367cd"),
    ),
    "hucb": (
        Split("train", 250, "657bcfb7a25f3c69ac05068ae1cc1f760efd60f8d0ed075c134a8ecc99932583"),
        Split("validation", 103, "12d20ffc754e60e5731b6c075f191269a2b22c7cd7e32737a52a16a3d6a784f4"),
        Split("test", 250, "e6f087efd770a0d73efe47b65de356d3917e5bf54474ca05b13787bdf390e527"),
    ),
    "hurc": (Split("train", 64_614), Split("validation", 8_000), Split("test", 8_000)),  # 80,587 in all in print
}
_GITHUB = "https://raw.githubusercontent.com/nytud"
_FOLDERS = {
    "hucola": f"{_GITHUB}/HuCOLA/8e56e34b9be078bade44aea60d79c65f3a902107/data",
    "hucopa": f"{_GITHUB}/HuCoPA/ba7fac203210715e1f0918894cb4c5fcde782c62/data",
    "hurte": f"{_GITHUB}/HuRTE/f24a6365e189201cf32744b8202b8ecd9d9e4342/data",
    "husst": f"{_GITHUB}/HuSST/05a9250b1c41419a0da8fe73c4e2b82f262a3383/data",
    "huwnli": f"{_GITHUB}/HuWNLI/95fe2897da3c2f04f568b6f7f9250fe28b1954a9/data",
    "hucb": f"{_GITHUB}/HuCommitmentBank/df6c103adea51b9a20005c6e449457e6faa59541/data",
    # Its repository at nytud has no data; its git blob ids on the Hub would be those of git-lfs pointers.
    "hurc": "https://huggingface.co/datasets/NYTK/HuRC/resolve/b45ea6dbdec3b8692f02df89e8f943fa8d84e5bf/data",
}
_BLOB_IDS = {  # in the order of SPLITS
    "hucola": (
        "0bce9c4278e70bc31088eda61403c8c803c2a071",
        "baa2ecd8da0d7b5a8e38bcbe6dea19b9f7e2bc40",
        "97e75660af64d2e1987a93049956c1358ee22de8",
    ),
    "hucopa": (
        "e04f0a13556ee36025dd05326e9cd03867e598d5",
        "eff243d7eef5cfe5a7c99698f360e9ddb916985a",
        "abc705f6efa680e6d705b2db580b505614b78de9",
    ),
    "hurte": (
        "54106bdfdf3234231315be31a2baae4c33386d8d",
        "d52330ea98bae8cce9e4a7298d8f28f33b913284",
        "ef32906243f0ae368d0bc71088940569f0a354bd",
    ),
    "husst": (
        "b80d1c73a4064404e3c9bf1abe3e245f7c7698da",
        "80523602fbf208cccbe25b8c2abfe7f3a450212b",
        "c1decd8e323daa22d2df45c75cdd15bee0b86992",
    ),
    "huwnli": (
        "cc295e30d6007d61100498326daff3984e23bdb4",
        "84ad5c1afbf4f5cdd549375ffa63e505735297f5",
        "871f59ef7729c8eee6625a051ff4fbf930b80e47",
    ),
    "hucb": (
        "19b55166f736e87ce7f5b2f965ff110b72c2287c",
        "176ecfd1732dc8639f38161418b1fef9b23a6882",
        "604c1f2e8cd6e79d2993b1e8812bcfada6eea6ac",
    ),
}


def _masked_name_faults(config: str, split: str, row: Row) -> Iterator[str]:
    """What a row of HuRC, of which the schema asks little, should be by its definition."""
    if config == "hurc":
        if "[MASK]" not in row["query"]:
            yield "no [MASK] in the query"
        if row["label"] is not None and not any(row["label"] in text for text in (*row["lead"], *row["passage"])):
            yield "masked name not found in the article"


def _config(name: str) -> Config:
    return Config(
        name=name,
        row=MODELS[name],
        splits=tuple(replace(split, file=path_of(name, split.name)) for split in _SPLITS[name]),
        id_fields=("id",),
        text_fields=_TEXTS[name],
        question_fields=("query",) if name == "hurc" else (),
        answer_fields=("label",) if name == "hurc" else (),  # elsewhere a class: it cannot stand in the text
        label_field=None if name == "hurc" else "label",
    )


def _source(config: str, split: str) -> SourceFile:
    path = path_of(config, split)
    blob_ids = _BLOB_IDS.get(config)
    return SourceFile(
        path=path,
        url=f"{_FOLDERS[config]}/{path.partition('/')[2]}",
        blob_id=blob_ids[SPLITS.index(split)] if blob_ids else None,
    )


REPO = DatasetRepo(
    name="hulu",
    title="HuLU",
    license="other",  # CC-BY-SA-4.0 and BSD-2-Clause; the card has the list
    refuses_push=None,  # both allow it with the notices that the card gives
    configs=tuple(_config(name) for name in MODELS),
    sources=tuple(_source(name, split) for name in MODELS for split in SPLITS),
    read=read,
    checks=(_masked_name_faults,),
    find=find,
)
