#include "lanes/gpu/driver.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

namespace vessiot::lanes {

namespace {

constexpr const char* library_name = "libcuda.so.1";

// What is used of the driver's interface, with the names that it has there.
struct Calls {
    int (*cuInit)(unsigned) = nullptr;
    int (*cuDriverGetVersion)(int*) = nullptr;
    int (*cuDeviceGetCount)(int*) = nullptr;
    int (*cuDeviceGet)(int*, int) = nullptr;
    int (*cuDeviceGetName)(char*, int, int) = nullptr;
    int (*cuDevicePrimaryCtxRetain)(void**, int) = nullptr;
    int (*cuCtxSetCurrent)(void*) = nullptr;
    int (*cuModuleLoadDataEx)(void**, const void*, unsigned, int*, void**) = nullptr;
    int (*cuModuleUnload)(void*) = nullptr;
    int (*cuModuleGetFunction)(void**, void*, const char*) = nullptr;
    int (*cuFuncGetAttribute)(int*, int, void*) = nullptr;
    int (*cuMemAlloc)(std::uint64_t*, std::size_t) = nullptr;
    int (*cuMemFree)(std::uint64_t) = nullptr;
    int (*cuMemAllocHost)(void**, std::size_t) = nullptr;
    int (*cuMemFreeHost)(void*) = nullptr;
    int (*cuMemcpyHtoD)(std::uint64_t, const void*, std::size_t) = nullptr;
    int (*cuMemcpyDtoH)(void*, std::uint64_t, std::size_t) = nullptr;
    int (*cuLaunchKernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                          void**) = nullptr;
    int (*cuEventCreate)(void**, unsigned) = nullptr;
    int (*cuEventDestroy)(void*) = nullptr;
    int (*cuEventRecord)(void*, void*) = nullptr;
    int (*cuEventSynchronize)(void*) = nullptr;
    int (*cuEventElapsedTime)(float*, void*, void*) = nullptr;
    int (*cuGetErrorName)(int, const char**) = nullptr;

    Calls() {
        void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL); // NOTE: never closed
        if (!library)
            throw GpuFailure(fmt::format("no graphics processor: its driver, {}, cannot be loaded ({}). Install the "
                                         "driver of NVIDIA, or run on the processor with --device cpu",
                                         library_name, dlerror()));
        const auto find = [&](auto& call, const char* name) {
            call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(library, name));
            if (!call)
                throw GpuFailure(
                    fmt::format("the driver {} has no function {}: it is too old. Update it, or run on the processor "
                                "with --device cpu",
                                library_name, name));
        };
        find(cuInit, "cuInit");
        find(cuDriverGetVersion, "cuDriverGetVersion");
        find(cuDeviceGetCount, "cuDeviceGetCount");
        find(cuDeviceGet, "cuDeviceGet");
        find(cuDeviceGetName, "cuDeviceGetName");
        find(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
        find(cuCtxSetCurrent, "cuCtxSetCurrent");
        find(cuModuleLoadDataEx, "cuModuleLoadDataEx");
        find(cuModuleUnload, "cuModuleUnload");
        find(cuModuleGetFunction, "cuModuleGetFunction");
        find(cuFuncGetAttribute, "cuFuncGetAttribute");
        find(cuMemAlloc, "cuMemAlloc_v2");
        find(cuMemFree, "cuMemFree_v2");
        find(cuMemAllocHost, "cuMemAllocHost_v2");
        find(cuMemFreeHost, "cuMemFreeHost");
        find(cuMemcpyHtoD, "cuMemcpyHtoD_v2");
        find(cuMemcpyDtoH, "cuMemcpyDtoH_v2");
        find(cuLaunchKernel, "cuLaunchKernel");
        find(cuEventCreate, "cuEventCreate");
        find(cuEventDestroy, "cuEventDestroy_v2");
        find(cuEventRecord, "cuEventRecord");
        find(cuEventSynchronize, "cuEventSynchronize");
        find(cuEventElapsedTime, "cuEventElapsedTime");
        find(cuGetErrorName, "cuGetErrorName");
    }
};

const Calls& calls() {
    static const Calls the_calls;
    return the_calls;
}

void check(int result, std::string_view what) {
    if (result == 0) return;
    const char* name = nullptr;
    if (calls().cuGetErrorName(result, &name) != 0 || !name) name = "unknown error";
    constexpr int out_of_memory = 2;
    const std::string text = fmt::format("the graphics processor failed to {}: {} ({})", what, name, result);
    if (result == out_of_memory) throw GpuMemoryShort(text);
    throw GpuFailure(text);
}

} // namespace

Gpu& Gpu::get() {
    static Gpu the_gpu;
    return the_gpu;
}

