"""All SQL: each concern is a module with its statements in the `.sql` file beside it.

Functions take an open connection, give core models or plain rows, and never commit: the caller owns the transaction.
`database.py` opens PostgreSQL (embedded or external), `schema.py` migrates it, `objects.py` keeps original bytes.
"""
