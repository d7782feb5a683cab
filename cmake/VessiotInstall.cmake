# Install rules and the CMake package: find_package(vessiot) gives vessiot::vessiot.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/vessiot")

install(TARGETS vessiot EXPORT vessiotTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY include/ "${PROJECT_BINARY_DIR}/generated/public/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(DIRECTORY library/ DESTINATION "${CMAKE_INSTALL_DATADIR}/vessiot/library" OPTIONAL)
install(DIRECTORY gallery/ DESTINATION "${CMAKE_INSTALL_DATADIR}/vessiot/gallery" OPTIONAL)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT vessiotTargets NAMESPACE vessiot:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/vessiotConfig.cmake.in vessiotConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(vessiotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/vessiotConfig.cmake" "${PROJECT_BINARY_DIR}/vessiotConfigVersion.cmake"
    cmake/FindSLEEF.cmake DESTINATION "${package_dir}")
