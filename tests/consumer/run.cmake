# Installs the build into a scratch folder, builds the consumer against it and runs it.
foreach(step
    "${CMAKE_COMMAND};--install;${BUILD};--prefix;${SCRATCH}/installed"
    "${CMAKE_COMMAND};-S;${SOURCE};-B;${SCRATCH}/build;-DCMAKE_PREFIX_PATH=${SCRATCH}/installed;-DCMAKE_CXX_COMPILER=${COMPILER};-DCMAKE_CXX_FLAGS=${FLAGS}"
    "${CMAKE_COMMAND};--build;${SCRATCH}/build"
    "${SCRATCH}/build/consumer"
    "${SCRATCH}/build/policy")
  execute_process(COMMAND ${step} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${step}")
  endif()
endforeach()
