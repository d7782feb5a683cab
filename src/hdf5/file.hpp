// HDF5 objects that close themselves, and what is done with them here. All functions throw Failure.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace vessiot::hdf5 {

// The library could not do it; the text is its own, first cause.
class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Ends the library's own printing of errors, for as long as it lives.
class Quiet {
public:
    Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    ~Quiet();

private:
    H5E_auto2_t print_ = nullptr;
    void* data_ = nullptr;
};

class Object {
public:
    Object() = default;
    // Throws where the identifier is none: `what` was tried.
    Object(hid_t id, const std::string& what);
    Object(Object&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Object& operator=(Object&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Object() { close(); }
    hid_t id() const { return id_; }
    void close();

private:
    hid_t id_ = H5I_INVALID_HID;
};

void check(herr_t status, const std::string& what);

void write_text_attribute(hid_t object, const std::string& name, const std::string& text);
void write_texts_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts);
void write_count_attribute(hid_t object, const std::string& name, std::int64_t value);
void write_number_attribute(hid_t object, const std::string& name, double value);
std::string read_text_attribute(hid_t object, const std::string& name);

// Rows of numbers that grows at its end, gathered and written a chunk at a time.
class Table {
public:
    // `width` numbers a row; 0: a list of numbers, of one dimension. As double or as 32-bit integers.
    Table(hid_t file, const std::string& name, std::int64_t width, bool is_whole = false);
    // One that is there, to go on after so many rows. Throws where it has fewer, and where its index is damaged: a file
    // that is written for others to read at the same time (SWMR) would wait for it to be mended.
    Table(hid_t file, const std::string& name, std::int64_t width, std::int64_t rows);

    hid_t id() const { return data_.id(); }
    std::int64_t rows() const { return written_ + gathered(); }
    void add(std::span<const double> row);
    void add(double value) { add(std::span(&value, 1)); }
    // Writes what was gathered, for other programs to see.
    void flush();
    // What is behind the last row, of an earlier run, is dropped.
    void cut();

private:
    std::int64_t gathered() const { return static_cast<std::int64_t>(buffer_.size()) / columns(); }
    std::int64_t columns() const { return width_ == 0 ? 1 : width_; }
    void plan(std::int64_t width);
    void check_index() const;
    void write();

    Object data_;
    std::string name_;
    std::int64_t width_ = 0, chunk_ = 1;
    std::int64_t written_ = 0, extent_ = 0; // rows in the file that are ours, and all of them
    std::vector<double> buffer_;
};

} // namespace vessiot::hdf5
