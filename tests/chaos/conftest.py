"""These take long: they are collected only where CHAOS says how many kills there shall be (`make chaos`)."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("CHAOS") else ["test_*.py"]
