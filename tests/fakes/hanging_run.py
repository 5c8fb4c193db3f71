"""A process whose child hangs in a document, to be killed: `python -m tests.fakes.hanging_run FOLDER`."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from flows.child import Limits, PrepareChild
from flows.rooms import Job
from flows.rules import load_rules
from kprep.config import load
from kprep.core.models import RawDocument
from tests.fakes.hostile import hostile

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    marker = folder / "hangs"
    os.environ["HOSTILE_MARKER"] = str(marker)  # before the server that children are forked from is started
    source = "{name: docs, kind: filesystem, path: docs}"
    (folder / "kprep.yaml").write_text(f"knowledge_base: child\ntenant: acme\nsources: [{source}]\n")
    child = PrepareChild(hostile(load_rules(load(folder), b"a key of the tests")), Limits(timeout_s=600))
    document = RawDocument("docs/good.md", "good.md", b"# Good\n\nA page with some words.\n", "text/markdown")
    child.prepare(Job(document, "document"))
    threading.Thread(target=child.prepare, args=(Job(document, "hang"),), daemon=True).start()
    while not marker.exists():
        time.sleep(0.05)
    sys.stdout.write("hangs\n")
    sys.stdout.flush()
    threading.Event().wait(600)
