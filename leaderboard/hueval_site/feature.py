"""What the leaderboard adds to `hueval`, which finds it by the entry point of setup.cfg."""

from types import SimpleNamespace

FEATURE = SimpleNamespace(name="leaderboard", commands={"site": "hueval_site.manage.command"})
