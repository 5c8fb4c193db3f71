"""Imported once by the server that children are forked from: what most documents need, loaded before the first one."""

import importlib
import os
import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches this process too; who started it ends it, without a word

from kprep.offline import prepare_environment  # noqa: E402

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
