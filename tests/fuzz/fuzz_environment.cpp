// The environment gives a valid place in a job, or is refused with a message of one line. Input:
// the values of the variables below, one per line, in this order. An empty line means that the
// variable is not set.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "router/job/bootstrap.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"

namespace toroid::fuzz::environment {
namespace {

// Two variables are not tried: the one for a listener's descriptor, because the fuzz target has no
// listener, and the one for the file of a key.
constexpr std::array kVariables = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
                                   "TOROID_JOB_KEY"};

void set_environment(std::string_view text) {
  for (const char* const variable : kVariables) {
    const std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(line.size() == text.size() ? text.size() : line.size() + 1);
    line.empty() ? ::unsetenv(variable) : ::setenv(variable, line.c_str(), 1);
  }
}

void try_input(const std::uint8_t* data, std::size_t size) {
  set_environment({reinterpret_cast<const char*>(data), size});
  read_or_refuse([&] {
    const std::optional<Bootstrap> bootstrap = job::environment_bootstrap();
    if (!bootstrap) return;
    TOROID_CHECK_LT(bootstrap->rank, bootstrap->size);
    TOROID_CHECK(bootstrap->size == 1 || (bootstrap->port > 0 && !bootstrap->master.empty()));
  });
}

const Reader kReader("environment", try_input);

}  // namespace
}  // namespace toroid::fuzz::environment
