#include "method/user/coefficient_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

namespace vessiot::method {

namespace {

// Takes an object of such items from the parser.
class Reader final : public nlohmann::json_sax<nlohmann::json> {
public:
    Reader(const std::string& path, const CoefficientKeys& keys) : path_(path), keys_(keys) {}

    std::map<std::string, CoefficientItem> members;

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
        if (std::ranges::find(keys_.known, name) == keys_.known.end()) {
            const auto near = nearest(name, keys_.known);
            throw InvalidInput(fmt::format("{}: {} has {}, but found '{}'{}", path_, keys_.what, keys_.list, name,
                                           near ? fmt::format("; did you mean '{}'?", *near) : ""));
        }
        if (members.contains(name)) throw InvalidInput(fmt::format("{}: '{}' is there twice", path_, name));
        open_.push_back(&members[name]);
        is_value_ = true;
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ == 0) return wrong("a list as a whole");
        CoefficientItem& list = is_value_ ? *open_.back() : open_.back()->items.emplace_back();
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
            fmt::format("{}: {} is an object of numbers, texts and lists of them, such as {}, but found {}", path_,
                        keys_.what, keys_.example, what));
    }
    bool add(CoefficientItem item) {
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
    const CoefficientKeys& keys_;
    std::vector<CoefficientItem*> open_; // the lists around, outermost first; or the member whose value is next
    bool is_value_ = false;
    int depth_ = 0;
};

} // namespace

CoefficientMembers read_coefficient_file(const std::string& path, const CoefficientKeys& keys) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        throw InvalidInput(fmt::format("the {} '{}' cannot be read: no such file, or it is empty",
                                       keys.what.substr(keys.what.find(' ') + 1), path));
    Reader reader(path, keys);
    const std::string all = text.str();
    nlohmann::json::sax_parse(all, &reader);
    for (const std::string_view needed : keys.needed)
        if (!reader.members.contains(std::string(needed)))
            throw InvalidInput(fmt::format("{}: {} needs '{}'", path, keys.what, needed));
    return std::move(reader.members);
}

std::vector<Coefficient> coefficient_list(const CoefficientItem& item, const std::string& path,
                                          const std::string& what) {
    if (!item.is_list)
        throw InvalidInput(fmt::format("{}: {} is a list of numbers, but found '{}'", path, what, item.text));
    std::vector<Coefficient> list;
    for (const CoefficientItem& i : item.items) {
        if (i.is_list) throw InvalidInput(fmt::format("{}: {} is a list of numbers, but a list is in it", path, what));
        list.emplace_back(i.text);
    }
    return list;
}

int claimed_order(const CoefficientItem& item, const std::string& path, const std::string& what) {
    const bool is_order = !item.is_list && !item.text.empty() && item.text.size() <= 3 &&
                          item.text.find_first_not_of("0123456789") == std::string::npos && std::stoi(item.text) > 0;
    if (!is_order) throw InvalidInput(fmt::format("{}: {} is a whole number from 1 on", path, what));
    return std::stoi(item.text);
}

std::string user_name(const CoefficientMembers& members, const std::string& path) {
    const auto found = members.find("name");
    return found != members.end() ? found->second.text : std::filesystem::path(path).stem().string();
}

} // namespace vessiot::method
