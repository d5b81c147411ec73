# Functions shared by tests that are written in CMake.

# run(COMMAND...): runs a command, which must succeed, and sets `output` to its output.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " shown)
    message(FATAL_ERROR "exit ${result} of: ${shown}\n${text}${errors}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

function(expect_match text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "no '${pattern}' in:\n${text}")
  endif()
endfunction()
