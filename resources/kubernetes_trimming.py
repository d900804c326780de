"""What is taken off a Kubernetes object before it is kept; everything else stays as the API returned it.

- `metadata.managedFields` and the annotation last-applied-configuration: bookkeeping, half of the bytes;
- values of environment variables, wherever a pod or a template of one states them: passwords stand there. Names stay,
  and the values of those that name devices.
"""

from typing import Any

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
KEPT_VALUES = frozenset({"NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "NVIDIA_MIG_CONFIG_DEVICES"})


def trim(value: Any) -> None:
    """Take it off in place, in a document of JSON values at any depth."""
    if isinstance(value, dict):
        value.pop("managedFields", None)
        value.pop(LAST_APPLIED, None)
        for key, inner in value.items():
            if key == "env" and isinstance(inner, list):
                _forget_values(inner)
            elif isinstance(inner, dict | list):
                trim(inner)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict | list):
                trim(inner)


def _forget_values(variables: list[Any]) -> None:
    for variable in variables:
        if isinstance(variable, dict) and variable.get("name") not in KEPT_VALUES:
            variable.pop("value", None)
