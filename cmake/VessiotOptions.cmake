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

# Reading our own headers and compiling the same templates again and again is most of the rest: files of one folder are compiled together.
option(VESSIOT_UNITY "The files of a folder are compiled as one, or as few" ON)
set(VESSIOT_UNITY_FILES 18 CACHE STRING "At most so many at once")
set(VESSIOT_UNITY_SMALL 5 CACHE STRING "Folders of so many files or fewer are compiled with the files of the folder above")
mark_as_advanced(VESSIOT_UNITY_FILES VESSIOT_UNITY_SMALL)

# Code whose own speed nobody notices, tests and what writes texts: half the time of -O3 to compile. NOTE: with -Og GCC 12 takes members of
# std::regex for uninitialised.
function(vessiot_compile_fast target)
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Og;-Wno-maybe-uninitialized>
        $<$<AND:$<CONFIG:Release>,$<NOT:$<CXX_COMPILER_ID:GNU>>>:-O1>)
endfunction()

# vessiot_unity(<target> [COLD <folder>…]): called when all sources of the target are known. What stands in unnamed namespaces has another name
# in each file of a group. NOTE: CMake leaves files with compile options or include folders of their own alone.
# COLD: folders of src/, those below them included, in which no step of a run is made: -O1 takes three quarters of the time of -O3 to compile.
function(vessiot_unity target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COLD")
    if(NOT VESSIOT_UNITY)
        return()
    endif()
    list(JOIN arg_COLD "|" cold)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(SORT sources)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
        cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
        if(NOT path MATCHES "^\\.\\." AND NOT path MATCHES "^build/") # made by the build
            cmake_path(GET path PARENT_PATH folder)
            list(APPEND folders "${folder}")
            list(APPEND files_of_${folder} "${source}")
        endif()
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(folder IN LISTS folders)
        set(room "${folder}")
        list(LENGTH files_of_${folder} number)
        if(number LESS_EQUAL VESSIOT_UNITY_SMALL AND folder MATCHES "^[^/]+/[^/]+/") # in a folder of its own below src/<part>
            cmake_path(GET folder PARENT_PATH room)
        endif()
        string(MAKE_C_IDENTIFIER "${room}" room)
        if(cold AND folder MATCHES "^src/(${cold})(/|$)")
            string(APPEND room "_cold")
        endif()
        list(APPEND rooms ${room})
        list(APPEND room_${room} ${files_of_${folder}})
    endforeach()
    list(REMOVE_DUPLICATES rooms)
    foreach(room IN LISTS rooms)
        vessiot_unity_groups(${target} ${room} ${room_${room}})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# vessiot_unity_groups(<target> <room> <file>…): its files are one compilation, or as few of about the same size as VESSIOT_UNITY_FILES allows
function(vessiot_unity_groups target room)
    list(LENGTH ARGN n_files)
    math(EXPR n_groups "(${n_files} + ${VESSIOT_UNITY_FILES} - 1) / ${VESSIOT_UNITY_FILES}")
    set(number 0)
    foreach(source IN LISTS ARGN)
        math(EXPR group "${number} * ${n_groups} / ${n_files}")
        math(EXPR number "${number} + 1")
        set(group ${room}_${group})
        set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
        if(room MATCHES "_cold$") # the file that CMake will write for the group
            set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx"
                TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
        endif()
    endforeach()
endfunction()

# Programs of which there are many, the tests, are linked in half the time by the linker gold, which comes with binutils, or by mold.
find_program(VESSIOT_FAST_LINKER NAMES ld.mold ld.gold)
mark_as_advanced(VESSIOT_FAST_LINKER)
function(vessiot_link_fast target)
    if(VESSIOT_FAST_LINKER MATCHES "ld\\.(mold|gold)$")
        target_link_options(${target} PRIVATE "-fuse-ld=${CMAKE_MATCH_1}")
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
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # a fourteenth of its time is collecting garbage, for files that need 800 MB
        target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=1000000")
    endif()
    if(VESSIOT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized) # sanitizers hide what std::regex initialises
    endif()
endfunction()
