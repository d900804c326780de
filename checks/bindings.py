"""Checks of bindings."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
