// Members of an ensemble as comma-separated values: a line for each member and recorded point.
//
//   member, what varies, status, steps, t, the columns
//
// A member without points has one line, with its status and empty cells.
#include <cmath>

#include "io/csv_row.hpp"
#include "io/text_writer.hpp"
#include "solution/output_file.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot {

namespace {

class MembersCsv final : public MemberStream {
public:
    explicit MembersCsv(std::string path) : path_(std::move(path)) {}

    std::string name() const override { return path_; }

    void begin(const EnsembleHead& head) override {
        head_ = head;
        file_ = std::make_unique<OutputFile>(path_);
        std::string line = "member";
        for (const std::string& v : head.varied) line.append(",").append(io::csv_cell(v));
        line += ",status,steps,";
        if (head.record == Record::events) line += "event,";
        line += io::csv_cell(head.independent);
        for (const std::string& c : head.columns) line.append(",").append(io::csv_cell(c));
        file_->write(line + "\n");
    }

    void add(const MemberBlock& block) override {
        const std::size_t columns = head_.columns.size(), points = head_.n_points();
        std::size_t ragged = 0;
        for (std::size_t k = 0; k < block.status.size(); ++k) {
            const std::size_t n = head_.is_ragged() ? static_cast<std::size_t>(block.row_count[k]) : points;
            const std::string start = first_cells(block, k);
            for (std::size_t p = 0; p < n; ++p) {
                const std::size_t row = head_.is_ragged() ? ragged + p : k * points + p;
                const double t = head_.is_ragged()                ? block.row_t[row]
                                 : head_.record == Record::points ? head_.t[p]
                                                                  : block.t[k];
                std::string line = start;
                if (head_.record == Record::events) line.append(",").append(io::csv_cell(block.row_event[row]));
                add_cell(line, t);
                for (std::size_t j = 0; j < columns; ++j) add_cell(line, block.values[row * columns + j]);
                file_->write(line + "\n");
            }
            if (n == 0)
                file_->write(start + std::string(columns + (head_.record == Record::events ? 2 : 1), ',') + "\n");
            ragged += n;
        }
    }

    void end(const EnsembleResult&) override { file_->finish(); }

private:
    std::string first_cells(const MemberBlock& block, std::size_t k) const {
        std::string line = std::to_string(block.first + static_cast<std::int64_t>(k));
        for (std::size_t j = 0; j < head_.varied.size(); ++j) add_cell(line, block.varied[k * head_.varied.size() + j]);
        line += ",";
        line += vessiot::name(block.status[k]);
        return line + "," + std::to_string(block.steps[k]);
    }
    static void add_cell(std::string& line, double x) { // empty where there is no number
        line += ',';
        if (!std::isnan(x)) io::append_number(line, x);
    }

    std::string path_;
    EnsembleHead head_;
    std::unique_ptr<OutputFile> file_;
};

} // namespace

std::shared_ptr<MemberStream> members_csv(const std::string& path) {
    return std::make_shared<MembersCsv>(path);
}

} // namespace vessiot
