#include "tools/options/option_effects.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "hal/check.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr std::string_view kLinks = "--fabric sim | --route torus";
constexpr std::string_view kLines = "--method volumetric,slab,rows | --transform fft";
constexpr std::string_view kLineWorkloads =
    "workload fft:volumetric,fft:slab,fft:rows,fft:orbital:fft | KIND overlap | verb fft,poisson";
constexpr std::string_view kComputing =
    "workload fft:volumetric,fft:slab,fft:rows,fft:orbital,fft:orbital:fft,replay | "
    "verb fft,poisson,replay";
constexpr std::string_view kLineKeys = "--machine=fft_cycles_factor --machine=transpose_cycles";
constexpr std::string_view kMessagePassingKeys =
    "--machine=eager_bytes --machine=message_cycles --machine=message_packet_cycles "
    "--machine=collective_cycles --machine=copy_cycles_per_byte";

// If several alternatives are equally near (see remedy()), a refusal proposes the last of them.
constexpr OptionEffect kEffects[] = {
    // Sending.
    {"--order", "", "sends exchanges"},
    {"--per-visit", "", "sends exchanges,messages"},
    {"--transfer", "", "sends shifts & --fabric shm,ofi & --route direct | sends exchanges"},
    // Transport.
    {"--drain --tying --fifo-links --routing --tie --no-transit-first --no-bubble", "", kLinks},
    {"--tying", "", "no --fifo-links"},
    {"--tying --fifo-links --machine=injection_fifos --machine=dynamic_vc_chunks "
     "--machine=bubble_vc_chunks",
     "", "no --routing=priority"},
    {"--machine=reception_fifos", "",
     "no --routing=priority | --machine=priority_reception_fifos=0"},
    {"--machine=priority_vc_chunks --machine=priority_injection_fifos "
     "--machine=priority_reception_fifos",
     "", "high-priority | --routing=priority"},
    {"--fail-link --fail-node", "", kLinks},
    {"--fail-node", "", "verb alltoall,replay"},
    {"--link-error", "", "--fabric sim,ofi | --route torus"},
    {"--link-faults --link-burst --link-error-limit", "", "--link-error"},
    {"--link-error-limit --record --trace", "", "--fabric sim"},
    {"--long-way", "", "--link-error-limit | --fail-node | --fail-link"},
    {"--tie=both", "", "--routing adaptive,random-order"},
    {"--tie=both", "", "no --fail-link & no --fail-node & no --link-error-limit & no twist"},
    {"--route", "", "--fabric shm,ofi"},
    {"--bind --stall", "", "--validate | --fabric shm,ofi"},
    {"--limit-cycles", "", "--fabric sim"},
    {"--provider --unsafe-provider --frames", "", "--fabric ofi"},
    {"--record --trace --report --fail-link --fail-node --link-error-limit --long-way --checkpoint",
     "", "no several-ranks-per-node"},
    {"--transfer=put", "", "no several-ranks-per-node | --fabric shm"},
    {"--transfer=put", "", "no coprocessor | --fabric shm,ofi"},
    {"--timings", "", "no several-ranks-per-node | --fabric sim"},
    {"--timings", "", "--fabric shm,ofi | no coprocessor"},
    // Machine parameters.
    {"--machine=memory_packet_cycles", "", "several-ranks-per-node"},
    {"--machine=coprocessor", "", "no several-ranks-per-node"},
    {"--machine=coprocessor", "", kComputing},
    {"--machine=dynamic_vc_chunks --machine=bubble_vc_chunks --machine=priority_vc_chunks "
     "--machine=bubble_reserve_chunks --machine=both_hints --machine=tie_choice "
     "--machine=arbitration_choice --machine=arbitration_fullest --machine=arbitration_period",
     "", kLinks},
    {"--machine=priority_injection_fifos --machine=priority_reception_fifos", "", kLinks},
    {"--machine=ring_slots", "", "--validate | --fabric shm,ofi & --route torus"},
    {"--machine=link_bits_per_cycle --machine=wire_overhead_bytes", "", "throttle | --fabric sim"},
    {kLineKeys, "", kLineWorkloads},
    {kLineKeys, "fft poisson", kLines},
    {"--machine=fma_cycles", "", "workload fft:orbital,fft:orbital:fft | verb fft,poisson"},
    {"--machine=fma_cycles", "fft poisson", "--method orbital"},
    {kMessagePassingKeys, "", "verb fft & --layer mpi"},
    {kMessagePassingKeys, "fft", "--method volumetric,slab,rows"},
    {"--machine=link_timeout_cycles", "", "--link-error"},
    {"--machine=hop_latency_cycles --machine=input_reads --machine=token_return_cycles "
     "--machine=inject_cycles --machine=receive_cycles "
     "--machine=fft_cycles_factor --machine=transpose_cycles --machine=fma_cycles "
     "--machine=dma_descriptor_cycles --machine=dma_inject_cycles --machine=dma_receive_cycles "
     "--machine=message_cycles --machine=message_packet_cycles --machine=collective_cycles "
     "--machine=copy_cycles_per_byte --machine=escape_wait_cycles --machine=link_timeout_cycles "
     "--machine=coprocessor --machine=memory_packet_cycles",
     "", "--fabric sim"},
    // Transforms.
    {"--planes --window --test-interval --start --taper", "fft poisson", "--method slab"},
    {"--window --test-interval --start --taper", "fft poisson", "--planes"},
    {"--box-cut --cores --timings", "fft", "--method slab"},
    {"--cores", "fft", "--fabric sim"},
    {"--schedule --slicing --stages --variant", "fft", "--method orbital"},
    {"--schedule", "fft", "--variant cra"},
    {"--return", "fft", "--method volumetric,slab,rows | --variant cra"},
    {"--return", "fft", "no --out-boxes"},
    {"--kernel", "fft poisson", kLines},
    {"--wisdom --plan=measure", "fft", kLines},
    {"--plan=measure", "fft", "--kernel fftw"},
    {"--wisdom", "fft", "--timings | --planes -1 | --kernel fftw"},
    {"--permissive --xyz", "fft redistribute", "--in"},
    {"--out --cell --boundary --precision --check --repeat", "poisson", "--in"},
    {"--repeat", "fft redistribute alltoall poisson", "--fabric shm,ofi"},
    {"--size", "poisson", "no --in"},
    {"--inverse --scale --box-cut --timings", "fft", "no --loop"},
    {"--scale", "fft", "--norm paper"},
    {"--timings", "fft", "--layer packets"},
    {"--in-boxes --out-boxes", "fft", "no --timings"},
    // All-to-alls and campaigns.
    {"--checkpoint", "alltoall", "--fabric sim"},
    {"--checkpoint", "alltoall", "no --record & no --trace & no --report & no --export"},
    {"--continue-without", "alltoall", "--fabric ofi & --route direct"},
    {"--continue-without", "alltoall", "no --link-error & no --export"},
    {"--repeat", "alltoall", "no --continue-without"},
    {"--continue-without", "alltoall", "no --transfer | --transfer packets"},
    {"--peers", "alltoall compare sweep", "--fabric sim"},
    {"--peers", "alltoall", "no --sample"},
    {"--traffic", "alltoall", "no --sample"},
    {"--traffic --bytes --peers", "compare sweep", "no --workload"},
    {"--seed", "compare sweep", "no --seeds"},
    {"--validate", "compare", "--fabric sim"},
    {"--validate", "compare", "no --peers"},
    {"--link-error-limit", "compare", "no --validate"},
    {"--load --refine --arrivals --window --warm-up", "sweep", "--axis load"},
    {"--per-visit --peers --transfer=put", "sweep", "--axis bytes,nodes"},
    {"--workload", "sweep", "--axis nodes"},
    // Benchmarks.
    {"--report --sizes --message-size --iterations --warmup", "bench",
     "KIND latency,bw,bibw,rate,alltoall"},
    {"--batches", "bench", "KIND latency,bw,bibw,rate,alltoall,idle"},
    {"--window-size", "bench", "KIND bw,bibw"},
    {"--full", "bench", "KIND alltoall"},
    {"--size --box-cut --inverse --planes --windows --test-intervals --nodes-per-process", "bench",
     "KIND overlap"},
    {"--nodes-per-process", "bench", "--fabric shm,ofi"},
    {"--message-size", "bench", "no --sizes"},
    // User-defined policies.
    {"DIR", "policy", "ACTION new,export"},
    {"--seed", "policy", "ACTION check,export"},
    {"--json --limit", "policy", "ACTION check"},
    {"--torus --mesh", "policy", "ACTION export"},
};

