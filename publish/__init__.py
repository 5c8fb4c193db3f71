"""Publishing: what to do (plan), the candidate release, the one transaction that makes it live, and retirement.

In: what the sources hold, what the live release holds, prepared document versions, a passed gate report.
Out: a release that every reader sees at once, or the old one untouched.

Atomicity contract
- A release is a number; membership rows say from which to which number a chunk is visible. Assembling candidate N+1
  only adds rows that begin at N+1 and closes rows at N+1: readers of release N see none of it.
- Publishing is one transaction: it moves the channel `live` from the base to the candidate by compare-and-swap,
  flips the views, ends overlay entries the release makes needless. It takes only a passed `GateReport` and raises
  BaseConflict when somebody published in between; then the plan is made anew, nothing is merged.
- A failed or killed run leaves the live release as it was. What it leaves behind is invisible (prepared versions,
  vectors, a candidate) and reused by the next run, which marks the candidate abandoned and makes its own.
- Rollback moves the channel back in one statement. The next candidate is based on what is live then: rows that came
  after the base are closed in it, rows closed since are opened again.
- Deletions and narrowed permissions do not wait for any of this: they are in the overlay (`kprep.store.overlay`)
  from the moment the scan sees them, also when the batch is blocked, and a rollback does not lift them.

`plan.py` is pure; `publisher.py` works on an open connection and never commits.
"""
