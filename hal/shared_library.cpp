#include "hal/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include "hal/check.hpp"

namespace toroid {

SharedLibrary::SharedLibrary(const char* file, const char* what, Symbols symbols)
    : file_(file),
      handle_(::dlopen(file, RTLD_NOW | (symbols == Symbols::own ? RTLD_LOCAL : RTLD_GLOBAL))) {
  if (handle_ == nullptr) throw RunFailed(fmt::format("cannot load {}: {}", what, ::dlerror()));
}

void* SharedLibrary::address(const char* name) const {
  void* const found = ::dlsym(handle_, name);
  if (found == nullptr) throw RunFailed(fmt::format("{} has no function {}", file_, name));
  return found;
}

}  // namespace toroid
