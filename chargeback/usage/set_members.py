"""The hosts of every set of hosts (`gpu[01-02]`) that stands in a table in the place of one host.

Not here: why a count could not be split over them (host_split.py, host_sets.py).
"""

import polars as pl

from chargeback.usage.hostlist import expand_hosts

MEMBERS = {"host": pl.String(), "member": pl.String()}


def members_of(*hosts: pl.Series) -> pl.DataFrame:
    """One row per set of hosts among these names and host of it, sorted by set; names of single hosts have no row."""
    named = pl.concat(hosts).unique()
    sets = named.filter(named.str.contains(r"[\[,]")).sort().to_list()
    rows = [(name, host) for name in sets for host in expand_hosts(name)]
    return pl.DataFrame(rows, schema=MEMBERS, orient="row")
