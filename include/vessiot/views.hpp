// Numbers of a solution where they are, as a matrix and as its columns.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <iterator>

namespace vessiot {

// Numbers at equal distances.
class StridedView {
public:
    class Iterator {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = double;
        using difference_type = std::ptrdiff_t;
        using pointer = const double*;
        using reference = const double&;

        Iterator() = default;
        Iterator(const double* data, std::ptrdiff_t stride, std::ptrdiff_t at)
            : data_(data), stride_(stride), at_(at) {}
        reference operator*() const { return data_[at_ * stride_]; }
        reference operator[](difference_type k) const { return data_[(at_ + k) * stride_]; }
        Iterator& operator+=(difference_type k) {
            at_ += k;
            return *this;
        }
        Iterator& operator-=(difference_type k) { return *this += -k; }
        Iterator& operator++() { return *this += 1; }
        Iterator& operator--() { return *this += -1; }
        Iterator operator++(int) {
            Iterator before = *this;
            ++*this;
            return before;
        }
        Iterator operator--(int) {
            Iterator before = *this;
            --*this;
            return before;
        }
        friend Iterator operator+(Iterator i, difference_type k) { return i += k; }
        friend Iterator operator+(difference_type k, Iterator i) { return i += k; }
        friend Iterator operator-(Iterator i, difference_type k) { return i -= k; }
        friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
        friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

    private:
        const double* data_ = nullptr;
        std::ptrdiff_t stride_ = 1, at_ = 0;
    };

    StridedView(const double* data, std::size_t size, std::size_t stride) : data_(data), size_(size), stride_(stride) {}

    const double* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t stride() const { return stride_; } // in numbers
    double operator[](std::size_t k) const {
        assert(k < size_);
        return data_[k * stride_];
    }
    double front() const { return (*this)[0]; }
    double back() const { return (*this)[size_ - 1]; }
    Iterator begin() const { return {data_, static_cast<std::ptrdiff_t>(stride_), 0}; }
    Iterator end() const { return {data_, static_cast<std::ptrdiff_t>(stride_), static_cast<std::ptrdiff_t>(size_)}; }

private:
    const double* data_;
    std::size_t size_, stride_;
};

class MatrixView {
public:
    MatrixView(const double* data, std::size_t rows, std::size_t columns, std::size_t row_stride,
               std::size_t column_stride)
        : data_(data), rows_(rows), columns_(columns), row_stride_(row_stride), column_stride_(column_stride) {}

    const double* data() const { return data_; }
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    std::size_t row_stride() const { return row_stride_; } // from one row to the next, in numbers
    std::size_t column_stride() const { return column_stride_; }
    double operator()(std::size_t row, std::size_t column) const {
        assert(row < rows_ && column < columns_);
        return data_[row * row_stride_ + column * column_stride_];
    }
    StridedView row(std::size_t k) const { return {data_ + k * row_stride_, columns_, column_stride_}; }
    StridedView column(std::size_t k) const { return {data_ + k * column_stride_, rows_, row_stride_}; }

private:
    const double* data_;
    std::size_t rows_, columns_, row_stride_, column_stride_;
};

} // namespace vessiot
