"""Flows: join the rooms. Prefect orchestrates, PostgreSQL commits.

`ingest.py` is the Prefect flow and its tasks; everything else here is plain Python they call, so that the command line,
a schedule and a worker run the same code. What is true about a run stands in our tables, never in Prefect's state.

- `workspace.py` opens a knowledge base: configuration, rules, database, object store, embedder.
- `rules.py` reads the rules of all rooms and gives the fingerprints of every stage.
- `scan.py` lists sources, hashes what changed, writes denials to the overlay at once, and plans.
- `rooms.py` takes one document from bytes to enriched chunks; `child.py` does so in a process that can be killed.
- `assemble.py` builds the candidate, `gate.py` runs the quality checks on it, `run.py` drives the steps of one run.

Between tasks travel ids and numbers, never text. A task handles a batch of documents. Retries are decided by
`PrepError.retryable` alone.
"""
