// A policy file is a policy with usable settings, or is refused with a message of one line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hal/check.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/options/policy_file.hpp"
#include "tools/options/policy_name_rule.hpp"
#include "tools/options/policy_tables.hpp"

namespace toroid::fuzz::policy {
namespace {

void try_input(const std::uint8_t* data, std::size_t size) {
  read_text_or_refuse(data, size, [](std::string_view text) {
    const PolicyData policy = parse_policy_data(text, "/nowhere/input.toml");
    TOROID_CHECK(is_policy_name(policy.name));
    TOROID_CHECK(policy.base != nullptr);
  });
}

const Reader kReader("policy", try_input);

}  // namespace
}  // namespace toroid::fuzz::policy
