// A folder of our own, which is gone with all that is in it when nobody needs it any more.
#pragma once

#include <filesystem>

namespace vessiot {

class TemporaryFolder {
public:
    // Below the system's folder for temporary files, with a name that nobody can guess and nobody else can enter.
    // Throws std::system_error where it cannot be made.
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace vessiot
