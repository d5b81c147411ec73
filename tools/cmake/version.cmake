# Writes version.cpp. Runs at every build, but changes the file only if the commit changed.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT hash)
  set(hash unknown)
endif()
configure_file(${SOURCE_DIR}/tools/text/version.cpp.in ${OUTPUT} @ONLY)
