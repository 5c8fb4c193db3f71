"""What deployment files name exists: the flow, its parameters, settings and files."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import yaml

from kprep.settings import Settings

ROOT = Path(__file__).parents[2]


def test_deployment_names_the_flow_and_its_parameters() -> None:
    deployments = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    for deployment in deployments:
        module, _, name = deployment["entrypoint"].rpartition(".")
        flow = getattr(importlib.import_module(module), name)
        assert set(deployment["parameters"]) <= set(flow.parameters.properties)
        assert set(flow.parameters.required) <= set(deployment["parameters"])


def test_variables_of_deployment_files_are_settings() -> None:
    known = {f"KPREP_{name.upper()}" for name in Settings.model_fields} | {"KPREP_DEBUG"}
    for name in ("Dockerfile", "compose.yaml"):
        text = (ROOT / "infra" / name).read_text(encoding="utf-8")
        used = set(re.findall(r"^\s*(KPREP_[A-Z_]+): |(?<= )(KPREP_[A-Z_]+)=", text, re.MULTILINE))
        assert {name for pair in used for name in pair if name} <= known


def test_secrets_of_the_compose_file_are_in_the_example() -> None:
    compose = (ROOT / "infra/compose.yaml").read_text(encoding="utf-8")
    yaml.safe_load(compose)
    needed = set(re.findall(r"\$\{(\w+):\?", compose))
    example = (ROOT / "infra/example.env").read_text(encoding="utf-8")
    assert needed == set(re.findall(r"^(\w+)=$", example, re.MULTILINE))


def test_files_the_image_copies_exist() -> None:
    dockerfile = (ROOT / "infra/Dockerfile").read_text(encoding="utf-8")
    for names in re.findall(r"^COPY (?!--from)(.*) \S+$", dockerfile, re.MULTILINE):
        assert all((ROOT / name).exists() for name in names.split())
