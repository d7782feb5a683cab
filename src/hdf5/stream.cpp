#include "stream.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays.hpp"
#include "trial.hpp"

namespace vessiot::hdf5 {

namespace {

constexpr int rows_between_looks = 64; // at the clock
constexpr auto longest_delay = std::chrono::seconds(1);

Object access() {
    Object how(H5Pcreate(H5P_FILE_ACCESS), "the file");
    // what SWMR needs
    check(H5Pset_libver_bounds(how.id(), H5F_LIBVER_V110, H5F_LIBVER_V110), "the file");
    check(H5Pset_fclose_degree(how.id(), H5F_CLOSE_STRONG), "the file");
#if H5_VERSION_GE(1, 10, 7)
    check(H5Pset_file_locking(how.id(), true, true), "the file"); // some file systems have no locks
#endif
    return how;
}

// The library says little about the system's errors.
std::string system_reason(const std::string& path, const std::string& of_library) {
    struct stat now{};
    if (::stat(path.c_str(), &now) == 0 && S_ISDIR(now.st_mode)) return std::strerror(EISDIR);
    return of_library;
}

} // namespace

Stream::~Stream() {
    const Quiet quiet;
    forget();
}

// Closes all, whatever comes of it: the library would go on at the end of the process.
void Stream::forget() {
    tables_ = {};
    events_.close();
    steps_.close();
    file_.close();
}

// Nothing more is written: closing a file that is not complete would spoil what is.
void Stream::leave_as_it_is() {
    void* descriptor = nullptr;
    if (file_.id() < 0 || H5Fget_vfd_handle(file_.id(), H5P_DEFAULT, &descriptor) < 0) return;
    const int nowhere = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    ::dup2(nowhere, *static_cast<int*>(descriptor));
    ::close(nowhere);
}

template <class F> void Stream::guarded(const F& f) {
    const Quiet quiet;
    try {
        errno = 0;
        f();
    } catch (const Failure& e) {
        const std::string reason = errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO
                                       ? std::strerror(errno)
                                       : system_reason(path_, e.what());
        leave_as_it_is();
        forget();
        throw OutputFailed(path_ + " cannot be written: " + reason);
    }
}

template <class Make> void Stream::make_tables(const StreamHead& head, const Make& make) {
    const auto width = static_cast<std::int64_t>(head.names.size());
    const auto n_outputs = static_cast<std::int64_t>(head.output_names.size());
    std::size_t k = 0; // number of the table, for its position
    const auto one = [&](std::optional<Table>& table, const char* name, std::int64_t columns, bool is_there = true,
                         bool is_whole = false) {
        if (is_there) make(table, name, columns, k, is_whole);
        ++k;
    };
    one(tables_.t, "t", 0);
    one(tables_.s, "s", 0, head.has_s);
    one(tables_.values, "values", width, width > 0);
    one(tables_.outputs, "outputs", n_outputs, n_outputs > 0);
    one(tables_.event_t, "events/t", 0);
    one(tables_.event, "events/event", 0, true, true);
    one(tables_.event_values, "events/values", width, width > 0);
    one(tables_.step_t, "steps/t", 0);
    one(tables_.step_h, "steps/h", 0);
    one(tables_.step_residual, "steps/residual", 0);
    const auto n_variables = static_cast<std::int64_t>(head.sensitivity_names.size());
    one(tables_.sensitivities, "sensitivities", n_variables * width, n_variables * width > 0);
    one(tables_.output_sensitivities, "output_sensitivities", n_variables * n_outputs, n_variables * n_outputs > 0);
}

void Stream::create() {
    const Object how = access(), layout(H5Pcreate(H5P_FILE_CREATE), "the file");
    // attributes of the file lie together: in SWMR no new places for them can be made
    check(H5Pset_attr_phase_change(layout.id(), 65535, 0), "the file");
    // NOTE: the library's own opening names no reason
    errno = 0;
    const hid_t id = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, layout.id(), how.id());
    if (id < 0 && errno != 0) throw Failure(std::strerror(errno));
    file_ = Object(id, "the file");
    events_ = Object(H5Gcreate2(file_.id(), "events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "events");
    steps_ = Object(H5Gcreate2(file_.id(), "steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "steps");
}

void Stream::begin(const StreamHead& head) {
    guarded([&] {
        forget();
        create();
        make_tables(head, [&](std::optional<Table>& table, const char* name, std::int64_t width, std::size_t,
                              bool is_whole) { table.emplace(file_.id(), name, width, is_whole); });
        write_head(head);
        start();
    });
}

void Stream::write_head(const StreamHead& head) {
    names_ = head.names;
    write_text_attribute(file_.id(), "model", head.model);
    write_text_attribute(file_.id(), "independent", head.independent);
    for (const auto& [name, text] : head.attributes) {
        const bool is_option = name != "version" && name != "model_text";
        write_text_attribute(file_.id(), is_option ? "option_" + name : name, text);
    }
    for (const auto& [name, text] : attributes_) write_text_attribute(file_.id(), name, text);
    if (tables_.values) write_texts_attribute(tables_.values->id(), "names", head.names);
    if (tables_.event_values) write_texts_attribute(tables_.event_values->id(), "names", head.names);
    if (tables_.outputs) write_texts_attribute(tables_.outputs->id(), "names", head.output_names);
    const auto derivatives = [&](const std::vector<std::string>& names) {
        std::vector<std::string> result;
        for (const std::string& variable : head.sensitivity_names)
            for (const std::string& name : names) result.push_back("d(" + name + ")/d(" + variable + ")");
        return result;
    };
    if (tables_.sensitivities) write_texts_attribute(tables_.sensitivities->id(), "names", derivatives(head.names));
    if (tables_.output_sensitivities)
        write_texts_attribute(tables_.output_sensitivities->id(), "names", derivatives(head.output_names));
    if (!head.event_names.empty()) write_texts_attribute(tables_.event->id(), "names", head.event_names);
    Solution none; // places for what is known at the end
    write_statistics(none);
    write_text_attribute(file_.id(), "status", "running");
}

void Stream::write_statistics(const Solution& solution) {
    const hid_t f = file_.id();
    const Stats& s = solution.stats;
    write_text_attribute(f, "message", solution.message);
    visit_counts(s, [&](const char* name, std::int64_t value) { write_count_attribute(f, name, value); });
    const std::pair<const char*, double> numbers[] = {
        {"constraint_residual_max", solution.constraint_residual_max},
        {"constraint_residual_absolute", solution.constraint_residual_absolute},
        {"invariant_drift_max", solution.invariant_drift_max},
        {"seconds", s.seconds.total},
        {"seconds_integrate", s.seconds.integrate},
    };
    for (const auto& [name, value] : numbers) write_number_attribute(f, name, value);
    const MethodSummary& m = solution.method;
    const std::string status = solution.status == Status::success   ? "success"
                               : solution.status == Status::failed  ? "failed"
                               : solution.status == Status::stopped ? "stopped"
                                                                    : "interrupted";
    const std::pair<const char*, const std::string&> texts[] = {
        {"method", m.name},
        {"projection", m.projection},
        {"distribution", m.distribution},
        {"parametrisation", m.parametrisation},
        {"precision", m.precision},
        {"status", status},
    };
    for (const auto& [name, text] : texts) write_text_attribute(f, name, text);
}

void Stream::start() {
    check(H5Fstart_swmr_write(file_.id()), "the file");
    n_since_look_ = 0;
    last_flush_ = Clock::now();
}

void Stream::add(const StreamPoint& point) {
    guarded([&] {
        if (file_.id() < 0) throw Failure("it is closed");
        if (tables_.s) tables_.s->add(point.s);
        if (tables_.values) tables_.values->add(point.values);
        if (tables_.outputs) tables_.outputs->add(point.outputs);
        if (tables_.sensitivities) tables_.sensitivities->add(point.sensitivities);
        if (tables_.output_sensitivities) tables_.output_sensitivities->add(point.output_sensitivities);
        tables_.t->add(point.t); // last: readers go by it
        if (++n_since_look_ < rows_between_looks) return;
        n_since_look_ = 0;
        if (Clock::now() - last_flush_ > longest_delay) flush();
    });
}

void Stream::add_event(const StreamEvent& event) {
    guarded([&] {
        if (file_.id() < 0) throw Failure("it is closed");
        if (tables_.event_values) tables_.event_values->add(event.values);
        tables_.event->add(static_cast<double>(event.event));
        tables_.event_t->add(event.t);
    });
}

void Stream::flush() {
    for (std::optional<Table>* table :
         {&tables_.s, &tables_.values, &tables_.outputs, &tables_.sensitivities, &tables_.output_sensitivities,
          &tables_.t, &tables_.event_values, &tables_.event, &tables_.event_t})
        if (*table) (*table)->flush();
    last_flush_ = Clock::now();
}

void Stream::sync() {
    guarded([&] {
        flush();
        check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "the file");
        void* descriptor = nullptr;
        check(H5Fget_vfd_handle(file_.id(), H5P_DEFAULT, &descriptor), "the file");
        if (::fsync(*static_cast<int*>(descriptor)) != 0 && errno != EINVAL && errno != EROFS)
            throw Failure(std::strerror(errno));
    });
}

std::vector<std::int64_t> Stream::position() const {
    std::vector<std::int64_t> rows;
    const Tables& t = tables_;
    for (const std::optional<Table>* table :
         {&t.t, &t.s, &t.values, &t.outputs, &t.event_t, &t.event, &t.event_values, &t.step_t, &t.step_h,
          &t.step_residual, &t.sensitivities, &t.output_sensitivities})
        rows.push_back(*table ? (*table)->rows() : 0);
    return rows;
}

void Stream::open_again(const StreamHead& head, std::span<const std::int64_t> position) {
    const Object how = access();
    // NOTE: a process that was killed left its mark in the file, and where the file ends is not as it says: the
    // next chunks would be put where others are. This is how h5clear mends both.
    const hbool_t clears = true;
    check(H5Pset(how.id(), "clear_status_flags", &clears), "the file");
    file_ = Object(H5Fopen(path_.c_str(), H5F_ACC_RDWR, how.id()), "it cannot be opened");
    check(H5Fincrement_filesize(file_.id(), 0), "the file");
    names_ = head.names;
    const std::string model = read_text_attribute(file_.id(), "model");
    if (model != head.model) throw Failure("it is of the model " + model);
    make_tables(head, [&](std::optional<Table>& table, const char* name, std::int64_t width, std::size_t k, bool) {
        if (k >= position.size()) throw Failure("the checkpoint does not know " + std::string(name));
        table.emplace(file_.id(), name, width, position[k]);
    });
    write_text_attribute(file_.id(), "status", "running");
}

void Stream::resume(const StreamHead& head, std::span<const std::int64_t> position) {
    const Quiet quiet;
    try {
        forget();
        struct stat now{};
        if (::stat(path_.c_str(), &now) != 0) throw Failure(std::strerror(errno));
        // also what is written at the end of a run, over what is there
        const auto everything = [&] {
            open_again(head, position);
            write_statistics(Solution{});
        };
        if (!comes_to_an_end(everything)) throw Failure("it is damaged");
        open_again(head, position);
        start();
    } catch (const Failure& e) {
        forget();
        throw InvalidInput("the output " + path_ + " cannot be continued: " + e.what() +
                           ". Resume with the file as the run left it, or start anew without --resume");
    }
}

void Stream::end(const Solution& solution) {
    if (file_.id() < 0) return;
    guarded([&] {
        for (const StepTrace& step : solution.trace) {
            tables_.step_t->add(step.t);
            tables_.step_h->add(step.h);
            tables_.step_residual->add(step.residual);
        }
        const Tables& t = tables_;
        for (const std::optional<Table>* table :
             {&t.t, &t.s, &t.values, &t.outputs, &t.event_t, &t.event, &t.event_values, &t.step_t, &t.step_h,
              &t.step_residual, &t.sensitivities, &t.output_sensitivities})
            if (*table) const_cast<Table&>(**table).cut();
        write_statistics(solution);
        check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "the file");
        const std::int64_t n_points = tables_.t->rows();
        forget();
        add_arrays(n_points);
    });
}

// NOTE: while others may read (SWMR) no object can be made.
void Stream::add_arrays(std::int64_t n_points) {
    const Object how = access();
    file_ = Object(H5Fopen(path_.c_str(), H5F_ACC_RDWR, how.id()), "the file");
    if (H5Lexists(file_.id(), "arrays", H5P_DEFAULT) > 0) check(H5Ldelete(file_.id(), "arrays", H5P_DEFAULT), "arrays");
    write_arrays(file_.id(), names_, n_points);
    forget();
}

} // namespace vessiot::hdf5
