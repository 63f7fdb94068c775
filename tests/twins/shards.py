"""Blocks of shards, listed one by one."""


def order(shards, done):
    """Place of each block among all that are there, by its number: shard i has i, i + N, ….

    ``done`` has the number of blocks of each shard that is there.
    """
    numbers = sorted(shard + shards * turn for shard, n in done.items() for turn in range(n))
    return {number: place for place, number in enumerate(numbers)}


def short(shards, done, rest):
    """Shards that lack a whole block before the last that any has, or has begun."""
    has = {shard: {shard + shards * turn for turn in range(n)} for shard, n in done.items()}
    begun = {shard + shards * done[shard] for shard in rest}
    last = max(set().union(begun, *has.values()), default=-1)
    return [shard for shard in done if not {n for n in range(shard, last, shards)} <= has[shard]]
