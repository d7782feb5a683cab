// The main of the test programs, which hold the tests of several files: --file=NAME runs those of one. A filter of
// gtest's own is used in place of it.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

bool is_in(std::string_view path, std::string_view file) {
    return path.ends_with(file) && (path.size() == file.size() || path[path.size() - file.size() - 1] == '/');
}

// Their names as gtest's filter takes them, "A.B:C.D"; empty: there are none.
std::string tests_of(std::string_view file) {
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    std::string filter;
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const testing::TestInfo& test = *suite.GetTestInfo(j);
            if (!is_in(test.file(), file)) continue;
            if (!filter.empty()) filter += ':';
            filter += std::string(suite.name()) + '.' + test.name();
        }
    }
    return filter;
}

} // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const std::string_view option = "--file=";
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (!argument.starts_with(option)) {
            std::fprintf(stderr, "%s: unknown argument %s; --file=NAME runs the tests of one file\n", argv[0], argv[i]);
            return 2;
        }
        if (GTEST_FLAG_GET(filter) != "*") continue;
        const std::string tests = tests_of(argument.substr(option.size()));
        if (tests.empty()) {
            std::fprintf(stderr, "%s: %s has no tests in it\n", argv[0], argv[i]);
            return 1;
        }
        GTEST_FLAG_SET(filter, tests);
    }
    return RUN_ALL_TESTS();
}
