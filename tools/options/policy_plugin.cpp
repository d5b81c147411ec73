#include "tools/options/policy_plugin.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/core.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "packet/policies/library.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/run_inputs.hpp"
#include "tools/options/library_call.hpp"
#include "tools/options/library_policy.hpp"
#include "tools/options/policy_name_rule.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr const char* kEntryName = "toroid_policy_library";

/// The parts of "mine.so:8".
struct LibraryName {
  std::string text;
  std::string path;
  std::optional<std::string> parameter{};
};

LibraryName library_name(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(".so"))
    return {std::string(text), std::string(text)};
  return {std::string(text), std::string(text.substr(0, colon)),
          std::string(text.substr(colon + 1))};
}

[[noreturn]] void refuse_library(const LibraryName& name, std::string_view why) {
  throw BadInput(one_line(fmt::format("policy {}: {}", name.text, why)));
}

std::optional<unsigned> parameter_of(const LibraryName& name) {
  if (!name.parameter) return std::nullopt;
  const std::string& text = *name.parameter;
  const auto value = parse_number<unsigned>(text);
  if (!value)
    refuse_library(
        name,
        fmt::format("expected a whole number from 0 to {} after the colon, not '{}'", ~0u, text));
  return value;
}

/// The library's absolute path. Since it has a slash, the dynamic linker does not search for the
/// library in other folders.
std::string place_of(const LibraryName& name) {
  std::error_code error;
  const std::filesystem::path place = std::filesystem::canonical(name.path, error);
  if (error) refuse_library(name, error.message());
  if (!std::filesystem::is_regular_file(place, error)) refuse_library(name, "not a regular file");
  return place.native();
}

/// Throws BadInput if a type that the library and this program share has different sizes in them.
void refuse_other_layout(const LibraryName& name, const PolicyLibrary& library) {
  if (library.layout_entries != kPolicyLayout.size())
    refuse_library(name, "was compiled against other headers of toroid; recompile it");
  for (std::size_t i = 0; i < kPolicyLayout.size(); ++i) {
    const PolicyLayout& here = kPolicyLayout[i];
    const PolicyLayout& there = library.layout[i];
    if (here.type != there.type || here.bytes != there.bytes)
      refuse_library(name, fmt::format("was compiled against other headers of toroid ({} has {} "
                                       "bytes there, {} {} here); recompile it",
                                       there.type, there.bytes, here.type, here.bytes));
  }
}

void refuse_other_build(const LibraryName& name, const PolicyLibrary& library) {
  if (library.interface != kPolicyInterface)
    refuse_library(name, fmt::format("has version {} of the policy interface, this toroid has {}; "
                                     "recompile it",
                                     library.interface, kPolicyInterface));
  if (std::string_view(library.standard_library) != kStandardLibrary)
    refuse_library(name, fmt::format("uses {}, this toroid uses {}; compile it with the same",
                                     library.standard_library, kStandardLibrary));
  refuse_other_layout(name, library);
}

/// Unloads a library that is refused while it is being loaded.
struct CloseLibrary {
  void operator()(void* handle) const { ::dlclose(handle); }
};

/// Refuses a truncated file, because reading its missing pages would kill the process.
void refuse_truncated(const LibraryName& name, const std::string& place) {
  std::ifstream file(place, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::string_view(reinterpret_cast<const char*>(header.e_ident), SELFMAG) != ELFMAG)
    return;  // the dynamic linker will report the error
  const std::uintmax_t bytes = std::filesystem::file_size(place);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file || segment.p_offset > bytes || segment.p_filesz > bytes - segment.p_offset)
      refuse_library(name, "cannot be loaded: the file is truncated");
  }
}

std::string subject_of(const LibraryName& name) {
  return fmt::format("policy {}", name.text);
}

const PolicyLibrary& load(const LibraryName& name, const std::string& place) {
  refuse_truncated(name, place);
  const std::string subject = subject_of(name);
  std::unique_ptr<void, CloseLibrary> handle(
      call_library(subject, "the initialization of its static objects",
                   [&] { return ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL); }));
  if (handle == nullptr) refuse_library(name, fmt::format("cannot be loaded: {}", ::dlerror()));
  void* const entry = ::dlsym(handle.get(), kEntryName);
  if (entry == nullptr)
    refuse_library(name, fmt::format("has no {}; expected TOROID_POLICY(Class) from "
                                     "<toroid/packet/policies/library.hpp> in its source",
                                     kEntryName));
  const void* const given = call_library(
      subject, kEntryName, [entry] { return reinterpret_cast<const void* (*)()>(entry)(); });
  if (given == nullptr) refuse_library(name, fmt::format("{}() returned null", kEntryName));
  const auto& library = *static_cast<const PolicyLibrary*>(given);
  refuse_other_build(name, library);
  handle.release();  // stays loaded, since its policies live as long as the process
  return library;
}

