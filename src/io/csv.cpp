// A solution as comma-separated values (RFC 4180): a line of names, then a line for each point.
#include "io/csv_row.hpp"
#include "io/text_writer.hpp"
#include "solution/output_file.hpp"

namespace vessiot {

namespace io {

std::string csv_cell(const std::string& name) {
    if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
    std::string result = "\"";
    for (const char c : name) result.append(c == '"' ? 2 : 1, c);
    return result + '"';
}

std::string csv_header(const StreamHead& head) {
    std::string text = head.has_s ? "t,s" : "t";
    for (const std::string& name : head.names) text.append(",").append(csv_cell(name));
    for (const std::string& name : head.output_names) text.append(",").append(csv_cell(name));
    for (const std::string& variable : head.sensitivity_names)
        for (const std::vector<std::string>* names : {&head.names, &head.output_names})
            for (const std::string& name : *names)
                text.append(",").append(csv_cell("d(" + name + ")/d(" + variable + ")"));
    return text + "\n";
}

void append_csv_row(std::string& text, const StreamPoint& point, bool has_s) {
    const auto add = [&](double value) {
        text += ',';
        append_number(text, value);
    };
    append_number(text, point.t);
    if (has_s) add(point.s);
    for (const double value : point.values) add(value);
    for (const double value : point.outputs) add(value);
    // by each variable: values, then outputs
    const std::size_t n = point.values.size(), n_outputs = point.outputs.size();
    for (std::size_t j = 0; n > 0 && j < point.sensitivities.size() / n; ++j) {
        for (const double value : point.sensitivities.subspan(j * n, n)) add(value);
        for (const double value : point.output_sensitivities.subspan(j * n_outputs, n_outputs)) add(value);
    }
    text += '\n';
}

} // namespace io

void Solution::write_csv(const std::string& path) const {
    StreamHead head;
    head.has_s = !s.empty();
    head.names = names;
    head.output_names = output_names;
    head.sensitivity_names = sensitivity_names;
    OutputFile file(path);
    io::TextWriter out([&](std::string_view text) { file.write(text); });
    out << io::csv_header(head);
    std::string line;
    for (std::size_t k = 0; k < t.size(); ++k) {
        line.clear();
        const auto part = [&](const std::vector<double>& rows, std::size_t n) {
            return std::span(rows).subspan(k * n, n);
        };
        const std::size_t n = names.size(), n_outputs = output_names.size(), m = sensitivity_names.size();
        io::append_csv_row(line,
                           {t[k], head.has_s ? s[k] : 0, row(k), part(output_numbers, n_outputs),
                            part(sensitivities, m * n), part(output_sensitivities, m * n_outputs)},
                           head.has_s);
        out << line;
    }
    out.flush();
    file.finish();
}

} // namespace vessiot
