//! `svc inspect`: prints what the plugins extract from one file.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use serde_json::{Value as Json, json};

use crate::app::inspection_host;
use svc_domain::extraction::Extraction;
use svc_domain::kind::MediaKind;
use svc_domain::path::{RelativePath, extension, name_to_text};
use svc_platform::media_root::MediaRoot;
use svc_plugin_host::{
    BuiltIn, GrantedLimits, Manifest, PluginHandle, Plugins, SourceFile, inspect as outline,
};
use svc_plugin_kit::record::{extraction_json, failure_json, picture_json};

/// Options of `svc inspect`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The file
    file: PathBuf,
    /// Read it as this kind instead of the first whose plugin knows the extension
    #[arg(long, value_name = "KIND")]
    kind: Option<MediaKind>,
    /// Directory of further plugins (`*.wasm`)
    #[arg(long, env = "SVC_PLUGIN_DIR", value_name = "DIR")]
    plugin_dir: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the extraction; exit code 1 if the file could not be read.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let source = open(&arguments.file)?;
    let plugins = load(arguments.plugin_dir.as_deref(), &extension(source.name()))?;
    let plugin = choose(&plugins, arguments.kind.as_ref(), source.name())?;
    let mut out = std::io::stdout().lock();
    let status = plugin.status();
    let outcome = plugins.worker().explain(&plugin, &source);
    let read = outcome.as_ref().ok().and_then(Option::as_ref);
    if arguments.json {
        writeln!(
            out,
            "{}",
            json!({
                "file": source.name(),
                "size": source.size(),
                "plugin": {
                    "id": plugin.id(),
                    "version": plugin.version(),
                    "digest": plugin.digest(),
                    "origin": status.origin.place(),
                    "limits": status.limits.iter().map(limits_json).collect::<Vec<_>>(),
                },
                "extraction": read.map(extraction_json),
                "failure": outcome.as_ref().err().map(failure_json),
            })
        )?;
    } else {
        writeln!(
            out,
            "{} ({} bytes), read by {} {} ({})",
            source.name(),
            source.size(),
            plugin.id(),
            plugin.version(),
            status.origin.place()
        )?;
        for limits in &status.limits {
            writeln!(out, "  {}", limits_line(limits))?;
        }
        match (&outcome, read) {
            (Err(failure), _) => writeln!(out, "{}: {failure}", failure.code())?,
            (Ok(_), None) => writeln!(out, "the file is not indexed")?,
            (Ok(_), Some(extraction)) => print(&mut out, extraction)?,
        }
    }
    Ok(if outcome.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn open(path: &Path) -> anyhow::Result<Arc<SourceFile>> {
    let shown = path.display();
    let path = path.canonicalize().with_context(|| format!("{shown}"))?;
    let (parent, name) = (path.parent(), path.file_name());
    let (parent, name) = parent.zip(name).with_context(|| format!("{shown}: not a file"))?;
    let opened = MediaRoot::open(parent)
        .and_then(|root| root.open_file(&RelativePath::root().join(name)))
        .with_context(|| format!("{shown}"))?;
    Ok(Arc::new(SourceFile::new(
        opened.file,
        name_to_text(OsStr::new(name)),
        opened.size,
    )))
}

/// Loads the plugins that may read files with this extension; compiling all takes seconds.
fn load(plugin_dir: Option<&Path>, extension: &str) -> anyhow::Result<Plugins> {
    let mut host = inspection_host()?;
    host.settings.plugin_dir = plugin_dir.map(Path::to_owned);
    host.built_in
        .retain(|plugin| may_read(plugin, extension, plugin_dir.is_some()));
    Ok(Plugins::load(&host.settings, &host.built_in)?)
}

/// Whether a plugin reads files with this extension, or defines a kind that another plugin may add it to.
fn may_read(plugin: &BuiltIn, extension: &str, has_others: bool) -> bool {
    let bytes = plugin.component.bytes().unwrap_or_default();
    let outline = outline(&bytes).ok();
    let manifest = outline.and_then(|outline| Manifest::parse(outline.manifest).ok());
    manifest.is_some_and(|manifest| {
        manifest.kinds.iter().any(|kind| {
            (has_others && kind.schema.is_some()) || kind.extensions.iter().any(|known| known == extension)
        })
    })
}

/// A text without control characters, which terminals would interpret. Quotes are as they are.
fn printable(text: &str) -> String {
    text.escape_debug()
        .to_string()
        .replace("\\'", "'")
        .replace("\\\"", "\"")
}

fn choose(plugins: &Plugins, kind: Option<&MediaKind>, name: &str) -> anyhow::Result<PluginHandle> {
    let extension = extension(name);
    let plugin = match kind {
        Some(kind) => plugins.for_file(kind, &extension),
        None => plugins.for_extension(&extension).map(|(_, plugin)| plugin),
    };
    plugin.with_context(|| format!("no plugin reads files that end in `.{extension}`"))
}

fn print(out: &mut impl std::io::Write, extraction: &Extraction) -> std::io::Result<()> {
    let core = [
        ("title", extraction.title.clone()),
        (
            "duration",
            extraction
                .duration_ms
                .map(|ms| format!("{:.3} s", ms as f64 / 1000.0)),
        ),
        ("width", extraction.width.map(|pixels| pixels.to_string())),
        ("height", extraction.height.map(|pixels| pixels.to_string())),
    ];
    for (name, value) in core {
        if let Some(value) = value {
            writeln!(out, "  {name:<32} {}", printable(&value))?;
        }
    }
    for field in &extraction.fields {
        let value = field.value.to_json();
        let text = value.as_str().map_or_else(|| value.to_string(), printable);
        writeln!(out, "  {:<32} {text}", field.key)?;
    }
    for (number, picture) in extraction.pictures.iter().enumerate() {
        let name = format!("picture {number}");
        writeln!(out, "  {name:<32} {}", picture_json(picture))?;
    }
    for warning in &extraction.warnings {
        writeln!(out, "  warning: {}", printable(warning))?;
    }
    Ok(())
}

/// Requested and effective limits of one ability in a line.
fn limits_line(limits: &GrantedLimits) -> String {
    let requested =
        |value: Option<String>| value.map_or(String::new(), |value| format!(" (requested {value})"));
    let GrantedLimits { requested: wish, .. } = limits;
    format!(
        "limits of {}: {} MiB of memory{}, {} s{}, {} MiB read{} in {} reads",
        limits.ability,
        limits.memory >> 20,
        requested(wish.memory_mib.map(|mib| mib.to_string())),
        limits.time.as_secs_f64(),
        requested(wish.seconds_per_file.map(|seconds| seconds.to_string())),
        limits.read_bytes >> 20,
        requested(wish.read_mib.map(|mib| mib.to_string())),
        limits.reads
    )
}

fn limits_json(limits: &GrantedLimits) -> Json {
    json!({
        "ability": limits.ability,
        "requested": {
            "memoryMib": limits.requested.memory_mib,
            "secondsPerFile": limits.requested.seconds_per_file,
            "readMib": limits.requested.read_mib,
        },
        "effective": {
            "memoryMib": limits.memory >> 20,
            "secondsPerFile": limits.time.as_secs_f64(),
            "readMib": limits.read_bytes >> 20,
            "reads": limits.reads,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_printed_as_they_are_and_control_characters_are_not() {
        assert_eq!(
            printable("Cooley's \"Reel\"\u{1b}[2J"),
            "Cooley's \"Reel\"\\u{1b}[2J"
        );
    }
}
