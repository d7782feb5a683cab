// Functions of a text, executed with expressions.
#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/text.hpp"
#include "modelica/meaning/evaluator.hpp"
#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

constexpr std::size_t most_calls = 100; // of functions in each other

// Everything that a call depends on; false: something that has no number.
bool add_key(const Value& value, std::vector<std::uint32_t>& key) {
    key.push_back(static_cast<std::uint32_t>(value.kind));
    key.push_back(value.items ? static_cast<std::uint32_t>(value.size()) : value.node);
    if (value.kind == Value::Kind::function) return false;
    if (value.items)
        for (const Value& item : *value.items)
            if (!add_key(item, key)) return false;
    return true;
}

} // namespace

Value Evaluator::call(const Expr& e) {
    const std::string& name = module_.names[e.name];
    NameId function = e.name;
    std::vector<Value> args;
    std::vector<std::pair<NameId, Value>> named;
    if (const auto value = local(e.name); value && value->kind == Value::Kind::function) {
        function = value->node;
        if (value->items)
            for (const Value& given : *value->items) args.push_back(given);
        if (value->fields)
            for (std::size_t k = 0; k < value->fields->size(); ++k) named.emplace_back((*value->fields)[k], args[k]);
        args.clear();
    } else if (!declarations_.classes.contains(e.name)) {
        if (auto result = Builtins(*this, flat_).call(name, e)) return *std::move(result);
    }
    for (const ExprId arg : module_.args(e)) {
        const Expr& a = module_.expressions[arg];
        if (a.kind == ExprKind::assignment) {
            const NameId argument = a.name;
            named.emplace_back(argument, evaluate(module_.arg(a, 0)));
        } else {
            args.push_back(evaluate(arg));
        }
    }
    const auto it = declarations_.classes.find(function);
    if (it == declarations_.classes.end()) {
        if (auto result = Builtins(*this, flat_).library(name, args, e.span)) {
            used_prelude_.insert(name);
            return *std::move(result);
        }
        fail(e.span, fmt::format("'{}' is called here, but the text does not define it{}", printable(name),
                                 module_.is_by_rumoca || !module_.is_marked
                                     ? "; rumoca leaves functions out without a word: export with OpenModelica"
                                     : ": export without the option inlineFunctions, which leaves functions out"));
    }
    const Class& c = *it->second;
    if (c.kind == ClassKind::record) return construct(c, args, named, e.span);
    if (c.kind == ClassKind::external_object) return Builtins(*this, flat_).table(module_.names[c.name], args, e.span);
    if (c.kind == ClassKind::type && args.size() == 1) return args[0]; // E(3), Real(x)
    if (c.kind != ClassKind::function) fail(e.span, fmt::format("'{}' is no function", printable(name)));
    return execute(c, args, named, e.span);
}

Value Evaluator::call(NameId function, const std::vector<Value>& args, Span span) {
    const auto it = declarations_.classes.find(function);
    if (it == declarations_.classes.end() || it->second->kind != ClassKind::function)
        fail(span, fmt::format("'{}' is no function", printable(module_.names[function])));
    return execute(*it->second, args, {}, span);
}

// function f(k = 1): an argument that is a function, with some of its own arguments
Value Evaluator::partial(const Expr& e) {
    std::vector<Value> items;
    auto fields = std::make_shared<std::vector<NameId>>();
    for (const ExprId arg : module_.args(e)) {
        const Expr a = module_.expressions[arg];
        if (a.kind != ExprKind::assignment)
            fail(a.span, "the arguments of 'function f(…)' are named: function f(k = 1)");
        fields->push_back(a.name);
        items.push_back(evaluate(module_.arg(a, 0)));
    }
    return {Value::Kind::function, e.name, std::make_shared<std::vector<Value>>(std::move(items)), fields};
}

Value Evaluator::construct(const Class& record, const std::vector<Value>& args,
                           const std::vector<std::pair<NameId, Value>>& named, Span span) {
    auto fields = std::make_shared<std::vector<NameId>>();
    std::vector<Value> items;
    for (const Component& c : record.components) {
        const std::size_t k = fields->size();
        fields->push_back(c.name);
        const auto given = std::ranges::find_if(named, [&](const auto& pair) { return pair.first == c.name; });
        if (k < args.size())
            items.push_back(args[k]);
        else if (given != named.end())
            items.push_back(given->second);
        else if (c.value != nothing)
            items.push_back(evaluate(c.value));
        else
            items.push_back(default_value(c.type, {}, span));
    }
    return Value::record(std::move(fields), std::move(items));
}

