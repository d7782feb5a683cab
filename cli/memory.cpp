#include "cli/memory.hpp"

#include <algorithm>
#include <cstdio>

#include <sys/resource.h>
#include <unistd.h>

namespace vessiot::cli {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

void limit_memory() {} // sanitizers reserve more than there is

#else

namespace {

// Of the control group, as containers set it; `most` where there is none.
rlim_t container_limit(rlim_t most) {
    unsigned long long limit = 0;
    std::FILE* file = std::fopen("/sys/fs/cgroup/memory.max", "r");
    if (!file) return most;
    const bool is_number = std::fscanf(file, "%llu", &limit) == 1; // else "max"
    std::fclose(file);
    return is_number ? std::min<rlim_t>(limit, most) : most;
}

} // namespace

void limit_memory() {
    const long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    rlimit limit{};
    if (pages <= 0 || page_size <= 0 || getrlimit(RLIMIT_AS, &limit) != 0) return;
    const rlim_t memory = container_limit(static_cast<rlim_t>(pages) * static_cast<rlim_t>(page_size));
    if (memory >= limit.rlim_cur) return;
    limit.rlim_cur = memory;
    setrlimit(RLIMIT_AS, &limit); // where it fails, all is as before
}

#endif

} // namespace vessiot::cli
