// Jobs in pods, containers and other places where processes of one kernel may or may not share
// memory: a run gives the right result over what there is, or says in one line what is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "tests/net/process.hpp"
#include "tests/scale.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;

/// Starts the processes of a job in a network of their own. $1: state of /dev/shm, $2: who has one,
/// $3: who has a pid namespace, $4: user of process 1, $5: processes, $6: directory for what they
/// print; then the command.
constexpr const char* kScript = R"(
prepare() {
  case $state in
    roomy) mount -t tmpfs -o size=16g,mode=1777 tmpfs /dev/shm;;
    docker|filled) mount -t tmpfs -o size=64m,mode=1777 tmpfs /dev/shm;;
    small) mount -t tmpfs -o size=20m,mode=1777 tmpfs /dev/shm;;
    full) mount -t tmpfs -o size=64m,mode=1777 tmpfs /dev/shm
          head -c 100m /dev/zero > /dev/shm/full 2> /dev/null || true;;
    readonly) mount -t tmpfs -o ro tmpfs /dev/shm;;
    missing) mount -t tmpfs tmpfs /mnt
             for d in null zero full random urandom; do touch /mnt/$d; mount --bind /dev/$d /mnt/$d; done
             mount --move /mnt /dev;;
  esac
  if [ $state = filled ]; then
    { sleep 0.$((RANDOM % 8)); head -c 100m /dev/zero > /dev/shm/others 2> /dev/null; } &
  fi
}
state=$1 memory=$2 pids=$3 user=$4 processes=$5 directory=$6
shift 6
export -f prepare; export state
ip link set lo up
[ $memory = own ] || prepare
export WORLD_SIZE=$processes MASTER_ADDR=127.0.0.1 MASTER_PORT=29517
export TOROID_JOB_KEY=$(printf k%.0s {1..32})
for ((r = 0; r < processes; r++)); do
  apart="unshare -m"; as=""; own=true
  [ $pids = own ] && apart="unshare -m -p -f --mount-proc"
  [ $r = 1 ] && [ $user = other ] && as="setpriv --reuid=65534 --regid=65534 --clear-groups"
  [ $r = 1 ] && [ $user = namespace ] && as="unshare --user --map-root-user"
  [ $user = namespaces ] && as="unshare --user --map-root-user"
  [ $memory = own ] && own=prepare
  { RANK=$r $apart bash -c "$own; exec $as \"\$@\"" bash "$@" \
      > $directory/out.$r 2> $directory/err.$r; echo $? > $directory/code.$r; } &
  ranks+=($!)
done
wait "${ranks[@]}"
ls -A /dev/shm 2> /dev/null | grep toroid || true
)";

struct Place {
  const char* state;   ///< of /dev/shm
  const char* memory;  ///< "shared" or "own": /dev/shm
  const char* pids;    ///< "shared" or "own": pid namespace
  const char* user;    ///< of process 1: "same", "other" or in a "namespace" of its own;
                       ///< "namespaces": every process has one
  unsigned processes;
  bool shares;  ///< whether the provider `shm` can be used

  std::string text() const {
    return std::string(state) + " /dev/shm, " + memory + "; pids " + pids + "; user " + user +
           "; " + std::to_string(processes) + " processes";
  }
};

/// libfabric uses a /dev/shm of 64 MiB only if it has room for 16 MiB for each core.
const bool kFewCores = std::thread::hardware_concurrency() <= 4;
const std::vector<Place> kPlaces = {
    {"roomy", "own", "own", "same", 2, false},  // the landing set tries these three
    {"roomy", "shared", "shared", "same", 2, true},
    {"full", "shared", "shared", "same", 2, false},
    {"roomy", "own", "shared", "same", 2, false},
    {"roomy", "shared", "own", "same", 2, false},
    {"roomy", "shared", "shared", "other", 2, false},
    {"roomy", "shared", "shared", "namespace", 2, false},
    {"roomy", "shared", "shared", "namespaces", 2, true},
    {"roomy", "own", "shared", "other", 2, false},
    {"roomy", "own", "own", "other", 2, false},
    {"roomy", "shared", "own", "namespace", 2, false},
    {"roomy", "shared", "own", "other", 3, false},
    {"roomy", "shared", "shared", "same", 4, true},
    {"roomy", "own", "own", "same", 4, false},
    {"docker", "shared", "shared", "same", 2, kFewCores},
    {"docker", "shared", "shared", "same", 5, false},
    {"small", "shared", "shared", "same", 2, false},
    {"small", "own", "shared", "same", 2, false},
    {"full", "own", "own", "same", 3, false},
    {"readonly", "shared", "shared", "same", 2, false},
    {"readonly", "own", "own", "same", 2, false},
    {"missing", "shared", "shared", "same", 2, false},
    {"missing", "own", "shared", "same", 2, false},
};

struct Outcome {
  std::vector<Ended> processes;
  std::string left;  ///< files of toroid left in /dev/shm
};

