// toml++ for texts that anybody may have written.
//
// Its parser asserts what a text can break ("[)" on a line): in a build with assertions such a text
// would end the program, in one without them the compiler may take the assertion for granted. Here
// the parser goes on and refuses the text by toml::parse_error.
#pragma once

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>  // IWYU pragma: export
#pragma pop_macro("NDEBUG")
