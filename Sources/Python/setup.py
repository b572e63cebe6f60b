"""Compiles the C library into the package. In a source distribution, scripts and CSources are beside this file."""

import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py


class WithLibrary(build_py):
    def run(self) -> None:
        super().run()
        library = Path(self.build_lib) / "library"
        subprocess.run(["scripts/build-library", library], check=True)
        shutil.copy(next(library.glob("libsettle.so.*")), Path(self.build_lib) / "settle" / "libsettle.so")
        shutil.rmtree(library)


class ForAnyPython(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        """The library belongs to no version of Python, but to this platform."""
        return "py3", "none", super().get_tag()[2]


class OfThisPlatform(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": WithLibrary, "bdist_wheel": ForAnyPython}, distclass=OfThisPlatform)
