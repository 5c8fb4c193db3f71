"""The gate report as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from kprep.core.errors import QualityError
from quality.spec import Finding, GateReport, Level


def report_json(report: GateReport) -> dict[str, Any]:
    """`{status, checks: [{code, level, passed, value, threshold, message, samples}], evaluation}`."""
    return {
        "status": report.status,
        "checks": [
            {
                "code": finding.code,
                "level": finding.level,
                "passed": finding.passed,
                "value": finding.value,
                "threshold": finding.threshold,
                "message": finding.message,
                "samples": [dict(sample) for sample in finding.samples],
            }
            for finding in report.findings
        ],
        "evaluation": dict(report.evaluation),
    }


def report_from_json(value: Mapping[str, Any]) -> GateReport:
    """Inverse of `report_json`. Raises: QualityError for what is no gate report, or one whose status is not its
    findings' (a stored report that says "passed" over a failed error must publish nothing)."""
    try:
        findings = tuple(
            Finding(
                code=str(check["code"]),
                level=check["level"],
                passed=check["passed"],
                value=check["value"],
                threshold=check["threshold"],
                message=str(check["message"]),
                samples=tuple(dict(sample) for sample in check["samples"]),
            )
            for check in value["checks"]
        )
        report = GateReport(status=value["status"], findings=findings, evaluation=dict(value["evaluation"]))
    except (KeyError, TypeError, ValueError) as error:
        raise QualityError(f"this is no gate report: {type(error).__name__}") from error
    if any(f.level not in get_args(Level) or not isinstance(f.passed, bool) for f in findings):
        raise QualityError("this is no gate report: a finding has no known level, or does not say whether it passed")
    if report.status != status_of(findings):
        raise QualityError(f"the gate report says {report.status!r}, but its findings do not")
    return report


def status_of(findings: tuple[Finding, ...]) -> Literal["passed", "blocked"]:
    """Blocked when any finding at level error failed, else passed."""
    return "blocked" if any(finding.level == "error" and not finding.passed for finding in findings) else "passed"
