#include "tools/lab/paper/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/lab/campaign/campaign.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// The words of a text such as "torus=8x8x8 size=32 long", taken one by one.
class RunWords {
 public:
  explicit RunWords(std::string_view text) : text_(text), words_(split(std::string(text), ' ')) {}

  /// Takes the value of a key and removes its word; `usual` if the key is missing.
  std::string take(std::string_view key, std::string_view usual = {}) {
    for (auto word = words_.begin(); word != words_.end(); ++word)
      if (word->starts_with(key) && (*word)[key.size()] == '=') {
        std::string value = word->substr(key.size() + 1);
        words_.erase(word);
        return value;
      }
    return std::string(usual);
  }
  template <typename T>
  T take_number(std::string_view key, T usual) {
    const std::string text = take(key);
    if (text.empty()) return usual;
    const auto number = parse_number<T>(text);
    if (!number) refuse(key);
    return *number;
  }
  bool take_word(std::string_view word) { return std::erase(words_, word) > 0; }
  /// Throws BadInput if a word is left.
  void end() const {
    if (!words_.empty()) refuse(words_.front());
  }

 private:
  [[noreturn]] void refuse(std::string_view word) const {
    throw BadInput(fmt::format("'{}': unexpected '{}'", text_, word));
  }

  std::string text_;
  std::vector<std::string> words_;
};

TransformCase take_transform(RunWords& words) {
  return {.method = parse_choice<fft::Method>("method", fft::kMethodNames,
                                              words.take("method", "volumetric")),
          .torus = words.take("torus"),
          .size = words.take_number<std::int64_t>("size", 0),
          .layer = parse_choice<fft::Layer>("layer", fft::kLayerNames,
                                            words.take("layer", fft::kLayerNames[0])),
          .variant = parse_choice<fft::OrbitalVariant>(
              "variant", fft::kOrbitalVariantNames,
              words.take("variant", fft::kOrbitalVariantNames[0])),
          .batch = words.take_number<std::int64_t>("batch", 1)};
}

SlabCase take_slab(RunWords& words) {
  return {words.take("torus"), words.take_number<std::int64_t>("size", 0),
          words.take_number<std::int64_t>("planes", 1), words.take_number<double>("box-cut", 1)};
}

AllToAllCase take_all_to_all(RunWords& words) {
  return {words.take("torus"), words.take_number<std::uint64_t>("bytes", 0),
          parse_choice<OrderRule>("order", kOrderRuleNames, words.take("order", "random")),
          words.take_number<Rank>("peers", 0)};
}

PolicyRun take_exchange(RunWords& words) {
  return {words.take("torus"), words.take("policy"), words.take_number<std::uint64_t>("bytes", 0),
          words.take_number<Rank>("sample", 0), words.take("machine")};
}

Simulation take_simulation(RunWords& words) {
  const bool is_long = words.take_word("long");
  if (words.take_word("transform")) return transform_simulation(take_transform(words), is_long);
  if (words.take_word("model")) return model_simulation(take_transform(words));
  if (words.take_word("slab")) return slab_simulation(take_slab(words));
  if (words.take_word("alltoall")) return all_to_all_simulation(take_all_to_all(words));
  if (words.take_word("exchange")) return policy_simulation(take_exchange(words), is_long);
  words.end();
  throw BadInput("expected a run: transform, model, slab, alltoall or exchange");
}

}  // namespace

Simulation simulation_of(std::string_view text) {
  RunWords words(text);
  Simulation simulation = take_simulation(words);
  words.end();
  return simulation;
}

namespace {

RunEstimate expected_of(const Simulation& simulation, const PaperSetting& setting) {
  return simulation.expected ? simulation.expected(setting) : RunEstimate{};
}

unsigned runs_at_once(const SimulateOptions& options) {
  return options.at_once != 0 ? options.at_once : cores_at_hand();
}

}  // namespace

PaperResults simulate(const std::vector<Simulation>& simulations, const PaperSetting& setting,
                      const SimulateOptions& options) {
  std::vector<std::string> keys;
  CampaignRun campaign{.at_once = runs_at_once(options), .quiet = options.quiet};
  for (const Simulation& simulation : simulations) {
    keys.push_back(simulation.key);
    campaign.work.push_back(expected_of(simulation, setting).seconds);
  }
  PaperResults results;
  campaign.show = [&](std::size_t i, const Json& figures) {
    if (figures.contains("error")) throw RunFailed(figures["error"].get<std::string>());
    results[keys[i]] = figures;
    if (options.show) options.show(results);
  };
  run_campaign(campaign, keys, [&](std::size_t i) { return simulations[i].run(setting); });
  return results;
}

RunEstimate estimate_simulations(const std::vector<Simulation>& simulations,
                                 const PaperSetting& setting, unsigned at_once) {
  RunEstimate all;
  double longest = 0;
  std::vector<double> bytes;
  for (const Simulation& simulation : simulations) {
    const RunEstimate one = expected_of(simulation, setting);
    all.seconds += one.seconds;
    longest = std::max(longest, one.seconds);
    bytes.push_back(one.bytes);
  }
  const unsigned threads = runs_at_once({.at_once = at_once});
  all.seconds = std::max(longest, all.seconds / threads);
  std::ranges::sort(bytes, std::greater());
  all.runs_at_once = static_cast<unsigned>(std::clamp<std::size_t>(bytes.size(), 1, threads));
  for (std::size_t i = 0; i < std::min<std::size_t>(threads, bytes.size()); ++i)
    all.bytes += bytes[i];
  return all;
}

}  // namespace toroid
