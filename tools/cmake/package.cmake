# `cpack -G DEB` in the build folder makes the packages toroid (the command), libtoroid-dev (the libraries)
# and python3-toroid (the Python module).
set(CPACK_PACKAGE_NAME toroid)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR toroid)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Message layer on an emulated Blue Gene-style torus")
set(CPACK_PACKAGE_DESCRIPTION "\
Node programs exchange active packets on a torus of up to six dimensions: in a
deterministic packet-level model, between emulated nodes of one workstation, or
between hosts over libfabric. It includes distributed Fourier transforms, and a
command to validate packet scheduling policies against bounds.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL command development)

# Distributors set their own name: -DCPACK_DEBIAN_PACKAGE_MAINTAINER="NAME <ADDRESS>".
if(NOT CPACK_DEBIAN_PACKAGE_MAINTAINER)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The toroid developers <toroid@toroid.invalid>")
endif()
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

# dpkg-shlibdeps finds only linked libraries. OpenBLAS and libfabric are loaded at run time, so they are named here.
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME toroid)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS libopenblas0)
if(TOROID_WITH_OFI)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS libfabric1)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "openssh-client, openmpi-bin")
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtoroid-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(development_needs libfmt-dev libhwloc-dev libopenblas0)
if(TOROID_FFTW)
  list(APPEND development_needs libfftw3-dev)
endif()
if(TOROID_WITH_OFI)
  list(APPEND development_needs libisal-dev libpmix-dev libssl-dev)
endif()
list(JOIN development_needs ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "toroid, cmake, pkg-config")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "\
The static libraries, their headers, and the files for find_package and
pkg-config.")

# python3-toroid depends on the minor version of Python that it was built with, because other versions do not find
# the module.
if(TARGET toroid_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  math(EXPR next_minor "${TOROID_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-toroid)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${TOROID_PYTHON_MINOR}), python3 (<< 3.${next_minor}), python3-numpy, libopenblas0")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-matplotlib, python3-pandas")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS toroid)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
      "${PROJECT_SOURCE_DIR}/tools/packaging/python/postinst;${PROJECT_SOURCE_DIR}/tools/packaging/python/prerm")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "\
The Python module: runs, comparisons, transforms, your own policies, pictures.")
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/cmake/debian_files.cmake)
set(CPACK_TOROID_SOURCE_DIR ${PROJECT_SOURCE_DIR})
include(CPack)
