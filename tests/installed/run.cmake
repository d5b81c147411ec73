# Installs the build, moves the installation, and uses it as users would: the command, CMake's
# find_package, and a plain compiler with pkg-config.
#   cmake -DBUILD=DIR -DCOMPILER=PATH -DFLAGS=FLAGS -DWITH_OFI=BOOL -DSCRATCH=DIR -P run.cmake
cmake_minimum_required(VERSION 3.23)
include(${CMAKE_CURRENT_LIST_DIR}/../checks.cmake)
set(prefix ${SCRATCH}/installed)
set(example ${prefix}/share/toroid/examples/library)

# find_package(toroid ARGUMENTS) must fail with a message that matches the pattern.
function(expect_refused arguments pattern)
  file(WRITE ${SCRATCH}/refused/CMakeLists.txt "cmake_minimum_required(VERSION 3.23)
project(refused LANGUAGES CXX)
find_package(toroid ${arguments})
")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SCRATCH}/refused -B ${SCRATCH}/refused/build --fresh
                          -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER}
                  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  expect_match("${result} ${text}" "^1 .*${pattern}")
endfunction()

# compile_plainly(PROGRAM SOURCE PACKAGE [OPTION...]): compiles without a build system.
function(compile_plainly program source package)
  run(pkg-config --cflags --libs ${ARGN} ${package})
  separate_arguments(needed UNIX_COMMAND "${output}")
  separate_arguments(flags UNIX_COMMAND "${FLAGS}")
  run(${COMPILER} ${flags} ${source} -o ${program} ${needed})
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/elsewhere)
file(RENAME ${SCRATCH}/elsewhere ${prefix})
set(ENV{PKG_CONFIG_PATH} "")
foreach(folder lib lib64 lib/x86_64-linux-gnu)
  set(ENV{PKG_CONFIG_PATH} "${prefix}/${folder}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
endforeach()

foreach(file bin/toroid share/toroid/machines/bgl-fitted.toml share/doc/toroid/LICENSE
             share/doc/toroid/CHANGELOG.md include/toroid/hal/packet.hpp include/toroid/detail/hal/queue_head_lookup.hpp)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
run(${prefix}/bin/toroid alltoall --torus 2x2x2 --bytes 240)

run(${CMAKE_COMMAND} -S ${example} -B ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build --parallel)
run(${SCRATCH}/build/hello)
set(expected "${output}")

# The first steps to your own policy, as the documents show them.
set(ENV{CXX} ${COMPILER})
set(ENV{CXXFLAGS} "${FLAGS}")
set(own ${SCRATCH}/own)
file(MAKE_DIRECTORY ${own})
run(${prefix}/bin/toroid policy new nearest ${own})
run(${CMAKE_COMMAND} -P ${own}/nearest/CMakeLists.txt)
run(${prefix}/bin/toroid compare --torus 4x4 --bytes 240 --policies random,${own}/nearest/nearest.so
  --csv ${own}/table.csv)
file(READ ${own}/table.csv output)
expect_match("${output}" "/nearest/nearest\\.so,")

expect_refused("REQUIRED COMPONENTS fft nosuch" "has no component nosuch; known: hal router packet fft fabrics")
expect_refused("0.0 EXACT REQUIRED" "requested version")

compile_plainly(${SCRATCH}/plain ${example}/hello.cpp toroid)
run(${SCRATCH}/plain)
expect_match("${output}" "^${expected}$")

file(WRITE ${SCRATCH}/named.cpp "#include <toroid/packet/node/runner.hpp>
#include <toroid/router/fabrics/make_fabric.hpp>
using namespace toroid;
Program wait_for_all(Node& node) { co_await node.barrier(); }
int main(int, char** arguments) {
  Runner(*make_fabric(arguments[1], Shape::parse(\"3\"), Machine{})).run(wait_for_all);
}
")
compile_plainly(${SCRATCH}/named ${SCRATCH}/named.cpp toroid-fabrics)
run(${SCRATCH}/named sim)
run(${SCRATCH}/named shm)

# Every public header is complete: it needs only headers that are installed.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/toroid/*.hpp)
list(FILTER headers EXCLUDE REGEX "^toroid/detail/|/job/|/ofi/")
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
list(JOIN headers "" text)
file(WRITE ${SCRATCH}/all.cpp "${text}int main() {}\n")
compile_plainly(${SCRATCH}/all ${SCRATCH}/all.cpp toroid)

if(WITH_OFI)
  compile_plainly(${SCRATCH}/ofi ${example}/ofi_jacobi.cpp toroid-ofi)
  run(${SCRATCH}/ofi)
  expect_match("${output}" "^processes: 1, packets: ")
  file(GLOB_RECURSE targets ${prefix}/*/toroid-ofi-targets*.cmake)
  file(REMOVE ${targets})  # leaves what a build without ofi would install
else()
  file(GLOB_RECURSE headers ${prefix}/include/toroid/*/job/*.hpp
       ${prefix}/include/toroid/*ofi*.hpp)
  expect_match("${headers}" "^$")
endif()
expect_refused("REQUIRED COMPONENTS fft ofi" "no component ofi: it was built without ofi .TOROID_OFI.")
expect_refused("REQUIRED COMPONENTS job" "no component job: it was built without ofi .TOROID_OFI.")
