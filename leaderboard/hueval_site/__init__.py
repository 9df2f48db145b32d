"""The leaderboard service: submissions scored on labels that stay hidden, results private until staff publish them."""
