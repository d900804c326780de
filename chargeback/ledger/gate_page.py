"""The gate of a month as one self-contained HTML page that finance can read: no script, nothing loaded.

Not here: any finding; the page prints what the document says (gate_report.py).
"""

from collections.abc import Mapping
from typing import Any

from chargeback.ledger.statement_page import templates

SHADES = {"passed": "#1a7f5a", "warning": "#c98a00", "missing": "#8b949e", "failed": "#b5402f"}


def render_gate(report: Mapping[str, Any]) -> bytes:
    """The page; equal documents make equal bytes."""
    page = templates().get_template("gate.html.jinja")
    wrong = [each for each in report["checks"] if each["outcome"] != "passed"]
    passed = [each for each in report["checks"] if each["outcome"] == "passed"]
    return page.render(g=report, wrong=wrong, passed=passed, shades=SHADES, total=len(report["checks"])).encode()
