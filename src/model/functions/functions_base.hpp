// What Functions is made of: equations of a model, or callables of the user.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vessiot/callable.hpp"
#include "vessiot/functions.hpp"
#include "vessiot/model.hpp"

namespace vessiot {

class FunctionsBase {
public:
    virtual ~FunctionsBase() = default;

    virtual const std::string& name() const = 0;
    virtual std::int64_t n_equations() const = 0;
    virtual std::int64_t n_coordinates() const = 0;
    virtual const std::vector<std::string>& names() const = 0;
    virtual const SparsePattern& df_pattern() = 0;
    virtual const SparsePattern& d2f_pattern() = 0;
    // Sizes are right; an empty span is left out.
    virtual void evaluate(double t, std::span<const double> z, std::span<const double> mu, std::span<double> f,
                          std::span<double> df, std::span<double> d2f) = 0;
    virtual void set_parameter(const std::string& name, std::span<const double> values) = 0;
    virtual std::vector<double> parameter(const std::string& name) const = 0;
    virtual bool is_native() const = 0;
    virtual void wait() const = 0;
};

std::unique_ptr<FunctionsBase> make_functions(const Model& model, const CompileOptions& options);
std::unique_ptr<FunctionsBase> make_functions(const CallableSystem& system);

} // namespace vessiot
