#include "expr/kernel/layout.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/error.hpp"

namespace vessiot::expr {

namespace {

// The order of the nest: the author's, except that a long range goes innermost where the order is free.
constexpr std::int64_t short_range = 16;

std::vector<VarId> choose_nest(const IndexSpace& index, DomainId d) {
    std::vector<VarId> nest = index.domain(d).vars;
    if (nest.size() < 2 || !index.is_box(d)) return nest;
    const auto length = [&](VarId v) {
        return *index.constant_value(index.loop_var(v).hi) - *index.constant_value(index.loop_var(v).lo) + 1;
    };
    if (length(nest.back()) >= short_range) return nest;
    const auto longest =
        std::max_element(nest.begin(), nest.end(), [&](VarId u, VarId v) { return length(u) < length(v); });
    if (length(*longest) > length(nest.back())) std::rotate(longest, longest + 1, nest.end());
    return nest;
}

class Layouter {
public:
    Layouter(const IndexSpace& index, DomainId domain, const std::vector<AddressForm>& addresses,
             const std::vector<FormId>& literals)
        : index_(index), cond_(index.domain(domain).cond), nest_(choose_nest(index, domain)), addresses_(addresses),
          literals_(literals), literal_values_(literals.size()) {}

    std::vector<std::vector<Quad>> fill(std::uint32_t first_literal, Loop& loop) {
        enumerate();
        settle_irregular();
        merge();
        write(first_literal, loop);
        return std::move(literal_values_);
    }

private:
    struct Slot {
        std::optional<std::int64_t> stride;
        std::vector<std::int64_t> irregular; // one address for each instance, while the stride is not known
    };

    void enumerate() {
        for (const AddressForm& a : addresses_)
            slots_.push_back({nest_.empty() ? 0 : index_.coefficient(a.form, nest_.back()), {}});
        Env env{};
        if (nest_.empty())
            add_run(env, 0, 0);
        else
            visit(env, 0);
    }

    void visit(Env& env, std::size_t k) {
        const LoopVar& v = index_.loop_var(nest_[k]);
        const std::int64_t lo = index_.value(v.lo, env), hi = index_.value(v.hi, env);
        auto& i = env[static_cast<std::size_t>(v.level)];
        if (k + 1 < nest_.size()) {
            for (i = lo; i <= hi; ++i) {
                const std::int64_t kept = i; // the inner loops use the same Env
                visit(env, k + 1);
                i = kept;
            }
            return;
        }
        if (hi < lo) return;
        if (!(index_.cond_levels(cond_) >> v.level & 1U)) {
            i = lo;
            if (index_.holds(cond_, env)) add_run(env, lo, hi);
            return;
        }
        for (std::int64_t first = lo; first <= hi;) {
            i = first;
            const bool is_in = index_.holds(cond_, env);
            std::int64_t last = first;
            for (i = first + 1; i <= hi && index_.holds(cond_, env) == is_in; ++i) last = i;
            if (is_in) add_run(env, first, last);
            first = last + 1;
        }
    }

    // Instances lo..hi of the innermost variable: a segment.
    void add_run(Env& env, std::int64_t lo, std::int64_t hi) {
        const std::size_t level = nest_.empty() ? 0 : static_cast<std::size_t>(index_.loop_var(nest_.back()).level);
        if (!nest_.empty()) env[level] = lo;
        lengths_.push_back(hi - lo + 1);
        for (std::size_t k = 0; k < slots_.size(); ++k)
            starts_.push_back(slots_[k].stride ? index_.value(addresses_[k].form, env) : 0);
        for (std::int64_t i = lo; i <= hi; ++i) {
            if (!nest_.empty()) env[level] = i;
            bool any = false;
            for (std::size_t k = 0; k < slots_.size(); ++k)
                if (!slots_[k].stride) {
                    slots_[k].irregular.push_back(index_.value(addresses_[k].form, env));
                    any = true;
                }
            for (std::size_t k = 0; k < literals_.size(); ++k)
                literal_values_[k].push_back(static_cast<Quad>(index_.value(literals_[k], env)));
            if (!any && literals_.empty()) break;
        }
    }