bool names(std::string_view list, std::string_view name) {
  return std::ranges::count(parts_of(list, " "), name) > 0;
}

struct Requirement {
  std::string_view name;
  std::vector<std::string_view> values{};  ///< allowed values; empty if any is allowed
  bool is_absent = false;                  ///< the option must not be given

  explicit Requirement(std::string_view text) {
    const std::vector<std::string_view> words = parts_of(text, " ");
    is_absent = words.front() == "no";
    name = is_absent ? words.at(1) : words.front();
    if (!is_absent && words.size() > 1) values = parts_of(words[1], ",");
  }
  bool holds(const RunSetting& setting) const {
    if (values.empty()) return setting.is_given(name) != is_absent;
    return std::ranges::find(values, setting.get(name)) != values.end();
  }
  bool operator==(const Requirement&) const = default;
};
using Requirements = std::vector<Requirement>;

std::vector<Requirements> alternatives_of(const OptionEffect& effect) {
  std::vector<Requirements> all;
  for (const std::string_view alternative : parts_of(effect.where, " | ")) {
    Requirements& requirements = all.emplace_back();
    for (const std::string_view text : parts_of(alternative, " & "))
      requirements.emplace_back(text);
  }
  return all;
}

Requirements unmet(Requirements requirements, const RunSetting& setting) {
  std::erase_if(requirements, [&](const Requirement& one) { return one.holds(setting); });
  return requirements;
}

