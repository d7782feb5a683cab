#include "decompose/answer.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>

namespace vessiot::decompose {

namespace {

class Reader {
public:
    explicit Reader(const PolynomialSystem& system) : system_(system) {}

    Answer operator()(std::string_view output) {
        // NOTE: a last line without its end was cut off
        for (std::size_t end = 0; (end = output.find('\n')) != std::string_view::npos; output.remove_prefix(end + 1))
            if (output.starts_with('@')) line(output.substr(0, end));
        sort();
        return std::move(answer_);
    }

private:
    [[noreturn]] void fail() const { throw NotUnderstood(std::string(line_)); }

    void line(std::string_view text) {
        line_ = rest_ = text;
        const std::string_view mark = word();
        if (mark == "@component") {
            answer_.components.push_back({.dimension = number()});
            generators_ = &answer_.components.back().generators;
        } else if (mark == "@generator" && generators_) {
            polynomial(*generators_);
        } else if (mark == "@link" && subject_ == Subject::minimal) {
            polynomial(links_);
        } else if (mark == "@equation" && !places_.empty()) {
            polynomial(places_.back().equations);
        } else if (mark == "@place") {
            places_.push_back({.dimension = number()});
        } else if (mark == "@components") {
            answer_.has_components = true;
        } else if (mark == "@excluded") {
            ++answer_.n_excluded;
        } else if (mark == "@minimal") {
            begin(Subject::minimal);
            first_ = component();
            generators_ = &minimal_;
        } else if (mark == "@singular") {
            begin(Subject::singular);
            first_ = component();
            dimension_ = number();
        } else if (mark == "@meet") {
            begin(Subject::meeting);
            first_ = component();
            second_ = component();
        } else if (mark == "@done") {
            finish();
        } else if (mark == "@radical") {
            answer_.is_radical = number() == 1;
        } else if (mark == "@meetings") {
            answer_.has_meetings = true;
        } else if (mark == "@empty") {
            answer_.has_components = true;
        } else if (mark == "@end") {
            answer_.is_complete = true;
        } else {
            fail();
        }
        if (!rest_.empty()) fail();
    }

    std::string_view word() {
        const std::size_t end = std::min(rest_.find(' '), rest_.size());
        const std::string_view found = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return found;
    }
    int number() {
        const std::string_view text = word();
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) fail();
        return value;
    }
    std::size_t component() {
        const int k = number();
        if (k < 1 || static_cast<std::size_t>(k) > answer_.components.size()) fail();
        return static_cast<std::size_t>(k - 1);
    }
    // All but the relations, which go without saying.
    void polynomial(std::vector<Polynomial>& list) {
        const std::string_view text = word();
        if (std::ranges::find(system_.relations, text) != system_.relations.end()) return;
        auto p = read_polynomial(text, system_.variables.size());
        if (!p) fail();
        list.push_back(std::move(*p));
    }

    // What is not finished is not taken: the time limit may have come in between.
    enum class Subject { none, minimal, singular, meeting };
    void begin(Subject subject) {
        subject_ = subject;
        minimal_.clear();
        links_.clear();
        places_.clear();
        generators_ = nullptr;
    }
    void finish() {
        switch (subject_) {
        case Subject::none: fail();
        case Subject::minimal:
            answer_.components[first_].generators = minimal_;
            answer_.components[first_].links = links_;
            answer_.components[first_].is_minimal = true;
            break;
        case Subject::singular:
            answer_.components[first_].singular_dimension = dimension_;
            answer_.components[first_].singular_places = places_;
            break;
        case Subject::meeting: answer_.meetings.push_back({first_, second_, places_}); break;
        }
        begin(Subject::none);
    }

    // NOTE: the order in which Singular finds them means nothing
    void sort() {
        const auto key = [&](std::size_t k) {
            const Component& c = answer_.components[k];
            int degree = 0;
            std::size_t n_terms = 0;
            std::string text;
            for (const Polynomial& p : c.generators) {
                degree += p.degree();
                n_terms += p.terms.size();
                text += p.text(system_.variables) + ";";
            }
            return std::tuple(-c.dimension, degree, n_terms, text);
        };
        std::vector<std::size_t> order(answer_.components.size()), place(order.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(order, {}, key);
        std::vector<Component> sorted;
        for (std::size_t k = 0; k < order.size(); ++k) {
            sorted.push_back(answer_.components[order[k]]);
            place[order[k]] = k;
        }
        answer_.components = std::move(sorted);
        for (Meeting& m : answer_.meetings) {
            const auto [low, high] = std::minmax(place[m.first], place[m.second]);
            m.first = low;
            m.second = high;
        }
        std::ranges::sort(answer_.meetings, {}, [](const Meeting& m) { return std::pair(m.first, m.second); });
    }

    const PolynomialSystem& system_;
    Answer answer_;
    std::string_view line_, rest_;
    std::vector<Polynomial>* generators_ = nullptr;
    Subject subject_ = Subject::none;
    std::size_t first_ = 0, second_ = 0;
    int dimension_ = 0;
    std::vector<Polynomial> minimal_, links_;
    std::vector<Place> places_;
};

} // namespace

Answer read_answer(std::string_view output, const PolynomialSystem& system) {
    return Reader(system)(output);
}

} // namespace vessiot::decompose
