"""Outside systems that assets touch, as pools: an instance limits how many steps may use one at once.

Not here: the limits, which are the instance's (orchestration/instance_file.py).
"""

import dagster as dg

from chargeback.contracts.contract import Contract

LANDING, PUBLISHED, FINANCE = "landing", "published", "finance"

INGEST_RETRIES = dg.RetryPolicy(max_retries=3, delay=2, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)
"""For what reads landing: a store that was busy or away is asked again after about 2, 4 and 8 s.

Nothing else is retried: a refusal stays a refusal, and what is posted must not be posted twice.
"""


def pool_of(contract: Contract) -> str | None:
    """The outside system that the table's asset touches beside the lake; None if it touches none."""
    if contract.stage == "raw":
        return LANDING
    return {"published": PUBLISHED, "postings": FINANCE}.get(contract.table)


def in_its_pool(asset: dg.AssetsDefinition, contract: Contract) -> dg.AssetsDefinition:
    """The same asset in its pool; what reads landing is retried too."""
    pool = pool_of(contract)
    if pool is None:
        return asset
    op = asset.op
    in_pool = dg.OpDefinition(
        compute_fn=op.compute_fn,
        name=op.name,
        ins={each.name: dg.In.from_definition(each) for each in op.input_defs},
        outs={each.name: dg.Out.from_definition(each) for each in op.output_defs},
        description=op.description,
        config_schema=op.config_schema,
        required_resource_keys=set(op.required_resource_keys),
        tags=op.tags,
        retry_policy=INGEST_RETRIES if pool == LANDING else None,
        pool=pool,
    )
    return dg.AssetsDefinition(**{**asset.get_attributes_dict(), "node_def": in_pool})
