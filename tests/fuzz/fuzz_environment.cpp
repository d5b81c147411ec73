// The environment gives a valid place in a job, or is refused in one line. Input: the values of the
// variables below, one per line, in this order; an empty line: not set.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "router/job/membership.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"

namespace toroid::fuzz::environment {
namespace {

// Leaves out the variables for a listener's descriptor, which the fuzz target does not have, and
// for the file of a key.
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
    const std::optional<Membership> membership = job::environment_membership();
    if (!membership) return;
    TOROID_CHECK_LT(membership->rank, membership->size);
    TOROID_CHECK(membership->size == 1 || (membership->port > 0 && !membership->master.empty()));
  });
}

const Reader kReader("environment", try_input);

}  // namespace
}  // namespace toroid::fuzz::environment
