// The members of an ensemble in an HDF5 file.
//
//   /members/NAME    what varied, a number a member
//   /status          0 success, 1 failed, 2 no start point, 3 not run (attribute `words`); /steps; /t: where each ended
//   /points          the recorded points
//   /results/NAME    a row of points for each member, not a number where it did not come to
//   /results/r       of an array: members x points x its own shape, a view of /results/r[1,1] …
//   /rows/…          where members have other points each: count (rows of each member), t, NAME, arrays, and of events
//                    `event` (attribute `names`)
//   /statistics/NAME a row for each point: count, mean, std, min, max, quantiles (attribute `columns`)
//   /histograms/NAME rows of below, bins, above
//   attributes       model, version, method, options as option_NAME, n_members, status; nothing of the machine, so that
//                    runs of one ensemble write one file
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "file.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot::hdf5 {

class Members final : public MemberStream {
public:
    explicit Members(std::string path) : path_(std::move(path)) {}
    ~Members() override;

    std::string name() const override { return path_; }
    void begin(const EnsembleHead& head) override;
    void add(const MemberBlock& block) override;
    void end(const EnsembleResult& result) override;

private:
    template <class F> void guarded(const F& f);
    Object group(const std::string& name);
    void make_tables();
    void add_rows(const MemberBlock& block);
    void write_arrays();
    void write_statistics(const EnsembleResult& result);
    void close();

    std::string path_;
    EnsembleHead head_;
    Object file_, members_, results_;
    std::vector<Table> varied_, columns_, whole_; // whole_: status, steps
    std::vector<Table> numbers_;                  // t; of ragged members count, row t, event
    std::vector<std::string> event_names_;
};

} // namespace vessiot::hdf5
