#include "tools/lab/campaign/shard.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"

namespace toroid {
namespace {

constexpr std::size_t kMostShards = 1'000'000;

std::optional<std::size_t> count_in(std::string_view text) {
  const auto value = parse_number<std::size_t>(text);
  return value && *value > kMostShards ? std::nullopt : value;
}

/// The value of SLURM_ARRAY_TASK_<name>; empty if it is not set. Throws BadInput if it is not a
/// number.
std::optional<std::size_t> slurm_number(const char* name) {
  const std::string variable = fmt::format("SLURM_ARRAY_TASK_{}", name);
  const char* const text = std::getenv(variable.c_str());
  if (text == nullptr) return std::nullopt;
  const auto number = count_in(text);
  if (!number)
    throw BadInput(one_line(
        fmt::format("{} is '{}'; expected a number up to {}", variable, text, kMostShards)));
  return number;
}

}  // namespace

std::string Shard::text() const {
  return fmt::format("{}/{}", index, count);
}

std::optional<Shard> shard_in(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto index = count_in(text.substr(0, slash));
  const auto count = count_in(text.substr(std::min(slash + 1, text.size())));
  if (!index || !count || *index < 1 || *index > *count) return std::nullopt;
  return Shard{*index, *count};
}

Shard parse_shard(const std::string& text) {
  const auto shard = shard_in(text);
  if (!shard)
    throw BadInput(
        one_line(fmt::format("--shard '{}': expected I/N with I from 1 to N, e.g. 2/4", text)));
  return *shard;
}

std::optional<Shard> slurm_shard() {
  const auto id = slurm_number("ID"), count = slurm_number("COUNT");
  if (!id || !count || *count == 0) return std::nullopt;
  const auto min = slurm_number("MIN");
  if (!min) return Shard{*id % *count + 1, *count};
  const std::size_t step = std::max<std::size_t>(1, slurm_number("STEP").value_or(1));
  if (*id < *min || (*id - *min) % step != 0 || (*id - *min) / step >= *count)
    throw BadInput(fmt::format(
        "the {} task ids of this Slurm array have gaps (first id {}, step {}, this task {}); "
        "choose the shard of each task by --shard I/{}",
        *count, *min, step, *id, *count));
  return Shard{(*id - *min) / step + 1, *count};
}

std::string with_shard(std::string path, const Shard& shard) {
  constexpr std::string_view kPlace = "{shard}";
  for (std::size_t at = path.find(kPlace); at != std::string::npos; at = path.find(kPlace, at))
    path.replace(at, kPlace.size(), std::to_string(shard.index));
  return path;
}

}  // namespace toroid
