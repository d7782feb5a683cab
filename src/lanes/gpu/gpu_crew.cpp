#include "lanes/gpu/gpu_crew.hpp"

#include <utility>

namespace vessiot::lanes {

namespace {

constexpr const char* function_name = "vessiot_rounds";

} // namespace

std::string round_text(const expr::Kernel& round, std::int64_t n, std::string& error) {
    return make_gpu_text(repeated(round, n), function_name, error);
}

GpuRuns::GpuRuns(const expr::Kernel& round, std::int64_t n, std::size_t size)
    // NOTE: a power of two would put all numbers of a run into the same few lines of a cache
    : n_(n), size_(size + 72), fixed_inputs_(fixed_inputs(round)), state_(n_state(n) * size_),
      fixed_(fixed_inputs_.size() * size_) {}

void GpuRuns::enter(std::size_t m, const LaneRun& run, double t, const double* x, const double* v) {
    std::array<double*, method::n_attempt_inputs> slots{};
    run.kernels->bind(slots.data());
    for (std::size_t k = 0; k < fixed_inputs_.size(); ++k)
        fixed_[k * size_ + m] = slots[fixed_inputs_[k].buffer][fixed_inputs_[k].element];
    std::array<double, n_numbers> numbers{};
    fill_numbers(run, t, numbers.data());
    double* to = state_.data() + m;
    const auto put = [&](double number) {
        *to = number;
        to += size_;
    };
    for (const double number : numbers) put(number);
    for (std::int64_t e = 0; e < n_; ++e) put(x[e]);
    for (std::int64_t e = 0; e < n_; ++e) put(v[e]);
}

Outcome GpuRuns::outcome(std::size_t m) const {
    return static_cast<Outcome>(static_cast<int>(state_[static_cast<std::size_t>(outcome_number) * size_ + m]));
}

void GpuRuns::leave(std::size_t m, const LaneRun& run, double* x, double* v) const {
    std::array<double, n_numbers> numbers{};
    const double* from = state_.data() + m;
    const auto take = [&] {
        const double number = *from;
        from += size_;
        return number;
    };
    for (double& number : numbers) number = take();
    read_numbers(numbers.data(), run);
    for (std::int64_t e = 0; e < n_; ++e) x[e] = take();
    for (std::int64_t e = 0; e < n_; ++e) v[e] = take();
}

GpuCrew::GpuCrew(int device, const expr::Kernel& round, std::int64_t n) : device_(device) {
    std::string error;
    const std::string text = round_text(round, n, error);
    if (text.empty()) throw GpuFailure("no code for the graphics processor: " + error);
    Gpu::get().use(device);
    function_ = std::make_unique<Gpu::Function>(text, function_name);
}

std::string GpuCrew::name() const {
    return Gpu::get().name(device_);
}

bool GpuCrew::make_room(const GpuRuns& runs) {
    Gpu::get().use(device_);
    for (Gpu::Memory* memory : {&state_, &fixed_, &list_}) *memory = Gpu::Memory(); // what was there goes first
    try {
        state_ = Gpu::Memory(runs.state_.size() * sizeof(double));
        fixed_ = Gpu::Memory(runs.fixed_.size() * sizeof(double));
        list_ = Gpu::Memory(runs.size_ * sizeof(std::uint32_t));
    } catch (const GpuMemoryShort&) {
        return false;
    }
    return true;
}

void GpuCrew::begin(const GpuRuns& runs, std::vector<std::uint32_t> list) {
    Gpu::get().use(device_);
    state_.write(runs.state_.data(), runs.state_.size() * sizeof(double));
    fixed_.write(runs.fixed_.data(), runs.fixed_.size() * sizeof(double));
    active_ = std::move(list);
}

// Those that are done leave the list.
bool GpuCrew::launch(const GpuRuns& runs) {
    if (active_.empty()) return false;
    list_.write(active_.data(), active_.size() * sizeof(std::uint32_t));
    std::uint64_t state = state_.address(), fixed = fixed_.address(), list = list_.address();
    std::uint64_t stride = runs.size_, n = active_.size(), most = rounds_a_launch;
    void* arguments[] = {&state, &fixed, &list, &stride, &n, &most};
    seconds_ += function_->launch(n, threads_a_block, arguments);
    ++n_launches_;
    outcomes_.resize(runs.size_);
    const std::size_t row = runs.size_ * sizeof(double);
    state_.read(outcomes_.data(), row, static_cast<std::size_t>(outcome_number) * row);
    std::erase_if(active_, [&](std::uint32_t m) { return outcomes_[m] != 0; });
    return !active_.empty();
}

void GpuCrew::end(GpuRuns& runs) {
    state_.read(runs.state_.data(), runs.state_.size() * sizeof(double));
}

} // namespace vessiot::lanes
