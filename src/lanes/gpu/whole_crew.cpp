#include "lanes/gpu/whole_crew.hpp"

#include <algorithm>
#include <future>
#include <numeric>
#include <span>

#include "expr/kernel/repeated/gpu_text.hpp"
#include "lanes/round_places.hpp"

namespace vessiot::lanes {

namespace {

constexpr const char *start_name = "vessiot_start", *round_name = "vessiot_rounds", *record_name = "vessiot_record";

// A list that is executed once, its buffers among the numbers of a run. `outcome`: a number that it writes; which one
// does not matter.
expr::RepeatedList once(const WholeRounds::List& list, std::uint32_t n_numbers, std::uint32_t outcome) {
    const expr::Loop& loop = list.kernel->loops.front();
    const auto place = [&](std::uint32_t address) {
        return list.first[loop.addresses[address].buffer] + static_cast<std::uint32_t>(loop.starts[address]);
    };
    expr::RepeatedList result{.kernel = list.kernel.get(),
                              .reads = std::vector<expr::RepeatedList::Read>(loop.addresses.size()),
                              .stores = {},
                              .n_state = n_numbers,
                              .n_fixed = 0,
                              .outcome = outcome};
    for (const expr::Instruction& i : loop.body)
        if (i.op == expr::Op::read) result.reads[i.a] = {place(i.a), false};
    for (const expr::Store& s : loop.stores) result.stores.push_back(place(s.address));
    return result;
}

} // namespace

std::vector<std::string> whole_texts(const WholeRounds& rounds, std::string& error) {
    const std::vector<std::string> texts{
        make_gpu_text(once(rounds.start, rounds.n_numbers, outcome_number), start_name, error),
        make_gpu_text(repeated(*rounds.round, rounds.n, Crew::whole), round_name, error),
        make_gpu_text(once(rounds.record, rounds.n_numbers, rounds.made), record_name, error)};
    for (const std::string& text : texts)
        if (text.empty()) return {};
    return texts;
}

WholeRuns::WholeRuns(const WholeRounds& rounds, std::size_t n)
    : size(n), given(rounds.n_given * n), made(rounds.n_made * n), outcomes(n), steps(n) {}

WholeCrew::WholeCrew(int device, const WholeRounds& rounds) : device_(device), rounds_(rounds) {
    std::string error;
    const std::vector<std::string> texts = whole_texts(rounds, error);
    if (texts.empty()) throw GpuFailure("no code for the graphics processor: " + error);
    const auto compiled = [&](const std::string& text, const char* name) {
        Gpu::get().use(device);
        return std::make_unique<Gpu::Function>(text, name);
    };
    auto start = std::async(std::launch::async, [&] { return compiled(texts[0], start_name); });
    auto record = std::async(std::launch::async, [&] { return compiled(texts[2], record_name); });
    round_ = compiled(texts[1], round_name);
    start_ = start.get();
    record_ = record.get();
}

std::string WholeCrew::name() const {
    return Gpu::get().name(device_);
}

bool WholeCrew::make_room(std::size_t n) {
    Gpu::get().use(device_);
    for (Gpu::Memory* memory : {&state_, &all_, &list_}) *memory = Gpu::Memory(); // what was there goes first
    size_ = n;
    try {
        state_ = Gpu::Memory(rounds_.n_numbers * n * sizeof(double));
        all_ = Gpu::Memory(n * sizeof(std::uint32_t));
        list_ = Gpu::Memory(n * sizeof(std::uint32_t));
    } catch (const GpuMemoryShort&) {
        return false;
    }
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0U);
    all_.write(all.data(), n * sizeof(std::uint32_t));
    return true;
}

void WholeCrew::launch(Gpu::Function& function, const Gpu::Memory& runs, std::uint64_t n, std::uint64_t most) {
    std::uint64_t state = state_.address(), list = runs.address(), stride = size_;
    std::uint64_t fixed = state + n_state(rounds_.n) * size_ * sizeof(double);
    void* arguments[] = {&state, &fixed, &list, &stride, &n, &most};
    seconds_ += function.launch(n, threads_a_block, arguments);
}

void WholeCrew::read_row(double* to, std::uint32_t number, std::size_t n) const {
    state_.read(to, n * sizeof(double), number * size_ * sizeof(double));
}

// Who goes on: false where nobody does.
bool WholeCrew::find_active(const WholeRuns& runs, std::size_t n) {
    read_row(runs.outcomes.data(), outcome_number, n);
    const std::span<const double> outcomes(runs.outcomes.data(), n);
    const auto n_active = static_cast<std::size_t>(std::ranges::count(outcomes, 0.0));
    active_.clear();
    if (n_active == n) return true; // all of them
    for (std::size_t k = 0; k < n && active_.size() < n_active; ++k)
        if (outcomes[k] == 0) active_.push_back(static_cast<std::uint32_t>(k));
    if (n_active > 0) list_.write(active_.data(), n_active * sizeof(std::uint32_t));
    return n_active > 0;
}

bool WholeCrew::work(WholeRuns& runs, std::size_t n, const std::function<bool()>& goes_on) {
    Gpu::get().use(device_);
    for (std::uint32_t k = 0; k < rounds_.n_given; ++k)
        state_.write(runs.given.data() + k * runs.size, n * sizeof(double),
                     (rounds_.given + k) * size_ * sizeof(double));
    launch(*start_, all_, n, 1);
    while (find_active(runs, n)) {
        if (!goes_on()) return false;
        if (active_.empty())
            launch(*round_, all_, n, rounds_a_launch);
        else
            launch(*round_, list_, active_.size(), rounds_a_launch);
    }
    launch(*record_, all_, n, 1);
    read_row(runs.steps.data(), steps_number, n);
    for (std::uint32_t k = 0; k < rounds_.n_made; ++k) read_row(runs.made.data() + k * runs.size, rounds_.made + k, n);
    return true;
}

} // namespace vessiot::lanes
