#include "vessiot/version.hpp"

namespace vessiot {

const char* version() noexcept {
    return header_version;
}

} // namespace vessiot
