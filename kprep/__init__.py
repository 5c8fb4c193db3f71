"""Knowledge preparation layer: documents in, one consistent set of citable, permission-carrying chunks out."""

__version__ = "0.1.0"
