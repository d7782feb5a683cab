// Files that are complete or not there, names of one file, text for a terminal, and a process in a folder of its own.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/printable.hpp"
#include "core/temporary_folder.hpp"
#include "decompose/process.hpp"
#include "solution/output_file.hpp"
#include "solution/same_file.hpp"
#include "solve/run/checkpoint.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
}

class Files : public testing::Test {
protected:
    std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
    std::size_t count() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
    }
    TemporaryFolder folder_;
};

TEST_F(Files, AreNotThereBeforeTheyAreFinished) {
    {
        OutputFile file(at("a"));
        file.write("half");
        EXPECT_FALSE(fs::exists(at("a")));
    }
    EXPECT_EQ(count(), 0u);
    OutputFile file(at("a"));
    file.write("whole");
    file.finish();
    EXPECT_EQ(content(at("a")), "whole");
    EXPECT_EQ(count(), 1u);
}

TEST_F(Files, KeepALinkAndThePermissionsOfTheOldOne) {
    write(at("target"), "old");
    fs::permissions(at("target"), fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("target", at("link"));
    OutputFile file(at("link"));
    file.write("new");
    file.finish();
    EXPECT_TRUE(fs::is_symlink(at("link")));
    EXPECT_EQ(content(at("target")), "new");
    EXPECT_EQ(fs::status(at("target")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// A stranger who can write to the folder puts links there, under names that a careless program would write to.
TEST_F(Files, ACheckpointFollowsNoLinkThatAStrangerLaid) {
    write(at("victim"), "precious");
    for (const std::string& name : {std::to_string(::getpid()), std::string("tmp"), std::string("new")})
        fs::create_symlink("victim", at("state." + name));
    check_writable(at("state"));
    write_checkpoint(at("state"), {}, "the state");
    EXPECT_EQ(content(at("victim")), "precious");
    EXPECT_TRUE(content(at("state")).ends_with("the state"));
}

TEST_F(Files, OfTwoNamesAreOne) {
    write(at("a"), "");
    write(at("b"), "");
    fs::create_directory(at("folder"));
    fs::create_hard_link(at("a"), at("hard"));
    fs::create_symlink("a", at("soft"));
    fs::create_symlink("../later", at("folder/dangling"));
    EXPECT_TRUE(is_same_file(at("a"), at("folder/../a")));
    EXPECT_TRUE(is_same_file(at("a"), at("hard")));
    EXPECT_TRUE(is_same_file(at("a"), at("soft")));
    EXPECT_TRUE(is_same_file(at("later"), at("folder/dangling")));
    EXPECT_TRUE(is_same_file(at("later"), at("./folder/../later")));
    EXPECT_FALSE(is_same_file(at("a"), at("b")));
    EXPECT_FALSE(is_same_file(at("a"), at("later")));
    EXPECT_FALSE(is_same_file("/dev/null", "/dev/null")) << "it keeps nothing";
}

TEST_F(Files, ARunDoesNotWriteItsPointsAndItsCheckpointToOne) {
    const Model model = Model::parse("unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\n");
    SolveOptions options;
    options.streams = {csv_stream(at("run.csv"))};
    options.checkpoint = at("./run.csv");
    EXPECT_THROW(solve(model, options), InvalidInput);
    EXPECT_EQ(count(), 0u);
}

TEST(Printable, WritesOutWhatActsOnATerminal) {
    EXPECT_EQ(printable("a\tb\n"), "a\tb\n");
    EXPECT_EQ(printable("ä … 中"), "ä … 中");
    EXPECT_EQ(printable("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
    EXPECT_EQ(printable("\xc2\x9b"), "\\x9b") << "CSI as one character";
    EXPECT_EQ(printable("\x9b"), "\\x9b") << "no UTF-8";
    EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");
    EXPECT_EQ(printable("\"\x1b\xc2\x9b\xff\"", EscapeStyle::json), "\"\\u001b\\u009b\\ufffd\"");
}

// What lies in the caller's folder, or where a variable points, is nothing that the program would find.
TEST_F(Files, AProcessWorksInAnEmptyFolderOfItsOwn) {
    write(at("program"), "#!/bin/sh\necho \"$(ls -A | wc -l) $TRAP_PATH $PATH_OF_MINE\"; touch rest; pwd\n");
    fs::permissions(at("program"), fs::perms::owner_all);
    ::setenv("TRAP_PATH", "somewhere", 1);
    ::setenv("PATH_OF_MINE", "here", 1);
    const decompose::ProcessResult result = decompose::run_process(at("program"), {}, "", {.hidden_variables = "TRAP"});
    EXPECT_TRUE(result.output.starts_with("0  here\n")) << result.output;
    const fs::path place = result.output.substr(8, result.output.size() - 9);
    EXPECT_NE(place, fs::current_path());
    EXPECT_FALSE(fs::exists(place)) << place;
}

} // namespace
} // namespace vessiot
