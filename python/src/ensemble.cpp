// Many runs of one problem: EnsembleResult with views of its numbers.
#include "vessiot/ensemble.hpp"
#include "bind.hpp"
#include "watch.hpp"

namespace vessiot::python {

namespace {

using Result = EnsembleResult;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Record record_of(const std::string& word) {
    if (word == "last") return Record::last;
    if (word == "points") return Record::points;
    if (word == "all") return Record::all;
    if (word == "events") return Record::events;
    throw InvalidInput("record must be one of last, points, all, events, but found '" + word + "'");
}

Device device_of(const std::string& word) {
    if (word == "cpu") return Device::cpu;
    if (word == "gpu") return Device::gpu;
    if (word == "auto") return Device::automatic;
    throw InvalidInput("device must be one of cpu, gpu, auto, but found '" + word + "'");
}

// The result, and the exception that ended it.
nb::tuple ensemble(const Problem& problem, const std::vector<std::string>& names, const Table& table, nb::handle from,
                   nb::handle to, nb::handle params, nb::handle at, const std::string& record,
                   const std::vector<std::string>& outputs, const std::string& reduce, bool keeps_members, int threads,
                   const std::string& device, nb::object callback) {
    EnsembleOptions options;
    options.table_names = names;
    options.table.assign(table.data(), table.data() + table.size());
    options.run = to_run(from, to, params, nb::none(), at, nb::none(), nb::none());
    options.record = record_of(record);
    options.outputs = outputs;
    if (!reduce.empty()) options.reduce = read_reductions(reduce);
    options.keeps_members = keeps_members;
    options.threads = threads;
    options.device = device_of(device);
    Watch watch(std::move(callback));
    options.progress = [&watch](const EnsembleProgress& p) {
        return watch.asks([&p](const nb::object& f) { return f(p.done, p.failed, p.all, p.seconds); });
    };
    Result result;
    {
        const nb::gil_scoped_release released;
        result = problem.ensemble(options);
    }
    return nb::make_tuple(nb::cast(std::move(result)), watch.take_error());
}

using Counts = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>;

const Result& result_of(nb::handle self) {
    return nb::cast<const Result&>(self);
}

nb::list failure_list(const Result& r) {
    nb::list list;
    for (const EnsembleFailure& f : r.failures) list.append(nb::make_tuple(f.message, f.count, f.first, f.values));
    return list;
}

// count, mean, deviation, least, greatest and quantiles of every column at every point.
nb::list statistics_list(const Result& r) {
    nb::list list;
    for (const ColumnStatistics& s : r.statistics)
        list.append(nb::make_tuple(s.count, s.mean, s.deviation, s.least, s.greatest, s.quantiles));
    return list;
}

} // namespace

void bind_ensemble(nb::module_& m, nb::class_<Problem>& problem) {
    nb::class_<Result> c(m, "EnsembleResult");
    c.def_prop_ro("columns", [](const Result& r) { return r.head.columns; });
    c.def_prop_ro("is_ragged", [](const Result& r) { return r.head.is_ragged(); });
    c.def_prop_ro("status", [](const Result& r) { return std::string(name(r.status)); });
    c.def_prop_ro("t", [](nb::handle self) {
        const Result& r = result_of(self);
        return View<1>(r.head.t.data(), {r.head.t.size()}, self);
    });
    c.def_prop_ro("t_end", [](nb::handle self) {
        const Result& r = result_of(self);
        return View<1>(r.members.t.data(), {r.members.t.size()}, self);
    });
    c.def_prop_ro("values", [](nb::handle self) { // member, point, column; ragged: row, column
        const Result& r = result_of(self);
        const std::size_t n = r.head.columns.size();
        const std::size_t n_rows = n == 0 ? 0 : r.members.values.size() / n;
        const std::size_t n_points = r.head.is_ragged() ? 1 : r.head.n_points();
        return View<3>(r.members.values.data(), {n_points == 0 ? 0 : n_rows / n_points, n_points, n}, self);
    });
    c.def_prop_ro("row_count", [](nb::handle self) {
        const Result& r = result_of(self);
        return Counts(r.members.row_count.data(), {r.members.row_count.size()}, self);
    });
    c.def_prop_ro("row_t", [](nb::handle self) {
        const Result& r = result_of(self);
        return View<1>(r.members.row_t.data(), {r.members.row_t.size()}, self);
    });
    c.def_prop_ro("row_event", [](const Result& r) { return r.members.row_event; });
    c.def_prop_ro("steps", [](nb::handle self) {
        const Result& r = result_of(self);
        return Counts(r.members.steps.data(), {r.members.steps.size()}, self);
    });
    c.def_prop_ro("member_status", [](const Result& r) {
        std::vector<std::string> words;
        for (const MemberStatus s : r.members.status) words.emplace_back(name(s));
        return words;
    });
    c.def_prop_ro("counts", [](const Result& r) {
        nb::dict counts;
        for (std::size_t k = 0; k < n_member_statuses; ++k)
            counts[std::string(name(static_cast<MemberStatus>(k))).c_str()] = r.counts[k];
        return counts;
    });
    c.def_ro("notes", &Result::notes);
    c.def_ro("seconds", &Result::seconds);
    c.def_ro("device", &Result::device);
    c.def_ro("quantile_levels", &Result::quantile_levels);
    c.def("failures", &failure_list);
    c.def("statistics", &statistics_list);
    problem.def("ensemble", &ensemble, nb::arg("names"), nb::arg("table"), nb::arg("start_t").none(),
                nb::arg("end_t").none(), nb::arg("params").none(), nb::arg("at").none(), nb::arg("record"),
                nb::arg("outputs"), nb::arg("reduce"), nb::arg("keeps_members"), nb::arg("threads"), nb::arg("device"),
                nb::arg("callback").none());
}

} // namespace vessiot::python
