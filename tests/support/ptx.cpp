#include "support/ptx.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace vessiot::test {

namespace {

constexpr std::uint64_t block_size = 64;

enum class Step : std::uint8_t {
    add_f,
    sub_f,
    mul_f,
    div_f,
    inverse_f,
    sqrt_f,
    neg_f,
    abs_f,
    floor_f,
    ceil_f,
    nearest_f,
    cut_f,
    min_f,
    max_f, // of doubles
    move,
    add,
    sub,
    mul,
    multiply_add,
    field,
    shift_left,
    shift_right,
    shift_signed,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    negate,
    truth_and,
    truth_or,
    truth_xor,
    truth_not,
    compare_f,
    compare_u,
    compare_s,
    select,
    load,
    store,
    jump,
    call,
    end,
};
enum class Relation : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

struct Operand {
    bool is_number = false;
    std::uint64_t value = 0; // or the place of a register
};

struct Instruction {
    Step step = Step::end;
    Relation relation = Relation::equal;
    bool is_unordered = false; // a comparison that holds for NaN
    unsigned bits = 64;        // of integers, and of what is loaded
    std::int32_t guard = -1;   // the place of a condition
    bool is_guard_false = false;
    std::uint32_t to = 0;
    Operand a, b, c;
    std::int64_t offset = 0;     // of an address
    std::int32_t target = 0;     // instruction or function
    std::vector<Operand> passed; // to a function
};

double number(std::uint64_t bits) {
    return std::bit_cast<double>(bits);
}

bool holds(const Instruction& i, std::uint64_t a, std::uint64_t b) {
    const auto by = [&](auto x, auto y) {
        switch (i.relation) {
        case Relation::equal: return x == y;
        case Relation::not_equal: return x != y;
        case Relation::less: return x < y;
        case Relation::less_equal: return x <= y;
        case Relation::greater: return x > y;
        default: return x >= y;
        }
    };
    if (i.step == Step::compare_f) {
        const double x = number(a), y = number(b);
        if (x != x || y != y) return i.is_unordered;
        return by(x, y);
    }
    if (i.step == Step::compare_u) return by(a, b);
    if (i.bits == 32) return by(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
    return by(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
}

std::vector<std::string> split(const std::string& text, const char* separators) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(separators, at)) != std::string::npos) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end;
    }
    return parts;
}

bool begins(const std::string& text, const char* with) {
    return text.rfind(with, 0) == 0;
}

} // namespace

struct Ptx::Function {
    std::string name;
    std::vector<std::uint32_t> parameters; // their places; the result is at place 0
    std::size_t n_places = 1;
    std::vector<Instruction> body;
};

// Names of registers, parameters and results are places of one thread.
class Ptx::Parser {
public:
    Parser(Ptx& program, const std::string& text) : program_(program), lines_(text) {}

    void operator()() {
        for (std::string line; next(line);)
            if (begins(line, ".visible .entry") || begins(line, ".func")) function(line);
        for (const auto& [function, at, name] : calls_) function->body[at].target = numbers_.at(name);
    }

private:
    bool next(std::string& line) {
        while (std::getline(lines_, line)) {
            line = line.substr(0, line.find("//"));
            const std::size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t");
            if (first == std::string::npos) continue;
            line = line.substr(first, last - first + 1);
            return true;
        }
        return false;
    }

    [[noreturn]] static void fail(const std::string& line) { throw std::runtime_error("not known here: " + line); }

    std::uint32_t place(const std::string& name) {
        const auto [known, is_new] = places_.try_emplace(name, static_cast<std::uint32_t>(places_.size() + 1));
        return known->second;
    }

    void function(std::string line) {
        places_.clear();
        labels_.clear();
        jumps_.clear();
        auto made = std::make_unique<Function>();
        std::string head = line;
        while (head.find('{') == std::string::npos && head.find(';') == std::string::npos && next(line))
            head += " " + line;
        const bool is_declared_only = head.find(';') != std::string::npos;
        const bool has_result = begins(head, ".func") && head.find('(') < head.find("vessiot_");
        const std::size_t named = head.find("vessiot_"), open = head.find('(', named);
        made->name = split(head.substr(named, open - named), " \t")[0];
        if (is_declared_only) return;
        if (has_result) places_.emplace("func_retval0", 0);
        const std::string list = head.substr(open + 1, head.find(')', open) - open - 1);
        for (const std::string& parameter : split(list, ","))
            made->parameters.push_back(place(split(parameter, " \t").back()));
        if (begins(head, ".visible"))
            for (const char* special : {"%ctaid.x", "%ntid.x", "%tid.x"}) made->parameters.push_back(place(special));
        numbers_[made->name] = static_cast<std::int32_t>(program_.functions_.size());
        program_.functions_.push_back(std::move(made));
        body(*program_.functions_.back());
    }

