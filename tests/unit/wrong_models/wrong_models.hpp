// Models with a mistake, and what their authors are told, word for word. Texts begin in the line after the quotation
// mark.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace vessiot::lang {

struct WrongModel {
    std::string name;
    std::string text;
    std::string message;
    std::vector<std::pair<std::string, std::string>> set = {};
};

inline void PrintTo(const WrongModel& model, std::ostream* out) {
    *out << model.name;
}

std::vector<WrongModel> wrong_names();      // names, functions and their arguments
std::vector<WrongModel> wrong_indices();    // indices, ranges and sizes
std::vector<WrongModel> wrong_shapes();     // arrays, vectors and matrices in formulas
std::vector<WrongModel> wrong_formulas();   // derivatives, conditions, and formulas that need themselves
std::vector<WrongModel> wrong_statements(); // start values, intervals, lagrangians, hamiltonians, matrices
std::vector<WrongModel> wrong_results();    // held values, events, outputs and options
std::vector<WrongModel> wrong_whole();      // models that are too large or not complete, and values given from outside

} // namespace vessiot::lang
