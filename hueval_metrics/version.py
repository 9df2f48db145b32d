"""The version of this package, of its results files and of the pages and requests that name it."""

__version__ = "0.1.0"
