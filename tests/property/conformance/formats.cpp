// What is asked of every format of files.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/error.hpp"
#include "core/temporary_folder.hpp"
#include "io/format.hpp"
#include "lang/model.hpp"
#include "property/conformance/models.hpp"
#include "solution/output_file.hpp"
#include "solve/problem/solve.hpp"

namespace vessiot {
namespace {

TEST(ConformanceOfFormats, WriteASolution) {
    const TemporaryFolder folder;
    const test::SmallModel& m = test::small_models[1];
    const System system = lang::read_model(lang::Source("pendulum.ves", std::string(m.text)));
    for (const io::Format& format : io::format_table()) {
        SCOPED_TRACE(format.name);
        EXPECT_NE(format.help, "");
        EXPECT_TRUE(format.name.starts_with('.'));
        EXPECT_NE(format.stream != nullptr, format.write != nullptr) << "points on the way, or the whole at the end";
        EXPECT_EQ(io::find_format(format.option, "a/b" + std::string(format.name)), &format);
        EXPECT_NE(io::endings(format.option, "or").find(format.name), std::string::npos);
        const std::string path = (folder.path() / ("result" + std::string(format.name))).string();
        SolveOptions o{.backend = Backend::interpreter};
        io::FileContext context{.model_source = std::string(m.text), .command = "vessiot solve"};
        try {
            if (format.stream) o.streams = {format.stream(path, context)};
            const Solution s = solve_system(system, o);
            EXPECT_EQ(s.status, Status::success) << s.message;
            const io::ReportContext report{.system = system, .options = o};
            context.report = &report;
            if (format.write) format.write(s, path, context);
        } catch (const OutputFailed& e) { // a plug-in or a program that is not installed
            EXPECT_NE(std::string(e.what()), "");
            continue;
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()), "");
            continue;
        }
        EXPECT_GT(std::filesystem::file_size(path), 20U);
    }
    EXPECT_EQ(io::find_format("--out", "a.txt"), nullptr);
}

} // namespace
} // namespace vessiot
