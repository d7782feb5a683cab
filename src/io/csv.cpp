// A solution as comma-separated values (RFC 4180): a line of names, then a line for each point.
#include "io/output_file.hpp"
#include "io/text_writer.hpp"

namespace vessiot {

namespace {

// p[2,3] has a comma and stands in quotes; a quote in it is doubled.
std::string quoted(const std::string& name) {
    if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
    std::string result = "\"";
    for (const char c : name) result.append(c == '"' ? 2 : 1, c);
    return result + '"';
}

void write_header(const Solution& sol, io::TextWriter& out) {
    out << "t";
    if (!sol.s.empty()) out << ",s";
    for (const std::string& name : sol.names) out << "," << quoted(name);
    for (const std::string& name : sol.output_names) out << "," << quoted(name);
    for (const std::string& variable : sol.sensitivity_names)
        for (const std::vector<std::string>* names : {&sol.names, &sol.output_names})
            for (const std::string& name : *names) out << "," << quoted("d(" + name + ")/d(" + variable + ")");
    out << "\n";
}

} // namespace

void Solution::write_csv(const std::string& path) const {
    io::OutputFile file(path);
    io::TextWriter out([&](std::string_view text) { file.write(text); });
    write_header(*this, out);
    for (std::size_t k = 0; k < t.size(); ++k) {
        const auto add = [&](double value) {
            out << ",";
            out.number(value);
        };
        out.number(t[k]);
        if (!s.empty()) add(s[k]);
        for (const double value : row(k)) add(value);
        for (std::size_t j = 0; j < output_names.size(); ++j) add(outputs[k * output_names.size() + j]);
        const std::size_t n_variables = sensitivity_names.size();
        for (std::size_t v = 0; v < n_variables; ++v) {
            const std::size_t row = k * n_variables + v; // values, then outputs, by each variable
            for (std::size_t j = 0; j < names.size(); ++j) add(sensitivities[row * names.size() + j]);
            for (std::size_t j = 0; j < output_names.size(); ++j)
                add(output_sensitivities[row * output_names.size() + j]);
        }
        out << "\n";
    }
    out.flush();
    file.finish();
}

} // namespace vessiot
