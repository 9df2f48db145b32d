"""The figures of HKMMLU's paper, of one's own runs: by subject (4, 8, 9), by shots (6), by length (2, 3, 7)."""
