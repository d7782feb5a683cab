// The points of a run in an HDF5 file.
//
//   /t           the independent variable, N numbers; /s the arclength, where that is the parameter
//   /values      N rows, a column for each name in its attribute `names`
//   /arrays/r    the same as arrays with their shapes, once the run has ended (arrays.hpp)
//   /outputs     the same for the model's outputs, where it has some
//   /events/t, /events/event, /events/values
//                crossings: where, which of the attribute `names`, and a row as in /values
//   /steps/t, /steps/h, /steps/residual
//                the accepted steps; of many of them every 2^k-th
//   attributes   model, model_text (what inspect says), version, independent, the options that were given as
//                option_NAME, method, status, message, statistics; of the program model_source and command. `status` is
//                "running" until the run has ended
//
// All objects are made first; then the file is open for a single writer and many readers (SWMR): at every moment, after
// a kill too, it is a file that can be read, up to rows that were on their way. A run that is resumed writes over the
// rows that came after its checkpoint; they are the same.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "file.hpp"
#include "vessiot/stream.hpp"

namespace vessiot::hdf5 {

class Stream final : public PointStream {
public:
    Stream(std::string path, std::vector<std::pair<std::string, std::string>> attributes)
        : path_(std::move(path)), attributes_(std::move(attributes)) {}
    ~Stream() override;

    std::string name() const override { return path_; }
    bool needs_attributes() const override { return true; }
    void begin(const StreamHead& head) override;
    void add(const StreamPoint& point) override;
    void add_event(const StreamEvent& event) override;
    void end(const Solution& solution) override;
    std::vector<std::int64_t> position() const override;
    void sync() override;
    void resume(const StreamHead& head, std::span<const std::int64_t> position) override;

private:
    using Clock = std::chrono::steady_clock;
    struct Tables {
        std::optional<Table> t, s, values, outputs, event_t, event, event_values, step_t, step_h, step_residual,
            sensitivities, output_sensitivities;
    };

    template <class Make> void make_tables(const StreamHead& head, const Make& make);
    void write_head(const StreamHead& head);
    void write_statistics(const Solution& solution);
    void create();
    void open_again(const StreamHead& head, std::span<const std::int64_t> position);
    void start();
    void flush();
    void forget();
    void leave_as_it_is();
    void add_arrays(std::int64_t n_points);
    template <class F> void guarded(const F& f);

    std::string path_;
    std::vector<std::pair<std::string, std::string>> attributes_; // of the caller
    std::vector<std::string> names_;                              // of the columns
    Object file_, events_, steps_;
    Tables tables_;
    int n_since_look_ = 0;
    Clock::time_point last_flush_;
};

} // namespace vessiot::hdf5
