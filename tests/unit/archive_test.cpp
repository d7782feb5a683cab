// Named fields: what is written is read, whatever the order; what is not as it should be is named.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "solve/run/archive.hpp"
#include "support/refusal.hpp"

namespace vessiot::archive_test {
namespace {

using test::has;
using test::refusal;

enum class Colour : std::uint8_t { red, green };

struct Row {
    std::string name;
    double t = 0;
    std::vector<double> values;
    friend bool operator==(const Row&, const Row&) = default;
};

struct All {
    bool is_so = false;
    char small = 0;
    int number = 0;
    std::int64_t large = 0;
    double real = 0;
    Quad exact = 0;
    Colour colour = Colour::red;
    std::string text;
    std::vector<std::string> texts;
    std::vector<double> list;
    std::vector<std::vector<std::int32_t>> sets;
    std::array<std::int64_t, 3> three{};
    linalg::Vector<double> point = linalg::Vector<double>(2);
    std::vector<Row> rows;

    void exchange(Archive& archive) {
        archive("is_so", is_so);
        archive("small", small);
        archive.part("numbers", 1, [&] {
            archive("number", number);
            archive("large", large);
            archive("real", real);
            archive("exact", exact);
        });
        archive("colour", colour);
        archive("text", text);
        archive("texts", texts);
        archive("list", list);
        archive("sets", sets);
        archive("three", three);
        archive("point", point);
        archive.table("rows", rows, Archive::column("name", &Row::name), Archive::column("t", &Row::t),
                      Archive::column("values", &Row::values));
    }
};

All some() {
    All a;
    a.is_so = true;
    a.small = -3;
    a.number = -70000;
    a.large = std::int64_t{1} << 60;
    a.real = 0.1;
    a.exact = Quad(1) / 3;
    a.colour = Colour::green;
    a.text = std::string("with a\0 and\n", 12);
    a.texts = {"", "x'", "long and longer"};
    a.list = {1, 2.5, -0.0};
    a.sets = {{1, 2}, {}, {-5}};
    a.three = {7, 8, 9};
    a.point[0] = 1e-300;
    a.point[1] = 2;
    a.rows = {{"hit", 1.5, {1, 2}}, {"", 0, {}}};
    return a;
}

template <class T> std::string written(T& value) {
    std::string bytes;
    Archive archive = Archive::writer(bytes);
    value.exchange(archive);
    return bytes;
}

void read(const std::string& bytes, All& to) {
    Archive archive = Archive::reader(bytes);
    to.exchange(archive);
    archive.finish();
}

TEST(Archive, GivesBackWhatWasWritten) {
    All a = some(), b;
    read(written(a), b);
    EXPECT_EQ(b.is_so, a.is_so);
    EXPECT_EQ(b.small, a.small);
    EXPECT_EQ(b.number, a.number);
    EXPECT_EQ(b.large, a.large);
    EXPECT_EQ(b.real, a.real);
    EXPECT_TRUE(b.exact == a.exact);
    EXPECT_EQ(b.colour, a.colour);
    EXPECT_EQ(b.text, a.text);
    EXPECT_EQ(b.texts, a.texts);
    EXPECT_EQ(b.list, a.list);
    EXPECT_EQ(b.sets, a.sets);
    EXPECT_EQ(b.three, a.three);
    EXPECT_EQ(b.point[0], a.point[0]);
    EXPECT_EQ(b.rows, a.rows);
    EXPECT_EQ(written(b), written(a));
}

TEST(Archive, FindsFieldsByTheirNames) {
    std::string bytes;
    Archive out = Archive::writer(bytes);
    int a = 1, b = 2;
    out("a", a);
    out.part("inner", 3, [&] { out("a", b); });
    Archive in = Archive::reader(bytes);
    in.part("inner", 3, [&] { in("a", a); });
    in("a", b);
    in.finish();
    EXPECT_EQ(std::pair(a, b), std::pair(2, 1));
}

TEST(Archive, SaysWhatIsNotAsItShouldBe) {
    std::string bytes;
    Archive out = Archive::writer(bytes);
    int number = 1;
    double real = 2;
    std::vector<double> list = {1, 2};
    out("number", number);
    out.part("part", 1, [&] { out("list", list); });
    const auto why = [&](const auto& ask) {
        return refusal([&] {
            Archive in = Archive::reader(bytes);
            ask(in);
        });
    };
    EXPECT_EQ(why([&](Archive& in) { in("h", number); }), "it has no field 'h'");
    EXPECT_EQ(why([&](Archive& in) { in("number", real); }),
              "its field 'number' holds integers, and numbers are needed");
    EXPECT_EQ(why([&](Archive& in) { in.part("part", 1, [&] { in("list", real); }); }),
              "its field 'part.list' has 2 values, and 1 are needed");
    std::vector<double> three(3);
    EXPECT_EQ(why([&](Archive& in) { in.part("part", 1, [&] { in.fixed("list", three); }); }),
              "its field 'part.list' has 2 values, and 3 are needed");
    EXPECT_EQ(why([&](Archive& in) { in.part("part", 2, [&] { in("list", list); }); }),
              "its part 'part' has version 1, and 2 is needed");
    EXPECT_EQ(why([&](Archive& in) {
                  in("number", number);
                  in.finish();
              }),
              "it has a field 'part' that is not known here");
    const std::string once = bytes;
    bytes += once;
    EXPECT_EQ(why([](Archive&) {}), "it has two fields 'number'");
}

TEST(Archive, ThatEndsEarlyIsRefusedWhereverItEnds) {
    All a = some();
    const std::string bytes = written(a);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        All b;
        const std::string why = refusal([&] { read(bytes.substr(0, n), b); });
        EXPECT_TRUE(has(why, "ends early") || has(why, "no field")) << n << why;
    }
}

// Any byte may be another one: what is read is something else, or refused; nothing takes memory for what is not there.
TEST(Archive, WithAnotherByteIsReadOrRefused) {
    All a = some();
    const std::string bytes = written(a);
    for (std::size_t n = 0; n < bytes.size(); ++n)
        for (const int flip : {1, 0x40, 0xff}) {
            std::string other = bytes;
            other[n] = static_cast<char>(other[n] ^ flip);
            All b;
            try {
                read(other, b);
            } catch (const BadArchive&) {
            }
            EXPECT_LE(b.rows.size(), bytes.size());
        }
}

} // namespace
} // namespace vessiot::archive_test
