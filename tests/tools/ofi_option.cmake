# Checks what cmake configures with -DTOROID_OFI=... on a host with and without the libraries of ofi, and
# with -DTOROID_FFTW=... on a host without FFTW:
#   cmake -DSOURCE=DIR -DCOMPILER=PATH -DSCRATCH=DIR -P ofi_option.cmake
cmake_minimum_required(VERSION 3.23)

# Imitates a host without PMIx and ISA-L: copies all other .pc files of pkg-config.
execute_process(COMMAND pkg-config --variable pc_path pkg-config OUTPUT_VARIABLE folders
                OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE ":" ";" folders "${folders}")
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH}/few)
foreach(folder IN LISTS folders)
  file(GLOB files ${folder}/*.pc)
  list(FILTER files EXCLUDE REGEX "/(pmix|libisal)\\.pc$")
  file(COPY ${files} DESTINATION ${SCRATCH}/few)
endforeach()

# configure(EXIT REGEX [ARGUMENT...]) runs cmake, which must exit with EXIT and print a match of REGEX.
function(configure expected pattern)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build --fresh
                          -DCMAKE_CXX_COMPILER=${COMPILER} -DTOROID_TESTS=OFF ${ARGN}
                  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  if(result)
    set(result 1)
  endif()
  if(NOT result EQUAL expected OR NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: exit ${result}, expected ${expected} and '${pattern}' in:\n${text}")
  endif()
endfunction()

configure(0 "Configuring done" -DTOROID_OFI=ON)
configure(0 "Building without ofi, the fabric between processes: TOROID_OFI is OFF" -DTOROID_OFI=OFF)
file(GLOB exported ${SCRATCH}/build/CMakeFiles/Export/*/*/*ofi*)
if(exported)
  message(FATAL_ERROR "a build without ofi would install ${exported}")
endif()

set(ENV{PKG_CONFIG_LIBDIR} ${SCRATCH}/few)
configure(0 "Building without ofi, the fabric between processes: not found: PMIx, ISA-L ")
configure(1 "TOROID_OFI is ON, but these were not found: PMIx, ISA-L" -DTOROID_OFI=ON)
configure(0 "Building without ofi, the fabric between processes: TOROID_OFI is OFF " -DTOROID_OFI=OFF)

file(REMOVE ${SCRATCH}/few/fftw3.pc ${SCRATCH}/few/fftw3f.pc)
configure(1 "fftw3" -DTOROID_OFI=OFF)
configure(0 "Configuring done" -DTOROID_OFI=OFF -DTOROID_FFTW=OFF)
file(STRINGS ${SCRATCH}/build/package/toroid.pc required REGEX "fftw")
if(required)
  message(FATAL_ERROR "a build without FFTW would ask for it: ${required}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
