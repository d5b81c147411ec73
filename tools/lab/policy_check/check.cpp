#include "tools/lab/policy_check/check.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/answer_checks.hpp"
#include "tools/lab/policy_check/checked_policy.hpp"
#include "tools/lab/policy_check/isolated_process.hpp"
#include "tools/lab/policy_check/runs.hpp"
#include "tools/options/named_policies.hpp"
#include "tools/options/policy_file.hpp"
#include "tools/run/run_result.hpp"
#include "tools/run/terminal.hpp"
#include "tools/text/json.hpp"
#include "tools/text/split_and_wrap.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

/// The largest machine on which a policy with tables is checked. An all-to-all on it takes about a
/// second, far less than the time limit of a case.
constexpr Rank kMostRun = 512;
/// The largest machine on which it is asked questions.
constexpr Rank kMostAsked = 32768;

using PolicyWork = std::function<void(const CheckedPolicy&, ProbeReport&)>;

/// One part of the check, as printed.
struct CheckPart {
  std::string name;
  unsigned cases = 0;                 ///< number of cases that have begun, refused ones excluded
  unsigned refused = 0;               ///< number of cases that the policy refuses
  std::vector<Breakage> breakages{};  ///< the first of each kind
  std::size_t found = 0;              ///< number of breakages, repetitions included
};

/// Percentages of the bound that policies reach on a machine, as texts. A text is empty if there
/// was no run.
struct Distance {
  std::string torus;
  std::string percent;
  std::string best_percent;
  std::string best;  ///< the best built-in policy
};

/// The check of a policy. Every part runs in a process of its own, which loads the policy anew.
/// After a part that finds a breakage no other part runs, because it would only fail for the same
/// reason.
class PolicyTrial {
 public:
  PolicyTrial(std::string name, const PolicyCheckOptions& options)
      : name_(std::move(name)), options_(options) {}

  void run() {
    if (!loads()) return;
    if (!answers_are_right()) return;
    const bool lasts = add("in another process, backwards",
                           [this](const CheckedPolicy& checked, ProbeReport& report) {
                             check_sums_backwards(checked, sums_, report);
                           });
    if (!lasts) return name_the_difference();
    if (!threads_agree() || machines_.traffics.empty()) return;
    if (!add("traffics on the model", check_traffics)) return;
    if (!add("workloads on the model", check_workloads)) return;
    if (!add("rings of this host, with data", check_rings)) return;
    measure();
  }

