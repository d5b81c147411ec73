#include "tools/lab/policy_check/answer_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/policy_queries.hpp"
#include "tools/lab/policy_check/thread_safety.hpp"
#include "tools/lab/policy_check/wrong_answers.hpp"

namespace toroid {
namespace {

constexpr const char* kUnlike = "another process gets different answers";

/// Reports a note for answers that are never used. Such answers do no harm.
void note_what_has_no_effect(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                             ProbeReport& report) {
  const Shape& shape = asked.shape;
  const Rank last = shape.size() - 1;
  const auto order = [&](std::uint32_t round) {
    return peers_of(policy, shape, {Question::Of::order, 0, round, false}, seed);
  };
  if (!policy.changes_order() && order(0) != order(1))
    report.value("note round",
                 "order() changes from round to round, but changes_order() is false: "
                 "only round 0 is used");
  if (policy.settings(asked.policy_case()).order)
    report.value("note order", "settings() has a rule for the order, so order() is not called");
  if (policy.stages(shape) == 1 && policy.relay(shape, {0, 0, 0, last, 0}) != last)
    report.value("note relay",
                 "relay() returns other nodes, but stages() is 1, so it is not called");
}

/// Asks every question twice, the second time in reverse order, and reports an answer that differs.
/// Returns the checksum of all answers; 0 if one differs.
std::uint64_t sum_asked_twice(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                              ProbeReport& report) {
  const std::vector<Question> all = questions(policy, asked.shape);
  std::vector<std::uint64_t> answers;
  for (const Question& question : all) answers.push_back(answer(policy, asked, question, seed));
  std::uint64_t sum = 0;
  for (std::size_t i = all.size(); i-- > 0; sum += answers[i])
    if (answer(policy, asked, all[i], seed) != answers[i]) {
      report.breaks(
          {"depends on call order", "",
           text_of(asked.shape, all[i]) + " gives a different answer when it is called again"});
      return 0;
    }
  return sum;
}

/// Calls `ask` for every machine. If the policy refuses the machine by BadInput, reports the
/// refusal.
template <typename Ask>
void on_each_machine(ProbeReport& report, std::span<const CheckShape> shapes, const Ask& ask) {
  for (const CheckShape& one : shapes) {
    report.begin(one.name);
    try {
      ask(one, AskedCase(one.shape));
    } catch (const BadInput& refusal) {
      report.value("refuses " + one.name, refusal.what());
    }
  }
}

/// The checksum of a machine; 0 if the policy refuses the machine.
std::uint64_t sum_at(const AnswerSums& sums, const std::string& name) {
  const auto found = sums.find(name);
  return found == sums.end() ? 0 : found->second;
}

}  // namespace

void check_answers(const CheckedPolicy& checked, ProbeReport& report) {
  on_each_machine(
      report, checked.machines.answers, [&](const CheckShape& one, const AskedCase& asked) {
        if (auto wrong = first_wrong_answer(checked.policy, asked, checked.seed))
          return report.breaks(*wrong);
        const std::uint64_t sum = sum_asked_twice(checked.policy, asked, checked.seed, report);
        report.value("sum " + one.name, std::to_string(sum));
        note_what_has_no_effect(checked.policy, asked, checked.seed, report);
      });
}

void check_sums_backwards(const CheckedPolicy& checked, const AnswerSums& sums,
                          ProbeReport& report) {
  std::vector<CheckShape> shapes = checked.machines.answers;
  std::ranges::reverse(shapes);
  on_each_machine(report, shapes, [&](const CheckShape& one, const AskedCase& asked) {
    std::vector<Question> all = questions(checked.policy, asked.shape);
    std::ranges::reverse(all);
    if (sum_asked(checked.policy, asked, checked.seed, all, 0) != sum_at(sums, one.name))
      report.breaks({"depends on call order", "",
                     "the answers differ when they are asked for in reverse order"});
  });
}

void check_sums_forwards(const CheckedPolicy& checked, const AnswerSums& sums,
                         ProbeReport& report) {
  on_each_machine(
      report, checked.machines.answers, [&](const CheckShape& one, const AskedCase& asked) {
        if (sum_asked(checked.policy, asked, checked.seed, questions(checked.policy, asked.shape),
                      0) != sum_at(sums, one.name))
          report.breaks({"differs between processes", "", kUnlike});
      });
}

void check_sums_of_threads(const CheckedPolicy& checked, const AnswerSums& sums,
                           ProbeReport& report) {
  on_each_machine(
      report, checked.machines.answers, [&](const CheckShape& one, const AskedCase& asked) {
        if (!sums.contains(one.name)) return;
        const std::string wrong =
            wrong_of_threads(checked.policy, asked, checked.seed, sum_at(sums, one.name));
        if (!wrong.empty())
          report.breaks(
              {"not thread-safe", "",
               fmt::format("one of {} threads that ask at once {}", kAskingThreads, wrong)});
      });
}

}  // namespace toroid
