"""Files from strangers by the thousand: each is read or refused, and none hurts."""
