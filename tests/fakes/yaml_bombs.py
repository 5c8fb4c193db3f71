"""YAML of a few lines that stands for far too much, by what it repeats."""

_LEVELS = range(1, 12)

BOMBS = {
    "lists": ["a0: &a0 [l,l,l]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in _LEVELS)],
    "mappings": [
        "a0: &a0 {k: v}",
        *(f"a{n}: &a{n} {{{', '.join(f'k{m}: *a{n - 1}' for m in range(9))}}}" for n in _LEVELS),
    ],
    "merges": ["a0: &a0 {k: v}", *(f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}" for n in _LEVELS)],
    "texts": [f"a0: &a0 {'x' * 50_000}", *(f"a{n}: [{','.join(['*a0'] * 200)}]" for n in range(1, 30))],
    "itself": ["a0: &a0 [*a0]"],
}
"""Lines of one mapping with keys `a0`, `a1`, ..."""
