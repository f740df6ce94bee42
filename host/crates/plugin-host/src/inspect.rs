//! Reads manifest, imports and exports from a component's bytes, without compiling or running it.

use std::collections::BTreeSet;

use wasmparser::{Encoding, Parser, Payload};

use crate::manifest::ManifestError;

/// The custom section with the manifest.
const MANIFEST_SECTION: &str = "svc:manifest";

/// The outline of a component.
#[derive(Debug)]
pub struct Inspection<'a> {
    /// Not parsed: a plugin for another version of the interface may have another format.
    pub manifest: &'a [u8],
    /// Full names such as `svc:plugin/source@0.1.0`.
    pub imports: BTreeSet<String>,
    /// Full names such as `svc:plugin/extractor@0.1.0`.
    pub exports: BTreeSet<String>,
}

/// Why the bytes are not a plugin.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The first bytes are others.
    #[error("it is not WebAssembly: {0}")]
    NotWasm(String),
    /// A module that no tool has made a component of.
    #[error(
        "it is a core module, not a component: `svc plugin build` makes a component of it, or of any module with \
         `svc plugin build --module FILE.wasm --manifest plugin.toml -o OUT.wasm`"
    )]
    CoreModule,
    /// Its sections cannot be read to the end.
    #[error("it is damaged or truncated: {0}")]
    Damaged(String),
    /// It has none, or several.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

/// Reads the outline of a component.
///
/// # Errors
/// The bytes are not a component with one manifest.
pub fn inspect(bytes: &[u8]) -> Result<Inspection<'_>, InspectError> {
    if !bytes.starts_with(b"\0asm") {
        return Err(InspectError::NotWasm(
            "the first bytes are not `\\0asm`".to_owned(),
        ));
    }
    let mut manifests = Vec::new();
    let mut imports = BTreeSet::new();
    let mut exports = BTreeSet::new();
    // Sections of nested modules and components come through the same iterator; `depth` distinguishes them.
    let mut depth = 0_u32;
    let mut complete = false;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(|error| InspectError::Damaged(error.to_string()))? {
            Payload::Version { encoding, .. } => {
                if depth == 0 && encoding == Encoding::Module {
                    return Err(InspectError::CoreModule);
                }
                depth += 1;
            }
            Payload::End(_) => {
                depth = depth.saturating_sub(1);
                complete = depth == 0;
            }
            Payload::CustomSection(section) if section.name() == MANIFEST_SECTION => {
                manifests.push(section.data());
            }
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    let import = import.map_err(|error| InspectError::Damaged(error.to_string()))?;
                    imports.insert(import.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 1 => {
                for export in section {
                    let export = export.map_err(|error| InspectError::Damaged(error.to_string()))?;
                    exports.insert(export.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    if !complete {
        return Err(InspectError::Damaged("it is truncated".to_owned()));
    }
    let manifest = match manifests.as_slice() {
        [manifest] => manifest,
        [] => return Err(ManifestError::Missing.into()),
        _ => return Err(ManifestError::Ambiguous.into()),
    };
    Ok(Inspection {
        manifest,
        imports,
        exports,
    })
}
