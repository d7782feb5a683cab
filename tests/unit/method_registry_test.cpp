// The list of methods and looking one up.
#include "method/registry.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "core/error.hpp"

namespace vessiot::method::method_registry_test {
namespace {

std::string message_for(std::string_view name) {
    try {
        find_method(name);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

TEST(Registry, FindsEveryMethodByItsName) {
    std::set<std::string_view> names;
    for (const MethodInfo& method : methods()) {
        EXPECT_EQ(&find_method(method.name), &method);
        EXPECT_TRUE(names.insert(method.name).second) << method.name << " is there twice";
    }
}

TEST(Registry, ProposesTheNearestName) {
    EXPECT_EQ(message_for("dopri45"),
              "unknown method \"dopri45\". Did you mean \"dopri54\"? `vessiot methods` lists all.");
    EXPECT_EQ(message_for("RK4"), "unknown method \"RK4\". Did you mean \"rk4\"? `vessiot methods` lists all.");
}

TEST(Registry, ProposesNothingWhereNothingIsNear) {
    EXPECT_EQ(message_for("leapfrog"), "unknown method \"leapfrog\". `vessiot methods` lists all.");
    EXPECT_EQ(message_for(""), "unknown method \"\". `vessiot methods` lists all.");
}

TEST(Registry, CountsStagesAsTheBooksDo) {
    struct Row {
        std::string_view name;
        std::size_t n_stages, n_effective_stages;
        int order, embedded_order, dense_order;
    };
    for (const Row& row : {Row{"euler", 1, 1, 1, 0, 0}, Row{"rk4", 4, 4, 4, 0, 0}, Row{"bs32", 4, 3, 3, 2, 3},
                           Row{"rkf45", 6, 6, 4, 5, 0}, Row{"dopri54", 7, 6, 5, 4, 4}, Row{"tsit54", 7, 6, 5, 4, 4},
                           Row{"dop853", 12, 12, 8, 5, 7}, Row{"feagin108", 17, 17, 10, 8, 0}}) {
        const MethodInfo& method = find_method(row.name);
        EXPECT_EQ(method.n_stages, row.n_stages) << row.name;
        EXPECT_EQ(method.n_effective_stages, row.n_effective_stages) << row.name;
        EXPECT_EQ(method.order, row.order) << row.name;
        EXPECT_EQ(method.embedded_order, row.embedded_order) << row.name;
        EXPECT_EQ(method.dense_order, row.dense_order) << row.name;
        EXPECT_EQ(method.is_adaptive, row.embedded_order > 0) << row.name;
    }
}

TEST(Registry, CitesOnlyWhatTheBibliographyHas) {
    std::ifstream file(std::string(VESSIOT_SOURCE_DIR) + "/docs/references.bib");
    std::stringstream text;
    text << file.rdbuf();
    for (const MethodInfo& method : methods())
        EXPECT_NE(text.str().find("{" + std::string(method.cite) + ","), std::string::npos) << method.cite;
}

TEST(Registry, NamesFamiliesAndViews) {
    EXPECT_EQ(find_method("rk4").family->name, "explicit Runge-Kutta");
    EXPECT_EQ(name(View::any), "any");
}

} // namespace
} // namespace vessiot::method::method_registry_test
