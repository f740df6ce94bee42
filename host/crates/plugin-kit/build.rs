//! Lists the files of the plugin interface and of the templates, which the program carries.

#![expect(clippy::disallowed_methods, reason = "a build script reads its environment")]

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed=build.rs");
    for (name, folder) in [
        ("wit_files.rs", here.join("../../../wit/v0.1")),
        ("template_files.rs", here.join("templates")),
    ] {
        let folder = folder.canonicalize()?;
        let mut list = String::from("&[\n");
        add(&folder, &folder, &mut list)?;
        list.push_str("]\n");
        fs::write(out.join(name), list)?;
    }
    Ok(())
}

/// Adds the files below a folder, by their paths relative to `base`, in order of their names.
fn add(base: &Path, folder: &Path, list: &mut String) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(base, &path, list)?;
        } else {
            println!("cargo:rerun-if-changed={}", path.display());
            let name = path
                .strip_prefix(base)?
                .to_str()
                .ok_or("a name that is not UTF-8")?;
            writeln!(list, "    ({name:?}, include_str!({path:?})),")?;
        }
    }
    Ok(())
}
