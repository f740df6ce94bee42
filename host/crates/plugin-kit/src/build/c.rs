//! C: zig or clang for WASI, with bindings that are made here from the project's `wit` folder.

use std::fs;
use std::path::{Path, PathBuf};

use wit_bindgen_c::Opts;

use crate::error::KitError;
use crate::process::{Program, RunError};
use crate::wit;

const INSTALL: &str = "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt (zig), or install clang, lld, \
                       libclang-rt for wasm32 and wasi-libc";
/// WASI as a library without `main`; its libc provides memory and strings, and imports nothing unless it is asked to.
/// The stack is part of an instance's memory: zig reserves 16 MiB by default.
const ARGUMENTS: [&str; 5] = [
    "-mexec-model=reactor",
    "-O2",
    "-Wall",
    "-Wno-unused-function",
    "-Wl,-z,stack-size=131072",
];

/// The core module of all C files and object files of the folder; its world is one of those.
pub(super) fn build(folder: &Path) -> Result<Vec<u8>, KitError> {
    let (resolve, _, world) = wit::resolve(&folder.join("wit"), wit::WORLD)?;
    compile(folder, &bindings(folder, resolve, world)?)
}

/// Writes `plugin.h`, `plugin.c` and an object file with the world below `dist`; returns their folder.
fn bindings(
    folder: &Path,
    mut resolve: wit_parser_host::Resolve,
    world: wit_parser_host::WorldId,
) -> Result<PathBuf, KitError> {
    let mut files = Default::default();
    let generated = Opts::default().build().generate(&mut resolve, world, &mut files);
    generated.map_err(|error| KitError::Module {
        reason: format!("{error:#}"),
        next: "correct wit/world.wit".to_owned(),
    })?;
    let target = folder.join("dist/bindings");
    fs::create_dir_all(&target).map_err(KitError::file(&target))?;
    for (name, content) in files.iter() {
        let path = target.join(name);
        fs::write(&path, content).map_err(KitError::file(&path))?;
    }
    Ok(target)
}

fn compile(folder: &Path, bindings: &Path) -> Result<Vec<u8>, KitError> {
    let output = tempfile::tempdir().map_err(KitError::file(folder))?;
    let module = output.path().join("module.wasm");
    let mut arguments: Vec<PathBuf> = ARGUMENTS.iter().map(PathBuf::from).collect();
    arguments.extend(["-I".into(), bindings.to_owned(), "-o".into(), module.clone()]);
    for place in [folder, bindings] {
        let entries = fs::read_dir(place).map_err(KitError::file(place))?;
        let paths = entries.flatten().map(|entry| entry.path());
        let mut sources: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|found| found == "c" || found == "o"))
            .collect();
        sources.sort();
        arguments.extend(sources);
    }
    for compiler in compilers(folder) {
        match compiler.run(&arguments, folder) {
            Ok(_) => return fs::read(&module).map_err(KitError::file(&module)),
            Err(RunError::NotFound) => {}
            Err(RunError::Failed(error)) => return Err(error),
        }
    }
    Err(RunError::NotFound.or_missing("a C compiler for WebAssembly", INSTALL))
}

/// The compilers to try, in order: zig of the project, zig, zig as a Python package, clang.
fn compilers(folder: &Path) -> Vec<Program> {
    const ZIG: [&str; 2] = ["cc", "--target=wasm32-wasi"];
    let python = |program: &str| {
        let python = Program::new([program]);
        let has_zig = python.ask(&["-c", "import ziglang"], folder).is_some();
        has_zig.then(|| Program::new([program, "-m", "ziglang"].into_iter().chain(ZIG)))
    };
    let own = folder.join(".venv/bin/python");
    let candidates = [
        python(&own.to_string_lossy()),
        Some(Program::new(["zig"].into_iter().chain(ZIG))),
        python("python3"),
        Some(Program::new(["clang", "--target=wasm32-wasi"])),
    ];
    candidates.into_iter().flatten().collect()
}
