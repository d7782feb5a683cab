// Includes and parts: before any name is looked up, every part is written out.
//
// What a component has becomes statements of the model: the unknown phi of the part a is called "a.phi", and that of
// the parts b[i], i = 1..n, is the array "b[#].phi" with n elements, '#' standing for the index of the part. Equations
// of a family of parts stand in a loop, its lagrangians in a sum: a family of parts stays a family.
#pragma once

#include "lang/syntax/ast.hpp"
#include "lang/syntax/diagnostic.hpp"

namespace vessiot::lang {

// Parses a text and all that it includes, and writes its parts out. The source must outlive the module. Warnings name
// components that no part uses, but not those of included texts.
Module read_module(const Source& source, Warnings& warnings);

// Of a module whose texts are there.
void expand_parts(Module& module, Warnings& warnings);

// The text of a library that comes with the program; none where there is none of this name.
std::optional<std::string_view> library_text(std::string_view name);
std::vector<std::string_view> library_names();

} // namespace vessiot::lang
