// A damaged file may crash the library of HDF5 or keep it busy for ever. What reads one is therefore tried first, in a
// process of its own.
#pragma once

#include <functional>

namespace vessiot::hdf5 {

// Does f come to an end, by returning or by throwing a Failure? Nothing that it does remains, but for what it writes to
// files. Where no process can be made it is taken to.
bool comes_to_an_end(const std::function<void()>& f);

} // namespace vessiot::hdf5
