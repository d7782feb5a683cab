// A function of the user that stands in formulas: numbers in, numbers out, of which nothing else is known. Its
// derivatives are another one (decision 24).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace vessiot::expr {

// Never changes; any number of threads evaluate one, each with a memory of its own.
class External {
public:
    struct Memory {
        Memory() = default;
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;
        virtual ~Memory() = default;
    };

    External(std::string name, std::int64_t n_arguments, std::int64_t n_results)
        : name_(std::move(name)), n_arguments_(n_arguments), n_results_(n_results) {}
    External(const External&) = delete;
    External& operator=(const External&) = delete;
    virtual ~External() = default;

    const std::string& name() const { return name_; }
    std::int64_t n_arguments() const { return n_arguments_; }
    std::int64_t n_results() const { return n_results_; }

    virtual std::unique_ptr<Memory> make_memory() const { return nullptr; }
    // Exceptions of the user pass. Results that have no value are NaN.
    virtual void operator()(const double* arguments, double* results, Memory* memory) const = 0;

    // d result / d argument is the result of that number of derivative(); -1: it is zero. Both count from 0.
    virtual std::int64_t entry(std::int64_t result, std::int64_t argument) const = 0;
    // The same object whenever it is asked for. Throws InvalidInput where there is none.
    virtual std::shared_ptr<const External> derivative() const = 0;
    // How many times it can be differentiated without differences.
    virtual int n_exact() const = 0;

private:
    std::string name_;
    std::int64_t n_arguments_, n_results_;
};

} // namespace vessiot::expr
