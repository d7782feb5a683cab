// What names of a model mean: a scalar, or the array or record of all scalars whose names begin so.
#include <algorithm>
#include <charconv>

#include "modelica/meaning/reader.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

// A tree of the names below a prefix: 'a.b' with 'a.b[1,2]', 'a.b[2,2].x'.
struct Branching {
    std::size_t declared = nothing;
    std::map<std::vector<std::int64_t>, Branching> elements{};
    std::vector<std::pair<std::string, Branching>> fields{};
    std::size_t first = nothing; // the first of its scalars, for the order of fields

    Branching& field(const std::string& name) {
        for (auto& [known, branch] : fields)
            if (known == name) return branch;
        return fields.emplace_back(name, Branching{}).second;
    }
};

// "[1,2]" at the begin of the text; false: there is none
bool take_subscripts(std::string_view& text, std::vector<std::int64_t>& subscripts) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return false;
    std::string_view inside = text.substr(1, end - 1);
    while (!inside.empty()) {
        std::int64_t k = 0;
        const auto [stop, error] = std::from_chars(inside.data(), inside.data() + inside.size(), k);
        if (error != std::errc()) return false;
        subscripts.push_back(k);
        inside.remove_prefix(static_cast<std::size_t>(stop - inside.data()));
        if (!inside.empty() && inside[0] != ',') return false;
        if (!inside.empty()) inside.remove_prefix(1);
    }
    text.remove_prefix(end + 1);
    return !subscripts.empty();
}

} // namespace

std::optional<Value> Reader::lookup(NameId name) {
    if (name < by_name_.size() && by_name_[name] != nothing) return value_of(by_name_[name]);
    if (const auto it = groups_.find(name); it != groups_.end()) return it->second;
    return groups_.emplace(name, group(module_.names[name])).first->second;
}

Value Reader::value_of(std::size_t declared) {
    Declared& d = declared_[declared];
    d.is_used = true;
    if (d.variable != nothing) return Value::number(flat_.variables[d.variable].node);
    return parameter_value(declared);
}

std::optional<Value> Reader::group(const std::string& name) {
    if (sorted_.empty()) {
        for (std::size_t k = 0; k < declared_names_.size(); ++k) sorted_.emplace_back(declared_names_[k], k);
        std::ranges::sort(sorted_);
    }
    Branching root;
    for (const char sign : {'.', '['}) {
        const std::string prefix = name + sign;
        auto it = std::ranges::lower_bound(sorted_, std::pair<std::string_view, std::size_t>(prefix, 0));
        for (; it != sorted_.end() && it->first.starts_with(prefix); ++it) {
            std::string_view rest = it->first.substr(name.size());
            Branching* at = &root;
            at->first = std::min(at->first, it->second);
            while (!rest.empty()) {
                if (rest[0] == '[') {
                    std::vector<std::int64_t> subscripts;
                    if (!take_subscripts(rest, subscripts)) return {};
                    at = &at->elements[subscripts];
                } else {
                    const std::size_t end = rest.find_first_of(".[", 1);
                    const std::string field(rest.substr(1, end == rest.npos ? rest.npos : end - 1));
                    at = &at->field(field);
                    rest = end == rest.npos ? std::string_view() : rest.substr(end);
                }
                at->first = std::min(at->first, it->second);
            }
            at->declared = it->second;
        }
    }
    if (root.elements.empty() && root.fields.empty()) return {};
    const std::function<Value(Branching&)> build = [&](Branching& b) -> Value {
        if (b.declared != nothing) return value_of(b.declared);
        if (!b.elements.empty()) {
            const std::size_t rank = b.elements.begin()->first.size();
            std::function<Value(std::vector<std::int64_t>)> nest = [&](std::vector<std::int64_t> at) -> Value {
                if (at.size() == rank) {
                    const auto it = b.elements.find(at);
                    return it == b.elements.end() ? Value{} : build(it->second);
                }
                std::int64_t most = 0;
                for (const auto& [subscripts, branch] : b.elements)
                    if (subscripts.size() == rank && std::equal(at.begin(), at.end(), subscripts.begin()))
                        most = std::max(most, subscripts[at.size()]);
                std::vector<Value> items;
                at.push_back(0);
                for (std::int64_t k = 1; k <= std::min<std::int64_t>(most, 1'000'000); ++k) {
                    at.back() = k;
                    items.push_back(nest(at));
                }
                return Value::array(std::move(items));
            };
            return nest({});
        }
        std::ranges::sort(b.fields, {}, [](const auto& pair) { return pair.second.first; });
        auto fields = std::make_shared<std::vector<NameId>>();
        std::vector<Value> items;
        for (auto& [field, branch] : b.fields) {
            fields->push_back(module_.names.add(field));
            items.push_back(build(branch));
        }
        return Value::record(std::move(fields), std::move(items));
    };
    return build(root);
}

// The value of an expression of parameters alone: they decide structure then.
std::optional<Quad> Reader::known(NodeId node) {
    Graph& g = *flat_.graph;
    if (g.is_constant(node)) return g.value(node);
    if (g.node(node).varies) return {};
    std::unordered_map<NodeId, NodeId> image;
    for (const NodeId n : g.cone({node})) {
        const Node x = g.node(n);
        if (x.op == Op::constant) {
            image[n] = n;
        } else if (x.op == Op::read) {
            const auto it = parameter_values_.find(x.a);
            if (it == parameter_values_.end()) return {};
            image[n] = g.constant(it->second);
        } else {
            image[n] = g.rebuild_with(n, image);
        }
    }
    const NodeId result = image[node];
    if (!g.is_constant(result)) return {};
    return g.value(result);
}

} // namespace vessiot::modelica
