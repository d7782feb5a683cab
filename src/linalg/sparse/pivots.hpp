// Pivots that sparse factorisations keep from one matrix to the next, and what makes them choose anew.
//
// A SparseLu belongs to the Pivots that are in use in its thread where it is made (PivotsInUse), or to none. forget()
// reaches those that belong to it and nothing else: other runs in the same thread go on as they were.
#pragma once

#include <cstdint>
#include <memory>

namespace vessiot::linalg {

class Pivots {
public:
    // All that belong to it choose their pivots anew in their next factor(), as if they had never had a matrix.
    void forget() { ++epoch_; }
    std::uint64_t epoch() const { return epoch_; }

private:
    std::uint64_t epoch_ = 0;
};

// While it lives, what is made in this thread belongs to these pivots, which must stay.
class PivotsInUse {
public:
    explicit PivotsInUse(const std::shared_ptr<Pivots>& pivots) : before_(now_) { now_ = &pivots; }
    ~PivotsInUse() { now_ = before_; }
    PivotsInUse(const PivotsInUse&) = delete;
    PivotsInUse& operator=(const PivotsInUse&) = delete;

    static std::shared_ptr<const Pivots> now() { return now_ ? *now_ : nullptr; }

private:
    static inline thread_local const std::shared_ptr<Pivots>* now_ = nullptr;
    const std::shared_ptr<Pivots>* before_;
};

} // namespace vessiot::linalg
