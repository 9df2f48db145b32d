"""Figures that only KoLasSimpleQA has: maps of languages and domains, calibration over settings, both directions."""
