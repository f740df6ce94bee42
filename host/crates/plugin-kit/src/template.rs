//! `svc plugin new`: the folder of a new plugin, from the templates that the program carries.
//!
//! Each template is a plugin that works: it reads a small format, has a fixture with its record, and passes
//! `svc plugin test`. The plugins of all languages return the same records.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use svc_domain::kind::MediaKind;
use svc_plugin_host::{INTERFACE_VERSION, Manifest};

use crate::error::KitError;
use crate::language::Language;
use crate::wit;

const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/template_files.rs"));
/// The schema of a kind that is not built in; a part of `plugin.toml`.
const SCHEMA: &str = include_str!("../templates/parts/schema.toml.tmpl");
const SUFFIX: &str = ".tmpl";
/// Managed runtimes need 20 to 60 MiB before they read anything, compiled languages one.
const MANAGED_MIB: &str = "128";
const COMPILED_MIB: &str = "16";

/// What `svc plugin new` was asked for.
#[derive(Debug)]
pub struct NewPlugin<'a> {
    /// Folder to create; its name is the plugin's id.
    pub folder: &'a Path,
    /// Language.
    pub language: Language,
    /// The kind of media; one that is not built in is defined by the plugin.
    pub kind: &'a MediaKind,
    /// Extension of its files.
    pub extension: &'a str,
    /// The folder of the Rust SDK, instead of the one on crates.io.
    pub sdk: Option<&'a Path>,
}

/// What was created.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Created {
    /// The folder.
    pub folder: PathBuf,
    /// Id of the plugin.
    pub id: String,
    /// Its files, relative to the folder.
    pub files: Vec<PathBuf>,
    /// The extension of the media files that it reads.
    pub extension: String,
    /// The command to run next.
    pub next: String,
}

/// Creates the folder.
///
/// # Errors
/// The name is not an id, the folder is not empty, or it cannot be written.
pub fn create(new: &NewPlugin<'_>) -> Result<Created, KitError> {
    let id = new
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let files = render(new, &id);
    // The manifest's own rules say whether id and extension are right.
    let manifest = files.iter().find(|(path, _)| path == Path::new("plugin.toml"));
    let parsed = manifest.map(|(_, text)| Manifest::parse(text.as_bytes()));
    if let Some(Err(error)) = parsed {
        return Err(KitError::Argument {
            what: format!("no plugin can be made of the name `{id}`: {error}"),
            next: "an id has 2 to 40 lower-case letters, digits and hyphens; an extension no dot".to_owned(),
        });
    }
    refuse_existing(new.folder)?;
    if let Some(sdk) = new.sdk {
        refuse_lone_sdk(sdk)?;
    }
    for (path, text) in &files {
        let path = new.folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(KitError::file(parent))?;
        }
        fs::write(&path, text).map_err(KitError::file(&path))?;
    }
    if new.language != Language::Rust {
        wit::write_interface(&new.folder.join("wit"))?;
    }
    Ok(Created {
        folder: new.folder.to_owned(),
        id,
        files: files.into_iter().map(|(path, _)| path).collect(),
        extension: new.extension.to_owned(),
        next: format!(
            "{}svc plugin build {}",
            setup(new.language, new.folder),
            new.folder.display()
        ),
    })
}

fn refuse_existing(folder: &Path) -> Result<(), KitError> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(KitError::Argument {
            what: format!("{} exists and is not empty", folder.display()),
            next: "choose another name, or remove the folder".to_owned(),
        }),
        Ok(false) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(KitError::file(folder)(error)),
    }
}

/// The SDK of a checkout takes its edition and version from the workspace around it.
fn refuse_lone_sdk(sdk: &Path) -> Result<(), KitError> {
    let manifest = sdk.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(KitError::file(&manifest))?;
    let has_workspace = sdk
        .ancestors()
        .skip(1)
        .any(|folder| folder.join("Cargo.toml").is_file());
    if text.contains("workspace = true") && !has_workspace {
        return Err(KitError::Argument {
            what: format!("{} lacks the workspace that it inherits from", sdk.display()),
            next: "name the folder `plugin-api` inside a whole checkout".to_owned(),
        });
    }
    Ok(())
}

fn render(new: &NewPlugin<'_>, id: &str) -> Vec<(PathBuf, String)> {
    let language = new.language;
    let folders: &[&str] = match language {
        Language::Rust => &["common/", "rust/"],
        Language::Python => &["common/", "python/", "wit/"],
        Language::Js => &["common/", "js/", "wit/"],
        Language::C => &["common/", "c/", "wit/"],
    };
    let values = values(new, id);
    let chosen = FILES.iter().filter_map(|(path, text)| {
        let folder = folders.iter().find(|folder| path.starts_with(**folder))?;
        let below = if *folder == "wit/" {
            *path
        } else {
            path.strip_prefix(folder)?
        };
        let name = below
            .trim_end_matches(SUFFIX)
            .replace("dot-", ".")
            .replace("EXTENSION", new.extension);
        Some((PathBuf::from(name), fill(text, &values)))
    });
    chosen.collect()
}

