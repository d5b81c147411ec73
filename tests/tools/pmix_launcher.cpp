#include "tests/tools/pmix_launcher.hpp"

#include <pmix.h>
#include <pmix_server.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <future>
#include <stdexcept>
#include <utility>

namespace toroid::testing {
namespace {

using Promise = std::promise<pmix_status_t>;

void fulfil(pmix_status_t status, void* promise) {
  static_cast<Promise*>(promise)->set_value(status);
}

/// Makes an asynchronous call and waits for its result.
template <typename Call>
void complete(const char* what, Call call) {
  Promise promise;
  pmix_status_t status = call(&promise);
  if (status == PMIX_SUCCESS) status = promise.get_future().get();
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
    throw std::runtime_error(std::string("PMIx's server cannot ") + what + ": " +
                             PMIx_Error_string(status));
}

pmix_info_t of_key(const char* key) {
  pmix_info_t info{};
  std::strncpy(info.key, key, PMIX_MAX_KEYLEN);
  return info;
}

pmix_info_t number_of(const char* key, std::uint32_t value) {
  pmix_info_t info = of_key(key);
  info.value.type = PMIX_UINT32;
  info.value.data.uint32 = value;
  return info;
}

/// The job's nodes and the processes on each, in PMIx's encoding.
class JobMaps {
 public:
  explicit JobMaps(unsigned size) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    std::string ranks = "0";
    for (unsigned rank = 1; rank < size; ++rank) ranks += "," + std::to_string(rank);
    if (PMIx_generate_regex(host.data(), &nodes_) != PMIX_SUCCESS ||
        PMIx_generate_ppn(ranks.c_str(), &processes_) != PMIX_SUCCESS)
      throw std::runtime_error("PMIx's server cannot encode the nodes");
  }
  ~JobMaps() {
    std::free(nodes_);
    std::free(processes_);
  }
  JobMaps(const JobMaps&) = delete;
  JobMaps& operator=(const JobMaps&) = delete;

  pmix_info_t of_nodes() const { return text_of(PMIX_NODE_MAP, nodes_); }
  pmix_info_t of_processes() const { return text_of(PMIX_PROC_MAP, processes_); }

 private:
  static pmix_info_t text_of(const char* key, char* text) {
    pmix_info_t info = of_key(key);
    info.value.type = PMIX_REGEX;
    info.value.data.bo = {text, std::strlen(text) + 1};
    return info;
  }

  char* nodes_ = nullptr;
  char* processes_ = nullptr;
};

/// All processes are on this host, so `data` is all that they have published.
pmix_status_t fence(const pmix_proc_t*, std::size_t, const pmix_info_t*, std::size_t, char* data,
                    std::size_t size, pmix_modex_cbfunc_t done, void* context) {
  done(PMIX_SUCCESS, data, size, context, nullptr, nullptr);
  return PMIX_SUCCESS;
}

pmix_status_t note_end(const pmix_proc_t*, void*, pmix_op_cbfunc_t done, void* context) {
  if (done != nullptr) done(PMIX_SUCCESS, context);
  return PMIX_SUCCESS;
}

pmix_status_t take_codes(pmix_status_t*, std::size_t, const pmix_info_t*, std::size_t,
                         pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t drop_codes(pmix_status_t*, std::size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_server_module_t& module() {
  static pmix_server_module_t functions = [] {
    pmix_server_module_t some{};
    some.client_finalized = note_end;
    some.fence_nb = fence;
    some.register_events = take_codes;
    some.deregister_events = drop_codes;
    return some;
  }();
  return functions;
}

/// PMIx 4.2 cannot start a second server in a process, so one serves all jobs.
class Server {
 public:
  Server() {
    if (PMIx_server_init(&module(), nullptr, 0) != PMIX_SUCCESS)
      throw std::runtime_error("PMIx's server does not start");
  }
  ~Server() { PMIx_server_finalize(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
};

/// Returns a name of the form that PRRTE gives to its jobs.
std::string name_of_next_job() {
  static const Server server;
  static int jobs = 0;
  return "prterun-test@" + std::to_string(++jobs);
}

Environment environment_of(const pmix_proc_t& process) {
  char** variables = nullptr;
  if (PMIx_server_setup_fork(&process, &variables) != PMIX_SUCCESS)
    throw std::runtime_error("PMIx's server cannot set up a process's environment");
  Environment environment;
  for (char** variable = variables; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t end = text.find('=');
    environment[text.substr(0, end)] = text.substr(end + 1);
  }
  return environment;
}

}  // namespace

PmixLauncher::PmixLauncher(unsigned size, Arguments argv, const std::filesystem::path& directory)
    : argv_(std::move(argv)), directory_(directory), job_(name_of_next_job()) {
  const JobMaps maps(size);
  std::vector<pmix_info_t> infos = {number_of(PMIX_UNIV_SIZE, size), number_of(PMIX_JOB_SIZE, size),
                                    number_of(PMIX_LOCAL_SIZE, size), maps.of_nodes(),
                                    maps.of_processes()};
  complete("register a job", [&](Promise* promise) {
    return PMIx_server_register_nspace(job_.c_str(), static_cast<int>(size), infos.data(),
                                       infos.size(), fulfil, promise);
  });
  for (unsigned rank = 0; rank < size; ++rank)
    complete("register a process", [&](Promise* promise) {
      const pmix_proc_t one = process(rank);
      return PMIx_server_register_client(&one, ::getuid(), ::getgid(), nullptr, fulfil, promise);
    });
  processes_.reserve(size);
}

PmixLauncher::~PmixLauncher() {
  processes_.clear();
  PMIx_server_deregister_nspace(job_.c_str(), nullptr, nullptr);
}

pmix_proc_t PmixLauncher::process(pmix_rank_t rank) const {
  pmix_proc_t one{};
  std::strncpy(one.nspace, job_.c_str(), PMIX_MAX_NSLEN);
  one.rank = rank;
  return one;
}

void PmixLauncher::start(unsigned rank) {
  processes_.emplace_back(argv_, environment_of(process(rank)), ProcessPlace{{}, directory_});
}

void PmixLauncher::tell(unsigned rank, pmix_status_t how) {
  pmix_proc_t of = process(rank);
  pmix_info_t info = of_key(PMIX_EVENT_AFFECTED_PROC);
  info.value.type = PMIX_PROC;
  info.value.data.proc = &of;
  complete("report a process", [&](Promise* promise) {
    return PMIx_Notify_event(how, &of, PMIX_RANGE_NAMESPACE, &info, 1, fulfil, promise);
  });
}

}  // namespace toroid::testing
