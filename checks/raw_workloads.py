"""Checks of raw_workloads."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
