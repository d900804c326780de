"""Outside systems that assets touch, as pools: an instance limits how many steps may use one at once.

Not here: the limits, which are the instance's (orchestration/instance_file.py).
"""

import dagster as dg
from dagster._core.definitions.decorators.op_decorator import DecoratedOpFunction

from assets.store_faults import Compute, asking_again, naming_store_faults
from chargeback.contracts.contract import Contract

LANDING, PUBLISHED, FINANCE = "landing", "published", "finance"


def pool_of(contract: Contract) -> str | None:
    """The outside system that the table's asset touches beside the lake; None if it touches none."""
    if contract.stage == "raw":
        return LANDING
    return {"published": PUBLISHED, "postings": FINANCE, "outbox": FINANCE}.get(contract.table)


def in_its_pool(asset: dg.AssetsDefinition, contract: Contract) -> dg.AssetsDefinition:
    """The same asset in its pool, if it has one; a store that fails under it is named, and asked again for landing."""
    pool, op = pool_of(contract), asset.op
    compute = naming_store_faults(_function_of(op))
    in_pool = dg.OpDefinition(
        compute_fn=DecoratedOpFunction(asking_again(compute) if pool == LANDING else compute),
        name=op.name,
        ins={each.name: dg.In.from_definition(each) for each in op.input_defs},
        outs={each.name: dg.Out.from_definition(each) for each in op.output_defs},
        description=op.description,
        config_schema=op.config_schema,
        required_resource_keys=set(op.required_resource_keys),
        tags=op.tags,
        pool=pool,
    )
    return dg.AssetsDefinition(**{**asset.get_attributes_dict(), "node_def": in_pool})


def _function_of(op: dg.OpDefinition) -> Compute:
    """What was decorated. Raises TypeError for an asset that was made otherwise."""
    if not isinstance(op.compute_fn, DecoratedOpFunction):
        raise TypeError(f"asset {op.name} is not made of a function")
    return op.compute_fn.decorated_fn