// Zeros in the shape of a type.
Value Evaluator::default_value(NameId type, const std::vector<std::int64_t>& dimensions, Span span) {
    Value value = Value::number(g_.zero());
    if (module_.names[type] == "String") value = Value::text(module_.names.add("\"\""));
    if (const auto it = declarations_.classes.find(type); it != declarations_.classes.end()) {
        if (it->second->kind == ClassKind::record) {
            const Depth depth(*this, span);
            auto fields = std::make_shared<std::vector<NameId>>();
            std::vector<Value> items;
            for (const Component& c : it->second->components) {
                std::vector<std::int64_t> sizes;
                for (const ExprId size : c.dimensions)
                    sizes.push_back(module_.expressions[size].kind == ExprKind::whole ? 0
                                                                                      : whole_number(size, "a size"));
                fields->push_back(c.name);
                items.push_back(default_value(c.type, sizes, span));
            }
            value = Value::record(std::move(fields), std::move(items));
        } else if (it->second->kind == ClassKind::type && it->second->base != nothing && it->second->base != type) {
            value = default_value(it->second->base, {}, span);
        }
    }
    for (std::size_t k = dimensions.size(); k-- > 0;) {
        if (dimensions[k] < 0 || dimensions[k] > 1'000'000) fail(span, "this array is too large");
        for (std::int64_t j = 0; j < dimensions[k]; ++j) count_work(span);
        value = Value::array(std::vector<Value>(static_cast<std::size_t>(dimensions[k]), value));
    }
    return value;
}

Value Evaluator::execute(const Class& function, const std::vector<Value>& args,
                         const std::vector<std::pair<NameId, Value>>& named, Span span) {
    const std::string& name = module_.names[function.name];
    if (!function.external.empty() || (function.algorithm.empty() && function.components.empty())) {
        if (auto result = Builtins(*this, flat_).library(name, args, span)) return *std::move(result);
        fail(span, fmt::format("'{}' is an external function in {}, which is not supported", printable(name),
                               function.external.empty() ? "no language" : function.external));
    }
    if (function.is_partial) fail(span, fmt::format("'{}' is partial: it says only what its arguments are", name));
    if (frames_.size() >= most_calls)
        fail(span, fmt::format("'{}' is called in itself more than {} times", printable(name), most_calls));
    const Depth depth(*this, span);
    std::vector<std::uint32_t> key{function.name};
    bool has_key = named.empty();
    for (const Value& arg : args) has_key = has_key && add_key(arg, key);
    if (has_key)
        if (const auto it = results_.find(key); it != results_.end()) return it->second;
    Frame frame;
    std::size_t next = 0;
    for (const Component& c : function.components) {
        if (c.direction != Causality::input) continue;
        const auto given = std::ranges::find_if(named, [&](const auto& pair) { return pair.first == c.name; });
        if (given != named.end())
            frame.locals.emplace_back(c.name, given->second);
        else if (next < args.size())
            frame.locals.emplace_back(c.name, args[next++]);
        else if (c.value != nothing)
            frame.locals.emplace_back(c.name, Value{}); // below, since it may read other arguments
        else
            fail(span, fmt::format("the argument '{}' of '{}' is missing", printable(module_.names[c.name]),
                                   printable(name)));
    }
    if (next < args.size())
        fail(span, fmt::format("'{}' has {}, but is called with {}", printable(name),
                               plural(frame.locals.size(), "argument"), args.size()));
    auto iterators = std::exchange(iterators_, {});
    frames_.push_back(&frame);
    const auto leave = [&] {
        frames_.pop_back();
        iterators_ = std::move(iterators);
    };
    try {
        declare_locals(function, frame);
        run(function.algorithm, frame, true);
    } catch (...) {
        leave();
        throw;
    }
    leave();
    Value result = result_of(function, frame);
    if (has_key) results_.emplace(std::move(key), result);
    return result;
}