bool holds(const OptionEffect& effect, const RunSetting& setting) {
  return std::ranges::any_of(alternatives_of(effect), [&](const Requirements& alternative) {
    return unmet(alternative, setting).empty();
  });
}

/// A name as messages have it: "--fail-link", but "several ranks per node", which is not an option.
std::string said(std::string_view name) {
  std::string text(name);
  if (!name.starts_with('-')) std::ranges::replace(text, '-', ' ');
  return text;
}

/// The requirement as a message states it: "--route torus", "exchanges such as alltoall", or "bench
/// bw" for an argument.
std::string text_of(const Requirement& requirement, std::string_view verb) {
  if (requirement.values.empty()) return said(requirement.name);
  std::string values = fmt::format("{}", fmt::join(requirement.values, ", "));
  if (const std::size_t last = values.rfind(", "); last != values.npos)
    values.replace(last, 2, " or ");
  if (requirement.name == "sends") return values + " such as alltoall";
  if (requirement.name == "verb") return values;
  if (requirement.name == "workload") return "--workload " + values;
  return fmt::format("{} {}", requirement.name.starts_with('-') ? requirement.name : verb, values);
}

/// The requirements as a message states them: "with --method slab --planes" or "without --loop".
std::string text_of(const Requirements& requirements, std::string_view verb) {
  std::string with;
  std::string without;
  for (const Requirement& one : requirements)
    (one.is_absent ? without : with) += " " + text_of(one, verb);
  return (with.empty() ? "" : "with" + with) + (with.empty() || without.empty() ? "" : " ") +
         (without.empty() ? "" : "without" + without);
}

/// Whether the name of the run already shows the value of this requirement, so that messages need
/// not repeat it.
bool is_in_the_name(std::string_view requirement) {
  return names("sends verb workload KIND", requirement);
}

