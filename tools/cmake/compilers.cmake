# The compilers that are known to do. Earlier ones end with pages of errors in <ranges> and <coroutine>;
# of others nothing is known.
function(toroid_expect_compiler id name least)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL id OR NOT CMAKE_CXX_COMPILER_VERSION VERSION_LESS least)
    return()
  endif()
  message(FATAL_ERROR "toroid needs g++ 12 or clang 16, or later; this is ${name} ${CMAKE_CXX_COMPILER_VERSION} "
                      "(${CMAKE_CXX_COMPILER}). Another one: -DCMAKE_CXX_COMPILER=clang++-16")
endfunction()
toroid_expect_compiler(GNU g++ 12)
toroid_expect_compiler(Clang clang 16)
