// The words of the language: the one list of statement keywords and the one list of functions. Parser, elaboration and
// documentation read them here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vessiot::lang {

enum class KeywordId {
    parameter,
    unknown,
    matrix,
    independent,
    let,
    function,
    invariant,
    constraint,
    lagrangian,
    hamiltonian,
    force,
    for_loop,
    start,
    guess,
    hold,
    solve,
    option,
    output,
    event
};

struct Keyword {
    KeywordId id;
    std::string_view word;
    std::string_view example; // shown in messages
    bool is_allowed_in_loop;
};

// The words that begin a statement. They cannot be names.
std::span<const Keyword> keywords();
const Keyword* find_keyword(std::string_view word); // null: none

struct BuiltinFunction {
    std::string_view name;
    int min_arguments;
    int max_arguments; // -1: any number
    std::string_view meaning;
};

// The functions of the language. Their names cannot be names of a model. `sum` and `product` are read as Reduction, all
// others as Call.
std::span<const BuiltinFunction> builtin_functions();
const BuiltinFunction* find_builtin_function(std::string_view name); // null: none

// Why a (normalised) word cannot be the name of something in a model ("'sin' is a function of the language"), or
// nothing where it can.
std::optional<std::string> why_reserved(std::string_view word);

// A name with its Greek letters spelled out: "λ1" is "lambda1". Variants of a letter (ϑ, ϕ, ς, the micro sign) are the
// same letter.
std::string normalise_name(std::string_view written);
// The spelled name of a Greek letter, empty where the code point is none.
std::string_view greek_letter_name(char32_t code_point);

} // namespace vessiot::lang
