// The kinds of distributions, in one table: what each is called, how it is made, what it needs, and where it is taken
// without being asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "completion/prolongation.hpp"
#include "completion/structure.hpp"
#include "core/table.hpp"
#include "distribution/distribution.hpp"
#include "manifold/jets.hpp"
#include "system/system.hpp"

namespace vessiot {

// What is to be solved for the tops.
struct DistributionShape {
    const System& system;
    const Prolongation& prolongation;
    const Structure& structure;
    bool is_arclength = false;
    bool is_mechanical = false; // the equations for the tops can be eliminated without pivoting
    std::int64_t rank = 0;      // of the equations for the tops, where not all tops are unique

    bool is_square() const { return prolongation.n_equations() == prolongation.n_tops(); }
    std::int64_t n_tops() const { return prolongation.n_tops(); }
};

template <class S> struct DistributionParts {
    const DistributionShape& shape;
    Jets<S>& jets;
    const expr::EvaluatorOptions& evaluator;
    bool is_asked; // for, by its name
};

struct DistributionKind {
    // Null where it does not fit: `misfit` then says why, as a sentence for the user.
    template <class S>
    using Maker = std::unique_ptr<Distribution<S>> (*)(const DistributionParts<S>&, std::string& misfit);

    std::string_view name;
    std::string_view help;  // half a line
    std::string_view needs; // of the equations; empty: nothing
    // How well it suits where nothing is asked for: the best is tried first, 0 is not tried.
    int (*suits)(const DistributionShape&);
    Maker<double> make_double;
    Maker<Quad> make_quad;

    template <class S>
    std::unique_ptr<Distribution<S>> make(const DistributionParts<S>& parts, std::string& misfit) const {
        if constexpr (std::is_same_v<S, double>)
            return make_double(parts, misfit);
        else
            return make_quad(parts, misfit);
    }
};

// In the order of help. Each stands at the end of the file that it is made in.
Table<DistributionKind>& distribution_table();

// The one that is asked for, or the one that suits best where `wanted` is null. Throws InvalidInput where none fits.
template <class S>
std::unique_ptr<Distribution<S>> make_distribution(const DistributionKind* wanted, const DistributionShape& shape,
                                                   Jets<S>& jets, const expr::EvaluatorOptions& evaluator);

// Of those that are taken without being asked for only.
inline int never_suits(const DistributionShape&) {
    return 0;
}

// Up to so many tops matrices may be dense; where there is a choice, up to `few_tops`.
inline constexpr std::int64_t few_tops = 300, most_dense_tops = 10 * few_tops;

// What those lack that need as many equations as unknowns; empty where there are.
std::string misfit_of_square(std::string_view name, const DistributionShape& shape);
// "--distribution kkt does not fit chain: it is …"
std::string misfit_text(std::string_view name, const DistributionShape& shape, std::string_view why);

} // namespace vessiot
