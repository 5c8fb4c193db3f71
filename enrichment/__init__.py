"""Adds what retrieval needs to chunks; every word added comes from the source. Pure but for its libraries.

In: ChunkedDocument, the embedder's token limit and counter. Out: EnrichedDocument, same chunks, same order.

Per child: a title (the question of an answer; the heading where it says something; else the most telling short
sentence), up to six keywords (YAKE for languages written with spaces and known to it; jieba's nouns and names for
Chinese; frequent character groups for Japanese; other languages none), entities that patterns or the document's own
names are sure of (error codes, operations, policies, modules, symbols), each with origin and confidence, the language
(its own only where it is long and clearly another than the document's), the kind of fragment with how sure its rule is
("" where none is), signals (`enrichment.signals`), and `index_text`: heading line, text, keywords. What the document
refers to is in `relations`.
Per document: from when to when it holds and what it replaces, where its first lines say so (`enrichment.validity`);
front matter that says it stands.
Per parent: the first sentences, at most 300 characters.

- `index_text` is within `max_tokens`: keywords are dropped from the last on until it is. A text over the limit without
  any keyword raises EnrichmentError: it was cut for another limit or tokenizer.
- Extraction that finds nothing leaves its field empty. Nothing is invented. A model suggests titles, lines of context
  and fragments only where one is configured (`enrichment.model`), beside the rules and recorded as generated.
- `content_hash` is the digest of `index_text`; `key` covers all content fields of the chunk, but not its place.
"""

from __future__ import annotations

from enrichment.documents import VERSION, enrich
from enrichment.languages import with_language
from enrichment.model import Model, Suggested
from enrichment.model import identity as model_identity

__all__ = ["VERSION", "Model", "Suggested", "enrich", "model_identity", "with_language"]
