// Classes and their elements.
#include "modelica/syntax/parser.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace vessiot::modelica {

namespace {

constexpr int most_nested = 200;
constexpr std::string_view class_words[] = {"model", "block",   "class",     "record",  "function",
                                            "type",  "package", "connector", "operator"};
constexpr std::string_view class_prefixes[] = {"partial", "encapsulated", "pure", "impure", "expandable"};
constexpr std::string_view words_of_sources[] = {"connect",    "import",   "inner",   "outer",     "replaceable",
                                                 "redeclare",  "within",   "extends", "connector", "constrainedby",
                                                 "expandable", "operator", "stream",  "block"};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

} // namespace

Parser::Depth::Depth(Parser& parser) : parser_(parser) {
    if (++parser.depth_ > most_nested)
        parser.reader_.fail(parser.reader_.now().span,
                            fmt::format("more than {} statements stand in each other here", most_nested));
}

void Parser::fail_not_flat(const Token& token) const {
    reader_.fail(
        token.span,
        fmt::format("'{}' belongs to Modelica as libraries are written, which has to be made flat first: with "
                    "OpenModelica by setCommandLineOptions(\"--baseModelica "
                    "--baseModelicaOptions=scalarize,moveBindings\"); loadFile(\"…\"); "
                    "writeFile(\"M.bmo\", instantiateModel(M)); or with rumoca (pip install rumoca), then solve "
                    "the file that it writes",
                    token.text));
}

void Parser::run() {
    while (reader_.now().kind != TokenKind::end) {
        if (!is_class_begin()) {
            if (reader_.now().kind == TokenKind::name && !reader_.now().is_quoted &&
                is_one_of(reader_.now().text, words_of_sources))
                fail_not_flat(reader_.now());
            reader_.fail_found("'package' or 'model', with which a Base Modelica text begins,");
        }
        definition(module_.classes);
    }
    if (module_.classes.empty())
        reader_.fail({}, "the text is empty; a Base Modelica text has a model, as in: model M … end M;");
}

bool Parser::is_class_begin() const {
    const Token& token = reader_.now();
    if (token.kind != TokenKind::name || token.is_quoted) return false;
    return is_one_of(token.text, class_words) || is_one_of(token.text, class_prefixes);
}

void Parser::definition(std::vector<Class>& into) {
    const Depth depth(*this);
    into.push_back(class_definition());
    reader_.need_symbol(";", "after the end of a class");
}

Class Parser::class_definition() {
    Class c;
    const Span from = reader_.now().span;
    while (is_one_of(reader_.now().text, class_prefixes)) {
        if (reader_.is_word("expandable")) fail_not_flat(reader_.now());
        c.is_partial |= reader_.is_word("partial");
        reader_.take();
    }
    const Token word = reader_.take();
    if (word.text == "connector" || word.text == "operator" || word.text == "block") fail_not_flat(word);
    c.kind = word.text == "record"     ? ClassKind::record
             : word.text == "function" ? ClassKind::function
             : word.text == "type"     ? ClassKind::type
             : word.text == "package"  ? ClassKind::package
             : word.text == "class"    ? ClassKind::external_object
                                       : ClassKind::model;
    const Token name = reader_.need_name(fmt::format("the name of a {}", word.text));
    c.name = module_.names.add(name.text);
    c.span = lang::join(from, name.span);
    if (reader_.skip_symbol("=")) {
        short_definition(c);
    } else {
        skip_comment();
        c.kind == ClassKind::package ? package_body(c) : class_body(c);
        end_of_class(c);
    }
    return c;
}

