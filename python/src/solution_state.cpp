#include "solution_state.hpp"

namespace vessiot::python {

namespace {

template <class T> inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// Calls archive(member) for every member; the archive either writes or reads.
template <class Archive> void members(Archive& a, StartReport::Violation& v) {
    a(v.equation, v.derivative, v.is_hidden, v.residual);
}
template <class Archive> void members(Archive& a, StartReport::Move& m) {
    a(m.name, m.from, m.to);
}
template <class Archive> void members(Archive& a, SystemSummary& s) {
    a(s.system_class, s.order, s.unknowns, s.equations, s.invariants, s.hidden_constraints, s.index, s.structural_index,
      s.degrees_of_freedom, s.manifold_dimension);
}
template <class Archive> void members(Archive& a, MethodSummary& m) {
    a(m.name, m.order, m.projection, m.project, m.distribution, m.parametrisation, m.precision, m.rtol, m.atol, m.step,
      m.choice);
}
template <class Archive> void members(Archive& a, EventPoint& e) {
    a(e.name, e.t, e.values, e.t_sensitivities, e.values_after);
}
template <class Archive> void members(Archive& a, StepTrace& t) {
    a(t.t, t.h, t.residual);
}
template <class Archive> void members(Archive& a, Stats& s) {
    for (const StatsCount& count : stats_counts) a(s.*count.at);
    for (const StatsSeconds& time : stats_seconds) a(s.seconds.*time.at);
}
template <class Archive> void members(Archive& a, Solution& s) {
    a(s.status, s.message, s.model, s.independent, s.system, s.method, s.start.violations, s.start.moves, s.notes,
      s.section, s.n_points, s.t, s.s, s.names, s.numbers, s.output_names, s.output_numbers, s.events, s.trace,
      s.sensitivity_names, s.sensitivities, s.output_sensitivities, s.constraint_residual_max,
      s.constraint_residual_absolute, s.invariant_drift_max, s.stats);
}

class Writer {
public:
    template <class... T> void operator()(T&... values) { (put(values), ...); }
    std::string bytes;

private:
    template <class T> void put(T& value) {
        if constexpr (is_plain<T>)
            bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        else
            members(*this, value);
    }
    template <class T> void put(std::vector<T>& values) {
        std::uint64_t n = values.size();
        put(n);
        if constexpr (is_plain<T>)
            bytes.append(reinterpret_cast<const char*>(values.data()), n * sizeof(T));
        else
            for (T& value : values) put(value);
    }
    void put(std::string& text) {
        std::uint64_t n = text.size();
        put(n);
        bytes += text;
    }
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}
    template <class... T> void operator()(T&... values) { (take(values), ...); }
    bool is_at_end() const { return rest_.empty(); }

private:
    template <class T> void take(T& value) {
        if constexpr (is_plain<T>)
            copy(&value, sizeof value);
        else
            members(*this, value);
    }
    template <class T> void take(std::vector<T>& values) {
        const std::size_t n = count(is_plain<T> ? sizeof(T) : 1);
        values.resize(n);
        if constexpr (is_plain<T>)
            copy(values.data(), n * sizeof(T));
        else
            for (T& value : values) take(value);
    }
    void take(std::string& text) {
        text.resize(count(1));
        copy(text.data(), text.size());
    }
    // A number of elements that can be there.
    std::size_t count(std::size_t element_bytes) {
        std::uint64_t n = 0;
        take(n);
        if (n > rest_.size() / element_bytes) fail();
        return n;
    }
    void copy(void* to, std::size_t n) {
        if (n > rest_.size()) fail();
        if (n > 0) std::memcpy(to, rest_.data(), n);
        rest_.remove_prefix(n);
    }
    [[noreturn]] static void fail() {
        throw InvalidInput("these bytes are no solution: it was saved by another version, or is damaged");
    }

    std::string_view rest_;
};

} // namespace

std::string write_state(const Solution& solution) {
    Solution copy = solution;
    Writer writer;
    members(writer, copy);
    return std::move(writer.bytes);
}

Solution read_state(std::string_view bytes) {
    Reader reader(bytes);
    Solution solution;
    members(reader, solution);
    if (!reader.is_at_end()) throw InvalidInput("these bytes are no solution: there are too many of them");
    return solution;
}

} // namespace vessiot::python
