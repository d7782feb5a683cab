// A tableau as JSON. Numbers are kept as they are written, so that none loses digits.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"
#include "method/user/user_tableau.hpp"

namespace vessiot::method {

namespace {

// A number or text, or a list of them, or of lists.
struct Item {
    bool is_list = false;
    std::string text{};
    std::vector<Item> items{};
};

// Takes an object of such items from the parser.
class Reader final : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Reader(const std::string& path) : path_(path) {}

    std::map<std::string, Item> members;

    bool null() override { return wrong("null"); }
    bool boolean(bool) override { return wrong("true or false"); }
    bool number_integer(number_integer_t value) override { return add({false, std::to_string(value), {}}); }
    bool number_unsigned(number_unsigned_t value) override { return add({false, std::to_string(value), {}}); }
    bool number_float(number_float_t, const string_t& text) override { return add({false, text, {}}); }
    bool string(string_t& text) override { return add({false, text, {}}); }
    bool binary(binary_t&) override { return wrong("bytes"); }
    bool start_object(std::size_t) override { return depth_++ == 0 || wrong("an object inside of another one"); }
    bool end_object() override { return true; }
    bool key(string_t& name) override {
        static constexpr std::string_view known[] = {"name",           "a",      "b", "b_hat", "c", "order",
                                                     "embedded_order", "comment"};
        if (std::ranges::find(known, name) == std::end(known)) {
            const auto near = nearest(name, known);
            throw InvalidInput(fmt::format("{}: a tableau has {}, but found '{}'{}", path_,
                                           "a, b, b_hat, c, name, order, embedded_order and comment", name,
                                           near ? fmt::format("; did you mean '{}'?", *near) : ""));
        }
        if (members.contains(name)) throw InvalidInput(fmt::format("{}: '{}' is there twice", path_, name));
        open_.push_back(&members[name]);
        is_value_ = true;
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ == 0) return wrong("a list as a whole");
        Item& list = is_value_ ? *open_.back() : open_.back()->items.emplace_back();
        list.is_list = true;
        if (!is_value_) open_.push_back(&list);
        is_value_ = false;
        if (open_.size() > 4) return wrong("lists that are nested too deep");
        return true;
    }
    bool end_array() override {
        open_.pop_back();
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
        throw InvalidInput(fmt::format("{} is no JSON: {}", path_, e.what()));
    }

private:
    bool wrong(std::string_view what) const {
        throw InvalidInput(
            fmt::format("{}: a tableau is an object of numbers, texts and lists of them, such as {}, but found {}",
                        path_, R"({"a": [[0, 0], [1, 0]], "b": ["1/2", "1/2"], "c": [0, 1]})", what));
    }
    bool add(Item item) {
        if (depth_ == 0) return wrong("a number or text as a whole");
        if (is_value_) {
            *open_.back() = std::move(item);
            open_.pop_back();
            is_value_ = false;
        } else {
            open_.back()->items.push_back(std::move(item));
        }
        return true;
    }

    const std::string& path_;
    std::vector<Item*> open_; // the lists around, outermost first; or the member whose value is next
    bool is_value_ = false;
    int depth_ = 0;
};

std::vector<Coefficient> list_of(const Item& item, const std::string& path, const std::string& what) {
    if (!item.is_list)
        throw InvalidInput(fmt::format("{}: {} is a list of numbers, but found '{}'", path, what, item.text));
    std::vector<Coefficient> list;
    for (const Item& i : item.items) {
        if (i.is_list) throw InvalidInput(fmt::format("{}: {} is a list of numbers, but a list is in it", path, what));
        list.emplace_back(i.text);
    }
    return list;
}

int order_of(const Item& item, const std::string& path, const std::string& what) {
    const bool is_order = !item.is_list && !item.text.empty() && item.text.size() <= 3 &&
                          item.text.find_first_not_of("0123456789") == std::string::npos && std::stoi(item.text) > 0;
    if (!is_order) throw InvalidInput(fmt::format("{}: {} is a whole number from 1 on", path, what));
    return std::stoi(item.text);
}

} // namespace

ButcherTableau read_tableau(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        throw InvalidInput(fmt::format("the tableau '{}' cannot be read: no such file, or it is empty", path));
    Reader reader(path);
    const std::string all = text.str();
    nlohmann::json::sax_parse(all, &reader);
    const auto find = [&](const char* name) -> const Item* {
        const auto found = reader.members.find(name);
        return found == reader.members.end() ? nullptr : &found->second;
    };
    for (const char* needed : {"a", "b"})
        if (!find(needed)) throw InvalidInput(fmt::format("{}: a tableau needs '{}'", path, needed));
    ButcherTableau tableau;
    tableau.name = find("name") ? find("name")->text : std::filesystem::path(path).stem().string();
    if (!find("a")->is_list) throw InvalidInput(fmt::format("{}: a is a list of rows", path));
    for (std::size_t i = 0; i < find("a")->items.size(); ++i)
        tableau.a.push_back(list_of(find("a")->items[i], path, fmt::format("row {} of a", i + 1)));
    tableau.b = list_of(*find("b"), path, "b");
    if (const Item* b_hat = find("b_hat")) tableau.b_hat = list_of(*b_hat, path, "b_hat");
    if (const Item* c = find("c")) tableau.c = list_of(*c, path, "c");
    if (const Item* order = find("order")) tableau.order = order_of(*order, path, "order");
    if (const Item* order = find("embedded_order")) tableau.embedded_order = order_of(*order, path, "embedded_order");
    return tableau;
}

} // namespace vessiot::method
