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
        if (const MethodInfo& m = find_method(name); m.order <= highest) orders_.push_back({&m, nullptr});
    while (first_ + 1 < orders_.size() && orders_[first_].info->order < info.first_order) ++first_;
    if (options.to_round_off) first_ = orders_.size() - 1;
    dense_degree_ = static_cast<int>(orders_.back().info->n_stages);
    take(first_);
}

template <class S> DirectRk<S>& RadauOrders<S>::make(std::size_t place) {
    Order& l = orders_[place];
    if (!l.stepper) l.stepper = std::make_unique<DirectRk<S>>(*l.info, field_, options_, system_);
    return *l.stepper;
}

template <class S> void RadauOrders<S>::take(std::size_t place) {
    this->inner_ = &make(place);
    at_ = place;
}

template <class S> void RadauOrders<S>::begin(S tau, const S* x) {
    take(first_);
    n_since_ = 0;
    is_accepted_ = has_failed_ = false;
    current().begin(tau, x);
}

template <class S> std::size_t RadauOrders<S>::next_order(S h) const {
    if (options_.to_round_off) return at_;
    const auto psi = static_cast<double>(current().rate());
    const auto q = static_cast<double>(linalg::absolute(h / h_));
    if ((psi >= slow || has_failed_) && at_ > 0) return at_ - 1;
    const bool is_fast = psi <= fast && q >= least_ratio && q <= most_ratio;
    return is_fast && n_since_ >= steps_between_changes && at_ + 1 < orders_.size() ? at_ + 1 : at_;
}

template <class S> StepReport<S> RadauOrders<S>::attempt(S h) {
    if (is_accepted_) {
        is_accepted_ = false;
        if (const std::size_t next = next_order(h); next != at_) {
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
    ++steps_by_order_[static_cast<std::size_t>(orders_[at_].info->order)];
}

template <class S> PointStatus RadauOrders<S>::dense(S* coefficients) {
    const std::int64_t stride = linalg::padded(n_);
    for (int k = current().dense_degree() + 1; k <= dense_degree_; ++k)
        std::fill_n(coefficients + k * stride, stride, S(0));
    return current().dense(coefficients);
}

template <class S> const StepperCounts& RadauOrders<S>::counts() const {
    counts_ = {};
    for (const Order& l : orders_)
        if (l.stepper) counts_.add(l.stepper->counts());
    return counts_;
}

template class RadauOrders<double>;
template class RadauOrders<Quad>;

const Family radau_orders_family{.name = "direct, implicit Runge-Kutta",
                                 .make_double = make_as<RadauOrders, double>,
                                 .make_quad = make_as<RadauOrders, Quad>,
                                 .dense_order = own_dense_order,
                                 .solves_equations = true,
                                 .is_direct = true};

} // namespace vessiot::method