    void body(Function& f) {
        for (std::string line; next(line) && line != "}";) {
            if (begins(line, ".reg") || begins(line, ".param") || begins(line, ".local")) continue;
            if (line.back() == ':') {
                labels_[line.substr(0, line.size() - 1)] = static_cast<std::int32_t>(f.body.size());
                continue;
            }
            if (begins(line, "{")) { // of a call
                call(f);
                continue;
            }
            f.body.push_back(instruction(line, static_cast<std::int32_t>(f.body.size())));
        }
        for (const auto& [at, label] : jumps_) f.body[static_cast<std::size_t>(at)].target = labels_.at(label);
        f.n_places = places_.size() + 1;
    }

    // { .param .b64 param0; st.param.f64 [param0], %fd1; ... call.uni (retval0), name, (param0); ld.param ...; }
    void call(Function& f) {
        Instruction made;
        made.step = Step::call;
        std::string line;
        while (next(line) && line != "}") {
            const std::vector<std::string> parts = split(line, " \t,;()[]");
            if (begins(line, ".param") || line == ");" || line == "(") continue;
            if (begins(line, "st.param")) {
                made.passed.push_back(operand(parts[2]));
            } else if (begins(line, "ld.param")) {
                made.to = place(parts[1]);
            } else if (begins(line, "call")) {
                std::string all = line;
                while (all.find(';') == std::string::npos && next(line)) all += " " + line;
                for (const std::string& part : split(all, " \t,;()"))
                    if (begins(part, "vessiot_")) calls_.emplace_back(&f, f.body.size(), part);
            } else {
                fail(line);
            }
        }
        f.body.push_back(made);
    }

    Operand operand(const std::string& text) {
        if (begins(text, "0d")) return {true, std::stoull(text.substr(2), nullptr, 16)};
        if (text[0] == '%' || text[0] == 'f' || text[0] == 'v') return {false, place(text)};
        return {true, static_cast<std::uint64_t>(std::stoll(text))};
    }

    Instruction instruction(std::string line, std::int32_t at) {
        Instruction i;
        if (line[0] == '@') {
            i.is_guard_false = line[1] == '!';
            const std::size_t end = line.find_first_of(" \t");
            i.guard = static_cast<std::int32_t>(
                place(line.substr(i.is_guard_false ? 2 : 1, end - (i.is_guard_false ? 2 : 1))));
            line = line.substr(line.find_first_not_of(" \t", end));
        }
        const std::vector<std::string> parts = split(line, " \t,;[]");
        const std::vector<std::string> words = split(parts[0], ".");
        const std::string &name = words[0], &type = words.back();
        const bool is_double = type == "f64";
        i.bits = type.size() > 1 && type.find("32") != std::string::npos ? 32 : 64;
        const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
        if (name == "bra") {
            i.step = Step::jump;
            jumps_.emplace_back(at, parts[1]);
            return i;
        }
        if (name == "ret") return i;
        if (name == "st") {
            i.step = has("param") ? Step::move : Step::store;
            address(parts[1], i.a, i.offset);
            if (i.step == Step::move) {
                i.to = 0;
                i.a = operand(parts[2]);
            } else {
                i.b = operand(parts[2]);
            }
            return i;
        }
        i.to = place(parts[1]);
        if (name == "ld") {
            i.step = has("param") ? Step::move : Step::load;
            address(parts[2], i.a, i.offset);
            return i;
        }
        i.a = operand(parts[2]);
        if (parts.size() > 3) i.b = operand(parts[3]);
        if (parts.size() > 4) i.c = operand(parts[4]);
        i.step = step_of(words, is_double, line);
        if (name == "mul" && has("wide")) i.bits = 64;
        if (name == "setp") relation(words[1], i);
        if (name == "selp") i.step = Step::select;
        return i;
    }

    void address(const std::string& text, Operand& base, std::int64_t& offset) {
        const std::size_t plus = text.find('+');
        base = operand(text.substr(0, plus));
        if (plus != std::string::npos) offset = std::stoll(text.substr(plus + 1));
    }

