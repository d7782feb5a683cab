// `vessiot decompose`: the irreducible components of the constraints on positions, and the model of one of them.
//
//     lang::Source source = lang::Source::load("four_bar_singular.ves");
//     Decomposition d = decompose(source, {}, {});
//     d.answer.components.size() == 2, d.chosen == 1 (the start point is on the second), d.model->text
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decompose/answer.hpp"
#include "decompose/model_text.hpp"
#include "decompose/singular.hpp"
#include "decompose/start_point.hpp"
#include "lang/meaning/elaborate.hpp"
#include "lang/syntax/source.hpp"

namespace vessiot::decompose {

struct Options {
    SingularSettings singular{};
    std::string component = "auto"; // the one to make a model of (choose.hpp)
    GivenStart start{};
};

struct Decomposition {
    std::string model_name;
    std::size_t n_constraints = 0;
    PolynomialSystem polynomials;
    Answer answer;
    StartPlace start;
    std::string problem;               // why something was not decided; empty: nothing is missing
    std::optional<std::size_t> chosen; // number of the component, from 0
    std::optional<std::size_t> then;   // that of the one that the model changes to where they meet
    std::optional<ModelText> model;    // with the chosen component
    std::vector<std::string> notes;    // of the model, ready to print
    std::vector<std::string> warnings; // of reading it

    // Whether the chosen component says something that the constraints do not: there are others, or one counts twice.
    bool is_worth_writing() const;
    // The generators of a component, in the model's words.
    std::vector<std::string> generators(std::size_t component) const;
};

// Throws InvalidInput for a model that cannot be decomposed, SingularFailed, Interrupted.
Decomposition decompose(const lang::Source& source, const lang::Settings& settings, const Options& options);

} // namespace vessiot::decompose
