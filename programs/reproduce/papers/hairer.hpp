// Hairer: Solving Differential Equations on Manifolds (lecture notes, 2011).
#pragma once

#include "reproduce/paper.hpp"

namespace vessiot::reproduce {

Paper hairer();

namespace hairer_notes {
std::vector<Drawing> drawings();
// Energies over long times: hairer_energy.cpp.
Table energy_orders();
Claim energy_claim();
Drawing energy_drawing();
RunSetting pendulum_setting(const std::string& method, const std::string& projection, const std::string& to);
RunSetting sphere_setting(const std::string& method, const std::string& projection, const std::string& step,
                          const std::string& to);
} // namespace hairer_notes

} // namespace vessiot::reproduce
