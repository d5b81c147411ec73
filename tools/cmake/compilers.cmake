# The oldest compilers known to work. Older ones fail with pages of errors in <ranges> and <coroutine>;
# other compilers are untested.
function(toroid_expect_compiler id name least)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL id OR NOT CMAKE_CXX_COMPILER_VERSION VERSION_LESS least)
    return()
  endif()
  message(FATAL_ERROR "toroid needs g++ 12 or clang 16, or later; this is ${name} ${CMAKE_CXX_COMPILER_VERSION} "
                      "(${CMAKE_CXX_COMPILER}). To choose another compiler: -DCMAKE_CXX_COMPILER=clang++-16")
endfunction()
toroid_expect_compiler(GNU g++ 12)
toroid_expect_compiler(Clang clang 16)
