"""Checks of raw_samples."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
