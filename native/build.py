"""Compile the table: Numba -> LLVM IR -> objects -> one shared library for each processor level.

python -m native.build            libraries for all levels of processor, and the page's module
python -m native.build --host     the library for this processor, and the page's module
python -m native.build --page     the page's module alone
python -m native.build --libraries   libraries for all levels of processor, without the module
python -m native.build --others   objects for other systems, to show that the table builds there
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

os.environ["NUMBA_OPT"] = "0"  # each target is optimised by itself, below

import llvmlite.binding as llvm

from native import page, table
from rosenblatt.engine.execution import jit, shipped


class Target(NamedTuple):
    """A machine to compile for."""

    name: str
    triple: str
    cpu: str
    features: str = ""


# Registers of 512 bits make the sums over long rows a tenth faster; LLVM would avoid them.
LINUX = [
    Target(level, "x86_64-unknown-linux-gnu", level, "-prefer-256-bit" if "v4" in level else "")
    for level in shipped.LEVELS
]
AARCH64 = Target("aarch64", "aarch64-unknown-linux-gnu", "generic")
MAC = Target("arm64", "arm64-apple-macosx11.0", "apple-m1")
WINDOWS = Target("x86-64-v3-windows", "x86_64-pc-windows-msvc", "x86-64-v3")
WASM = Target(
    "wasm32", "wasm32-unknown-unknown", "generic", "+simd128,+bulk-memory,+nontrapping-fptoint"
)
OTHERS = (AARCH64, MAC, WINDOWS)
TARGETS = {target.name: target for target in (*LINUX, *OTHERS, WASM)}

LIBM = {"sqrt": "llvm.sqrt.f64", "fabs": "llvm.fabs.f64"}
"""Functions of C that are one instruction."""


class Compiled(NamedTuple):
    """The code of one function for all targets."""

    symbol: str
    returns: str | None  # of a loop
    objects: dict[str, bytes]


@cache
def _machine(name: str) -> Any:
    """Return what compiles for a target."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = TARGETS[name]
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default"
    )


def _compile(ir: str, name: str, symbol: str, targets: Iterable[str]) -> dict[str, bytes]:
    """Return the objects of a function, whose name in the IR becomes `symbol`."""
    return {target: _object(ir, name, symbol, target) for target in targets}


def _object(ir: str, name: str, symbol: str, target: str) -> bytes:
    machine = _machine(target)
    for function, intrinsic in LIBM.items():
        ir = ir.replace(f"@{function}(", f"@{intrinsic}(")
    module = llvm.parse_assembly(_without_host(ir))
    module.triple, module.data_layout = TARGETS[target].triple, str(machine.target_data)
    module.get_function(name).name = symbol
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name != symbol:
            value.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return bytes(machine.emit_object(module))


def _without_host(ir: str) -> str:
    """Return IR without what ties it to the machine on which Numba ran."""
    lines = (line for line in ir.splitlines() if not line.startswith("target "))
    return "\n".join(lines)


def _compile_group(job: tuple[int, tuple[str, ...]]) -> list[Compiled]:
    """Compile one group of the table, in a process of its own."""
    number, targets = job
    wanted = [(loop, _wanted(loop, targets)) for loop in table.groups()[number]]
    return [_compile_loop(loop, some) for loop, some in wanted if some]


def _wanted(loop: table.Loop, targets: Iterable[str]) -> list[str]:
    """Return the targets for which a loop is compiled."""
    return [
        target for target in targets if (loop.in_page if target == WASM.name else loop.in_library)
    ]


def _compile_loop(loop: table.Loop, targets: list[str]) -> Compiled:
    code, returns = jit.loop_code(loop.function, loop.arguments)
    objects = _compile(code.inspect_llvm(), code.native_name, loop.symbol, targets)
    return Compiled(loop.symbol, returns, objects)


def _compile_rules(targets: tuple[str, ...]) -> list[Compiled]:
    made = []
    for function in table.rule_functions():
        code = jit.rule_code(function.kind, function.work)
        objects = _compile(code.inspect_llvm(), code.native_name, function.symbol, targets)
        made.append(Compiled(function.symbol, None, objects))
    return made


def compile_table(targets: tuple[str, ...], report: Callable[[str], None]) -> list[Compiled]:
    """Compile the whole table, on all processors."""
    started = time.perf_counter()
    jobs = [(number, targets) for number in range(len(table.groups()))]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        of_rules = pool.submit(_compile_rules, targets)
        made = []
        for number, group in enumerate(pool.map(_compile_group, jobs)):
            made += group
            report(f"{number + 1} of {len(jobs)} spaces, {time.perf_counter() - started:.0f} s")
        return made + of_rules.result()


