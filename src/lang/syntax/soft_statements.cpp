// Statements whose words are not reserved: table, include, component, part, poisson, and files of numbers.
#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/syntax/statement_parser.hpp"

namespace vessiot::lang {

namespace {

constexpr std::string_view table_form = "table torque(s) = [0: 0, 1: 10], or = file \"torque.csv\"";
constexpr std::string_view part_form = "part a = Link(l = 2)";
constexpr std::string_view component_form = "component Link(m = 1, l = 1):";
constexpr std::string_view poisson_form = "poisson B for y1, y2, y3";

struct KindWord {
    std::string_view word;
    TableKind kind;
};
constexpr std::array kind_words{KindWord{"step", TableKind::step}, KindWord{"linear", TableKind::linear},
                                KindWord{"cubic", TableKind::cubic}, KindWord{"monotone", TableKind::monotone}};
struct EndsWord {
    std::string_view word;
    TableEnds ends;
};
constexpr std::array ends_words{EndsWord{"error", TableEnds::error}, EndsWord{"hold", TableEnds::hold},
                                EndsWord{"extend", TableEnds::extend}, EndsWord{"periodic", TableEnds::periodic}};

template <class Words> std::string list_of(const Words& words) {
    std::string list;
    for (const auto& w : words) list += fmt::format("{}{}", list.empty() ? "" : ", ", w.word);
    return list;
}

} // namespace

// [[ as of poisson [[0, y], [-y, 0]] for …, which no element of an array begins with.
bool StatementParser::begins_with_row(const Token& bracket) const {
    const Source& source = tokens_.source();
    const std::string_view rest = source.text({bracket.span.end, source.line_at(bracket.span.begin).end});
    const std::size_t at = rest.find_first_not_of(" \t");
    return at != std::string_view::npos && rest[at] == '[';
}

bool StatementParser::parse_soft_statement(Statements& out, std::uint32_t line_indent) {
    if (!tokens_.at(TokenKind::name)) return false;
    const TokenKind next = tokens_.peek().kind;
    const std::string_view word = tokens_.text(begin_);
    const bool is_table = word == "table", is_include = word == "include";
    const bool is_component = word == "component", is_part = word == "part", is_poisson = word == "poisson";
    const bool is_matrix = is_poisson && next == TokenKind::open_square && begins_with_row(tokens_.peek());
    if (is_include ? next != TokenKind::text : next != TokenKind::name && !is_matrix) return false;
    if (!is_table && !is_include && !is_component && !is_part && !is_poisson) return false;
    if (loop_depth_ > 0)
        tokens_.fail_here(is_part
                              ? "'part' cannot stand in a loop; a family of parts is written part b[i = 1..n] = …"
                              : fmt::format("'{}' cannot stand in a loop; put it on a line of its own outside", word));
    if (is_in_component_ && (is_include || is_component))
        tokens_.fail_here(fmt::format("'{}' cannot stand in a component; put it on a line of its own outside", word));
    tokens_.take();
    const std::uint32_t begin = begin_.span.begin;
    if (is_component) {
        ComponentStatement component = parse_component(line_indent);
        out.push_back({component.name.span, std::move(component)});
        return true;
    }
    if (is_table) out.push_back({{}, parse_table()});
    if (is_include) out.push_back({{}, parse_include()});
    if (is_part) out.push_back({{}, parse_part()});
    if (is_poisson) out.push_back({{}, parse_poisson()});
    out.back().span = tokens_.span_from(begin);
    finish(fmt::format("this does not belong here; an example: {}", is_table     ? table_form
                                                                    : is_include ? "include \"mechanics\""
                                                                    : is_poisson ? poisson_form
                                                                                 : part_form));
    return true;
}

PoissonStatement StatementParser::parse_poisson() {
    PoissonStatement statement{expressions_.parse_expression(), {}};
    if (!tokens_.at_word("for"))
        expressions_.fail_after_expression(
            fmt::format("'for' and the coordinates are missing after the Poisson matrix, as in: {}", poisson_form));
    tokens_.take();
    statement.targets =
        parse_names("poisson", fmt::format("names of unknowns are needed, as in: {}", poisson_form), false);
    return statement;
}

TableStatement StatementParser::parse_table() {
    TableStatement table{expressions_.parse_new_name("a table"), {}, {}, {}};
    const auto fail_form = [&] {
        tokens_.fail(table.name.span, fmt::format("a table has its argument in brackets: write {}", table_form));
    };
    if (!tokens_.accept(TokenKind::open_round)) fail_form();
    do {
        table.formals.push_back(expressions_.parse_new_name("an argument"));
    } while (tokens_.accept(TokenKind::comma));
    if (!tokens_.accept(TokenKind::close_round)) fail_form();
    if (table.formals.size() > 2)
        tokens_.fail(table.formals[2].span, "a table has one or two arguments, but this is the third");
    if (!tokens_.accept(TokenKind::equal)) fail_form();
    table.file = parse_file();
    if (!table.file) parse_points(table);
    if (table.formals.size() == 2 && table.file && !table.file->columns.empty())
        tokens_.fail(table.file->columns[0].span,
                     "a table of two arguments is the whole file: its first row and column "
                     "are the points, and no columns are chosen");
    parse_table_words(table);
    return table;
}

// [0: 0, 0.5: 12]
void StatementParser::parse_points(TableStatement& table) {
    if (!tokens_.at(TokenKind::open_square))
        tokens_.fail_here(fmt::format("points in brackets or a file are needed here: {}", table_form));
    const Span open = tokens_.current().span;
    if (table.formals.size() == 2)
        tokens_.fail(open, "a table of two arguments comes from a file: table K(a, b) = file \"map.csv\"");
    tokens_.take();
    do {
        TableStatement::Point point{expressions_.parse_expression(), nullptr};
        if (!tokens_.accept(TokenKind::colon))
            expressions_.fail_after_expression(
                "a point is written with ':' between its place and its value: [0: 0, 1: 10]");
        point.value = expressions_.parse_expression();
        table.points.push_back(point);
    } while (tokens_.accept(TokenKind::comma));
    if (!tokens_.accept(TokenKind::close_square)) {
        if (tokens_.at_statement_end()) tokens_.fail(open, "this '[' is never closed");
        expressions_.fail_after_expression("a ',' or the closing bracket is missing here");
    }
}

// cubic outside hold, in this or the other order.
void StatementParser::parse_table_words(TableStatement& table) {
    bool has_kind = false, has_ends = false;
    while (tokens_.at(TokenKind::name) && !tokens_.current().is_first_on_line) {
        const std::string_view word = tokens_.text(tokens_.current());
        if (word == "outside") {
            if (std::exchange(has_ends, true)) tokens_.fail_here("'outside' is given twice");
            tokens_.take();
            const std::string_view ends = tokens_.at(TokenKind::name) ? tokens_.text(tokens_.current()) : "";
            const auto found = std::ranges::find(ends_words, ends, &EndsWord::word);
            if (found == ends_words.end()) {
                const auto meant = nearest(ends, ends_words | std::views::transform(&EndsWord::word));
                tokens_.fail(tokens_.at_statement_end() ? tokens_.previous().span : tokens_.current().span,
                             fmt::format("after 'outside' comes one of {}{}", list_of(ends_words),
                                         meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
            }
            table.ends = found->ends;
        } else {
            const auto found = std::ranges::find(kind_words, word, &KindWord::word);
            if (found == kind_words.end()) {
                const auto meant = nearest(word, kind_words | std::views::transform(&KindWord::word));
                tokens_.fail_here(fmt::format("'{}' is unknown here; between the points a table is one of {}{}", word,
                                              list_of(kind_words),
                                              meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
            }
            if (std::exchange(has_kind, true))
                tokens_.fail_here(fmt::format("'{}' is the second kind of this table", word));
            table.kind = found->kind;
        }
        tokens_.take();
    }
}

// file "wind.csv" columns time, speed; none where `file` is a name.
std::optional<FileReference> StatementParser::parse_file() {
    const TokenKind next = tokens_.peek().kind; // invalid: a quote that is never closed, as taking it says
    if (!tokens_.at_word("file") || (next != TokenKind::text && next != TokenKind::invalid)) return std::nullopt;
    tokens_.take();
    const Token path = tokens_.take();
    const std::string_view text = tokens_.text(path);
    FileReference file{store_.intern(text.substr(1, text.size() - 2)), path.span, {}};
    if (file.path.empty()) tokens_.fail(path.span, "the name of the file is missing");
    if (tokens_.at_word("column") || tokens_.at_word("columns")) {
        tokens_.take();
        do {
            file.columns.push_back(parse_column());
        } while (tokens_.accept(TokenKind::comma));
    }
    return file;
}

Ident StatementParser::parse_column() {
    const Token token = tokens_.current();
    const std::string_view text = tokens_.text(token);
    if (tokens_.at(TokenKind::text)) {
        tokens_.take();
        return {store_.intern(text.substr(1, text.size() - 2)), token.span};
    }
    if (!tokens_.at(TokenKind::name) && !tokens_.at(TokenKind::number))
        tokens_.fail(tokens_.at_statement_end() ? tokens_.previous().span : token.span,
                     "a column is a name from the first line of the file, in quotes where it is no name, or a number "
                     "from 1");
    tokens_.take();
    return {store_.intern(text), token.span};
}

IncludeStatement StatementParser::parse_include() {
    const Token path = tokens_.take();
    const std::string_view text = tokens_.text(path);
    if (text.size() == 2)
        tokens_.fail(path.span, "the name of the file is missing, as in: include \"parts/motor.ves\"");
    return {store_.intern(text.substr(1, text.size() - 2)), path.span};
}

ComponentStatement StatementParser::parse_component(std::uint32_t line_indent) {
    const Token first = begin_;
    ComponentStatement component{expressions_.parse_new_name("a component"), {}, {}};
    if (tokens_.accept(TokenKind::open_round) && !tokens_.accept(TokenKind::close_round)) {
        do {
            ComponentFormal formal{expressions_.parse_new_name("an argument"), nullptr};
            if (tokens_.accept(TokenKind::equal)) formal.value = expressions_.parse_expression();
            component.formals.push_back(formal);
        } while (tokens_.accept(TokenKind::comma));
        if (!tokens_.accept(TokenKind::close_round))
            expressions_.fail_after_expression(
                fmt::format("the arguments of a component are names with ',' between them, as in: {}", component_form));
    }
    if (!tokens_.accept(TokenKind::colon))
        tokens_.fail(tokens_.span_from(first.span.begin),
                     fmt::format("a component has a ':' and an indented block, as in: {}", component_form));
    if (!tokens_.at_statement_end())
        tokens_.fail_here("what a component has stands below it, indented, one statement a line");
    is_in_component_ = true;
    component.body = parse_block(tokens_.span_from(first.span.begin), line_indent, "component");
    is_in_component_ = false;
    return component;
}

PartStatement StatementParser::parse_part() {
    PartStatement part{expressions_.parse_new_name("a part"), {}, {}, {}};
    if (tokens_.at(TokenKind::open_square)) part.indices = expressions_.parse_family_indices();
    const std::string form = fmt::format("a part is made from a component, as in: {}", part_form);
    if (!tokens_.accept(TokenKind::equal) || !tokens_.at(TokenKind::name)) tokens_.fail(part.name.span, form);
    part.component = expressions_.parse_new_name("a component");
    if (!tokens_.accept(TokenKind::open_round)) {
        if (tokens_.at_statement_end()) return part;
        tokens_.fail_here(form);
    }
    if (tokens_.accept(TokenKind::close_round)) return part;
    do {
        PartArgument argument{std::nullopt, nullptr};
        if (tokens_.at(TokenKind::name) && tokens_.peek().kind == TokenKind::equal) {
            argument.name = expressions_.parse_new_name("an argument");
            tokens_.take();
        } else if (!part.arguments.empty() && part.arguments.back().name) {
            tokens_.fail_here("an argument without a name cannot follow one with a name");
        }
        argument.value = expressions_.parse_expression();
        part.arguments.push_back(argument);
    } while (tokens_.accept(TokenKind::comma));
    if (!tokens_.accept(TokenKind::close_round))
        expressions_.fail_after_expression("a ',' or the closing bracket of the part is missing here");
    return part;
}

} // namespace vessiot::lang
