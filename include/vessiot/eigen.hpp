// The numbers of a solution as maps of Eigen, for programs that have it: nothing is copied, and the solution must stay.
//
//     const auto values = vessiot::eigen_map(sol.values());      // a row for each point, a column for each name
//     const Eigen::VectorXd mean = values.colwise().mean();
//     const double largest = vessiot::eigen_map(sol.view("x")).cwiseAbs().maxCoeff();
#pragma once

#include <Eigen/Core>

#include "vessiot/solution.hpp"

namespace vessiot {

using EigenRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using EigenStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

inline Eigen::Map<const EigenRows, Eigen::Unaligned, EigenStride> eigen_map(const MatrixView& m) {
    return {m.data(), static_cast<Eigen::Index>(m.rows()), static_cast<Eigen::Index>(m.columns()),
            EigenStride(static_cast<Eigen::Index>(m.row_stride()), static_cast<Eigen::Index>(m.column_stride()))};
}

inline Eigen::Map<const Eigen::VectorXd, Eigen::Unaligned, Eigen::InnerStride<>> eigen_map(const StridedView& v) {
    return {v.data(), static_cast<Eigen::Index>(v.size()), Eigen::InnerStride<>(static_cast<Eigen::Index>(v.stride()))};
}

inline Eigen::Map<const Eigen::VectorXd> eigen_map(const std::vector<double>& v) {
    return {v.data(), static_cast<Eigen::Index>(v.size())};
}

} // namespace vessiot
