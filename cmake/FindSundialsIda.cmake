# IDA of SUNDIALS 6: its Debian package has no CMake files that find it alone. Target: Sundials::ida.
find_path(SUNDIALS_INCLUDE_DIR ida/ida.h)
find_library(SUNDIALS_IDA_LIBRARY sundials_ida)
mark_as_advanced(SUNDIALS_INCLUDE_DIR SUNDIALS_IDA_LIBRARY)
if(SUNDIALS_INCLUDE_DIR AND EXISTS "${SUNDIALS_INCLUDE_DIR}/sundials/sundials_config.h")
    file(STRINGS "${SUNDIALS_INCLUDE_DIR}/sundials/sundials_config.h" version REGEX "define SUNDIALS_VERSION ")
    string(REGEX MATCH "[0-9.]+" SundialsIda_VERSION "${version}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SundialsIda REQUIRED_VARS SUNDIALS_IDA_LIBRARY SUNDIALS_INCLUDE_DIR
    VERSION_VAR SundialsIda_VERSION HANDLE_VERSION_RANGE)

if(SundialsIda_FOUND AND NOT TARGET Sundials::ida)
    add_library(Sundials::ida UNKNOWN IMPORTED GLOBAL)
    set_target_properties(Sundials::ida PROPERTIES
        IMPORTED_LOCATION "${SUNDIALS_IDA_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SUNDIALS_INCLUDE_DIR}")
endif()
