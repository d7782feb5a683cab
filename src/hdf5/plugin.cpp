// What the library finds in vessiot_hdf5.so (io/hdf5_stream.cpp).
#include "members.hpp"
#include "one_at_a_time.hpp"
#include "stream.hpp"
#include "vessiot/version.hpp"

extern "C" {

// Both sides must have been built from the same headers.
__attribute__((visibility("default"))) const char* vessiot_hdf5_version() {
    return vessiot::header_version;
}

__attribute__((visibility("default"))) vessiot::PointStream*
vessiot_hdf5_stream(const char* path, const std::vector<std::pair<std::string, std::string>>* attributes) {
    // NOTE: streams close their files. At the end of the process the library would try again to write what a full disk
    // did not take, and crash.
    const std::lock_guard lock(vessiot::hdf5::OneAtATime::library());
    H5dont_atexit();
    return new vessiot::hdf5::OneAtATime(std::make_unique<vessiot::hdf5::Stream>(path, *attributes));
}

__attribute__((visibility("default"))) vessiot::MemberStream* vessiot_hdf5_members(const char* path) {
    const std::lock_guard lock(vessiot::hdf5::OneAtATime::library());
    H5dont_atexit();
    return new vessiot::hdf5::Members(path);
}
}
