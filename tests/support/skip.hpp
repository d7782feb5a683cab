// Why a test may have nothing to do. The packages of `./test` bring everything, so that all of them run there; a build
// without an optional part has the rest to test, and says which part is missing.
#pragma once

#include <gtest/gtest.h>

#include "expr/kernel/native.hpp"

// Native code is made by a plug-in, which is built where LLVM is found. Where it was built, native_test fails if it is
// not there.
#define VESSIOT_SKIP_WITHOUT_PLUGIN()                                                                                  \
    if (!vessiot::expr::plugin().available()) GTEST_SKIP() << vessiot::expr::plugin().reason()
