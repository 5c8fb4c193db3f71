"""Reading published releases: lexical, dense and hybrid search, and the chunks and parents behind a hit.

In: a question, the caller's principals, a view, a mode. Out: hits with text, place, citation and release.
- Every read names one release and goes through one filter (`kprep.visible_members`): tenant, permissions, validity and
  the deny overlay are conditions of the query itself. Foreign and unknown look the same.
- The release's own configuration is used: lexicon, BM25 constants, embedding space. A lexicon or space this code does
  not have is an error, never a silent mismatch.
- When the dense arm cannot be used, the answer says so in `degraded` and is lexical.
- No hit is better than a wrong one: below the evidence floor the answer is empty and says that it cannot confirm.
`tokens.py` is the one tokenizer for chunks and questions, `fusion.py` is pure, `searcher.py` joins the arms,
`reader.py` reads documents and chunks by address.
"""

from retrieval.reader import Reader
from retrieval.searcher import MODES, Searcher, SearchRequest

__all__ = ["MODES", "Reader", "SearchRequest", "Searcher"]
