# cmake --install has these components, and `python` (tools/python). `command` has the command, machine files,
# examples, licence, changelog, and the manual pages and completion scripts of documents.cmake. `development` has the
# libraries with their headers, for find_package(toroid) and pkg-config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
include(tools/cmake/public_headers.cmake)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/toroid)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(generated_dir ${PROJECT_BINARY_DIR}/package)
set_target_properties(toroid_options PROPERTIES EXPORT_NAME options)

install(TARGETS toroid RUNTIME COMPONENT command)
install(DIRECTORY tools/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/toroid COMPONENT command)
install(DIRECTORY tools/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/toroid COMPONENT command
        OPTIONAL FILES_MATCHING PATTERN "*.map" PATTERN "*.md")
install(FILES LICENSE CHANGELOG.md README.md tools/packaging/copyright
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
# Changes the paths of example data in the installed README, so that its commands find the data.
install(CODE "set(readme \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/README.md\")
file(READ \"\${readme}\" text)
string(REPLACE \"tools/examples\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/toroid/examples\" text \"\${text}\")
file(WRITE \"\${readme}\" \"\${text}\")" COMPONENT command)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)

# The targets of each component of the package's configuration.
set(core_targets toroid_options toroid_hal toroid_router toroid_packet)
set(fft_targets toroid_fft)
set(fabrics_targets toroid_fabrics)
set(parts core fft fabrics)
if(TOROID_WITH_OFI)
  set(ofi_targets toroid_job toroid_ofi)
  list(APPEND parts ofi)
  list(APPEND public_headers ${public_headers_of_jobs})
endif()
foreach(part IN LISTS parts)
  install(TARGETS ${${part}_targets} EXPORT toroid_${part}_targets ARCHIVE COMPONENT development)
  install(EXPORT toroid_${part}_targets NAMESPACE toroid:: FILE toroid-${part}-targets.cmake
          DESTINATION ${config_dir} COMPONENT development)
endforeach()

# find_package also finds toroid in the build folder, so that policies can be built for a command that is not
# installed: it searches the folder cmake/ of a prefix, just as it searches lib/cmake/toroid.
if(PROJECT_IS_TOP_LEVEL)
  foreach(part IN LISTS parts)
    export(EXPORT toroid_${part}_targets NAMESPACE toroid::
           FILE ${PROJECT_BINARY_DIR}/cmake/toroid-${part}-targets.cmake)
  endforeach()
endif()

set(staged_dir ${generated_dir}/include/toroid)
install(CODE "
  execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DSOURCE=${PROJECT_SOURCE_DIR}\" \"-DOUTPUT=${staged_dir}\"
                          \"-DHEADERS=${public_headers}\" -P \"${PROJECT_SOURCE_DIR}/tools/cmake/stage_headers.cmake\"
                  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT development)
install(DIRECTORY ${staged_dir} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

configure_file(tools/cmake/toroid-config.cmake.in ${generated_dir}/toroid-config.cmake @ONLY)
write_basic_package_version_file(${generated_dir}/toroid-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
if(PROJECT_IS_TOP_LEVEL)
  file(COPY ${generated_dir}/toroid-config.cmake ${generated_dir}/toroid-config-version.cmake
       DESTINATION ${PROJECT_BINARY_DIR}/cmake)
endif()
install(FILES ${generated_dir}/toroid-config.cmake ${generated_dir}/toroid-config-version.cmake
        DESTINATION ${config_dir} COMPONENT development)

# The .pc file gives the prefix relative to its own folder, so that the installation can be moved.
file(RELATIVE_PATH to_prefix /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
set(pc_checked "")
if(TOROID_CHECKED)
  set(pc_checked " -DTOROID_CHECKED")
endif()
set(pc_fftw "")
if(TOROID_FFTW)
  set(pc_fftw "fftw3 fftw3f ")
endif()
configure_file(tools/cmake/toroid.pc.in ${generated_dir}/toroid.pc @ONLY)
install(FILES ${generated_dir}/toroid.pc DESTINATION ${pkgconfig_dir} COMPONENT development)
set(pc_fabrics toroid)
if(TOROID_WITH_OFI)
  set(pc_fabrics toroid-ofi)
  configure_file(tools/cmake/toroid-ofi.pc.in ${generated_dir}/toroid-ofi.pc @ONLY)
  install(FILES ${generated_dir}/toroid-ofi.pc DESTINATION ${pkgconfig_dir} COMPONENT development)
endif()
configure_file(tools/cmake/toroid-fabrics.pc.in ${generated_dir}/toroid-fabrics.pc @ONLY)
install(FILES ${generated_dir}/toroid-fabrics.pc DESTINATION ${pkgconfig_dir} COMPONENT development)

install(DIRECTORY tools/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/toroid/examples/library
        COMPONENT development FILES_MATCHING PATTERN "CMakeLists.txt" PATTERN "*.cpp")
