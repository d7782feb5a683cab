#include "file.hpp"

#include <algorithm>

namespace vessiot::hdf5 {

namespace {

constexpr std::int64_t chunk_numbers = 8192, most_rows = 2048; // of a chunk

herr_t first_cause(unsigned, const H5E_error2_t* error, void* text) {
    auto& result = *static_cast<std::string*>(text);
    if (error->desc && *error->desc) result = error->desc; // the walk ends at the deepest
    return 0;
}

std::string cause() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, first_cause, &text);
    H5Eclear2(H5E_DEFAULT);
    return text.empty() ? "HDF5 gives no reason" : text;
}

Object text_type() {
    Object type(H5Tcopy(H5T_C_S1), "a type");
    check(H5Tset_size(type.id(), H5T_VARIABLE), "a type");
    check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "a type");
    return type;
}

// Opened where it is there.
Object attribute(hid_t object, const std::string& name, hid_t type, hid_t space) {
    if (H5Aexists(object, name.c_str()) > 0) return Object(H5Aopen(object, name.c_str(), H5P_DEFAULT), name);
    return Object(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), name);
}

void write_scalar(hid_t object, const std::string& name, hid_t file_type, hid_t type, const void* value) {
    const Object space(H5Screate(H5S_SCALAR), name);
    const Object a = attribute(object, name, file_type, space.id());
    check(H5Awrite(a.id(), type, value), name);
}

} // namespace

Quiet::Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Quiet::~Quiet() {
    H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

Object::Object(hid_t id, const std::string& what) : id_(id) {
    if (id < 0) throw Failure(what + ": " + cause());
}

void Object::close() {
    if (id_ >= 0) H5Idec_ref(id_);
    id_ = H5I_INVALID_HID;
}

void check(herr_t status, const std::string& what) {
    if (status < 0) throw Failure(what + ": " + cause());
}

void write_text_attribute(hid_t object, const std::string& name, const std::string& text) {
    const Object type = text_type();
    const char* value = text.c_str();
    write_scalar(object, name, type.id(), type.id(), &value);
}

void write_texts_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts) {
    const Object type = text_type();
    const hsize_t n = texts.size();
    const Object space(H5Screate_simple(1, &n, nullptr), name);
    std::vector<const char*> values;
    for (const std::string& text : texts) values.push_back(text.c_str());
    const Object a = attribute(object, name, type.id(), space.id());
    check(H5Awrite(a.id(), type.id(), values.data()), name);
}

void write_count_attribute(hid_t object, const std::string& name, std::int64_t value) {
    write_scalar(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void write_number_attribute(hid_t object, const std::string& name, double value) {
    write_scalar(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

std::string read_text_attribute(hid_t object, const std::string& name) {
    const Object type = text_type();
    const Object a(H5Aopen(object, name.c_str(), H5P_DEFAULT), name);
    char* value = nullptr;
    check(H5Aread(a.id(), type.id(), &value), name);
    const std::string text = value ? value : "";
    H5free_memory(value);
    return text;
}

void Table::plan(std::int64_t width) {
    width_ = width;
    chunk_ = std::clamp<std::int64_t>(chunk_numbers / columns(), 1, most_rows);
    buffer_.reserve(static_cast<std::size_t>((chunk_ + 1) * columns()));
}

Table::Table(hid_t file, const std::string& name, std::int64_t width, bool is_whole) : name_(name) {
    plan(width);
    const int rank = width == 0 ? 1 : 2;
    const hsize_t begin[2] = {0, static_cast<hsize_t>(width)}, most[2] = {H5S_UNLIMITED, static_cast<hsize_t>(width)},
                  chunk[2] = {static_cast<hsize_t>(chunk_), static_cast<hsize_t>(width)};
    const Object space(H5Screate_simple(rank, begin, most), name);
    const Object how(H5Pcreate(H5P_DATASET_CREATE), name);
    check(H5Pset_obj_track_times(how.id(), false), name); // the same run, the same bytes
    check(H5Pset_chunk(how.id(), rank, chunk), name);
    const hid_t type = is_whole ? H5T_STD_I32LE : H5T_IEEE_F64LE;
    data_ = Object(H5Dcreate2(file, name.c_str(), type, space.id(), H5P_DEFAULT, how.id(), H5P_DEFAULT), name);
}

Table::Table(hid_t file, const std::string& name, std::int64_t width, std::int64_t rows) : name_(name) {
    plan(width);
    data_ = Object(H5Dopen2(file, name.c_str(), H5P_DEFAULT), name);
    const Object space(H5Dget_space(data_.id()), name);
    hsize_t extent[2] = {0, 0};
    const int rank = H5Sget_simple_extent_ndims(space.id());
    if (rank != (width == 0 ? 1 : 2)) throw Failure(name + " has another number of dimensions");
    H5Sget_simple_extent_dims(space.id(), extent, nullptr);
    if (width > 0 && extent[1] != static_cast<hsize_t>(width)) throw Failure(name + " has another number of columns");
    extent_ = static_cast<std::int64_t>(extent[0]);
    if (extent_ < rows)
        throw Failure(name + " has " + std::to_string(extent_) + " rows, and had " + std::to_string(rows) +
                      " when the checkpoint was written");
    written_ = rows;
    check_index();
}

// All of the index of its chunks, and its last row, are read once.
void Table::check_index() const {
    const Object space(H5Dget_space(data_.id()), name_);
    hsize_t n_chunks = 0;
    check(H5Dget_num_chunks(data_.id(), space.id(), &n_chunks), "the index of " + name_ + " is damaged");
    if (written_ == 0) return;
    const hsize_t first[2] = {static_cast<hsize_t>(written_ - 1), 0}, count[2] = {1, static_cast<hsize_t>(width_)};
    check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, first, nullptr, count, nullptr), name_);
    const Object memory(H5Screate_simple(width_ == 0 ? 1 : 2, count, nullptr), name_);
    std::vector<double> row(static_cast<std::size_t>(columns()));
    check(H5Dread(data_.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, row.data()),
          "the last row of " + name_ + " cannot be read");
}

void Table::add(std::span<const double> row) {
    buffer_.insert(buffer_.end(), row.begin(), row.end());
    if (rows() % chunk_ == 0) write();
}

void Table::write() {
    const std::int64_t n = gathered();
    if (n == 0) return;
    const std::int64_t end = written_ + n;
    const hsize_t size[2] = {static_cast<hsize_t>(std::max(end, extent_)), static_cast<hsize_t>(width_)};
    if (end > extent_) check(H5Dset_extent(data_.id(), size), name_);
    extent_ = std::max(end, extent_);
    const int rank = width_ == 0 ? 1 : 2;
    const Object space(H5Dget_space(data_.id()), name_);
    const hsize_t first[2] = {static_cast<hsize_t>(written_), 0},
                  count[2] = {static_cast<hsize_t>(n), static_cast<hsize_t>(width_)};
    check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, first, nullptr, count, nullptr), name_);
    const Object memory(H5Screate_simple(rank, count, nullptr), name_);
    check(H5Dwrite(data_.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, buffer_.data()), name_);
    written_ = end;
    buffer_.clear();
}

void Table::flush() {
    write();
    check(H5Dflush(data_.id()), name_);
}

void Table::cut() {
    write();
    if (extent_ == written_) return;
    const hsize_t size[2] = {static_cast<hsize_t>(written_), static_cast<hsize_t>(width_)};
    check(H5Dset_extent(data_.id(), size), name_);
    extent_ = written_;
}

} // namespace vessiot::hdf5