/// The settings that do not meet a requirement, such as " with --fabric shm --route direct".
/// Settings that the name of the run already shows are left out.
std::string in_the_way(const std::vector<OptionEffect>& effects, const RunSetting& setting) {
  std::vector<std::string> options;
  std::vector<std::string> others;
  for (const OptionEffect& effect : effects)
    for (const Requirements& alternative : alternatives_of(effect))
      for (const Requirement& one : unmet(alternative, setting)) {
        const std::string_view value = setting.get(one.name);
        if (is_in_the_name(one.name)) continue;
        if (value.empty() && !setting.is_given(one.name)) continue;
        std::string text = fmt::format("{}{}{}", said(one.name), value.empty() ? "" : " ", value);
        std::vector<std::string>& alike = one.name.starts_with('-') ? options : others;
        if (setting.what().find(text) == std::string::npos && std::ranges::count(alike, text) == 0)
          alike.push_back(std::move(text));
      }
  if (!options.empty()) others.insert(others.begin(), fmt::format("{}", fmt::join(options, " ")));
  return others.empty() ? "" : fmt::format(" with {}", fmt::join(others, " and "));
}

/// The number of requirements that the user cannot meet by typing options: another verb, or an
/// option that this verb lacks.
std::ptrdiff_t out_of_reach(const Requirements& requirements, const RunSetting& setting) {
  return std::ranges::count_if(requirements, [&](const Requirement& one) {
    if (one.name == "workload") return !setting.knows("--workload");
    return one.name == "sends" || one.name == "verb" || !setting.knows(one.name);
  });
}

/// The unmet requirements of the nearest alternative, i.e. of the one in which the fewest unmet
/// requirements are out_of_reach(). Among equal ones, the alternative with the fewest unmet
/// requirements is the nearest.
Requirements remedy(const OptionEffect& effect, const RunSetting& setting) {
  const auto cost = [&](const Requirements& missing) {
    return std::pair(out_of_reach(missing, setting), missing.size());
  };
  Requirements least = unmet(alternatives_of(effect).front(), setting);
  for (const Requirements& alternative : alternatives_of(effect))
    if (Requirements missing = unmet(alternative, setting); cost(missing) <= cost(least))
      least = std::move(missing);
  return least;
}

/// The remedies of all rows, without repetitions.
Requirements remedy(const std::vector<OptionEffect>& effects, const RunSetting& setting) {
  Requirements all;
  for (const OptionEffect& effect : effects)
    for (Requirement& one : remedy(effect, setting))
      if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  return all;
}

std::vector<OptionEffect> rows_of(std::string_view option, std::string_view verb) {
  std::vector<OptionEffect> rows;
  std::ranges::copy_if(kEffects, std::back_inserter(rows), [&](const OptionEffect& effect) {
    return names(effect.options, option) && (effect.verbs.empty() || names(effect.verbs, verb));
  });
  return rows;
}

/// The option's rows that do not hold.
std::vector<OptionEffect> refusing_rows(std::string_view option, std::string_view verb,
                                        const RunSetting& setting) {
  std::vector<OptionEffect> rows = rows_of(option, verb);
  std::erase_if(rows, [&](const OptionEffect& effect) { return holds(effect, setting); });
  return rows;
}

std::string value_of(const CLI::Option& option) {
  if (option.count() == 0) return option.get_default_str();
  if (option.get_items_expected_max() == 0) return "";
  return fmt::format("{}", fmt::join(option.results(), ","));
}

/// Whether the value has no effect, because it stands for no failed link (in a campaign), or for an
/// error rate of 0.
bool asks_for_nothing(std::string_view option, std::string_view value) {
  if (option == "--fail-link") return value == "none";
  return option == "--link-error" &&
         (value == "none" || value.find_first_not_of("0.") == value.npos);
}

/// Whether the option was typed. An option whose values all ask for nothing counts as not typed.
bool is_typed(const CLI::Option& option) {
  const std::string key = key_of(option);
  return std::ranges::any_of(option.results(),
                             [&](const auto& value) { return !asks_for_nothing(key, value); });
}

