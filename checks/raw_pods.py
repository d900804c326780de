"""Checks of raw_pods."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
