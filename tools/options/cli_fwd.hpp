// Declares CLI11's classes for headers. CLI11's own header takes seconds to compile, so only
// sources include it, precompiled.
#pragma once

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI
