//! `svc plugin inspect`: what a component is, without running or compiling it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use svc_plugin_host::{
    GrantedLimits, INTERFACE_VERSION, LimitCaps, Manifest, OFFERED, OFFERED_TO_CLOUD, inspect as outline,
    served_versions, signature_path,
};

use crate::error::KitError;
use crate::manifest_outline::ManifestOutline;
use crate::signature;
use crate::text;

/// The package of the server's interfaces.
const PACKAGE: &str = "svc:plugin/";

/// What a component is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outline {
    /// The file.
    pub file: PathBuf,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub digest: String,
    /// Core modules inside; a compiled language has one to three, Python thirty.
    pub core_modules: usize,
    /// Whether functions have names, which traps then show.
    pub has_function_names: bool,
    /// The manifest; `None` if it is not valid.
    pub manifest: Option<ManifestOutline>,
    /// Why the manifest is not valid.
    pub manifest_problems: Vec<String>,
    /// Imported interfaces.
    pub imports: Vec<Import>,
    /// Exported interfaces.
    pub exports: Vec<String>,
    /// Limits by ability.
    pub limits: Vec<Limit>,
    /// The signature beside the file, if there is one.
    pub signature: Option<signature::Signed>,
}

/// An imported interface.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Import {
    /// Full name.
    pub name: String,
    /// Who provides it.
    pub provided_by: String,
    /// What keeps the plugin from being loaded with it.
    pub problem: Option<String>,
    /// What to do about it.
    pub next: Option<String>,
}

/// The limits of one ability.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limit {
    /// `extractor`, `pages`, `thumbnailer` or `waveform`.
    pub ability: &'static str,
    /// Seconds per file.
    pub seconds: f64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes read per file.
    pub read_bytes: u64,
    /// Number of reads per file.
    pub reads: u32,
    /// The requested limits that exceed what the server grants.
    pub reduced: Vec<String>,
}

/// Reads the outline of a component.
///
/// # Errors
/// The file cannot be read, or is not a component with one manifest.
pub fn inspect(file: &Path) -> Result<Outline, KitError> {
    let bytes = fs::read(file).map_err(KitError::file(file))?;
    let found = outline(&bytes).map_err(|source| KitError::NotAPlugin {
        path: file.to_owned(),
        source,
    })?;
    let parsed = Manifest::parse(found.manifest);
    let manifest = parsed.as_ref().ok();
    let (core_modules, has_function_names) = modules(&bytes);
    let is_signed = signature_path(file).is_file();
    let has_pages = found
        .exports
        .iter()
        .any(|export| export.starts_with("svc:plugin/pages@"));
    let limits = manifest.map(|manifest| GrantedLimits::of(manifest, has_pages, &LimitCaps::default()));
    Ok(Outline {
        file: file.to_owned(),
        bytes: bytes.len() as u64,
        digest: HEXLOWER.encode(Sha256::digest(&bytes).as_slice()),
        core_modules,
        has_function_names,
        imports: found.imports.iter().map(|name| import(name, manifest)).collect(),
        exports: found.exports.into_iter().collect(),
        limits: limits.iter().flatten().map(limit).collect(),
        signature: is_signed.then(|| signature::verify(file, None)).transpose()?,
        manifest: manifest.map(ManifestOutline::of),
        manifest_problems: match &parsed {
            Ok(_) => Vec::new(),
            Err(error) if error.problems().is_empty() => vec![error.to_string()],
            Err(error) => error.problems().iter().map(ToString::to_string).collect(),
        },
    })
}

/// Counts the core modules, and tells whether one has names of functions.
fn modules(bytes: &[u8]) -> (usize, bool) {
    let (mut count, mut named) = (0, false);
    for payload in wasmparser::Parser::new(0).parse_all(bytes).flatten() {
        match payload {
            wasmparser::Payload::ModuleSection { .. } => count += 1,
            wasmparser::Payload::CustomSection(section) => named |= section.name() == "name",
            _ => {}
        }
    }
    (count, named)
}