def index(made: list[Compiled]) -> str:
    """Return what a library says of itself: its sources, its loops and its rules."""
    named = [code.symbol for code in made if code.returns is None]
    made_from = {"sources": shipped.fingerprint(), "build": page.fingerprint()}
    return json.dumps({**made_from, "loops": _returns(made), "rules": named})


def _returns(made: list[Compiled]) -> dict[str, str]:
    """Return what the loops return, by their symbols."""
    return {code.symbol: code.returns for code in made if code.returns is not None}


def _of_target(made: list[Compiled], target: str) -> list[Compiled]:
    """Return what was compiled for a target."""
    return [code for code in made if target in code.objects]


def _index_object(text: str, target: str) -> bytes:
    """Return the object of the index: a pointer to its text."""
    data = text.encode() + b"\0"
    escaped = "".join(f"\\{byte:02x}" for byte in data)
    kind = f"[{len(data)} x i8]"
    ir = f"""
        @text = internal constant {kind} c"{escaped}"
        @{shipped.INDEX} = constant ptr @text
    """
    module, machine = llvm.parse_assembly(ir), _machine(target)
    module.triple, module.data_layout = TARGETS[target].triple, str(machine.target_data)
    return bytes(machine.emit_object(module))


def link(made: list[Compiled], target: str) -> Path:
    """Link the objects for a target into a library, which replaces an older one at once."""
    compiler = os.environ.get("CC") or which("cc") or which("gcc") or which("clang")
    if compiler is None:
        raise RuntimeError("it takes a C compiler to link the machine code: install gcc or clang.")
    own = _of_target(made, target)
    objects = {code.symbol: code.objects[target] for code in own}
    objects["index"] = _index_object(index(own), target)
    file = shipped.file_of(target)
    with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
        names = list(_write(objects, Path(scratch)))
        library = Path(scratch, file.name)
        command = [compiler, "-shared", "-s", "-o", str(library), *names, "-lm"]
        subprocess.run(command, check=True)
        library.replace(file)
    return file


def _write(objects: dict[str, bytes], folder: Path) -> Iterator[str]:
    for name, content in objects.items():
        file = folder / f"{name}.o"
        file.write_bytes(content)
        yield str(file)


def fresh(target: str) -> bool:
    """Return whether a library is there and made from the sources as they are."""
    if target == WASM.name:
        return page.fresh()
    file = shipped.file_of(target)
    return file.exists() and shipped.Library(file).index.get("build") == page.fingerprint()


def build(targets: tuple[str, ...], report: Callable[[str], None] = print) -> None:
    """Make the libraries of these targets, and the page's module if it is one of them."""
    shipped.FOLDER.mkdir(exist_ok=True)
    made = compile_table(targets, report)
    for target in targets:
        if target == WASM.name:
            own = _of_target(made, target)
            page.write({code.symbol: code.objects[target] for code in own}, _returns(own))
            file = page.MODULE
        else:
            file = link(made, target)
        report(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB")


def show_others(report: Callable[[str], None] = print) -> None:
    """Compile the table for other systems, and say how large their objects are."""
    names = tuple(target.name for target in OTHERS)
    made = compile_table(names, report)
    for name in names:
        sizes = [len(code.objects[name]) for code in _of_target(made, name)]
        report(f"{TARGETS[name].triple}: {len(sizes)} objects, {sum(sizes) / 1e6:.1f} MB")
    report("These objects were built, not run: it takes those systems to link and run them.")


def main() -> None:
    """Build what the options ask for, unless it is there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--host", action="store_true", help="for this processor, and the page")
    only.add_argument("--page", action="store_true", help="the page's module alone")
    only.add_argument("--libraries", action="store_true", help="all levels, not the page")
    only.add_argument("--others", action="store_true", help="objects for other systems")
    options = parser.parse_args()
    if options.others:
        show_others()
        return
    levels = shipped.processor_levels()[:1] if options.host else [t.name for t in LINUX]
    wanted = [] if options.page else levels
    wanted += [] if options.libraries else [WASM.name]
    if page.linker() is None and WASM.name in wanted:
        print(f"without the page's module: {page.MISSING}")
        wanted.remove(WASM.name)
    missing = tuple(target for target in wanted if not fresh(target))
    if missing:
        build(missing)
    elif wanted:
        print("the compiled code is up to date")


if __name__ == "__main__":
    main()