void Evaluator::declare_locals(const Class& function, Frame& frame) {
    for (const Component& c : function.components) {
        if (c.direction == Causality::input) {
            for (auto& [name, value] : frame.locals)
                if (name == c.name && value.kind == Value::Kind::none) value = evaluate(c.value);
            continue;
        }
        std::vector<std::int64_t> sizes;
        for (const ExprId size : c.dimensions) {
            const bool is_open = module_.expressions[size].kind == ExprKind::whole;
            sizes.push_back(is_open ? 0 : whole_number(size, "the size of an array in a function"));
        }
        frame.locals.emplace_back(c.name,
                                  c.value != nothing ? evaluate(c.value) : default_value(c.type, sizes, c.span));
    }
}

Value Evaluator::result_of(const Class& function, const Frame& frame) {
    std::vector<Value> results;
    for (const Component& c : function.components) {
        if (c.direction != Causality::output) continue;
        for (const auto& [name, value] : frame.locals)
            if (name == c.name) results.push_back(value);
    }
    if (results.size() == 1) return results[0];
    return {Value::Kind::array, 1, std::make_shared<std::vector<Value>>(std::move(results)), {}}; // 1: a tuple
}

// ---- statements ----

Evaluator::Locals Evaluator::run_algorithm(const std::vector<StatementId>& statements, Locals locals) {
    Frame frame{std::move(locals)};
    frames_.push_back(&frame);
    try {
        run(statements, frame, true);
    } catch (...) {
        frames_.pop_back();
        throw;
    }
    frames_.pop_back();
    return std::move(frame.locals);
}

void Evaluator::run(const std::vector<StatementId>& statements, Frame& frame, bool is_top) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
        if (frame.has_returned || frame.has_broken) return;
        const Statement& s = module_.statements[statements[k]];
        count_work(s.span);
        if (s.kind == StatementKind::choice) {
            const std::span<const StatementId> rest(statements.data() + k + 1, is_top ? statements.size() - k - 1 : 0);
            if (run_choice(s, frame, rest)) return;
        } else {
            run(s, frame);
        }
    }
}

void Evaluator::run(const Statement& s, Frame& frame) {
    switch (s.kind) {
    case StatementKind::assignment: {
        const Expr& target = module_.expressions[s.lhs];
        const Value value = evaluate(s.rhs);
        if (value.is_array() && value.node == 1 && value.size() == 0) fail(s.span, "this function has no result");
        if (target.kind != ExprKind::tuple)
            return assign_to(s.lhs, value.node == 1 && value.is_array() ? value[0] : value, frame);
        const std::vector<ExprId> targets = module_.args(target);
        if (!value.is_array() || value.size() < targets.size())
            fail(s.span, "a function with several results is needed on the right side");
        for (std::size_t k = 0; k < targets.size(); ++k)
            if (targets[k] != nothing) assign_to(targets[k], value[k], frame);
        return;
    }
    case StatementKind::call: {
        const std::string& name = module_.names[module_.expressions[s.lhs].name];
        if (name == "assert") {
            if (on_assert) on_assert(s);
        } else if (name == "terminate" || name == "reinit") {
            fail(s.span, fmt::format("'{}' in an algorithm is not supported; write it as an equation", name));
        } else if (!name.ends_with("print") && !name.ends_with("error")) {
            evaluate(s.lhs);
        }
        return;
    }
    case StatementKind::loop: return run_loop(s, frame);
    case StatementKind::repeat: return run_while(s, frame);
    case StatementKind::leave: frame.has_returned = true; return;
    case StatementKind::stop: frame.has_broken = true; return;
    case StatementKind::when: fail(s.span, "'when' in an algorithm is not supported; write it as a when-equation");
    case StatementKind::choice:
    case StatementKind::equation: return;
    }
}

