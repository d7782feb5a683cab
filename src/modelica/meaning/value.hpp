// What an expression of Base Modelica is worth while a model is taken apart: a number of the expression graph (it may
// contain variables), an array or a record of such, a text, a table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expr/graph/graph.hpp"
#include "modelica/syntax/ast.hpp"

namespace vessiot::modelica {

struct Value {
    enum class Kind : std::uint8_t { none, number, array, record, text, table, function };

    Kind kind = Kind::none;
    std::uint32_t node = 0;                              // number: NodeId; text, function: NameId; table: which one
    std::shared_ptr<std::vector<Value>> items{};         // of an array or a record; of a function: arguments given
    std::shared_ptr<const std::vector<NameId>> fields{}; // of a record

    static Value number(expr::NodeId node) { return {Kind::number, node, {}, {}}; }
    static Value text(NameId name) { return {Kind::text, name, {}, {}}; }
    static Value array(std::vector<Value> items) {
        return {Kind::array, 0, std::make_shared<std::vector<Value>>(std::move(items)), {}};
    }
    static Value record(std::shared_ptr<const std::vector<NameId>> fields, std::vector<Value> items) {
        return {Kind::record, 0, std::make_shared<std::vector<Value>>(std::move(items)), std::move(fields)};
    }

    bool is_number() const { return kind == Kind::number; }
    bool is_array() const { return kind == Kind::array; }
    bool is_record() const { return kind == Kind::record; }
    std::size_t size() const { return items ? items->size() : 0; }
    const Value& operator[](std::size_t k) const { return (*items)[k]; }
    // For writing: nobody else sees the change.
    std::vector<Value>& own_items() {
        if (items.use_count() > 1) items = std::make_shared<std::vector<Value>>(*items);
        return *items;
    }
};

// Its numbers, row by row.
inline void add_numbers(const Value& value, std::vector<expr::NodeId>& into) {
    if (value.is_number()) into.push_back(value.node);
    if (value.items)
        for (const Value& item : *value.items) add_numbers(item, into);
}

inline int rank_of(const Value& value) {
    int rank = 0;
    for (const Value* v = &value; v->is_array(); v = &(*v)[0]) {
        ++rank;
        if (v->size() == 0) break;
    }
    return rank;
}

} // namespace vessiot::modelica
