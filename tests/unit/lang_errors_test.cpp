// Wrong models, and what their authors are told: every message word for word, with line and caret.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "unit/wrong_models/wrong_models.hpp"

namespace vessiot::lang {
namespace {

std::vector<WrongModel> wrong_models() {
    std::vector<WrongModel> all;
    for (const auto part :
         {wrong_names, wrong_indices, wrong_shapes, wrong_formulas, wrong_statements, wrong_results, wrong_whole})
        for (WrongModel& model : part()) all.push_back(std::move(model));
    return all;
}

class WrongModels : public testing::TestWithParam<WrongModel> {};

TEST_P(WrongModels, AreExplained) {
    const WrongModel& model = GetParam();
    const Source source("model.ves", model.text.substr(1));
    try {
        read_model(source, {.set = model.set});
        FAIL() << "no error";
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.what(), model.message.substr(1));
    }
}

INSTANTIATE_TEST_SUITE_P(All, WrongModels, testing::ValuesIn(wrong_models()),
                         [](const auto& test) { return test.param.name; });

TEST(Limits, AreRaisedBySettings) {
    const Source source("model.ves", "unknown x[20]\nfor i = 1..20: x[i]' = i\n");
    EXPECT_THROW(read_model(source, {.set = {}, .max_instances = 19}), InvalidInput);
    EXPECT_NO_THROW(read_model(source, {.set = {}, .max_instances = 20}));
}

} // namespace
} // namespace vessiot::lang
