//! `svc plugin build`: runs the language's own compiler and makes a plugin of its output: a component with the
//! manifest, without debug information.

mod c;
mod javascript;
mod python;
mod rust;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use svc_plugin_host::{COMPONENT_BYTES, Manifest, inspect};
use wit_component_host::{ComponentEncoder, StringEncoding, embed_component_metadata};

use crate::error::KitError;
use crate::language::Language;
use crate::project::{MANIFEST_FILE, Project, read_manifest};
use crate::sections;
use crate::text;
use crate::wit;

/// How each language does without WASI.
const WITHOUT_WASI: &str = "compile without WASI: Rust for wasm32-unknown-unknown, C as a reactor without `stdio`, \
                            Python with `componentize-py … --stub-wasi`, JavaScript with `jco componentize … \
                            --disable all`";

/// A plugin that was built.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Built {
    /// The file.
    pub file: PathBuf,
    /// Id in the manifest.
    pub id: String,
    /// Version in the manifest.
    pub version: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub digest: String,
    /// Imported interfaces.
    pub imports: Vec<String>,
    /// Exported interfaces.
    pub exports: Vec<String>,
}

/// Builds the plugin of a folder into its `dist`, or to `output`.
///
/// # Errors
/// The folder is not a plugin's, its compiler is missing or fails, or the result is not a plugin.
pub fn build_folder(
    folder: &Path,
    language: Option<Language>,
    output: Option<&Path>,
) -> Result<Built, KitError> {
    let folder = &folder.canonicalize().map_err(KitError::file(folder))?;
    let project = Project::open(folder)?;
    let language = language.or_else(|| Language::of_folder(folder));
    let language = language.ok_or_else(|| KitError::NoProject { path: folder.clone() })?;
    let dist = folder.join("dist");
    fs::create_dir_all(&dist).map_err(KitError::file(&dist))?;
    let compiled = match language {
        Language::Rust => rust::build(folder)?,
        Language::Python => python::build(folder)?,
        Language::Js => javascript::build(folder)?,
        Language::C => c::build(folder)?,
    };
    let output = output.map_or_else(|| project.component(), Path::to_owned);
    finish(&compiled, &folder.join(MANIFEST_FILE), None, &output)
}

/// Makes a plugin of the output of any compiler: a core module, with the world of a `wit` folder if it does not
/// carry its own, or a component.
///
/// # Errors
/// A file cannot be read or written, or the result is not a plugin.
pub fn build_module(
    module: &Path,
    manifest: &Path,
    wit: Option<&Path>,
    output: &Path,
) -> Result<Built, KitError> {
    let bytes = fs::read(module).map_err(KitError::file(module))?;
    finish(&bytes, manifest, wit, output)
}

fn finish(compiled: &[u8], manifest: &Path, wit: Option<&Path>, output: &Path) -> Result<Built, KitError> {
    let (parsed, text) = read_manifest(manifest)?;
    let component = make_plugin(compiled, &text, wit)?;
    let built = describe(&component, &parsed, output)?;
    write(&component, output)?;
    Ok(built)
}

/// The component with the manifest.
fn make_plugin(compiled: &[u8], manifest: &[u8], wit: Option<&Path>) -> Result<Vec<u8>, KitError> {
    let not_wasm = || KitError::Module {
        reason: "it is not WebAssembly, or truncated".to_owned(),
        next: "name the `.wasm` file that the compiler wrote".to_owned(),
    };
    if !compiled.starts_with(b"\0asm") {
        return Err(not_wasm());
    }
    let mut bytes = sections::strip(compiled).ok_or_else(not_wasm)?;
    if sections::is_core_module(&bytes) {
        bytes = componentize(bytes, wit)?;
    }
    sections::append(&mut bytes, sections::MANIFEST_SECTION, manifest);
    Ok(bytes)
}

/// Makes a component of a core module.
fn componentize(mut module: Vec<u8>, wit: Option<&Path>) -> Result<Vec<u8>, KitError> {
    refuse_wasi(&module)?;
    let problem = |error: anyhow::Error| {
        KitError::Module {
        reason: format!("{error:#}"),
        next: "the module has to import and export what its world says; a module without a world needs `--wit DIR` \
               with the world `plugin`"
            .to_owned(),
    }
    };
    if let Some(folder) = wit {
        let (resolve, _, world) = wit::resolve(folder, wit::WORLD)?;
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).map_err(problem)?;
    }
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(problem)
}

/// Imports of WASI have no place in a plugin, and the encoder's message for them helps nobody.
fn refuse_wasi(module: &[u8]) -> Result<(), KitError> {
    for payload in wasmparser::Parser::new(0).parse_all(module).flatten() {
        let wasmparser::Payload::ImportSection(section) = payload else {
            continue;
        };
        let mut imports = section.into_imports().flatten();
        if let Some(import) = imports.find(|import| import.module.starts_with("wasi")) {
            return Err(KitError::Module {
                reason: format!(
                    "it imports `{}` of `{}`: a plugin has no files, clocks or random numbers",
                    import.name, import.module
                ),
                next: WITHOUT_WASI.to_owned(),
            });
        }
    }
    Ok(())
}

fn describe(component: &[u8], manifest: &Manifest, output: &Path) -> Result<Built, KitError> {
    let outline = inspect(component).map_err(|source| KitError::NotAPlugin {
        path: output.to_owned(),
        source,
    })?;
    if let Some(import) = outline
        .imports
        .iter()
        .find(|import| !import.starts_with("svc:plugin/"))
    {
        return Err(KitError::Module {
            reason: format!(
                "it imports `{import}`: a plugin has no files, clocks, random numbers or network"
            ),
            next: WITHOUT_WASI.to_owned(),
        });
    }
    if component.len() as u64 > COMPONENT_BYTES {
        return Err(KitError::Module {
            reason: format!(
                "it has {} bytes, at most {COMPONENT_BYTES} are allowed",
                component.len()
            ),
            next: "leave out libraries, or compile for size".to_owned(),
        });
    }
    Ok(Built {
        file: output.to_owned(),
        id: manifest.id.clone(),
        version: manifest.version.clone(),
        bytes: component.len() as u64,
        digest: HEXLOWER.encode(Sha256::digest(component).as_slice()),
        imports: outline.imports.into_iter().collect(),
        exports: outline.exports.into_iter().collect(),
    })
}

/// Renamed into place: a server that watches the directory never loads half a file.
fn write(component: &[u8], output: &Path) -> Result<(), KitError> {
    let part = output.with_extension("wasm.part");
    fs::write(&part, component).map_err(KitError::file(&part))?;
    fs::rename(&part, output).map_err(KitError::file(output))
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.file.display())?;
        writeln!(f, "  {} {}, {}", self.id, self.version, text::bytes(self.bytes))?;
        for import in &self.imports {
            writeln!(f, "  imports {import}")?;
        }
        for export in &self.exports {
            writeln!(f, "  exports {export}")?;
        }
        write!(f, "  sha256  {}", self.digest)
    }
}
