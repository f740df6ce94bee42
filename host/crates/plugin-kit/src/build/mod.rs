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
use svc_plugin_host::{COMPONENT_BYTES, Manifest, inspect, signature_path};
use wit_component_host::{ComponentEncoder, StringEncoding, embed_component_metadata};

use crate::error::KitError;
use crate::language::Language;
use crate::project::{MANIFEST_FILE, Project, read_manifest};
use crate::sections;
use crate::signature;
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
    /// The signature of an earlier build that lay beside the file, and was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_signature: Option<PathBuf>,
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
    let mut built = describe(&component, &parsed, output)?;
    write(&component, output)?;
    built.removed_signature = remove_stale_signature(output)?;
    Ok(built)
}

/// Removes the signature beside the file unless it is of this very file: no server loads a file with another's.
fn remove_stale_signature(output: &Path) -> Result<Option<PathBuf>, KitError> {
    let path = signature_path(output);
    let is_stale = path.is_file() && !signature::verify(output, None).is_ok_and(|signed| signed.valid);
    if !is_stale {
        return Ok(None);
    }
    fs::remove_file(&path).map_err(KitError::file(&path))?;
    Ok(Some(path))
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
        removed_signature: None,
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
        write!(f, "  sha256  {}", self.digest)?;
        if let Some(signature) = &self.removed_signature {
            write!(
                f,
                "\n{} was of an earlier build and is removed\nnext: `svc plugin sign {} --key KEYFILE`",
                signature.display(),
                self.file.display()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{SEED_BYTES, create_key, sign};

    #[test]
    fn signature_of_another_file_is_removed_and_that_of_this_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (file, key) = (dir.path().join("a.wasm"), dir.path().join("key"));
        create_key(&key, &[7; SEED_BYTES]).unwrap();
        write(b"first", &file).unwrap();
        assert_eq!(remove_stale_signature(&file).unwrap(), None, "there is none");
        sign(&file, &key).unwrap();
        assert_eq!(remove_stale_signature(&file).unwrap(), None, "it is valid");
        write(b"second", &file).unwrap();
        let signature = signature_path(&file);
        assert_eq!(remove_stale_signature(&file).unwrap(), Some(signature.clone()));
        assert!(!signature.exists());
    }
}
