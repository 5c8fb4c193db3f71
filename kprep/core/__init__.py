"""Types, errors, ids and registries every room shares. Pure: the standard library only, no I/O, no clock."""
