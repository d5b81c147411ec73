// A library that is loaded when a run needs it, not when the program starts.
#pragma once

namespace toroid {

/// Whether libraries that are loaded later may use this library's symbols.
enum class Symbols : bool { own, shared_with_all };

/// A handle of a library. The library stays loaded until the process ends, so copies of the handle
/// and functions stay valid.
class SharedLibrary {
 public:
  /// `file` is a name such as "libm.so.6", which the dynamic linker looks up. `what` names the
  /// library in the message. Throws RunFailed if it cannot be loaded.
  SharedLibrary(const char* file, const char* what, Symbols symbols);

  /// Sets `function` to the library's function of this name. Throws RunFailed if there is none.
  /// REQUIRES: the type matches the function's.
  template <typename Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(address(name));
  }

 private:
  void* address(const char* name) const;

  const char* file_;
  void* handle_;
};

}  // namespace toroid