fn values(new: &NewPlugin<'_>, id: &str) -> Vec<(&'static str, String)> {
    let is_built_in = MediaKind::BUILT_IN.contains(&new.kind.as_str());
    let (is_rust, is_c) = (new.language == Language::Rust, new.language == Language::C);
    let sdk = match new.sdk {
        Some(folder) => format!("{{ path = {:?} }}", folder.display().to_string()),
        None => format!("{:?}", wit::manifest_version()),
    };
    let source = match new.language {
        Language::Rust => "src/lib.rs",
        Language::Python => "app.py",
        Language::Js => "plugin.js",
        Language::C => "extract.c",
    };
    let managed = matches!(new.language, Language::Python | Language::Js);
    let basic = vec![
        ("id", id.to_owned()),
        ("title", title(id)),
        ("item", singular(&title(id))),
        ("kind", new.kind.to_string()),
        ("extension", new.extension.to_owned()),
        ("interface", wit::manifest_version().to_owned()),
        ("interface-version", INTERFACE_VERSION.to_owned()),
        ("language", new.language.to_string()),
        ("source", source.to_owned()),
        ("sdk", sdk),
        (
            "memory",
            if managed { MANAGED_MIB } else { COMPILED_MIB }.to_owned(),
        ),
        // A linker removes imports that the code does not call, as in the template for C.
        (
            "log",
            if is_c {
                ""
            } else {
                "log = \"Reports errors of the plugin\"\n"
            }
            .to_owned(),
        ),
        ("setup", setup(new.language, Path::new("")).replace(" && ", "\n")),
        (
            "wit-row",
            if is_rust {
                String::new()
            } else {
                "| `wit/` | the interface; `world.wit` lists what the plugin imports and exports |\n"
                    .to_owned()
            },
        ),
    ];
    let schema = if is_built_in {
        String::new()
    } else {
        fill(SCHEMA, &basic)
    };
    basic.into_iter().chain([("schema", schema)]).collect()
}

/// The command that installs a language's tools into the folder.
fn setup(language: Language, folder: &Path) -> String {
    let change = if folder.as_os_str().is_empty() {
        String::new()
    } else {
        format!("cd {} && ", folder.display())
    };
    let command = match language {
        Language::Rust => return "rustup target add wasm32-unknown-unknown && ".to_owned(),
        Language::Python => "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
        Language::Js => "npm install",
        Language::C => "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    };
    if change.is_empty() {
        format!("{command} && ")
    } else {
        format!("({change}{command}) && ")
    }
}

/// `some-notes` as `Some Notes`.
fn title(id: &str) -> String {
    let words = id.split('-').filter(|word| !word.is_empty()).map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

/// `Sheets` as `Sheet`; the author corrects what English does not form like this.
fn singular(title: &str) -> String {
    let is_plural = !["ss", "us", "is", "ies"].iter().any(|end| title.ends_with(end));
    let singular = title.strip_suffix('s').filter(|_| is_plural);
    singular.unwrap_or(title).to_owned()
}

/// Replaces each `{{name}}` by its value.
fn fill(text: &str, values: &[(&'static str, String)]) -> String {
    let mut filled = text.to_owned();
    for (name, value) in values {
        filled = filled.replace(&format!("{{{{{name}}}}}"), value);
    }
    filled
}

impl fmt::Display for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} with:", self.folder.display())?;
        for file in &self.files {
            writeln!(f, "  {}", file.display())?;
        }
        writeln!(
            f,
            "it reads files that end in .{} (`--extension` names another)",
            self.extension
        )?;
        write!(f, "next: {}", self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_of_every_language_have_no_placeholder_left() {
        for language in Language::ALL {
            let kind = MediaKind::music();
            let new = NewPlugin {
                folder: Path::new("some-notes"),
                language,
                kind: &kind,
                extension: "note",
                sdk: None,
            };
            let files = render(&new, "some-notes");
            assert!(files.len() >= 7, "{language}: {} files", files.len());
            for (path, text) in files {
                assert!(!text.contains("{{"), "{language}: {}", path.display());
            }
        }
    }

    #[test]
    fn item_is_named_in_the_singular() {
        let names = ["Sheets", "Some Notes", "Glass", "Series", "Music"].map(singular);
        assert_eq!(names, ["Sheet", "Some Note", "Glass", "Series", "Music"]);
    }

    #[test]
    fn sdk_alone_is_refused_because_it_inherits_from_its_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let sdk = dir.path().join("plugin-api");
        fs::create_dir(&sdk).unwrap();
        fs::write(sdk.join("Cargo.toml"), "[package]\nedition.workspace = true\n").unwrap();
        let refused = refuse_lone_sdk(&sdk).unwrap_err();
        assert!(refused.next().contains("whole checkout"), "{}", refused.next());
        fs::write(dir.path().join("Cargo.toml"), "[workspace]\n").unwrap();
        refuse_lone_sdk(&sdk).unwrap();
        let missing = refuse_lone_sdk(&dir.path().join("nowhere")).unwrap_err();
        assert_eq!(missing.code(), "file");
    }

    #[test]
    fn name_that_is_no_id_is_refused_before_anything_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("Not An Id");
        let new = NewPlugin {
            folder: &folder,
            language: Language::C,
            kind: &MediaKind::music(),
            extension: "note",
            sdk: None,
        };
        assert_eq!(create(&new).unwrap_err().code(), "argument");
        assert!(!folder.exists());
    }
}
