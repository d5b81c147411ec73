# Checks that every build of the command gives equal results. Each build runs a list of small jobs twice.
#   cmake -DCOMMANDS=build/tools/toroid,other/tools/toroid -DSCRATCH=DIR -P determinism.cmake
# The environment variable TOROID_OTHER_BUILD may name one more command. By this tools/test compares the build with
# sanitizers and the Release build.
# With -DSOURCE=DIR this script also builds the command at -O0 and -O2 in SCRATCH and compares those builds.
cmake_minimum_required(VERSION 3.23)

set(jobs
  "alltoall --torus 1 --bytes 1"
  "alltoall --torus 8x8 --bytes 241 --seed 7"
  "alltoall --torus 4x4x4 --bytes 720 --per-visit 2"
  "alltoall --torus 3x5x2 --order rank --routing deterministic --bytes 100"
  "alltoall --torus 4x4x4 --order shift --tie split --queues 3"
  "alltoall --torus 4x4m --tie plus --no-transit-first"
  "alltoall --torus 2x3x2x3 --tying any --tie minus"
  "alltoall --torus 2x2x2x2x2x2 --tying per-dimension"
  "fft --torus 2x2x2 --size 16"
  "fft --torus 3x2x4 --size 25x43x73"
  "fft --torus 4x3 --size 7x11x13 --inverse --return --mesh"
  "fft --torus 2x1x2x1x2x3 --size 9x8x10 --routing deterministic --order rank"
  "fft --torus 2x3 --size 6x7x9 --real --precision single --batch 2"
  "fft --method slab --torus 4 --size 16 --planes 2 --window 3 --test-interval 5"
  "fft --method slab --torus 2x2 --size 16 --planes -1 --timings --box-cut 2 --inverse"
  "fft --method slab --torus 3x2 --size 12x7x9 --planes 1 --real --inverse --return"
  "fft --method orbital --torus 2x2x2 --size 12"
  "fft --method orbital --torus 3x3x3 --size 6 --transform dct,dft,dht --schedule=-+- --inverse"
  "fft --method orbital --torus 2x2x2 --size 8 --transform wht --real --precision single"
  "fft --method rows --torus 2x3 --size 3x4x5x6"
  "fft --method rows --torus 2x2x2 --size 4x3x2x3x2x5 --real --inverse --scale 1/N"
  "poisson --torus 2x2x2 --size 16 --method slab")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(failed)
    list(JOIN ARGV " " shown)
    message(FATAL_ERROR "${shown}\n${output}")
  endif()
endfunction()

# Sets `variable` to the JSON of the job without wall-clock figures, command line, date and commit.
function(result_of command job variable)
  separate_arguments(arguments UNIX_COMMAND "${job}")
  execute_process(COMMAND ${command} ${arguments} --json - RESULT_VARIABLE failed
                  OUTPUT_VARIABLE json)
  if(failed)
    message(FATAL_ERROR "${command} ${job}: ${failed}")
  endif()
  foreach(key wall_s packet_hops_per_cpu_s git_hash command date)
    string(JSON json REMOVE "${json}" ${key})
  endforeach()
  set(${variable} "${json}" PARENT_SCOPE)
endfunction()

string(REPLACE "," ";" commands "${COMMANDS}")
if(DEFINED ENV{TOROID_OTHER_BUILD})
  list(APPEND commands "$ENV{TOROID_OTHER_BUILD}")
endif()
list(REMOVE_DUPLICATES commands)
if(SOURCE)
  foreach(level O0 O2)
    set(build ${SCRATCH}/${level})
    run(${CMAKE_COMMAND} -S ${SOURCE} -B ${build} -DTOROID_TESTS=OFF -DCMAKE_BUILD_TYPE=Custom
        -DCMAKE_CXX_FLAGS=-${level})
    run(${CMAKE_COMMAND} --build ${build} --parallel --target toroid)
    list(APPEND commands ${build}/tools/toroid)
  endforeach()
endif()

foreach(job IN LISTS jobs)
  unset(expected)
  foreach(command IN LISTS commands)
    foreach(time first second)
      result_of(${command} "${job}" result)
      if(NOT DEFINED expected)
        set(expected "${result}")
      elseif(NOT result STREQUAL expected)
        message(SEND_ERROR "${job}: the ${time} result of ${command} differs:\n${result}\n"
                           "from the first result of this job:\n${expected}")
      endif()
    endforeach()
  endforeach()
  string(JSON hash GET "${expected}" result_hash)
  message(STATUS "${hash}  ${job}")
endforeach()
