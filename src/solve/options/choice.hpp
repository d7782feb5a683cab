// The words of choices (vessiot/choices.hpp).
#pragma once

#include <span>
#include <string_view>

#include "vessiot/choices.hpp"

namespace vessiot {

// In the order of help.
template <class E> std::span<const std::string_view> words_of();

template <class E> std::string_view word(E value) {
    return Choice<E>(value).word();
}

} // namespace vessiot
