# Makes the Debian packages of the build and checks their files and dependencies.
#   cmake -DBUILD=DIR -DWITH_FFTW=BOOL -DWITH_OFI=BOOL -DWITH_PYTHON=BOOL -DSCRATCH=DIR -P deb.cmake
cmake_minimum_required(VERSION 3.23)
include(${CMAKE_CURRENT_LIST_DIR}/../checks.cmake)

# read(VARIABLE COMMAND...): sets VARIABLE to the command's output.
function(read variable)
  run(${ARGN})
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# expect_files(PACKAGE PATTERN...): each pattern must match the path of a file in the package.
function(expect_files package)
  read(listing dpkg-deb --contents ${package})
  foreach(pattern IN LISTS ARGN)
    expect_match("${listing}" " \\./usr/${pattern}\n")
  endforeach()
  if(listing MATCHES " \\./usr/(local|src)/")
    message(FATAL_ERROR "files in /usr/local or /usr/src, which belong to the administrator:\n${listing}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
read(log ${CMAKE_CPACK_COMMAND} --config ${BUILD}/CPackConfig.cmake -G DEB -B ${SCRATCH})
file(GLOB command ${SCRATCH}/toroid_*.deb)
file(GLOB development ${SCRATCH}/libtoroid-dev_*.deb)

read(needs dpkg-deb --field ${command} Depends)
foreach(library libc6 "libfmt[0-9]+" libhwloc15 zlib1g)
  expect_match("${needs}" "${library} ?[(,]")
endforeach()
expect_match("${needs}" "libopenblas0(,|\n|$)")  # the command loads it by name
if(WITH_FFTW)
  expect_match("${needs}" "libfftw3-double3 .*libfftw3-single3 ")
elseif("${needs}" MATCHES "fftw")
  message(FATAL_ERROR "a build without FFTW depends on it: ${needs}")
endif()
read(recommended dpkg-deb --field ${command} Recommends)
read(development_needs dpkg-deb --field ${development} Depends)
expect_match("${development_needs}" "libopenblas0(,|\n|$)")
if(WITH_OFI)
  expect_match("${needs}" "libpmix2(t64)? .*libssl3(t64)? ")  # t64: packages of Debian 13 (64-bit time_t)
  expect_match("${recommended}" "libfabric1")
  expect_match("${development_needs}" "libpmix-dev")
elseif("${needs} ${recommended} ${development_needs}" MATCHES "pmix|libssl|libisal|libfabric")
  message(FATAL_ERROR "a build without ofi depends on its libraries: ${needs} ${recommended}")
endif()
read(fields dpkg-deb --field ${command} Section Maintainer Description)
expect_match("${fields}" "Section: science\nMaintainer: .+ <.+@.+>\nDescription: .+\n .+")

expect_files(${command} bin/toroid share/man/man1/toroid\\.1\\.gz share/man/man1/toroid-fft\\.1\\.gz
             share/bash-completion/completions/toroid share/zsh/vendor-completions/_toroid
             share/fish/vendor_completions\\.d/toroid\\.fish share/toroid/machines/bgl-fitted\\.toml
             share/toroid/examples/EMD-3001\\.map share/toroid/examples/README\\.md
             share/doc/toroid/LICENSE share/doc/toroid/changelog\\.gz share/doc/toroid/CHANGELOG\\.md share/doc/toroid/copyright)
expect_files(${development} lib/libtoroid_fft\\.a lib/cmake/toroid/toroid-config\\.cmake
             lib/pkgconfig/toroid\\.pc include/toroid/hal/packet\\.hpp
             share/toroid/examples/library/CMakeLists\\.txt
             share/doc/libtoroid-dev/changelog\\.gz share/doc/libtoroid-dev/copyright)
read(log dpkg-deb --extract ${command} ${SCRATCH}/command)
read(dynamic readelf --dynamic ${SCRATCH}/command/usr/bin/toroid)
if(dynamic MATCHES "RPATH|RUNPATH")
  message(FATAL_ERROR "the command has a run path:\n${dynamic}")
endif()

if(WITH_PYTHON)
  file(GLOB python ${SCRATCH}/python3-toroid_*.deb)
  read(python_needs dpkg-deb --field ${python} Depends)
  foreach(package python3 python3-numpy libopenblas0 "libfmt[0-9]+")
    expect_match("${python_needs}" "(^|, ?)${package} ?([(,]|\n|$)")
  endforeach()
  expect_files(${python} lib/python3/dist-packages/toroid/_toroid\\..+\\.so
               lib/python3/dist-packages/toroid/__init__\\.py
               lib/python3/dist-packages/toroid/py\\.typed
               share/doc/python3-toroid/changelog\\.gz share/doc/python3-toroid/copyright)
endif()
file(REMOVE_RECURSE ${SCRATCH})
