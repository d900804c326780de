"""Checks of raw_kubernetes_nodes."""

from checks.gate import Check

CHECKS: tuple[Check, ...] = ()
