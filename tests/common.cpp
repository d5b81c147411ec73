// Nothing: it is here for the header that its target precompiles.
