"""The command line: thin commands over `flows` and `retrieval`. Output on stdout, logs and progress on stderr."""

from __future__ import annotations


def main() -> None:
    """Entry point of the `kprep` script."""
    from kprep.cli.app import run

    run()
