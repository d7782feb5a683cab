// The driver of graphics processors, by a few functions of libcuda.so.1, which is loaded when it is asked for: no
// toolkit and no header are needed to build or to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vessiot::lanes {

inline constexpr unsigned threads_a_block = 64;
inline constexpr std::uint64_t rounds_a_launch = 2048; // a fraction of a second

// A failure of the driver, or that there is none: what was done, and what it said.
class GpuFailure : public std::exception {
public:
    explicit GpuFailure(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// It has not as much memory as was asked for.
class GpuMemoryShort : public GpuFailure {
public:
    using GpuFailure::GpuFailure;
};

// The processors of this machine. Safe to use from several threads; all functions throw GpuFailure.
class Gpu {
public:
    // Loads the driver, once in a process.
    static Gpu& get();

    int n_devices() const { return n_devices_; }
    // For this thread: all that follows is done by that one.
    void use(int device);
    std::string name(int device) const; // as in "NVIDIA H200, CUDA 12.8"

    // Memory on the processor that is in use, freed with the object.
    class Memory {
    public:
        Memory() = default;
        explicit Memory(std::size_t bytes);
        Memory(Memory&& other) noexcept : address_(std::exchange(other.address_, 0)) {}
        Memory& operator=(Memory&& other) noexcept {
            std::swap(address_, other.address_);
            return *this;
        }
        ~Memory();
        void write(const void* from, std::size_t bytes, std::size_t offset = 0);
        void read(void* to, std::size_t bytes, std::size_t offset = 0) const;
        std::uint64_t address() const { return address_; }

    private:
        std::uint64_t address_ = 0;
    };

    // Numbers here, where the processor reads and writes them without a copy in between.
    class Numbers {
    public:
        Numbers() = default;
        explicit Numbers(std::size_t n);
        Numbers(Numbers&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
        Numbers& operator=(Numbers&& other) noexcept {
            std::swap(data_, other.data_);
            return *this;
        }
        ~Numbers();
        double* data() const { return data_; }
        double& operator[](std::size_t k) const { return data_[k]; }

    private:
        double* data_ = nullptr;
    };

    // A function of a text, compiled by the driver.
    class Function {
    public:
        Function(const std::string& text, const std::string& name);
        Function(const Function&) = delete;
        Function& operator=(const Function&) = delete;
        ~Function();
        // n threads in blocks; waits for the end. Seconds that it took there.
        double launch(std::uint64_t n, unsigned block, void** arguments);
        int registers() const;
        int local_bytes() const;

    private:
        void *module_ = nullptr, *function_ = nullptr;
    };

private:
    Gpu();

    int n_devices_ = 0;
    std::vector<void*> contexts_;
};

} // namespace vessiot::lanes
