"""A study is run, opened, replayed."""
