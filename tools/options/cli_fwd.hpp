// CLI11's names for headers. Its own header takes seconds to compile: only sources include it, for
// which it is precompiled.
#pragma once

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI
