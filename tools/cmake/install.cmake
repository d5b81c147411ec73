# find_package(toroid) for others: the libraries toroid::hal, ::router, ::job, ::packet, ::fft.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS toroid_options toroid_hal toroid_router toroid_job toroid_packet toroid_fft
        EXPORT toroid_targets)
set_target_properties(toroid_options PROPERTIES EXPORT_NAME options)
install(TARGETS toroid)
foreach(folder hal router packet fft)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/toroid FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(EXPORT toroid_targets NAMESPACE toroid:: FILE toroid-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/toroid)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/toroid-config.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(PkgConfig)
pkg_check_modules(FFTW3 REQUIRED IMPORTED_TARGET fftw3)
find_dependency(Threads)
find_dependency(OpenSSL 3 COMPONENTS Crypto)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2)
pkg_check_modules(PMIX REQUIRED IMPORTED_TARGET pmix)
include(${CMAKE_CURRENT_LIST_DIR}/toroid-targets.cmake)
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/toroid-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/toroid-config.cmake
              ${PROJECT_BINARY_DIR}/toroid-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/toroid)
