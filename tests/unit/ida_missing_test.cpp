// Built without SUNDIALS: the method ida is in the list, and says what it lacks.
#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"
#include "method/dae/ida.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::ida_missing_test {
namespace {

TEST(IdaMissing, SaysWhatIsNeeded) {
    EXPECT_FALSE(method::has_ida());
    EXPECT_NO_THROW(method::find_method("ida"));
    try {
        solve_system(test::gallery_system("hires"), {.method = "ida"});
        FAIL();
    } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("needs SUNDIALS"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("libsundials-dev"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace vessiot::ida_missing_test
