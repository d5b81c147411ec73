// Empty: needed as a source for the header that its target precompiles.
