// Suppresses leaks that the sanitizer finds inside libfabric 1.17. Linked into the tests, so that
// no environment variable has to be set.

/// For each closed endpoint, libfabric keeps a copy of the result of fi_getinfo() and some bytes of
/// its tables. Its functions have no names in a trace, so all its leaks are suppressed. Objects
/// that toroid does not close are found by their open files instead: see
/// OfiEndpoint.LeavesNoFileOpen.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfabric.so\n";
}
