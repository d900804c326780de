"""[focus] of chargeback.toml: the names that FOCUS files give to the platform and its site."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Focus:
    """Empty ones follow from others: the host provider is the provider, names are ids, the account the company."""

    provider: str = "GPU platform"
    host_provider: str = ""
    region: str = "on-premises"
    region_name: str = ""
    billing_account_name: str = ""
