#include "tools/lab/paper/simulation.hpp"

#include <fmt/core.h>

#include <vector>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/text/choice.hpp"
#include "tools/text/split.hpp"

namespace toroid {
namespace {

/// "torus=8x8x8 size=32 long" as words that are taken one by one.
class RunWords {
 public:
  explicit RunWords(std::string_view text) : text_(text), words_(split(std::string(text), ' ')) {}

  /// The value of a key, which is used up; `usual` where there is none.
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
  /// Throws BadInput where a word has no meaning.
  void end() const {
    if (!words_.empty()) refuse(words_.front());
  }

 private:
  [[noreturn]] void refuse(std::string_view word) const {
    throw BadInput(fmt::format("'{}': '{}' has no meaning there", text_, word));
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
  throw BadInput("a run has no words");
}

}  // namespace

Simulation simulation_of(std::string_view text) {
  RunWords words(text);
  Simulation simulation = take_simulation(words);
  words.end();
  return simulation;
}

}  // namespace toroid
