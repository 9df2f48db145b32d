"""The paper's tables of our runs: `hueval table --family hkmmlu`, or one of them with `--view hkmmlu-N`."""
