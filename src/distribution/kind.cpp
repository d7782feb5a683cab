#include "distribution/kind.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "distribution/explicit.hpp"
#include "distribution/kernel.hpp"
#include "distribution/kernel_rcg.hpp"
#include "distribution/mechanical/kkt.hpp"
#include "distribution/mechanical/kkt_cg.hpp"
#include "distribution/solve.hpp"
#include "distribution/submatrix.hpp"

namespace vessiot {

Table<DistributionKind>& distribution_table() {
    static Table<DistributionKind> table{
        explicit_distribution,   //
        submatrix_distribution,  //
        solve_distribution,      //
        kkt_distribution,        //
        kkt_cg_distribution,     //
        kernel_qr_distribution,  //
        kernel_svd_distribution, //
        kernel_rcg_distribution, //
    };
    return table;
}

template <class S>
std::unique_ptr<Distribution<S>> make_distribution(const DistributionKind* wanted, const DistributionShape& shape,
                                                   Jets<S>& jets, const expr::EvaluatorOptions& evaluator) {
    const DistributionParts<S> parts{shape, jets, evaluator, wanted != nullptr};
    std::vector<const DistributionKind*> tried;
    if (wanted) tried = {wanted};
    for (const DistributionKind& kind : distribution_table())
        if (!wanted && kind.suits(shape) > 0) tried.push_back(&kind);
    std::ranges::stable_sort(tried, std::greater(), [&](const DistributionKind* kind) { return kind->suits(shape); });
    std::string misfit;
    for (const DistributionKind* kind : tried)
        if (auto made = kind->make(parts, misfit)) return made;
    throw InvalidInput(misfit);
}

std::string misfit_of_square(std::string_view name, const DistributionShape& shape) {
    if (shape.is_square()) return "";
    return fmt::format("--distribution {} needs as many equations as unknowns, but {} has {} and {}. Use submatrix, "
                       "kernel-qr, kernel-svd or kernel-rcg, or leave it out.",
                       name, shape.system.name, shape.prolongation.n_equations(), shape.n_tops());
}

std::string misfit_text(std::string_view name, const DistributionShape& shape, std::string_view why) {
    return fmt::format("--distribution {} does not fit {}: {}. Leave it out, or use --distribution solve.", name,
                       shape.system.name, why);
}

template std::unique_ptr<Distribution<double>> make_distribution(const DistributionKind*, const DistributionShape&,
                                                                 Jets<double>&, const expr::EvaluatorOptions&);
template std::unique_ptr<Distribution<Quad>> make_distribution(const DistributionKind*, const DistributionShape&,
                                                               Jets<Quad>&, const expr::EvaluatorOptions&);

} // namespace vessiot
