#include "tools/command_line/option.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace toroid {
namespace {

CLI::Validator validator(const Check& check) {
  return {check.test, check.accepted};
}

template <typename T>
Option add(CLI::App& verb, const std::string& name, T& value, const std::string& description) {
  return Option(verb.add_option(name, value, description));
}

}  // namespace

Option Option::type_name(const std::string& name) const {
  return Option(option_->type_name(name));
}

Option Option::check(const Check& check) const {
  return Option(option_->check(validator(check)));
}

Option Option::transform(const Check& check) const {
  return Option(option_->transform(validator(check)));
}

Option Option::required(bool is_required) const {
  return Option(option_->required(is_required));
}

Option Option::needs(const Option& other) const {
  return Option(option_->needs(other.option_));
}

Option Option::group(const std::string& heading) const {
  return Option(option_->group(heading));
}

Option Option::description(const std::string& text) const {
  return Option(option_->description(text));
}

Option Option::allow_extra_args(bool allowed) const {
  return Option(option_->allow_extra_args(allowed));
}

Option Option::capture_default_str() const {
  return Option(option_->capture_default_str());
}

Option Option::default_str(const std::string& text) const {
  return Option(option_->default_str(text));
}

CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& description) {
  return app.add_subcommand(name, description);
}

Option add_option(CLI::App& verb, const std::string& name, std::string& value,
                  const std::string& description) {
  return add(verb, name, value, description);
}

Option add_option(CLI::App& verb, const std::string& name, double& value,
                  const std::string& description) {
  return add(verb, name, value, description);
}

Option add_option(CLI::App& verb, const std::string& name, unsigned& value,
                  const std::string& description) {
  return add(verb, name, value, description);
}

Option add_option(CLI::App& verb, const std::string& name, std::int64_t& value,
                  const std::string& description) {
  return add(verb, name, value, description);
}

Option add_option(CLI::App& verb, const std::string& name, std::uint64_t& value,
                  const std::string& description) {
  return add(verb, name, value, description);
}

Option add_option(CLI::App& verb, const std::string& name, std::optional<std::uint64_t>& value,
                  const std::string& description) {
  return add(verb, name, value, description);
}

Option add_option(CLI::App& verb, const std::string& name, std::vector<std::string>& values,
                  const std::string& description) {
  return add(verb, name, values, description);
}

Option add_option(CLI::App& verb, const std::string& name,
                  const std::function<void(const std::string&)>& take,
                  const std::string& description) {
  return Option(verb.add_option_function<std::string>(name, take, description));
}

Option add_shown_argument(CLI::App& verb, const std::string& name, const std::string& description) {
  return Option(verb.add_option(name, description));
}

Option add_flag(CLI::App& verb, const std::string& name, bool& value,
                const std::string& description) {
  return Option(verb.add_flag(name, value, description));
}

Option option_of(CLI::App& verb, const std::string& name) {
  return Option(verb.get_option(name));
}

bool has_option(const CLI::App& verb, const std::string& name) {
  return verb.get_option_no_throw(name) != nullptr;
}

bool is_given(const CLI::App& verb, const std::string& name) {
  return verb.count(name) > 0;
}

}  // namespace toroid
