# libquadmath belongs to gcc: its header lies in a folder that only gcc searches. Target: Quadmath::quadmath.
include(CheckIncludeFileCXX)
check_include_file_cxx(quadmath.h QUADMATH_HEADER_IS_FOUND)
if(NOT QUADMATH_HEADER_IS_FOUND)
    find_program(QUADMATH_GCC NAMES g++ g++-14 g++-13 g++-12 gcc)
    mark_as_advanced(QUADMATH_GCC)
    if(QUADMATH_GCC)
        execute_process(COMMAND "${QUADMATH_GCC}" -print-file-name=include
            OUTPUT_VARIABLE quadmath_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(EXISTS "${quadmath_dir}/quadmath.h")
            set(QUADMATH_AFTER_DIR "${quadmath_dir}")
        endif()
    endif()
endif()

include(FindPackageHandleStandardArgs)
if(QUADMATH_HEADER_IS_FOUND OR QUADMATH_AFTER_DIR)
    set(QUADMATH_HEADER "quadmath.h")
endif()
find_package_handle_standard_args(Quadmath REQUIRED_VARS QUADMATH_HEADER)

if(Quadmath_FOUND AND NOT TARGET Quadmath::quadmath)
    add_library(Quadmath::quadmath INTERFACE IMPORTED)
    target_link_libraries(Quadmath::quadmath INTERFACE quadmath)
    if(QUADMATH_AFTER_DIR)
        # Searched last, so that clang keeps its own intrinsics headers.
        target_compile_options(Quadmath::quadmath INTERFACE "SHELL:-idirafter \"${QUADMATH_AFTER_DIR}\"")
    endif()
endif()