std::unique_ptr<const Policy> make_from(const LibraryName& name, const PolicyLibrary& library) {
  const std::optional<unsigned> parameter = parameter_of(name);
  if (parameter && !library.takes_parameter)
    refuse_library(
        name, fmt::format("the policy takes no parameter, but ':{}' was given", *name.parameter));
  if (!parameter && library.needs_parameter)
    refuse_library(name, fmt::format("the policy needs a parameter, e.g. {}:8", name.path));
  std::string why;
  std::unique_ptr<const Policy> made = call_library(subject_of(name), "its constructor", [&] {
    return std::unique_ptr<const Policy>(library.make(parameter ? &*parameter : nullptr, why));
  });
  if (made == nullptr)
    refuse_library(name, why.empty() ? "its constructor threw an exception without a text" : why);
  auto policy = std::make_unique<const LibraryPolicy>(std::move(made), name.text);
  if (const std::string fault = own_name_fault(policy->name()); !fault.empty())
    refuse_library(name, fault);
  return policy;
}

/// A loaded library and its policies.
struct LoadedLibrary {
  std::string sum;  ///< checksum at the time of loading; the file may be replaced later
  const PolicyLibrary* library = nullptr;
  std::map<std::string, std::unique_ptr<const Policy>> policies{};  ///< by parameter
};

struct LoadedLibraries {
  std::mutex mutex;
  std::map<std::string, LoadedLibrary> by_place;  ///< by canonical path
};

/// The loaded libraries. They are never destroyed, because threads may use them until the process
/// ends.
LoadedLibraries& loaded_libraries() {
  static auto& loaded = *new LoadedLibraries;
  return loaded;
}

LoadedLibrary& loaded(LoadedLibraries& all, const LibraryName& name) {
  const std::string place = place_of(name);
  const auto found = all.by_place.find(place);
  if (found != all.by_place.end()) return found->second;
  LoadedLibrary added{file_sum(place)};
  added.library = &load(name, place);
  return all.by_place.emplace(place, std::move(added)).first->second;
}

/// Calls a function that loads a library. A library that fails meanwhile is refused.
template <std::invocable Load>
decltype(auto) refused_if_it_fails(const Load& load) {
  try {
    return load();
  } catch (const RunFailed& failure) {
    throw BadInput(failure.what());
  }
}

}  // namespace

bool names_policy_library(std::string_view text) {
  return text.ends_with(".so") || text.substr(0, text.rfind(':')).ends_with(".so");
}

std::vector<std::string> policy_libraries_in(std::span<const std::string> arguments) {
  std::vector<std::string> libraries;
  for (const std::string& argument : arguments)
    for (const std::string& name : split(argument.substr(argument.find('=') + 1), ','))
      if (names_policy_library(name)) libraries.push_back(name);
  return libraries;
}

const Policy& policy_from_library(std::string_view text) {
  const LibraryName name = library_name(text);
  note_input_file(name.path, name.path);
  LoadedLibraries& all = loaded_libraries();
  const std::lock_guard lock(all.mutex);
  LoadedLibrary& library =
      refused_if_it_fails([&]() -> LoadedLibrary& { return loaded(all, name); });
  if (file_sum(place_of(name)) != library.sum)
    refuse_library(name,
                   "the file has changed since this process loaded it; only a new process can "
                   "load the new file");
  std::unique_ptr<const Policy>& policy = library.policies[name.parameter.value_or("")];
  if (policy == nullptr)
    policy = refused_if_it_fails([&] { return make_from(name, *library.library); });
  return *policy;
}

std::string policy_library_sum(std::string_view text) {
  const LibraryName name = library_name(text);
  LoadedLibraries& all = loaded_libraries();
  const std::lock_guard lock(all.mutex);
  return refused_if_it_fails([&] { return loaded(all, name).sum; });
}

}  // namespace toroid
