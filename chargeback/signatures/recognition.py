"""Whether a file is meant as a keyring or as a signed record, readable or not: it names its format.

Approvals of GPU counts (chargeback/usage/gpu_approvals.py) are lists without a format, and neither of the two.
"""

import re
from typing import Literal

RECORD_FORMAT = "gpu-chargeback/signed-record/1"
KEYRING_FORMAT = "gpu-chargeback/keyring/1"

_FORMAT = re.compile(rb'"format"\s*:\s*"gpu-chargeback/(keyring|signed-record)/')


def signed_kind_of(content: bytes) -> Literal["keyring", "record"] | None:
    """What a file is meant as. A keyring holds records, so it is one as soon as any of its formats is a keyring's."""
    if not content.lstrip().startswith(b"{"):
        return None
    formats = set(_FORMAT.findall(content))
    if b"keyring" in formats:
        return "keyring"
    return "record" if formats else None
