# CPack runs this before it makes the packages. Debian's rules require that manual pages are compressed, and that
# every package has a copyright file and a compressed changelog.
set(packages command:toroid development:libtoroid-dev python:python3-toroid)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(entry IN LISTS packages)
  string(REPLACE ":" ";" entry ${entry})
  list(GET entry 0 component)
  list(GET entry 1 package)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  if(NOT EXISTS ${root})
    continue()
  endif()
  set(documents ${root}/usr/share/doc/${package})
  file(COPY ${CPACK_TOROID_SOURCE_DIR}/tools/packaging/copyright DESTINATION ${documents})
  file(WRITE ${documents}/changelog "toroid (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; CHANGELOG.md of the sources says what is new.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${now}
")
  file(GLOB manual_pages ${root}/usr/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${documents}/changelog ${manual_pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