    static void relation(const std::string& word, Instruction& i) {
        static const std::unordered_map<std::string, Relation> known{
            {"eq", Relation::equal},        {"ne", Relation::not_equal},  {"lt", Relation::less},
            {"lo", Relation::less},         {"le", Relation::less_equal}, {"ls", Relation::less_equal},
            {"gt", Relation::greater},      {"hi", Relation::greater},    {"ge", Relation::greater_equal},
            {"hs", Relation::greater_equal}};
        i.is_unordered = word.size() == 3 && word.back() == 'u';
        if (word == "num" || word == "nan") { // is x a number?
            i.relation = word == "num" ? Relation::equal : Relation::not_equal;
            i.is_unordered = word == "nan";
            i.b = i.a;
            return;
        }
        i.relation = known.at(word.substr(0, 2));
    }

    static Step step_of(const std::vector<std::string>& words, bool is_double, const std::string& line) {
        const std::string &name = words[0], &type = words.back();
        const auto rounded = [&](Step step) { // NOTE: without it, the compiler may fuse
            if (words.size() < 3 || words[1] != "rn") fail(line);
            return step;
        };
        if (is_double) {
            if (name == "add") return rounded(Step::add_f);
            if (name == "sub") return rounded(Step::sub_f);
            if (name == "mul") return rounded(Step::mul_f);
            if (name == "div") return rounded(Step::div_f);
            if (name == "rcp") return rounded(Step::inverse_f);
            if (name == "sqrt") return rounded(Step::sqrt_f);
            if (name == "neg") return Step::neg_f;
            if (name == "min") return Step::min_f;
            if (name == "max") return Step::max_f;
            if (name == "abs") return Step::abs_f;
            if (name == "setp") return Step::compare_f;
            if (name == "selp" || name == "mov") return Step::move;
            if (name == "cvt" && words[2] == "f64") {
                if (words[1] == "rmi") return Step::floor_f;
                if (words[1] == "rpi") return Step::ceil_f;
                if (words[1] == "rni") return Step::nearest_f;
                if (words[1] == "rzi") return Step::cut_f;
            }
            fail(line);
        }
        const bool is_truth = type == "pred";
        if (name == "mov" || name == "selp" || name == "cvta") return Step::move;
        if (name == "cvt" && words[1] == "u64" && words[2] == "u32") return Step::move;
        if (name == "add") return Step::add;
        if (name == "sub") return Step::sub;
        if (name == "mul" && (words[1] == "lo" || words[1] == "wide")) return Step::mul;
        if (name == "mad" && words[1] == "lo") return Step::multiply_add;
        if (name == "bfe" && type[0] == 'u') return Step::field;
        if (name == "neg") return Step::negate;
        if (name == "shl") return Step::shift_left;
        if (name == "shr") return type[0] == 's' ? Step::shift_signed : Step::shift_right;
        if (name == "and") return is_truth ? Step::truth_and : Step::bit_and;
        if (name == "or") return is_truth ? Step::truth_or : Step::bit_or;
        if (name == "xor") return is_truth ? Step::truth_xor : Step::bit_xor;
        if (name == "not") return is_truth ? Step::truth_not : Step::bit_not;
        if (name == "setp") return type[0] == 's' ? Step::compare_s : Step::compare_u;
        fail(line);
    }

    Ptx& program_;
    std::istringstream lines_;
    std::unordered_map<std::string, std::uint32_t> places_;
    std::unordered_map<std::string, std::int32_t> labels_, numbers_;
    std::vector<std::pair<std::int32_t, std::string>> jumps_;
    std::vector<std::tuple<Function*, std::size_t, std::string>> calls_; // of functions that may follow
};

class Ptx::Thread {
public:
    explicit Thread(const Ptx& program) : program_(program) {}

    std::uint64_t run(const Function& f, const std::uint64_t* arguments) {
        const std::size_t base = memory_.size();
        memory_.resize(base + f.n_places);
        for (std::size_t k = 0; k < f.parameters.size(); ++k) memory_[base + f.parameters[k]] = arguments[k];
        for (std::size_t at = 0;;) {
            const Instruction& i = f.body[at++];
            if (i.guard >= 0 && (memory_[base + static_cast<std::size_t>(i.guard)] != 0) == i.is_guard_false) continue;
            if (i.step == Step::end) break;
            if (i.step == Step::jump) {
                at = static_cast<std::size_t>(i.target);
                continue;
            }
            if (i.step == Step::call) {
                std::vector<std::uint64_t> passed;
                for (const Operand& p : i.passed) passed.push_back(read(p, memory_.data() + base));
                const std::uint64_t r = run(*program_.functions_[static_cast<std::size_t>(i.target)], passed.data());
                memory_[base + i.to] = r;
                continue;
            }
            execute(i, memory_.data() + base);
        }
        const std::uint64_t result = memory_[base];
        memory_.resize(base);
        return result;
    }

private:
    static std::uint64_t read(const Operand& o, const std::uint64_t* places) {
        return o.is_number ? o.value : places[o.value];
    }

