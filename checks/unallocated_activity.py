"""Checks of unallocated_activity."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
