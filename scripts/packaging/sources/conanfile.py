from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy


class Settle(ConanFile):
    name = "settle"
    version = "@version@"
    license = "Apache-2.0"
    description = "Turns floods of resize events into the few rebuilds that matter"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain"
    exports_sources = "CMakeLists.txt", "settle.*", "adapters/*", "LICENSE"
    languages = "C"

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        for pattern, folder in (("*.h", "include"), ("*.hpp", "include")):
            copy(self, pattern, self.source_folder, f"{self.package_folder}/{folder}", keep_path=False)
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")
        copy(self, "libsettle.a", self.build_folder, f"{self.package_folder}/lib", keep_path=False)

    def package_info(self):
        self.cpp_info.libs = ["settle"]
        self.cpp_info.set_property("cmake_target_name", "settle::settle")
