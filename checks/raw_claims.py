"""Checks of raw_claims."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
