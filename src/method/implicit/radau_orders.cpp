#include "method/implicit/radau_orders.hpp"

#include <algorithm>
#include <string_view>

#include "linalg/scalar.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

namespace {

constexpr std::string_view names[] = {"dae_radau1", "dae_radau3", "dae_radau5", "dae_radau9"};
constexpr double fast = 0.002, slow = 0.8;            // psi
constexpr double least_ratio = 0.8, most_ratio = 1.2; // q
constexpr std::int64_t steps_between_changes = 10;

} // namespace

template <class S>
RadauOrders<S>::RadauOrders(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options)
    : Forwarding<S>(nullptr), field_(field), options_(options),
      system_(std::make_shared<DirectSystem<S>>(info, options)), n_(field.size()) {
    const int highest = options.max_order > 0 ? options.max_order : info.order;
    for (const std::string_view name : names)
        if (const MethodInfo& m = find_method(name); m.order <= highest) levels_.push_back({&m, nullptr});
    while (first_ + 1 < levels_.size() && levels_[first_].info->order < info.first_order) ++first_;
    if (options.to_round_off) first_ = levels_.size() - 1;
    dense_degree_ = static_cast<int>(levels_.back().info->n_stages);
    take(first_);
}

template <class S> DirectRk<S>& RadauOrders<S>::make(std::size_t level) {
    Level& l = levels_[level];
    if (!l.stepper) l.stepper = std::make_unique<DirectRk<S>>(*l.info, field_, options_, system_);
    return *l.stepper;
}

template <class S> void RadauOrders<S>::take(std::size_t level) {
    this->inner_ = &make(level);
    at_ = level;
}

template <class S> void RadauOrders<S>::begin(S tau, const S* x) {
    take(first_);
    n_since_ = 0;
    is_accepted_ = has_failed_ = false;
    current().begin(tau, x);
}

template <class S> std::size_t RadauOrders<S>::next_level(S h) const {
    if (options_.to_round_off) return at_;
    const auto psi = static_cast<double>(current().rate());
    const auto q = static_cast<double>(linalg::absolute(h / h_));
    if ((psi >= slow || has_failed_) && at_ > 0) return at_ - 1;
    const bool is_fast = psi <= fast && q >= least_ratio && q <= most_ratio;
    return is_fast && n_since_ >= steps_between_changes && at_ + 1 < levels_.size() ? at_ + 1 : at_;
}

template <class S> StepReport<S> RadauOrders<S>::attempt(S h) {
    if (is_accepted_) {
        is_accepted_ = false;
        if (const std::size_t next = next_level(h); next != at_) {
            const DirectRk<S>& before = current();
            make(next).begin_after(before);
            take(next);
            n_since_ = 0;
        }
        has_failed_ = false;
    }
    h_ = h;
    const StepReport<S> report = current().attempt(h);
    has_failed_ = has_failed_ || report.outcome == StepOutcome::no_convergence;
    return report;
}

template <class S> void RadauOrders<S>::accept() {
    current().accept();
    is_accepted_ = true;
    ++n_since_;
    ++steps_by_order_[static_cast<std::size_t>(levels_[at_].info->order)];
}

template <class S> PointStatus RadauOrders<S>::dense(S* coefficients) {
    const std::int64_t stride = linalg::padded(n_);
    for (int k = current().dense_degree() + 1; k <= dense_degree_; ++k)
        std::fill_n(coefficients + k * stride, stride, S(0));
    return current().dense(coefficients);
}

template <class S> const StepperCounts& RadauOrders<S>::counts() const {
    counts_ = {};
    for (const Level& l : levels_)
        if (l.stepper) counts_.add(l.stepper->counts());
    return counts_;
}

template class RadauOrders<double>;
template class RadauOrders<float128>;

const Family radau_orders_family{.name = "direct, implicit Runge-Kutta",
                                 .make_double = make_as<RadauOrders, double>,
                                 .make_quad = make_as<RadauOrders, float128>,
                                 .dense_order = own_dense_order,
                                 .solves_equations = true,
                                 .is_direct = true};

} // namespace vessiot::method