/// Who provides an import, and whether the server lets the plugin have it.
fn import(name: &str, manifest: Option<&Manifest>) -> Import {
    let made = |provided_by: &str, problem: Option<String>, next: Option<String>| Import {
        name: name.to_owned(),
        provided_by: provided_by.to_owned(),
        problem,
        next,
    };
    let (interface, version) = name.split_once('@').unwrap_or((name, ""));
    let Some(short) = interface.strip_prefix(PACKAGE) else {
        let (provider, next) = foreign(interface);
        let problem = "this server does not offer it to plugins".to_owned();
        return made(provider, Some(problem), Some(next.to_owned()));
    };
    if !served_versions().any(|served| served == version) {
        let served = served_versions().collect::<Vec<_>>().join(" and ");
        let problem = format!("the plugin wants version {version}, this server has {served}");
        let next = format!("build it against the interface {INTERFACE_VERSION}, or use another server");
        return made("another version of the server", Some(problem), Some(next));
    }
    if short == "types" {
        return made("the server: types only", None, None);
    }
    let offered: &[&str] = if manifest.is_some_and(|manifest| manifest.cloud) {
        &OFFERED_TO_CLOUD
    } else {
        &OFFERED
    };
    if !offered.contains(&short) {
        let problem = "this server does not offer it to plugins".to_owned();
        return made(
            "nobody",
            Some(problem),
            Some("remove it from the world".to_owned()),
        );
    }
    let is_permitted = manifest.is_none_or(|manifest| manifest.permissions.contains_key(short));
    let problem = (!is_permitted).then(|| format!("the manifest has no permission `{short}`"));
    let next = (!is_permitted).then(|| {
        format!(
            "add `{short} = \"reason\"` to [permissions] in plugin.toml, or remove the import from the world"
        )
    });
    made("the server", problem, next)
}

/// Who provides an interface that is not the server's, and how a plugin does without it.
fn foreign(interface: &str) -> (&'static str, &'static str) {
    if interface.starts_with("wasi:") {
        return (
            "a WASI host",
            "compile without WASI: Rust for wasm32-unknown-unknown, Python with `--stub-wasi`, JavaScript with \
             `--disable all`, C without `stdio`; `svc plugin build` does so",
        );
    }
    ("another host", "remove it from the world")
}

fn limit(granted: &GrantedLimits) -> Limit {
    let requested = &granted.requested;
    let mib = |bytes: u64| bytes >> 20;
    let mut reduced = Vec::new();
    let mut compare = |name: &str, requested: Option<f64>, granted: f64| {
        if let Some(requested) = requested.filter(|requested| *requested > granted) {
            reduced.push(format!("{name}: {requested} requested, {granted} granted"));
        }
    };
    compare(
        "seconds-per-file",
        requested.seconds_per_file,
        granted.time.as_secs_f64(),
    );
    compare(
        "memory-mib",
        requested.memory_mib.map(f64::from),
        mib(granted.memory) as f64,
    );
    compare(
        "read-mib",
        requested.read_mib.map(f64::from),
        mib(granted.read_bytes) as f64,
    );
    Limit {
        ability: granted.ability,
        seconds: granted.time.as_secs_f64(),
        memory: granted.memory,
        read_bytes: granted.read_bytes,
        reads: granted.reads,
        reduced,
    }
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.file.display())?;
        let names = if self.has_function_names {
            "with"
        } else {
            "without"
        };
        writeln!(
            f,
            "  {}, {} core modules, {names} names of functions",
            text::bytes(self.bytes),
            self.core_modules
        )?;
        writeln!(f, "  sha256 {}", self.digest)?;
        for problem in &self.manifest_problems {
            writeln!(f, "  manifest: {problem}")?;
        }
        if let Some(manifest) = &self.manifest {
            write!(f, "{manifest}")?;
        }
        for import in &self.imports {
            write!(f, "  imports {} from {}", import.name, import.provided_by)?;
            writeln!(
                f,
                "{}",
                import
                    .problem
                    .as_ref()
                    .map(|p| format!(": {p}"))
                    .unwrap_or_default()
            )?;
        }
        for export in &self.exports {
            writeln!(f, "  exports {export}")?;
        }
        for limit in &self.limits {
            writeln!(
                f,
                "  {}: {} s, {} memory, {} and {} reads per file",
                limit.ability,
                limit.seconds,
                text::bytes(limit.memory),
                text::bytes(limit.read_bytes),
                limit.reads
            )?;
            for reduced in &limit.reduced {
                writeln!(f, "      {reduced}")?;
            }
        }
        match &self.signature {
            None => write!(f, "  not signed"),
            Some(signed) if signed.valid => write!(f, "  signed by {}", signed.public_key),
            Some(signed) => write!(
                f,
                "  signature NOT valid: {}",
                signed.reason.as_deref().unwrap_or_default()
            ),
        }
    }
}
