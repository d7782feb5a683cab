#include <gtest/gtest.h>

#include <string>

#include "vessiot/version.hpp"

TEST(Version, OfTheLibraryIsThatOfItsHeaders) {
    EXPECT_STREQ(vessiot::version(), vessiot::header_version);
    EXPECT_EQ(vessiot::version(), std::to_string(VESSIOT_VERSION_MAJOR) + "." + std::to_string(VESSIOT_VERSION_MINOR) +
                                      "." + std::to_string(VESSIOT_VERSION_PATCH));
}
