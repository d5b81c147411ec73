#include "tools/command_line/option.hpp"

#include <CLI/CLI.hpp>

namespace toroid {
namespace {

CLI::Validator validator(const Check& check) {
  return {check.test, check.accepted};
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

template <OptionValue T>
Option add_option(CLI::App& verb, const std::string& name, T& value,
                  const std::string& description) {
  return Option(verb.add_option(name, value, description));
}

template Option add_option(CLI::App&, const std::string&, std::string&, const std::string&);
template Option add_option(CLI::App&, const std::string&, double&, const std::string&);
template Option add_option(CLI::App&, const std::string&, unsigned&, const std::string&);
template Option add_option(CLI::App&, const std::string&, std::int64_t&, const std::string&);
template Option add_option(CLI::App&, const std::string&, std::uint64_t&, const std::string&);
template Option add_option(CLI::App&, const std::string&, std::optional<std::uint64_t>&,
                           const std::string&);
template Option add_option(CLI::App&, const std::string&, std::vector<std::string>&,
                           const std::string&);

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

bool is_given(const CLI::App& verb, const std::string& name) {
  return verb.count(name) > 0;
}

std::optional<std::string> given_value(const CLI::App& verb, const std::string& name) {
  const CLI::Option* option = verb.get_option_no_throw(name);
  if (option == nullptr || option->count() == 0) return std::nullopt;
  return option->results().front();
}

}  // namespace toroid
