# Writes OUT, a header with the identity of a build: a hash of the files of the library below ROOT and of WITH, the words for compiler and flags.
# cmake -DROOT=… -DOUT=… -DWITH=… -P build_identity.cmake
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/src/*" "${ROOT}/include/*")
list(SORT files)
set(all "${WITH}")
foreach(name IN LISTS files)
    file(SHA256 "${ROOT}/${name}" hash)
    string(APPEND all " ${name} ${hash}")
endforeach()
string(SHA256 identity "${all}")
string(SUBSTRING "${identity}" 0 16 identity)
file(WRITE "${OUT}" "// Made by cmake/build_identity.cmake.\n#pragma once\n\n#define VESSIOT_BUILD_IDENTITY \"${identity}\"\n")
