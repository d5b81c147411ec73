// CLI11's names for headers. Its own header takes seconds to compile, so only sources include it.
#pragma once

namespace CLI {
class App;
class Option;
}  // namespace CLI
