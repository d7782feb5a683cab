# Compile options of our own targets: vessiot_options(<target>).

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

find_program(VESSIOT_CCACHE ccache)
mark_as_advanced(VESSIOT_CCACHE)
if(VESSIOT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${VESSIOT_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${VESSIOT_CCACHE}")
endif()

# Reading the standard headers is half the time of compiling a file. NOTE: ccache, which remembers whole files, would refuse those that
# were compiled with precompiled headers.
set(precompile_default ON)
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    set(precompile_default OFF)
endif()
option(VESSIOT_PRECOMPILE "Standard headers are read once a build" ${precompile_default})

# vessiot_precompile(<target> [<header>…]): a target whose files include these headers and those of src/precompiled.hpp
function(vessiot_precompile target)
    if(VESSIOT_PRECOMPILE)
        target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/src/precompiled.hpp>" ${ARGN})
    endif()
endfunction()

# vessiot_reuse_precompiled(<target> <other>): a target compiled in the same way as <other>, with its precompiled headers
function(vessiot_reuse_precompiled target other)
    if(VESSIOT_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM ${other})
    endif()
endfunction()

if(VESSIOT_SANITIZE)
    add_compile_options("-fsanitize=${VESSIOT_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options("-fsanitize=${VESSIOT_SANITIZE}")
endif()

if(VESSIOT_BUILD_FUZZERS)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

function(vessiot_options target)
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_compile_options(${target} PRIVATE
        # NOTE: interpreter, scalar and vector code agree bit for bit only if no compiler fuses a*b + c.
        -ffp-contract=off
        # Nobody reads errno after sqrt, and setting it keeps loops from being vectorised.
        -fno-math-errno
        -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
        # GCC 12 sees overlapping copies in std::string operator+ where there are none (its bug 105651).
        $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
        $<$<BOOL:${VESSIOT_WARNINGS_AS_ERRORS}>:-Werror>
        # Options are aggregates with a default at every field: leaving some out is how they are meant.
        $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-designated-field-initializers -Wno-missing-field-initializers>)
    if(VESSIOT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized) # sanitizers hide what std::regex initialises
    endif()
endfunction()
