// The `toroid` command: 0 done, 1 the run failed, 2 bad input.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

#include "hal/check.hpp"
#include "tools/progress.hpp"
#include "tools/verbs.hpp"
#include "tools/version.hpp"

namespace {

/// Not by fmt::print, which throws where standard error is closed.
int complain(const std::string& what, int code) {
  std::fputs(("toroid: " + toroid::one_line(what) + "\n").c_str(), stderr);
  return code;
}

/// A file that is opened later must not become a standard one that the caller closed: what is
/// missing gets a descriptor that fails all writes.
void hold_standard_descriptors() {
  int next = ::open("/dev/null", O_RDONLY);
  while (next >= 0 && next <= STDERR_FILENO) next = ::dup(next);
  if (next >= 0) ::close(next);
}

/// Only the last flush tells whether all that was printed has been written.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return complain("cannot write to standard output: " + std::generic_category().message(errno), 1);
}

/// CLI11 looks for a missing verb before it looks at what is there instead.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  if (!app.get_subcommands().empty()) return error.what();
  std::string known;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    known += (known.empty() ? "" : ", ") + verb->get_name();
  const std::vector<std::string> rest = app.remaining();
  if (rest.empty()) return fmt::format("a verb is missing; known: {}", known);
  return fmt::format("unknown verb '{}'; known: {}", rest.front(), known);
}

int run(int argc, char** argv) {
  using namespace toroid;
  CLI::App app("A bare-metal message layer on an emulated Blue Gene-style torus", "toroid");
  app.set_version_flag("--version", fmt::format("toroid {} ({})", kVersion, kGitHash));
  app.require_subcommand(1);
  const std::pair<std::string, Verb> verbs[] = {
      {"fft", add_fft_verb(app)},         {"alltoall", add_alltoall_verb(app)},
      {"bench", add_bench_verb(app)},     {"compare", add_compare_verb(app)},
      {"hello", add_hello_verb(app)},     {"info", add_info_verb(app)},
      {"launch", add_launch_verb(app)},   {"paper", add_paper_verb(app)},
      {"poisson", add_poisson_verb(app)}, {"sweep", add_sweep_verb(app)},
      {"replay", add_replay_verb(app)},   {"report", add_report_verb(app)}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return complain(explain(app, error), 2);
  }
  for (const auto& [name, verb] : verbs)
    if (app.got_subcommand(name)) return verb();
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  toroid::catch_interrupts();
  try {
    return flushed(run(argc, argv));
  } catch (const toroid::BadInput& error) {
    return complain(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}
