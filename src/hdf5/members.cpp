#include "members.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "arrays.hpp"
#include "one_at_a_time.hpp"

namespace vessiot::hdf5 {

namespace {

std::vector<std::string> words_of_statuses() {
    std::vector<std::string> words;
    for (std::size_t k = 0; k < n_member_statuses; ++k) words.emplace_back(vessiot::name(static_cast<MemberStatus>(k)));
    return words;
}

} // namespace

Members::~Members() {
    const std::lock_guard lock(OneAtATime::library());
    const Quiet quiet;
    close();
}

void Members::close() {
    varied_.clear();
    columns_.clear();
    whole_.clear();
    numbers_.clear();
    members_.close();
    results_.close();
    file_.close();
}

template <class F> void Members::guarded(const F& f) {
    const std::lock_guard lock(OneAtATime::library());
    const Quiet quiet;
    try {
        errno = 0;
        f();
    } catch (const Failure& e) {
        const std::string reason = errno != 0 ? std::strerror(errno) : e.what();
        close();
        throw OutputFailed(path_ + " cannot be written: " + reason);
    }
}

Object Members::group(const std::string& name) {
    return {H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name};
}

void Members::begin(const EnsembleHead& head) {
    head_ = head;
    guarded([&] {
        file_ = Object(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "the file");
        write_text_attribute(file_.id(), "model", head_.model);
        for (const auto& [name, text] : head_.attributes) write_text_attribute(file_.id(), name, text);
        write_count_attribute(file_.id(), "n_members", head_.n_members);
        write_text_attribute(file_.id(), "status", "running");
        make_tables();
    });
}

void Members::make_tables() {
    members_ = group("members");
    for (const std::string& name : head_.varied) varied_.emplace_back(members_.id(), name, 0);
    whole_.emplace_back(file_.id(), "status", 0, true);
    write_texts_attribute(whole_[0].id(), "words", words_of_statuses());
    whole_.emplace_back(file_.id(), "steps", 0, true);
    numbers_.emplace_back(file_.id(), "t", 0);
    results_ = group(head_.is_ragged() ? "rows" : "results");
    const auto width = head_.is_ragged() ? 0 : static_cast<std::int64_t>(head_.n_points());
    if (head_.is_ragged()) {
        numbers_.emplace_back(results_.id(), "count", 0);
        numbers_.emplace_back(results_.id(), head_.independent, 0);
        if (head_.record == Record::events) numbers_.emplace_back(results_.id(), "event", 0);
    } else if (head_.record == Record::points) {
        Table t(file_.id(), "points", 0);
        for (const double x : head_.t) t.add(x);
        t.flush();
    }
    for (const std::string& name : head_.columns) columns_.emplace_back(results_.id(), name, width);
}

void Members::add(const MemberBlock& block) {
    guarded([&] {
        const std::size_t n_varied = head_.varied.size(), n_points = head_.n_points(), n_columns = head_.columns.size();
        std::vector<double> row(n_points);
        for (std::size_t m = 0; m < block.status.size(); ++m) {
            for (std::size_t j = 0; j < n_varied; ++j) varied_[j].add(block.varied[m * n_varied + j]);
            whole_[0].add(static_cast<double>(block.status[m]));
            whole_[1].add(static_cast<double>(block.steps[m]));
            numbers_[0].add(block.t[m]);
            for (std::size_t j = 0; !head_.is_ragged() && j < n_columns; ++j) {
                for (std::size_t p = 0; p < n_points; ++p) row[p] = block.values[(m * n_points + p) * n_columns + j];
                columns_[j].add(row);
            }
        }
        if (head_.is_ragged()) add_rows(block);
    });
}

void Members::add_rows(const MemberBlock& block) {
    for (const std::int64_t n : block.row_count) numbers_[1].add(static_cast<double>(n));
    for (const double t : block.row_t) numbers_[2].add(t);
    for (const std::string& name : block.row_event) {
        const auto known = std::ranges::find(event_names_, name);
        numbers_[3].add(static_cast<double>(known - event_names_.begin()));
        if (known == event_names_.end()) event_names_.push_back(name);
    }
    for (std::size_t k = 0; k < block.values.size(); ++k) columns_[k % columns_.size()].add(block.values[k]);
}

// Of members x points numbers an element, or of rows where these differ between members.
void Members::write_arrays() {
    if (columns_.empty() || columns_[0].rows() == 0) return;
    std::vector<hsize_t> rows{static_cast<hsize_t>(columns_[0].rows())};
    if (!head_.is_ragged()) rows.push_back(head_.n_points());
    for (const ArrayView& view : array_views(head_.columns))
        write_view(file_.id(), head_.is_ragged() ? "/rows" : "/results", head_.columns, view, rows);
}

void Members::write_statistics(const EnsembleResult& result) {
    if (result.statistics.empty()) return;
    const std::size_t n_columns = head_.columns.size();
    std::vector<std::string> columns{"count", "mean", "std", "min", "max"};
    for (const double p : result.quantile_levels) columns.push_back("quantile " + std::to_string(p));
    const Object statistics = group("statistics");
    for (std::size_t j = 0; j < n_columns; ++j) {
        Table table(statistics.id(), head_.columns[j], static_cast<std::int64_t>(columns.size()));
        if (j == 0) write_texts_attribute(statistics.id(), "columns", columns);
        for (std::size_t p = 0; p < head_.n_points(); ++p) {
            const ColumnStatistics& s = result.statistics[p * n_columns + j];
            std::vector<double> row{static_cast<double>(s.count), s.mean, s.deviation, s.least, s.greatest};
            row.insert(row.end(), s.quantiles.begin(), s.quantiles.end());
            table.add(row);
        }
        table.flush();
    }
    if (result.histograms.empty()) return;
    const Object histograms = group("histograms");
    for (std::size_t first = 0; first < result.histograms.size(); first += head_.n_points()) {
        const Histogram& h = result.histograms[first];
        Table table(histograms.id(), h.name, static_cast<std::int64_t>(h.counts.size()) + 2);
        write_number_attribute(table.id(), "from", h.from);
        write_number_attribute(table.id(), "to", h.to);
        for (std::size_t p = 0; p < head_.n_points(); ++p) {
            const Histogram& at = result.histograms[first + p];
            std::vector<double> row{static_cast<double>(at.below)};
            for (const std::int64_t n : at.counts) row.push_back(static_cast<double>(n));
            row.push_back(static_cast<double>(at.above));
            table.add(row);
        }
        table.flush();
    }
}

void Members::end(const EnsembleResult& result) {
    guarded([&] {
        for (std::vector<Table>* tables : {&varied_, &columns_, &whole_, &numbers_})
            for (Table& table : *tables) table.flush();
        if (!event_names_.empty()) write_texts_attribute(numbers_[3].id(), "names", event_names_);
        write_arrays();
        write_statistics(result);
        check(H5Adelete(file_.id(), "status"), "the status");
        write_text_attribute(file_.id(), "status", std::string(vessiot::name(result.status)));
        close();
    });
}

} // namespace vessiot::hdf5
