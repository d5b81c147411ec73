// A library that is loaded when a run needs it, not when the program starts.
#pragma once

namespace toroid {

/// Whether libraries that are loaded later may use its symbols too.
enum class Symbols : bool { own, shared_with_all };

/// It stays loaded until the process ends, so that copies of this handle and functions remain
/// valid.
class SharedLibrary {
 public:
  /// `file`: "libm.so.6", as the dynamic linker looks for it. `what` names it in the message.
  /// Throws RunFailed if it cannot be loaded.
  SharedLibrary(const char* file, const char* what, Symbols symbols);

  /// Sets `function` to the one of this name. Throws RunFailed if there is none. REQUIRES: the type
  /// is the function's.
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
