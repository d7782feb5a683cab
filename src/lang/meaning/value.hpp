// What an expression of a model stands for: a number, or an array of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "expr/graph/graph.hpp"

namespace vessiot::lang {

using Dims = std::vector<std::int64_t>;

// The element at indices (from 1), which may contain loop variables of the loops that are open when it is asked for.
using Element = std::function<expr::NodeId(const std::vector<expr::FormId>&)>;

// An array is either *listed*, every element a node of its own (vectors as `[a, b, c]`), or a *family*, one template
// for all elements (names of arrays and what is made from them), so that its cost does not depend on its size.
class Value {
public:
    Value() = default;
    Value(expr::NodeId number) : number_(number) {}                     // NOLINT: a number is a value
    static Value listed(Dims dims, std::vector<expr::NodeId> elements); // row-major
    static Value family(Dims dims, Element element);

    bool is_number() const { return dims_.empty(); }
    bool is_listed() const { return elements_ != nullptr; }
    const Dims& dims() const { return dims_; } // empty: a number
    std::int64_t size() const;

    expr::NodeId number() const { return number_; }
    const std::vector<expr::NodeId>& elements() const { return *elements_; }
    const Element& element() const { return *element_; }

private:
    Dims dims_;
    expr::NodeId number_ = 0;
    std::shared_ptr<const std::vector<expr::NodeId>> elements_;
    std::shared_ptr<const Element> element_;
};

// "a number", "a vector with 3 components", "a 2 x 3 matrix", "an array of 2 x 3 x 4"
std::string describe(const Dims& dims);

// "the left side has 3 components, the right side 2", for any two things with different shapes
std::string describe_mismatch(const std::string& first, const Dims& a, const std::string& second, const Dims& b);

} // namespace vessiot::lang
