#include "vessiot/version.hpp"

#include "build_identity.hpp"

namespace vessiot {

const char* version() noexcept {
    return header_version;
}

const char* build_identity() noexcept {
    return VESSIOT_BUILD_IDENTITY;
}

} // namespace vessiot