  bool is_good() const { return parts_.empty() || parts_.back().breakages.empty(); }
  const std::string& name() const { return name_; }
  const std::string& own_name() const { return own_name_; }
  const std::vector<CheckPart>& parts() const { return parts_; }
  const std::vector<Distance>& distances() const { return distances_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  ProbeResult probe(const PolicyWork& work) const {
    return run_probe(options_.limit, [&](ProbeReport& report) {
      work({policy_named(name_), machines_, options_.seed}, report);
    });
  }

  /// Throws BadInput if the policy is refused.
  bool loads() {
    const ProbeResult result = run_probe(options_.limit, [&](ProbeReport& report) {
      report.begin("loading");
      report.value("name", policy_named(name_).name());
    });
    if (!result.refusal.empty()) throw BadInput(result.refusal);
    const auto found = result.values.find("name");
    if (found != result.values.end()) own_name_ = found->second;
    if (!add_part("loading", result)) return false;
    if (names_policy_data(name_)) keep_to_tables();
    return true;
  }

  /// A policy with tables is checked on the machines for which it has tables. On large machines it
  /// only answers questions. Throws BadInput if all machines are too large even for that.
  void keep_to_tables() {
    std::vector<Shape> asked = shapes_of_policy_data(name_);
    if (asked.empty()) return;
    std::vector<std::string> large;
    for (const Shape& shape : asked)
      if (shape.size() > kMostRun) large.push_back(size_note(shape));
    std::erase_if(asked, [](const Shape& shape) { return shape.size() > kMostAsked; });
    if (asked.empty()) throw BadInput(fmt::format("nothing to check: {}", fmt::join(large, "; ")));
    notes_ = std::move(large);
    std::vector<Shape> run = asked;
    std::erase_if(run, [](const Shape& shape) { return shape.size() > kMostRun; });
    machines_ = check_machines_of(asked, run);
  }

  static std::string size_note(const Shape& shape) {
    const bool asked = shape.size() <= kMostAsked;
    return fmt::format("{}: {} nodes; {} checked up to {} nodes", shape.text(), shape.size(),
                       asked ? "runs are" : "tables are", asked ? kMostRun : kMostAsked);
  }

  bool answers_are_right() {
    const ProbeResult result = probe(check_answers);
    for (const auto& [key, text] : result.values) {
      if (key.starts_with("sum ")) sums_[key.substr(4)] = std::stoull(text);
      if (key.starts_with("note ")) notes_.push_back(text);
    }
    const bool right = add_part("orders, relays and settings, asked twice", result);
    if (right && sums_.empty() && !machines_.answers.empty()) {
      parts_.back().breakages.push_back({"bad settings", "", "the policy refuses every machine"});
      return false;
    }
    return right;
  }

  bool threads_agree() {
    ProbeResult result = probe([this](const CheckedPolicy& checked, ProbeReport& report) {
      check_sums_of_threads(checked, sums_, report);
    });
    for (Breakage& breakage : result.breakages)  // they do not occur with one thread
      if (breakage.kind != "not thread-safe")
        breakage = {"not thread-safe", breakage.where,
                    fmt::format("{} when 4 threads ask at once: {}", breakage.kind, breakage.what)};
    return add_part("four threads that ask at once", result);
  }

  /// Called if answers differ when another process asks for them in reverse order. Asks in the
  /// original order, in another process, to find out whether the process or the order makes the
  /// difference.
  void name_the_difference() {
    const ProbeResult again = probe([this](const CheckedPolicy& checked, ProbeReport& report) {
      check_sums_forwards(checked, sums_, report);
    });
    if (again.breakages.empty()) return;
    parts_.pop_back();
    add_part("in another process", again);
  }

  bool add(const std::string& name, const PolicyWork& work) { return add_part(name, probe(work)); }

  /// Notes what the policy refuses, each refusal once. Returns the number of refused cases.
  unsigned note_refusals(const ProbeResult& result) {
    unsigned refused = 0;
    for (const auto& [key, text] : result.values) {
      if (!key.starts_with("refuses ")) continue;
      ++refused;
      const std::string note = fmt::format("{}: {}", key, text);
      if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
    }
    return refused;
  }

  bool add_part(const std::string& name, const ProbeResult& result) {
    CheckPart& part = parts_.emplace_back(CheckPart{name});
    part.refused = note_refusals(result);
    part.cases = result.cases - part.refused;
    for (const Breakage& breakage : result.breakages) {
      bool is_known = false;
      for (const Breakage& known : part.breakages) is_known |= known.kind == breakage.kind;
      if (!is_known) part.breakages.push_back(breakage);
    }
    part.found = result.breakages.size();
    if (!result.refusal.empty())
      part.breakages.push_back({"bad settings", result.where, result.refusal});
    return part.breakages.empty();
  }

  void measure() {
    const ProbeResult mine = probe(measure_distance);
    add_part("distance from the bound", mine);
    std::vector<std::pair<std::string, ProbeResult>> others;
    for (const Policy* policy : built_in_policies())
      others.emplace_back(policy->name(), run_probe(options_.limit, [&](ProbeReport& report) {
                            measure_distance({*policy, machines_, options_.seed}, report);
                          }));
    for (const Shape& shape : machines_.distances) {
      const std::string torus = shape.text();
      Distance& distance = distances_.emplace_back(Distance{torus, value_of(mine, torus), "", ""});
      for (const auto& [name, result] : others) {
        const std::string percent = value_of(result, torus);
        if (number_of(percent) <= number_of(distance.best_percent)) continue;
        distance.best_percent = percent;
        distance.best = name;
      }
    }
  }

  static std::string value_of(const ProbeResult& result, const std::string& name) {
    const auto found = result.values.find(name);
    return found == result.values.end() ? "" : found->second;
  }
  static double number_of(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

  std::string name_;
  const PolicyCheckOptions& options_;
  std::string own_name_;
  CheckMachines machines_ = usual_check_machines();
  AnswerSums sums_;
  std::vector<CheckPart> parts_;
  std::vector<Distance> distances_;
  std::vector<std::string> notes_;
};

std::string breakage_text(const Breakage& breakage) {
  return fmt::format("{}{}: {}", breakage.kind,
                     breakage.where.empty() ? "" : fmt::format(" ({})", breakage.where),
                     breakage.what);
}

std::string hung(const std::string& text, std::size_t indent) {
  return std::string(indent, ' ') + with_hanging_indent(text, line_width() - indent, indent + 2);
}

void print_parts(const PolicyTrial& trial) {
  for (const CheckPart& part : trial.parts()) {
    fmt::print("  {:<42} {:>4} case{} {}{}\n", part.name, part.cases, part.cases == 1 ? " " : "s",
               part.breakages.empty() ? "good" : "broken",
               part.refused == 0 ? "" : fmt::format(", {} refused", part.refused));
    for (const Breakage& breakage : part.breakages)
      fmt::print("{}", hung(breakage_text(breakage), 4));
  }
}

void print_distances(const PolicyTrial& trial) {
  if (trial.distances().empty()) return;
  fmt::print("all-to-all, 480 bytes, percent of the bound:\n");
  for (const Distance& one : trial.distances())
    fmt::print("  {:<10} {:>6}   best built-in {:>6}  {}\n", one.torus,
               one.percent.empty() ? "-" : one.percent, one.best_percent, one.best);
}

void print_trial(const PolicyTrial& trial) {
  fmt::print("policy {}{}\n", trial.name(),
             trial.own_name().empty() || trial.own_name() == trial.name()
                 ? ""
                 : fmt::format(" ({})", trial.own_name()));
  print_parts(trial);
  for (const std::string& note : trial.notes()) fmt::print("{}", hung("note: " + note, 2));
  print_distances(trial);
  fmt::print("{}\n", trial.is_good() ? "nothing is broken" : "broken");
}

Json breakages_json(const CheckPart& part) {
  Json all = Json::array();
  for (const Breakage& one : part.breakages)
    all.push_back({{"kind", one.kind}, {"where", one.where}, {"what", one.what}});
  return all;
}

Json percent_json(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(std::strtod(text.c_str(), nullptr));
}

Json trial_json(const PolicyTrial& trial, const PolicyCheckOptions& options) {
  Json parts = Json::array();
  for (const CheckPart& part : trial.parts())
    parts.push_back({{"part", part.name},
                     {"cases", part.cases},
                     {"refused", part.refused},
                     {"breaks", breakages_json(part)}});
  Json distances = Json::array();
  for (const Distance& one : trial.distances())
    distances.push_back({{"torus", one.torus},
                         {"percent_of_bound", percent_json(one.percent)},
                         {"best_built_in", one.best},
                         {"best_percent_of_bound", percent_json(one.best_percent)}});
  return {{"verb", "policy"},        {"version", kVersion},      {"git_hash", kGitHash},
          {"policy", trial.name()},  {"name", trial.own_name()}, {"seed", options.seed},
          {"good", trial.is_good()}, {"parts", parts},           {"notes", trial.notes()},
          {"distances", distances}};
}

}  // namespace

int check_policy(const std::string& name, const PolicyCheckOptions& options) {
  JsonOutput json(options.json);
  PolicyTrial trial(name, options);
  trial.run();
  if (!options.quiet && !json.to_standard_output()) print_trial(trial);
  json.write(trial_json(trial, options));
  return trial.is_good() ? 0 : 1;
}

}  // namespace toroid
