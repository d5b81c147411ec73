// Nothing: it is here for common.hpp, which its target compiles.
