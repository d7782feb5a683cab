// std::visit with one lambda for each alternative.
#pragma once

namespace vessiot {

//     std::visit(Overloaded{[](const Number& n) { … }, [](const Name& n) { … }}, node);
template <class... Functions> struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions> Overloaded(Functions...) -> Overloaded<Functions...>;

} // namespace vessiot
