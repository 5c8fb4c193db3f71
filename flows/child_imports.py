"""Imported once by the server that children are forked from: what most documents need, loaded before the first one."""

import importlib
import os

from kprep.offline import prepare_environment

prepare_environment()
for _name in (
    "markdown_it",
    "lxml.html",
    "yake_rust",
    "sentencex",
    "phonenumbers",
    "presidio_analyzer",
    "presidio_anonymizer",
    "pypdfium2",
    "pypdf",
):
    importlib.import_module(_name)
os.environ.setdefault("OMP_NUM_THREADS", "1")