Gpu::Gpu() {
    check(calls().cuInit(0), "start");
    constexpr int least_version = 8000; // that reads our texts
    int version = 0;
    check(calls().cuDriverGetVersion(&version), "say its version");
    if (version < least_version)
        throw GpuFailure(fmt::format("the driver of the graphics processor is too old: it has CUDA {}.{}, and 8.0 is "
                                     "needed. Update it, or run on the processor with --device cpu",
                                     version / 1000, version % 1000 / 10));
    check(calls().cuDeviceGetCount(&n_devices_), "say how many there are");
    if (n_devices_ == 0)
        throw GpuFailure("no graphics processor: the driver is there, but it finds none. Run on the processor with "
                         "--device cpu");
    for (int k = 0; k < n_devices_; ++k) {
        int device = 0;
        check(calls().cuDeviceGet(&device, k), "be found");
        contexts_.push_back(nullptr);
        check(calls().cuDevicePrimaryCtxRetain(&contexts_.back(), device), "be opened");
    }
}

void Gpu::use(int device) {
    check(calls().cuCtxSetCurrent(contexts_[static_cast<std::size_t>(device)]), "be used");
}

std::string Gpu::name(int device) const {
    std::array<char, 200> text{};
    int number = 0, version = 0;
    check(calls().cuDeviceGet(&number, device), "be found");
    check(calls().cuDeviceGetName(text.data(), text.size() - 1, number), "say its name");
    check(calls().cuDriverGetVersion(&version), "say its version");
    return fmt::format("{}, CUDA {}.{}", text.data(), version / 1000, version % 1000 / 10);
}

Gpu::Memory::Memory(std::size_t bytes) {
    if (bytes > 0) check(calls().cuMemAlloc(&address_, bytes), fmt::format("give {} bytes of memory", bytes));
}

Gpu::Memory::~Memory() {
    if (address_ != 0) calls().cuMemFree(address_);
}

Gpu::Numbers::Numbers(std::size_t n) {
    void* data = nullptr;
    const std::size_t bytes = std::max<std::size_t>(n, 1) * sizeof(double);
    check(calls().cuMemAllocHost(&data, bytes), fmt::format("share {} bytes of memory", bytes));
    data_ = static_cast<double*>(data);
}

Gpu::Numbers::~Numbers() {
    if (data_) calls().cuMemFreeHost(data_);
}

void Gpu::Memory::write(const void* from, std::size_t bytes, std::size_t offset) {
    if (bytes > 0) check(calls().cuMemcpyHtoD(address_ + offset, from, bytes), "take numbers");
}

void Gpu::Memory::read(void* to, std::size_t bytes, std::size_t offset) const {
    if (bytes > 0) check(calls().cuMemcpyDtoH(to, address_ + offset, bytes), "give numbers back");
}

Gpu::Function::Function(const std::string& text, const std::string& name) {
    constexpr int error_log = 5, error_log_size = 6;
    std::array<char, 4000> log{};
    std::array<int, 2> options{error_log, error_log_size};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    const int result =
        calls().cuModuleLoadDataEx(&module_, text.c_str(), options.size(), options.data(), values.data());
    check(result, log[0] ? fmt::format("compile its code: {}", log.data()) : "compile its code");
    check(calls().cuModuleGetFunction(&function_, module_, name.c_str()), "find the function " + name);
}

Gpu::Function::~Function() {
    if (module_) calls().cuModuleUnload(module_);
}

double Gpu::Function::launch(std::uint64_t n, unsigned block, void** arguments) {
    struct Event {
        Event() { check(calls().cuEventCreate(&event, 0), "take the time"); }
        Event(const Event&) = delete;
        Event& operator=(const Event&) = delete;
        ~Event() { calls().cuEventDestroy(event); }
        void* event = nullptr;
    };
    const Event begin, end;
    check(calls().cuEventRecord(begin.event, nullptr), "take the time");
    const auto n_blocks = static_cast<unsigned>((n + block - 1) / block);
    check(calls().cuLaunchKernel(function_, n_blocks, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr), "begin");
    check(calls().cuEventRecord(end.event, nullptr), "take the time");
    check(calls().cuEventSynchronize(end.event), "reach the end");
    float milliseconds = 0;
    check(calls().cuEventElapsedTime(&milliseconds, begin.event, end.event), "take the time");
    return 1e-3 * static_cast<double>(milliseconds);
}

int Gpu::Function::registers() const {
    int n = 0;
    check(calls().cuFuncGetAttribute(&n, 4, function_), "count registers");
    return n;
}

int Gpu::Function::local_bytes() const {
    int n = 0;
    check(calls().cuFuncGetAttribute(&n, 3, function_), "count memory");
    return n;
}

} // namespace vessiot::lanes