    static void execute(const Instruction& i, std::uint64_t* places) {
        const std::uint64_t a = read(i.a, places), b = read(i.b, places);
        const auto real = [&](double x) { places[i.to] = std::bit_cast<std::uint64_t>(x); };
        const auto whole = [&](std::uint64_t x) { places[i.to] = i.bits == 32 ? static_cast<std::uint32_t>(x) : x; };
        const double x = number(a), y = number(b);
        switch (i.step) {
        case Step::add_f: return real(x + y);
        case Step::sub_f: return real(x - y);
        case Step::mul_f: return real(x * y);
        case Step::div_f: return real(x / y);
        case Step::inverse_f: return real(1 / x);
        case Step::sqrt_f: return real(std::sqrt(x));
        case Step::neg_f: return real(-x);
        case Step::abs_f: return real(std::abs(x));
        case Step::floor_f: return real(std::floor(x));
        case Step::ceil_f: return real(std::ceil(x));
        case Step::nearest_f: return real(std::nearbyint(x));
        case Step::cut_f: return real(std::trunc(x));
        case Step::min_f: return real(x != x ? y : y != y || x < y || (x == y && std::signbit(x)) ? x : y);
        case Step::max_f: return real(x != x ? y : y != y || x > y || (x == y && !std::signbit(x)) ? x : y);
        case Step::move: return whole(a);
        case Step::add: return whole(a + b);
        case Step::sub: return whole(a - b);
        case Step::mul: return whole(a * b);
        case Step::multiply_add: return whole(a * b + read(i.c, places));
        case Step::field: return whole((a >> b) & ((std::uint64_t{1} << read(i.c, places)) - 1));
        case Step::shift_left: return whole(b < i.bits ? a << b : 0);
        case Step::shift_right: return whole(b < i.bits ? a >> b : 0);
        case Step::shift_signed:
            return whole(
                i.bits == 32
                    ? static_cast<std::uint64_t>(static_cast<std::int32_t>(a) >> std::min<std::uint64_t>(b, 31))
                    : static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> std::min<std::uint64_t>(b, 63)));
        case Step::bit_and: return whole(a & b);
        case Step::bit_or: return whole(a | b);
        case Step::bit_xor: return whole(a ^ b);
        case Step::bit_not: return whole(~a);
        case Step::negate: return whole(0 - a);
        case Step::truth_and: places[i.to] = a & b; return;
        case Step::truth_or: places[i.to] = a | b; return;
        case Step::truth_xor: places[i.to] = (a ^ b) & 1; return;
        case Step::truth_not: places[i.to] = a == 0 ? 1 : 0; return;
        case Step::compare_f:
        case Step::compare_u:
        case Step::compare_s: places[i.to] = holds(i, a, b) ? 1 : 0; return;
        case Step::select: places[i.to] = read(i.c, places) != 0 ? a : b; return;
        case Step::load: {
            std::uint64_t found = 0;
            std::memcpy(&found, reinterpret_cast<const char*>(a) + i.offset, i.bits / 8);
            places[i.to] = found;
            return;
        }
        case Step::store: std::memcpy(reinterpret_cast<char*>(a) + i.offset, &b, i.bits / 8); return;
        default: return;
        }
    }

    const Ptx& program_;
    std::vector<std::uint64_t> memory_;
    friend class Ptx;
};

Ptx::Ptx(const std::string& text) {
    Parser(*this, text)();
}

Ptx::~Ptx() = default;

void Ptx::launch(const std::string& entry, const std::vector<std::uint64_t>& arguments, std::uint64_t n_threads) const {
    for (const auto& f : functions_) {
        if (f->name != entry) continue;
        Thread thread(*this);
        for (std::uint64_t k = 0; k < n_threads; ++k) {
            std::vector<std::uint64_t> all = arguments;
            all.insert(all.end(), {k / block_size, block_size, k % block_size});
            thread.run(*f, all.data());
        }
        return;
    }
    throw std::runtime_error("no entry " + entry);
}

} // namespace vessiot::test
