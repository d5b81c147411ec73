// The `toroid` command: 0 done, 1 the run failed, 2 bad input.
#include <cstdio>

#include "hal/check.hpp"
#include "tools/progress.hpp"
#include "tools/verbs.hpp"
#include "tools/version.hpp"

namespace {

int complain(const char* what, int code) {
  fmt::print(stderr, "toroid: {}\n", what);
  return code;
}

int run(int argc, char** argv) {
  using namespace toroid;
  CLI::App app("A bare-metal message layer on an emulated Blue Gene-style torus", "toroid");
  app.set_version_flag("--version", fmt::format("toroid {} ({})", kVersion, kGitHash));
  app.require_subcommand(1);
  const std::pair<std::string, Verb> verbs[] = {{"fft", add_fft_verb(app)},
                                                {"alltoall", add_alltoall_verb(app)},
                                                {"info", add_info_verb(app)}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return complain(error.what(), 2);
  }
  for (const auto& [name, verb] : verbs)
    if (app.got_subcommand(name)) return verb();
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  toroid::catch_interrupts();
  try {
    return run(argc, argv);
  } catch (const toroid::BadInput& error) {
    return complain(error.what(), 2);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}
