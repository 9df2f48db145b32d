"""Files that others submit: what is wrong with them, and their scores. Families add formats of their own."""
