"""Checks of raw_device_maps."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
