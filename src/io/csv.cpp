// A solution as comma-separated values (RFC 4180): a line of names, then a line for each point.
#include "io/csv_row.hpp"
#include "io/output_file.hpp"
#include "io/text_writer.hpp"

namespace vessiot {

namespace io {

namespace {

// p[2,3] has a comma and stands in quotes; a quote in it is doubled.
std::string quoted(const std::string& name) {
    if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
    std::string result = "\"";
    for (const char c : name) result.append(c == '"' ? 2 : 1, c);
    return result + '"';
}

} // namespace

std::string csv_header(const StreamHead& head) {
    std::string text = head.has_s ? "t,s" : "t";
    for (const std::string& name : head.names) text += "," + quoted(name);
    for (const std::string& name : head.output_names) text += "," + quoted(name);
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
    text += '\n';
}

} // namespace io

void Solution::write_csv(const std::string& path) const {
    StreamHead head;
    head.has_s = !s.empty();
    head.names = names;
    head.output_names = output_names;
    io::OutputFile file(path);
    io::TextWriter out([&](std::string_view text) { file.write(text); });
    out << io::csv_header(head);
    std::string line;
    for (std::size_t k = 0; k < t.size(); ++k) {
        line.clear();
        const std::size_t n = output_names.size();
        io::append_csv_row(line, {t[k], head.has_s ? s[k] : 0, row(k), std::span(outputs).subspan(k * n, n)},
                           head.has_s);
        out << line;
    }
    out.flush();
    file.finish();
}

} // namespace vessiot