// type X = enumeration(a, b "text"), type X = Real(unit = "m"), record X = Y
void Parser::short_definition(Class& c) {
    if (reader_.skip_word("enumeration")) {
        reader_.need_symbol("(", "after enumeration");
        if (reader_.skip_symbol(":")) {
            // any literals
        } else if (!reader_.is_symbol(")")) {
            do {
                c.literals.push_back(module_.names.add(reader_.need_name("a literal of an enumeration").text));
                skip_comment();
            } while (reader_.skip_symbol(","));
        }
        reader_.need_symbol(")", "after the literals of an enumeration");
    } else {
        std::string base(reader_.need_name("the type that this one is made from").text);
        while (reader_.skip_symbol(".")) base += "." + std::string(reader_.need_name("a name").text);
        c.base = module_.names.add(base);
        if (reader_.skip_symbol("[")) expressions_.subscripts();
        if (reader_.is_symbol("(")) modifications();
    }
    skip_comment();
}

void Parser::end_of_class(const Class& c) {
    reader_.need_word("end", "of this class");
    const Token name = reader_.need_name("the name of the class that ends here");
    if (name.text != module_.names[c.name])
        reader_.fail(name.span, fmt::format("'{}' ends here, but '{}' began", name.text, module_.names[c.name]));
}

void Parser::package_body(Class& c) {
    while (!reader_.is_word("end")) {
        if (is_class_begin())
            definition(c.classes);
        else if (reader_.is_word("annotation"))
            skip_comment(), reader_.need_symbol(";", "after an annotation");
        else if (reader_.now().kind == TokenKind::end)
            reader_.fail_found(fmt::format("'end {}'", module_.names[c.name]));
        else
            components(c, false);
    }
}

void Parser::class_body(Class& c) {
    bool is_protected = false;
    while (!reader_.is_word("end")) {
        const Token& token = reader_.now();
        if (token.kind == TokenKind::end) reader_.fail_found(fmt::format("'end {}'", module_.names[c.name]));
        if (is_class_begin())
            definition(c.classes);
        else if (reader_.skip_word("protected"))
            is_protected = true;
        else if (reader_.skip_word("public"))
            is_protected = false;
        else if (reader_.is_word("annotation"))
            annotation(&c), reader_.need_symbol(";", "after an annotation");
        else if (reader_.is_word("extends") && reader_.ahead(1).text == "ExternalObject")
            reader_.take(), reader_.take(), reader_.need_symbol(";", "here");
        else if (reader_.is_word("equation") || reader_.is_word("algorithm") || reader_.is_word("initial"))
            section(c, reader_.take().text);
        else if (reader_.is_word("external"))
            external_function(c);
        else if (!token.is_quoted && is_one_of(token.text, words_of_sources))
            fail_not_flat(token);
        else
            components(c, is_protected);
    }
}

void Parser::section(Class& c, std::string_view word) {
    const bool is_initial = word == "initial";
    if (is_initial) {
        if (!reader_.is_word("equation") && !reader_.is_word("algorithm"))
            reader_.fail_found("'equation' or 'algorithm' after initial");
        word = reader_.take().text;
    }
    const bool is_algorithm = word == "algorithm";
    std::vector<StatementId>& into = is_algorithm ? (is_initial ? c.initial_algorithm : c.algorithm)
                                                  : (is_initial ? c.initial_equations : c.equations);
    for (const StatementId s : statements(is_algorithm)) into.push_back(s);
}

// external "C" y = f(x) annotation(…);
void Parser::external_function(Class& c) {
    reader_.take();
    c.external = reader_.now().kind == TokenKind::text ? std::string(reader_.take().text) : "\"C\"";
    if (!reader_.is_symbol(";") && !reader_.is_word("annotation")) {
        c.external_call = expressions_.reference();
        if (reader_.skip_symbol("=")) {
            c.external_result = c.external_call;
            c.external_call = expressions_.reference();
        }
    }
    skip_comment();
    reader_.need_symbol(";", "after external");
}

