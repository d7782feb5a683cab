#include "decompose/choose.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/text_list.hpp"

namespace vessiot::decompose {

namespace {

std::string without_blanks(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (c != ' ' && c != '\t') result += c;
    if (result.ends_with("=0")) result.resize(result.size() - 2);
    return result;
}

class Chooser {
public:
    Chooser(const Answer& answer, const PolynomialSystem& polynomials, const StartPlace& start)
        : answer_(answer), polynomials_(polynomials), start_(start), n_(answer.components.size()) {}

    Choice operator()(const std::string& wanted) const {
        const std::size_t comma = wanted.find(',');
        const std::string first(trimmed(std::string_view(wanted).substr(0, comma)));
        if (comma == std::string::npos) {
            if (first != "other") return {find(first), {}};
            return change(start_.along, other(start_.along));
        }
        const std::optional<std::size_t> begin = find(first);
        const std::string then(trimmed(std::string_view(wanted).substr(comma + 1)));
        return change(begin, then == "other" ? other(begin) : find(then));
    }

private:
    std::optional<std::size_t> find(const std::string& word) const {
        if (word == "auto") return start_.along;
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error == std::errc{} && end == word.data() + word.size()) {
            if (number >= 1 && number <= n_) return number - 1;
            throw InvalidInput(fmt::format("there {} {}, but --component asks for number {}", n_ == 1 ? "is" : "are",
                                           plural(n_, "component"), word));
        }
        return with_equation(word);
    }

    std::size_t with_equation(const std::string& word) const {
        std::optional<std::size_t> found;
        for (std::size_t k = 0; k < n_; ++k)
            for (const Polynomial& p : answer_.components[k].generators) {
                if (without_blanks(p.text(polynomials_.variables)) != without_blanks(word)) continue;
                if (found && *found != k)
                    throw InvalidInput(fmt::format("--component '{}': components {} and {} both have this equation; "
                                                   "a number says which one is meant",
                                                   word, *found + 1, k + 1));
                found = k;
            }
        if (found) return *found;
        throw InvalidInput(fmt::format(
            "--component takes auto, other, a number from 1 to {}, or an equation of the component as 'vessiot "
            "decompose' shows it, and two of them with a comma to change from the first to the second where they "
            "meet; but found '{}'",
            n_, word));
    }

    std::size_t other(std::optional<std::size_t> than) const {
        if (n_ == 1) throw InvalidInput("--component other: there is 1 component only");
        if (n_ > 2)
            throw InvalidInput(fmt::format("--component other: there are {}; a number says which one is meant, as in "
                                           "--component auto,{}",
                                           plural(n_, "component"), than && *than == 0 ? 2 : 1));
        if (!than)
            throw InvalidInput("--component other: the start point does not tell on which component the run begins; "
                               "give both, as in --component 1,2");
        return 1 - *than;
    }

    Choice change(std::optional<std::size_t> first, std::optional<std::size_t> then) const {
        if (!first || !then) return {first, {}};
        if (*first == *then)
            throw InvalidInput(
                fmt::format("--component asks for a change from component {0} to component {0}", *first + 1));
        const auto meet = [&](const Meeting& m) {
            return (m.first == *first && m.second == *then) || (m.first == *then && m.second == *first);
        };
        if (answer_.has_meetings && std::ranges::none_of(answer_.meetings, meet))
            throw InvalidInput(fmt::format("components {} and {} have no point in common, where a run could change "
                                           "from one to the other",
                                           *first + 1, *then + 1));
        return {first, then};
    }

    const Answer& answer_;
    const PolynomialSystem& polynomials_;
    const StartPlace& start_;
    std::size_t n_;
};

} // namespace

Choice choose(const std::string& wanted, const Answer& answer, const PolynomialSystem& polynomials,
              const StartPlace& start) {
    return Chooser(answer, polynomials, start)(wanted);
}

} // namespace vessiot::decompose
