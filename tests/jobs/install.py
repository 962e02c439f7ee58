#!/usr/bin/env python3
"""install.py BUILD [--planted]: installs into a temporary prefix and builds programs there as a user would.

With pkg-config and with CMake's find_package: the version at hand is accepted, a newer one is refused; the programs of
examples/ are built both ways and run.
--planted forgets to install the headers.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <stdio.h>
#include <fathom/fathom.h>
int main(void)
{
    fathom_context *context;
    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    printf("fathom %s\n", fathom_version());
    fathom_context_free(context);
    return 0;
}
"""
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples")
PRINTED = {  # in this order: train writes what embed includes
    "train": r"objective \d+\.\d+, at least \d+",
    "verify": r"claimed .*\naccepted upper=",
    "margin": r"margin in \[0\.35355339059\d, 0\.35355339059\d\]",
    "flow": r"loss e\^-\d+",
    "embed": r"score \d+\.\d+: malignant",
}
LATE_FLOW = "flow gen:parity,d=3 --method flow --accuracy reference --train first --width 8 --until log_loss=-500".split()
CMAKE = """cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(fathom {version} REQUIRED)
add_executable(user user.c)
target_link_libraries(user fathom::fathom)
"""


def call(*command, **options):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return run.returncode, run.stdout


def must(*command, **options):
    code, text = call(*command, **options)
    if code:
        sys.exit(f"failed: {' '.join(command)}\n{text}")
    return text


def check_pkg_config(scratch, stage, libdir, version):
    environment = {**os.environ, "PKG_CONFIG_PATH": os.path.join(libdir, "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": stage,
                   "LD_LIBRARY_PATH": libdir}
    flags = must("pkg-config", "--cflags", "--libs", f"fathom >= {version}", env=environment).split()
    archive = os.path.join(scratch, "user-archive")
    words = must("pkg-config", "--cflags", "--static", "--libs", f"fathom-static >= {version}", env={**environment, "PKG_CONFIG_SYSROOT_DIR": ""}).split()
    here = [stage + word if word.endswith("libfathom.a") else word for word in words]
    must("gcc", os.path.join(scratch, "user.c"), *flags[:1], "-o", archive, *here)
    alone = {name: value for name, value in environment.items() if name != "LD_LIBRARY_PATH"}
    if must(archive, env=alone) != f"fathom {version}\n" or "libfathom" in must("ldd", archive, env=alone):
        sys.exit("the program built with the archive is not one of its own")
    program = os.path.join(scratch, "user-pkg-config")
    must("gcc", os.path.join(scratch, "user.c"), "-o", program, *flags)
    if must(program, env=environment) != f"fathom {version}\n":
        sys.exit("the program built with pkg-config prints another version")
    if call("pkg-config", "--exists", "fathom >= 99", env=environment)[0] == 0:
        sys.exit("pkg-config accepts version 99")


def check_private_prefix(scratch, stage, version):
    """README's words for a PREFIX where nobody looks: the installed tree stands in $HOME/.local, and no other variable helps."""
    with open(os.path.join(os.path.dirname(EXAMPLES), "README.md")) as file:
        (recipe,) = re.findall(r"```sh\n(# under a PREFIX.*?)```", file.read(), re.S)
    (given,) = glob.glob(stage + "/**/pkgconfig", recursive=True)
    home = os.path.join(scratch, "home")
    local = os.path.join(home, ".local")
    shutil.copytree(os.path.dirname(os.path.dirname(given)), local)
    for path in glob.glob(os.path.join(local, "lib/pkgconfig/*.pc")):  # as `make install PREFIX=$HOME/.local` writes it
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(re.sub("^prefix=.*", "prefix=" + local, text, flags=re.M))
    shutil.copy(os.path.join(scratch, "user.c"), os.path.join(home, "program.c"))
    bare = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}
    if must("sh", "-ec", recipe + "./a.out", cwd=home, env={**bare, "HOME": home}) != f"fathom {version}\n":
        sys.exit("the program built under a private prefix prints another version")


def check_cmake(scratch, prefix, version):
    major, minor, patch = map(int, version.split("."))
    cases = [(version, True), (f"{major}.{minor}", True), ("99.0", False), (f"{major}.{minor}.{patch + 1}", False)]
    for asked, accepted in cases:
        folder = os.path.join(scratch, "cmake-" + asked)
        os.mkdir(folder)
        shutil.copy(os.path.join(scratch, "user.c"), folder)
        with open(os.path.join(folder, "CMakeLists.txt"), "w") as file:
            file.write(CMAKE.format(version=asked))
        code, text = call("cmake", "-S", folder, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}")
        if (code == 0) != accepted:
            sys.exit(f"find_package(fathom {asked}) should be {'accepted' if accepted else 'refused'}:\n{text}")
        if not accepted and "version" not in text:
            sys.exit(f"find_package(fathom {asked}) is refused for another reason:\n{text}")
        if accepted:
            must("cmake", "--build", folder)
            if must(os.path.join(folder, "user")) != f"fathom {version}\n":
                sys.exit("the program built with CMake prints another version")


def check_examples(scratch, stage, libdir, prefix):
    """Both ways to build them, each in a folder of its own, and what they print."""
    environment = {**os.environ, "PKG_CONFIG_PATH": os.path.join(libdir, "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": stage,
                   "LD_LIBRARY_PATH": libdir, "PATH": os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"]}
    flags = must("pkg-config", "--cflags", "--libs", "fathom", env=environment).split()
    plain, cmake = os.path.join(scratch, "plain"), os.path.join(scratch, "cmake-examples")
    os.mkdir(plain)
    must("cmake", "-S", EXAMPLES, "-B", cmake, f"-DCMAKE_PREFIX_PATH={prefix}")
    must("cmake", "--build", cmake)
    for name, expected in PRINTED.items():
        source = os.path.join(EXAMPLES, name + ".c")
        must("gcc", "-Wall", "-Wextra", "-Werror", source, "-I", plain, "-o", os.path.join(plain, name), *flags, "-lm")
        for folder in (plain, cmake):
            text = must(os.path.join(folder, name), cwd=folder, env=environment)
            if not re.search(expected, text):
                sys.exit(f"example {name} prints\n{text}")
    names = {os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(EXAMPLES, "*.c"))}
    if names != set(PRINTED):
        sys.exit(f"examples that are not tested: {names ^ set(PRINTED)}")


def main(build, planted):
    with tempfile.TemporaryDirectory() as scratch:
        stage = os.path.join(scratch, "stage")
        must("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", stage)
        (libdir,) = [os.path.dirname(path) for path in glob.glob(stage + "/**/libfathom.so", recursive=True)]
        (program,) = glob.glob(stage + "/**/bin/fathom", recursive=True)
        prefix = os.path.dirname(os.path.dirname(program))
        if planted:
            shutil.rmtree(os.path.join(prefix, "include"))
        with open(os.path.join(scratch, "user.c"), "w") as file:
            file.write(PROGRAM)
        version = must(program, "--version").split()[1]  # finds its library beside itself
        must(program, *LATE_FLOW)  # and that the module beside it
        check_pkg_config(scratch, stage, libdir, version)
        check_private_prefix(scratch, stage, version)
        check_cmake(scratch, prefix, version)
        check_examples(scratch, stage, libdir, prefix)


if __name__ == "__main__":
    main(sys.argv[1], "--planted" in sys.argv)
