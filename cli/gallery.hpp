// The models that come with the program: `share/vessiot/gallery` below the folder the program was installed to, or
// `gallery` of the source tree it was built from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vessiot::cli {

struct GalleryModel {
    std::string name;
    std::string title; // its first comment line
    std::filesystem::path path;
};

// By name. Throws InvalidInput where there is no gallery.
std::vector<GalleryModel> gallery_models();

std::optional<std::filesystem::path> find_gallery_model(const std::string& name);

// The file of a model: a path, or where no such file exists, the name of a gallery model. Throws InvalidInput for a
// name (no slash, no ending) that is neither.
std::filesystem::path resolve_model(const std::string& model);

} // namespace vessiot::cli
