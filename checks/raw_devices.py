"""Checks of raw_devices."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