/// Whether help for the verb mentions the requirement. Help mentions requirements that concern a
/// verb, or an option or argument of this verb. It mentions the kind of messages ("exchanges") only
/// for the verbs that do not always send exchanges.
bool can_say(const CLI::App& verb, const Requirement& requirement) {
  if (requirement.name == "sends")
    return names("bench hello replay", verb.get_name()) &&
           std::ranges::count(requirement.values, "exchanges") > 0;
  return requirement.name == "KIND" || requirement.name == "ACTION" || requirement.name == "verb" ||
         verb.get_option_no_throw(std::string(requirement.name)) != nullptr;
}

}  // namespace

RunSetting::RunSetting(const CLI::App& verb, std::string what)
    : what_(what.empty() ? verb.get_name() : std::move(what)) {
  set("verb", verb.get_name());
  for (const CLI::Option* option : verb.get_options())
    values_[key_of(*option)] = {value_of(*option), is_typed(*option)};
}

RunSetting& RunSetting::set(std::string_view name, std::string_view value) {
  values_.insert_or_assign(std::string(name), Value{std::string(value), true});
  return *this;
}

RunSetting& RunSetting::unset(std::string_view name) {
  if (const auto found = values_.find(name); found != values_.end()) found->second.is_given = false;
  return *this;
}

std::string_view RunSetting::get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string_view() : std::string_view(found->second.text);
}

bool RunSetting::knows(std::string_view name) const {
  return values_.contains(name);
}

bool RunSetting::is_given(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second.is_given;
}

std::string key_of(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return names.empty() ? option.get_name(true) : "--" + names.front();
}

std::span<const OptionEffect> option_effects() {
  return kEffects;
}

std::string without_effect(std::string_view option, std::string_view verb,
                           const RunSetting& setting) {
  const std::vector<OptionEffect> refusing = refusing_rows(option, verb, setting);
  if (refusing.empty()) return "";
  std::string typed(option);
  std::ranges::replace(typed, '=', ' ');
  return fmt::format("{} has no effect on {}{} (it works {})", typed, setting.what(),
                     in_the_way(refusing, setting), text_of(remedy(refusing, setting), verb));
}

bool has_effect(std::string_view option, std::string_view verb, const RunSetting& setting) {
  return refusing_rows(option, verb, setting).empty();
}

void require_effect(std::string_view option, std::string_view verb, const RunSetting& setting) {
  const std::string refusal = without_effect(option, verb, setting);
  if (!refusal.empty()) throw BadInput(refusal);
}

void refuse_options_without_effect(const CLI::App& verb, const RunSetting& setting) {
  for (const CLI::Option* option : verb.get_options()) {
    if (!is_typed(*option)) continue;
    require_effect(key_of(*option), verb.get_name(), setting);
    require_effect(fmt::format("{}={}", key_of(*option), value_of(*option)), verb.get_name(),
                   setting);
  }
}

std::string effect_note(const CLI::Option& option, const CLI::App& app) {
  const std::string verb = app.get_name();
  Requirements always;
  std::vector<std::string> notes;
  const RunSetting nothing(app);
  for (const OptionEffect& effect : rows_of(key_of(option), verb)) {
    if (effect.where.starts_with("verb ") && holds(effect, nothing)) continue;
    std::vector<Requirements> all = alternatives_of(effect);
    std::erase_if(all, [&](const Requirements& alternative) {
      return !std::ranges::all_of(alternative, [&](const auto& one) { return can_say(app, one); });
    });
    if (all.size() == 1) {
      always.insert(always.end(), all.front().begin(), all.front().end());
    } else if (!all.empty()) {
      std::vector<std::string> texts;
      for (const Requirements& one : all) texts.push_back(text_of(one, verb));
      notes.push_back(fmt::format("{}", fmt::join(texts, " or ")));
    }
  }
  if (!always.empty()) notes.insert(notes.begin(), text_of(always, verb));
  return notes.empty() ? "" : fmt::format("only {}", fmt::join(notes, "; "));
}

}  // namespace toroid