// prefixes type[dimensions] name[dimensions](modifications) = value "text", …;
void Parser::components(Class& c, bool is_protected) {
    Component shape;
    shape.is_protected = is_protected;
    while (reader_.now().kind == TokenKind::name && !reader_.now().is_quoted) {
        const std::string_view word = reader_.now().text;
        if (word == "parameter")
            shape.variability = Variability::parameter;
        else if (word == "constant")
            shape.variability = Variability::constant;
        else if (word == "discrete")
            shape.variability = Variability::discrete;
        else if (word == "input")
            shape.direction = Causality::input;
        else if (word == "output")
            shape.direction = Causality::output;
        else if (word == "final")
            shape.is_final = true;
        else if (word == "flow" || word == "stream")
            fail_not_flat(reader_.now());
        else
            break;
        reader_.take();
    }
    std::string type(reader_.need_name("a declaration or a section ('equation', 'algorithm', 'end')").text);
    while (reader_.skip_symbol(".")) type += "." + std::string(reader_.need_name("the name of a type").text);
    shape.type = module_.names.add(type);
    if (reader_.skip_symbol("[")) shape.dimensions = expressions_.subscripts();
    do c.components.push_back(component(shape));
    while (reader_.skip_symbol(","));
    reader_.need_symbol(";", "after a declaration");
}

Component Parser::component(const Component& shape) {
    Component result = shape;
    const Token name = reader_.need_name("the name of what is declared");
    result.name = module_.names.add(name.text);
    result.span = name.span;
    if (reader_.skip_symbol("[")) {
        std::vector<ExprId> own = expressions_.subscripts();
        result.dimensions.insert(result.dimensions.begin(), own.begin(), own.end());
    }
    if (reader_.is_symbol("(")) result.modifications = modifications();
    if (reader_.skip_symbol("=") || reader_.skip_symbol(":=")) result.value = expressions_.expression();
    if (reader_.is_word("if")) fail_not_flat(reader_.now());
    skip_comment();
    return result;
}

std::vector<Modification> Parser::modifications() {
    const Depth depth(*this);
    reader_.need_symbol("(", "here");
    std::vector<Modification> result;
    if (!reader_.is_symbol(")")) {
        do result.push_back(modification());
        while (reader_.skip_symbol(","));
    }
    reader_.need_symbol(")", "after modifications");
    return result;
}

Modification Parser::modification() {
    Modification result;
    while (reader_.is_word("each") || reader_.is_word("final")) reader_.take();
    if (reader_.is_word("redeclare") || reader_.is_word("replaceable")) fail_not_flat(reader_.now());
    const Token name = reader_.need_name("the name of an attribute");
    result.name = module_.names.add(name.text);
    result.span = name.span;
    while (reader_.skip_symbol(".")) reader_.need_name("the name of an attribute");
    if (reader_.is_symbol("(")) result.nested = modifications();
    if (reader_.skip_symbol("=") || reader_.skip_symbol(":=")) result.value = expressions_.expression();
    if (reader_.now().kind == TokenKind::text) skip_comment();
    return result;
}

void Parser::skip_comment() {
    if (reader_.now().kind == TokenKind::text) {
        do {
            if (reader_.now().kind != TokenKind::text) reader_.fail_found("a text");
            reader_.take();
        } while (reader_.skip_symbol("+"));
    }
    if (reader_.is_word("annotation")) annotation(nullptr);
}

// Of all annotations only experiment(StopTime = 5, …) of the model means something here.
void Parser::annotation(Class* c) {
    reader_.take();
    for (const Modification& m : modifications()) {
        if (!c || module_.names[m.name] != "experiment") continue;
        for (const Modification& value : m.nested)
            if (value.value != nothing) c->experiment[module_.names[value.name]] = value.value;
    }
}

Module parse(const Source& source) {
    Module module;
    module.source = &source;
    module.is_marked = source.text().find("//! base") != std::string_view::npos;
    module.is_by_rumoca = source.text().find("$parentIndex") != std::string_view::npos;
    module.expressions.reserve(source.text().size() / 8);
    Parser(source, module).run();
    return module;
}

} // namespace vessiot::modelica
