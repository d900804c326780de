"""Checks of raw_slices."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
