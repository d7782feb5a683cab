// What is said where something is refused.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "vessiot/error.hpp"

namespace vessiot::test {

inline const std::string nothing_thrown = "nothing was thrown";

// The message of the error that a call throws, or the text above.
template <class Error = InvalidInput, class Call> std::string message(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return nothing_thrown;
}

// The same where an InvalidInput must be thrown.
template <class Call> std::string refusal(const Call& call) {
    const std::string text = message(call);
    EXPECT_NE(text, nothing_thrown);
    return text;
}

inline testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

} // namespace vessiot::test
