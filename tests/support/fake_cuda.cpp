// A driver of graphics processors without one, under the name of the real one (libcuda.so.1): device memory is memory,
// and launches are made by a function that a test gives. Every call can be made to fail.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#define FAKE extern "C" __attribute__((visibility("default"))) // NOLINT(cppcoreguidelines-macro-usage)

namespace {

void (*launch)(const char* text, void** arguments) = nullptr;
std::string failing; // the call that fails, with error 2
int n_devices = 1;
std::size_t most_bytes = ~std::size_t{0}; // that one piece of memory has

int result(const char* call) {
    return failing == call ? 2 : 0;
}

} // namespace

FAKE void fake_cuda(void (*how)(const char*, void**), const char* fails, int devices) {
    launch = how;
    failing = fails;
    n_devices = devices;
}

FAKE void fake_memory(std::size_t bytes) {
    most_bytes = bytes;
}

FAKE int cuInit(unsigned) {
    return result("cuInit");
}
FAKE int cuDriverGetVersion(int* version) {
    *version = failing == "old" ? 7050 : 12080;
    return 0;
}
FAKE int cuDeviceGetCount(int* n) {
    *n = n_devices;
    return result("cuDeviceGetCount");
}
FAKE int cuDeviceGet(int* device, int number) {
    *device = number;
    return 0;
}
FAKE int cuDeviceGetName(char* name, int, int) {
    std::strcpy(name, "paper");
    return 0;
}
FAKE int cuDevicePrimaryCtxRetain(void** context, int) {
    *context = &launch;
    return 0;
}
FAKE int cuCtxSetCurrent(void*) {
    return 0;
}
FAKE int cuModuleLoadDataEx(void** module, const void* text, unsigned n, int* options, void** values) {
    for (unsigned k = 0; k < n; ++k)
        if (options[k] == 5 && failing == "cuModuleLoadDataEx")
            std::strcpy(static_cast<char*>(values[k]), "a bad line");
    *module = strdup(static_cast<const char*>(text));
    return result("cuModuleLoadDataEx");
}
FAKE int cuModuleUnload(void* module) {
    std::free(module);
    return 0;
}
FAKE int cuModuleGetFunction(void** function, void* module, const char* name) {
    *function = module;
    return std::strstr(static_cast<char*>(module), name) ? 0 : 500;
}
FAKE int cuFuncGetAttribute(int* value, int, void*) {
    *value = 0;
    return 0;
}
FAKE int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
    if (bytes > most_bytes) return 2;
    *address = reinterpret_cast<std::uint64_t>(std::malloc(bytes));
    return result("cuMemAlloc");
}
FAKE int cuMemFree_v2(std::uint64_t address) {
    std::free(reinterpret_cast<void*>(address));
    return 0;
}
FAKE int cuMemAllocHost_v2(void** data, std::size_t bytes) {
    *data = std::malloc(bytes);
    return result("cuMemAllocHost");
}
FAKE int cuMemFreeHost(void* data) {
    std::free(data);
    return 0;
}
FAKE int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return result("cuMemcpyHtoD");
}
FAKE int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return result("cuMemcpyDtoH");
}
FAKE int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                        void** arguments, void**) {
    if (const int error = result("cuLaunchKernel")) return error;
    launch(static_cast<const char*>(function), arguments);
    return 0;
}
FAKE int cuEventCreate(void** event, unsigned) {
    *event = &launch;
    return 0;
}
FAKE int cuEventDestroy_v2(void*) {
    return 0;
}
FAKE int cuEventRecord(void*, void*) {
    return 0;
}
FAKE int cuEventSynchronize(void*) {
    return 0;
}
FAKE int cuEventElapsedTime(float* milliseconds, void*, void*) {
    *milliseconds = 1;
    return 0;
}
FAKE int cuGetErrorName(int error, const char** name) {
    *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OTHER";
    return 0;
}