    // An address that jumps seldom is affine between its jumps: cut the segments there. Others become tables.
    void settle_irregular() {
        std::vector<char> is_cut;
        for (Slot& s : slots_) {
            if (s.stride || s.irregular.size() < 2) continue;
            const auto& a = s.irregular;
            const std::int64_t step = a[1] - a[0];
            std::size_t n_breaks = 0;
            for (std::size_t i = 1; i < a.size(); ++i) n_breaks += a[i] - a[i - 1] != step;
            if (n_breaks > a.size() / 32 + 8) continue;
            is_cut.resize(a.size(), 0);
            for (std::size_t i = 1; i < a.size(); ++i) is_cut[i] |= a[i] - a[i - 1] != step;
            s.stride = step;
        }
        if (is_cut.empty()) return;
        std::vector<std::int64_t> lengths, starts;
        std::size_t instance = 0;
        for (std::size_t segment = 0; segment < lengths_.size(); ++segment)
            for (std::int64_t i = 0; i < lengths_[segment]; ++i, ++instance) {
                if (i > 0 && !is_cut[instance]) {
                    ++lengths.back();
                    continue;
                }
                lengths.push_back(1);
                for (std::size_t k = 0; k < slots_.size(); ++k) {
                    const Slot& s = slots_[k];
                    const std::int64_t affine = starts_[segment * slots_.size() + k] + s.stride.value_or(0) * i;
                    starts.push_back(s.irregular.empty() ? affine : s.stride ? s.irregular[instance] : 0);
                }
            }
        lengths_ = std::move(lengths);
        starts_ = std::move(starts);
    }

    // Segments that continue each other are one.
    void merge() {
        const std::size_t n = slots_.size();
        std::size_t kept = 0;
        for (std::size_t s = 1; s < lengths_.size(); ++s) {
            bool continues = true;
            for (std::size_t k = 0; k < n && continues; ++k)
                continues = !slots_[k].stride ||
                            starts_[s * n + k] == starts_[kept * n + k] + *slots_[k].stride * lengths_[kept];
            if (continues) {
                lengths_[kept] += lengths_[s];
                continue;
            }
            ++kept;
            lengths_[kept] = lengths_[s];
            std::copy_n(starts_.begin() + static_cast<std::ptrdiff_t>(s * n), n,
                        starts_.begin() + static_cast<std::ptrdiff_t>(kept * n));
        }
        if (!lengths_.empty()) lengths_.resize(kept + 1);
        starts_.resize(lengths_.size() * n);
    }

    void write(std::uint32_t first_literal, Loop& loop) {
        const std::size_t n = slots_.size(), total = n + literals_.size();
        for (std::size_t k = 0; k < n; ++k) {
            Address a{.buffer = addresses_[k].buffer, .stride = slots_[k].stride.value_or(0)};
            if (!slots_[k].stride) {
                a.table = static_cast<std::int32_t>(loop.tables.size());
                auto& table = loop.tables.emplace_back();
                for (std::int64_t i : slots_[k].irregular) {
                    if (i > std::numeric_limits<std::int32_t>::max())
                        throw InvalidInput("an index table reaches beyond 2^31 elements");
                    table.push_back(static_cast<std::int32_t>(i));
                }
            }
            loop.addresses.push_back(a);
        }
        for (std::size_t k = 0; k < literals_.size(); ++k)
            loop.addresses.push_back({.buffer = first_literal + static_cast<std::uint32_t>(k), .stride = 1});
        loop.lengths = lengths_;
        std::int64_t instance = 0;
        for (std::size_t s = 0; s < lengths_.size(); ++s) {
            for (std::size_t k = 0; k < total; ++k) loop.starts.push_back(k < n ? starts_[s * n + k] : instance);
            instance += lengths_[s];
        }
    }

    const IndexSpace& index_;
    CondId cond_;
    std::vector<VarId> nest_;
    const std::vector<AddressForm>& addresses_;
    const std::vector<FormId>& literals_;
    std::vector<Slot> slots_;
    std::vector<std::int64_t> lengths_, starts_;
    std::vector<std::vector<Quad>> literal_values_;
};

} // namespace

std::vector<std::vector<Quad>> lay_out(const IndexSpace& index, DomainId domain,
                                       const std::vector<AddressForm>& addresses, const std::vector<FormId>& literals,
                                       std::uint32_t first_literal, Loop& loop) {
    return Layouter(index, domain, addresses, literals).fill(first_literal, loop);
}

} // namespace vessiot::expr