Outcome run_at(const Place& place, const Arguments& command) {
  const TemporaryDirectory directory;
  const Process job(Arguments{"unshare", "-m", "-n", "bash", "-c", kScript, "bash", place.state,
                              place.memory, place.pids, place.user, std::to_string(place.processes),
                              directory.path()} +
                    command);
  const Ended ended = job.wait(60s).value_or(Ended{-1, 0, "", "still running"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  Outcome outcome{{}, ended.out};
  for (unsigned r = 0; r < place.processes; ++r) {
    const std::string rank = std::to_string(r);
    const std::string code = directory.content_of("code." + rank);
    outcome.processes.push_back({code.empty() ? -1 : std::stoi(code), 0,
                                 directory.content_of("out." + rank),
                                 directory.content_of("err." + rank)});
  }
  return outcome;
}

Arguments exchange(const Arguments& more) {
  return Arguments{TOROID_COMMAND, "alltoall", "--torus", "4x2", "--bytes", "24000", "--quiet",
                   "--fabric",     "ofi",      "--json",  "-",   "--stall", "30"} +
         more;
}

const Arguments kRepeatedTransform = {TOROID_COMMAND, "fft",      "--size",   "16",     "--torus",
                                      "2x1x1",        "--repeat", "100",      "--plan", "estimate",
                                      "--check",      "--quiet",  "--fabric", "ofi"};

/// Without a named provider every run succeeds.
void expect_right_result(const Place& place) {
  SCOPED_TRACE(place.text() + ", any provider");
  const Outcome outcome = run_at(place, exchange({}));
  for (const Ended& ended : outcome.processes) EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto report = nlohmann::json::parse(outcome.processes[0].out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << outcome.processes[0].out;
  EXPECT_EQ(report["provider"], place.shares ? "shm" : "tcp;ofi_rxm");
  EXPECT_EQ(report["packets"], 8 * 7 * 100);
  EXPECT_EQ(outcome.left, "");
}

/// With the provider `shm` a run succeeds, or every process gives the same reason in one line.
void expect_shm_or_reason(const Place& place) {
  SCOPED_TRACE(place.text() + ", provider shm");
  const Outcome outcome = run_at(place, exchange({"--provider", "shm"}));
  for (const Ended& ended : outcome.processes) {
    if (place.shares) {
      EXPECT_EQ(ended.exit_code, 0) << ended.err;
      continue;
    }
    EXPECT_THAT(ended.exit_code, AnyOf(1, 2)) << ended.err;  // 1 if opening a segment has failed
    EXPECT_EQ(ended.err_lines(), 1) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("provider shm cannot be used"));
  }
  EXPECT_EQ(outcome.left, "");
}

class OfiSharedMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    const Process trial({"unshare", "-m", "-n", "-p", "-f", "--mount-proc", "setpriv",
                         "--reuid=65534", "--clear-groups", TOROID_COMMAND, "--version"});
    const Ended ended = trial.wait(20s).value_or(Ended{});
    if (ended.exit_code != 0) GTEST_SKIP() << "no namespaces for this user: " << ended.err;
  }
};

/// The first `landing` places or, in the thorough set, all.
std::vector<Place> places(std::ptrdiff_t landing) {
  return {kPlaces.begin(), is_thorough() ? kPlaces.end() : kPlaces.begin() + landing};
}

TEST_F(OfiSharedMemory, IsUsedWhereItIsSharedAndReplacedElsewhere) {
  for (const Place& place : places(3)) expect_right_result(place);
}

TEST_F(OfiSharedMemory, IsRefusedWithReasonIfNamed) {
  for (const Place& place : places(1)) expect_shm_or_reason(place);
}

/// Others fill /dev/shm while the segments are made, or soon after.
TEST_F(OfiSharedMemory, MayBeFilledByOthersAtAnyTime) {
  for (unsigned i = 0; i < by_set(2u, 20u); ++i) {
    const Outcome outcome =
        run_at({"filled", "shared", "shared", "same", 2, true}, kRepeatedTransform);
    for (const Ended& ended : outcome.processes) EXPECT_EQ(ended.exit_code, 0) << ended.err;
  }
}

/// Two jobs whose processes have equal ids, of one user, with one /dev/shm.
TEST_F(OfiSharedMemory, KeepsJobsApartWhoseProcessIdsAreEqual) {
  const std::string script =
      "mount -t tmpfs -o size=16g tmpfs /dev/shm; ip link set lo up; for c in 1 2; do "
      "unshare -p -f --mount-proc \"$@\" & jobs+=($!); done; "
      "for j in ${jobs[@]}; do wait $j || exit 1; done; ls -A /dev/shm";
  for (unsigned i = 0; i < by_set(2u, 20u); ++i) {
    const Process both(Arguments{"unshare", "-m", "-n", "bash", "-c", script, "bash",
                                 TOROID_COMMAND, "launch", "-n", "2"} +
                       Arguments(kRepeatedTransform.begin() + 1, kRepeatedTransform.end()) +
                       Arguments{"--provider", "shm"});
    const Ended ended = both.wait(60s).value_or(Ended{});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
}

}  // namespace
}  // namespace toroid::testing