// True where what follows is done: some branches return, and the others run the rest of the function.
bool Evaluator::run_choice(const Statement& s, Frame& frame, std::span<const StatementId> rest) {
    struct Case {
        NodeId condition;
        Frame frame;
    };
    std::vector<Case> cases;
    std::optional<Frame> last;
    const auto run_branch = [&](const Branch& branch) {
        Frame copy = frame;
        frames_.back() = &copy;
        run(branch.body, copy, false);
        frames_.back() = &frame;
        return copy;
    };
    for (const Branch& branch : s.branches) {
        if (branch.condition == nothing) {
            last = run_branch(branch);
            break;
        }
        const NodeId condition = number(branch.condition);
        if (const auto known = number_(condition)) {
            if (*known == 0) continue;
            last = run_branch(branch);
            break;
        }
        cases.push_back({condition, run_branch(branch)});
    }
    if (!last) last = frame;
    bool some = last->has_returned, all = last->has_returned;
    for (const Case& c : cases) {
        some |= c.frame.has_returned;
        all &= c.frame.has_returned;
        if (c.frame.has_broken) fail(s.span, "'break' under a condition that is not known is not supported");
    }
    const bool is_split = !cases.empty() && some && !all;
    if (is_split) {
        if (rest.empty() && frames_.back() != &frame) fail(s.span, "'return' under a condition is not supported here");
        const std::vector<StatementId> following(rest.begin(), rest.end());
        const auto go_on = [&](Frame& f) {
            if (f.has_returned) return;
            frames_.back() = &f;
            run(following, f, true);
            frames_.back() = &frame;
        };
        for (Case& c : cases) go_on(c.frame);
        go_on(*last);
        all = true;
    }
    Frame result = *std::move(last);
    for (auto it = cases.rbegin(); it != cases.rend(); ++it)
        for (std::size_t k = 0; k < result.locals.size(); ++k)
            result.locals[k].second =
                choose_value(it->condition, it->frame.locals[k].second, result.locals[k].second, s.span);
    result.has_returned = all;
    frame = std::move(result);
    return is_split;
}

void Evaluator::run_loop(const Statement& s, Frame& frame) {
    for (Value& item : range(s.rhs)) {
        push_iterator(s.name, std::move(item));
        run(s.branches[0].body, frame, false);
        pop_iterator();
        if (frame.has_returned) return;
        if (frame.has_broken) break;
    }
    frame.has_broken = false;
}

void Evaluator::run_while(const Statement& s, Frame& frame) {
    while (true) {
        const auto known = number_(number(s.branches[0].condition));
        if (!known)
            fail(s.span, "the condition of 'while' depends on variables, which is not supported: how often the loop "
                         "runs must be known when the model is read");
        if (*known == 0) return;
        run(s.branches[0].body, frame, false);
        if (frame.has_returned) return;
        if (frame.has_broken) break;
    }
    frame.has_broken = false;
}

// x, x[1], r.x[2]
void Evaluator::assign_to(ExprId target, const Value& value, Frame& frame) {
    std::vector<std::variant<NameId, std::vector<Value>>> path;
    Expr e = module_.expressions[target];
    while (e.kind == ExprKind::index || e.kind == ExprKind::field) {
        if (e.kind == ExprKind::field) {
            path.emplace_back(e.name);
        } else {
            std::vector<Value> subscripts;
            const Value whole = evaluate(module_.arg(e, 0));
            const Value* level = &whole;
            for (std::size_t k = 1; k < e.count; ++k) {
                ends_.push_back(static_cast<std::int64_t>(level->size()));
                subscripts.push_back(evaluate(module_.arg(e, k)));
                ends_.pop_back();
                if (level->is_array() && level->size() > 0) level = &(*level)[0];
            }
            path.emplace_back(std::move(subscripts));
        }
        e = module_.expressions[module_.arg(e, 0)];
    }
    if (e.kind != ExprKind::name) fail(e.span, "only a variable can be assigned to");
    const auto local = std::ranges::find_if(frame.locals, [&](const auto& pair) { return pair.first == e.name; });
    if (local == frame.locals.end())
        fail(e.span, fmt::format("'{}' is no variable of this algorithm", printable(module_.names[e.name])));
    const std::function<void(Value&, std::size_t)> set = [&](Value& into, std::size_t k) {
        if (k == 0) {
            into = value;
            return;
        }
        if (const NameId* name = std::get_if<NameId>(&path[k - 1])) {
            if (!into.is_record()) fail(e.span, "this is no record");
            for (std::size_t j = 0; j < into.fields->size(); ++j)
                if ((*into.fields)[j] == *name) return set(into.own_items()[j], k - 1);
            fail(e.span, fmt::format("there is no '{}' in this record", printable(module_.names[*name])));
        }
        const std::vector<Value>& subscripts = std::get<std::vector<Value>>(path[k - 1]);
        if (k == 1) return assign(into, subscripts, value, e.span);
        Value element = index(into, subscripts, e.span);
        set(element, k - 1);
        assign(into, subscripts, element, e.span);
    };
    set(local->second, path.size());
}

} // namespace vessiot::modelica
