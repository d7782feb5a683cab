// Processes of MPI come from the plug-in vessiot_mpi.so, which is loaded where mpirun started several of them.
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/plugin_file.hpp"
#include "vessiot/ranks.hpp"
#include "vessiot/version.hpp"
#include "vessiot_config.hpp"

namespace vessiot {

namespace {

using RanksMaker = Ranks* (*)();
using PluginVersion = const char* (*)();

int number_in(const char* variable) {
    const char* const text = std::getenv(variable);
    return text ? std::atoi(text) : 0;
}

// How many processes were started together, as launchers of MPI say to each of them.
int n_launched() {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
        if (const int n = number_in(variable); n > 0) return n;
    return std::getenv("PMIX_RANK") ? number_in("SLURM_STEP_NUM_TASKS") : 1; // srun --mpi=pmix
}

[[noreturn]] void refuse(int n, const std::string& why) {
    throw InvalidInput(fmt::format("{} processes were started together, but they cannot share an ensemble: {}. Run "
                                   "shards instead, --shard I/N, or one process with --threads",
                                   n, why));
}

RanksMaker load_mpi(int n) {
    const std::string path =
        find_plugin("VESSIOT_MPI", "vessiot_mpi.so", config::mpi_build_path, config::mpi_install_path);
    if (path.empty()) refuse(n, "this vessiot was built without MPI (Debian: libopenmpi-dev)");
    // NOTE: never closed, and global: parts of Open MPI that are loaded later look for its functions.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        const char* what = dlerror();
        refuse(n, what ? what : path + " cannot be loaded");
    }
    const auto plugin_version = reinterpret_cast<PluginVersion>(dlsym(library, "vessiot_mpi_version"));
    const auto make = reinterpret_cast<RanksMaker>(dlsym(library, "vessiot_mpi_ranks"));
    if (!plugin_version || !make) refuse(n, path + " is not a plug-in of vessiot");
    if (std::string(plugin_version()) != version())
        refuse(n, fmt::format("{} is of version {}, and this is {}", path, plugin_version(), version()));
    return make;
}

} // namespace

std::shared_ptr<Ranks> mpi_ranks() {
    const int n = n_launched();
    if (n <= 1) return nullptr;
    static std::weak_ptr<Ranks> known;
    static bool is_begun = false;
    if (std::shared_ptr<Ranks> ranks = known.lock()) return ranks;
    if (is_begun) refuse(n, "MPI begins once in a process, and has ended: keep what mpi_ranks() returns");
    const RanksMaker make = load_mpi(n);
    is_begun = true;
    std::shared_ptr<Ranks> ranks(make());
    if (ranks->size() != n)
        refuse(n, fmt::format("the MPI of this vessiot sees {}: it is not the one of the launcher", ranks->size()));
    known = ranks;
    return ranks;
}

} // namespace vessiot
