"""What the leaderboard adds to `hueval`, which finds it by the entry point of setup.cfg."""

from hueval_metrics.features import Feature

FEATURE = Feature(name="leaderboard", commands={"site": "hueval_site.manage.command"})
