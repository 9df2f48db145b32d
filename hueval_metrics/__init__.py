"""Metrics, answer parsers and reports with which hueval scores language models on Hungarian."""

__version__ = "0.1.0"
