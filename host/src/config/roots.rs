//! Root directories by media kind: `--root KIND=DIR`, `SVC_ROOTS`, and the table `[roots]` of the file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use svc_domain::kind::MediaKind;

/// A directory with the kind of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Built in or of a plugin.
    pub kind: MediaKind,
    /// As given.
    pub path: PathBuf,
}

impl FromStr for Root {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, path) = text
            .split_once('=')
            .filter(|(_, path)| !path.is_empty())
            .ok_or_else(|| "is not KIND=DIR, such as comics=/srv/comics".to_owned())?;
        Ok(Self {
            kind: kind.parse().map_err(|error| format!("`{kind}` {error}"))?,
            path: path.into(),
        })
    }
}

/// One directory or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a directory, or a list of directories")]
enum Directories {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

/// Reads `[roots]`: a directory or a list of directories by kind.
pub(super) fn from_table<'de, D: Deserializer<'de>>(table: D) -> Result<Vec<Root>, D::Error> {
    let by_kind = BTreeMap::<MediaKind, Directories>::deserialize(table)?;
    let mut roots = Vec::new();
    for (kind, directories) in by_kind {
        let paths = match directories {
            Directories::One(path) => vec![path],
            Directories::Several(paths) => paths,
        };
        roots.extend(paths.into_iter().map(|path| Root {
            kind: kind.clone(),
            path,
        }));
    }
    Ok(roots)
}

/// The directories by kind, in the order of the kinds. A kind that the command line or a variable names has those
/// directories alone; the file determines the others.
pub(super) fn by_kind(given: Vec<Root>, from_file: Vec<Root>) -> BTreeMap<MediaKind, Vec<PathBuf>> {
    let mut by_kind: BTreeMap<MediaKind, Vec<PathBuf>> = BTreeMap::new();
    for root in given {
        by_kind.entry(root.kind).or_default().push(root.path);
    }
    let named: Vec<MediaKind> = by_kind.keys().cloned().collect();
    for root in from_file {
        if !named.contains(&root.kind) {
            by_kind.entry(root.kind).or_default().push(root.path);
        }
    }
    by_kind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Root {
        text.parse().unwrap()
    }

    #[test]
    fn root_is_a_kind_and_a_directory() {
        let comics = root("comics=/srv/a=b");
        assert_eq!(
            (comics.kind.as_str(), comics.path.to_str()),
            ("comics", Some("/srv/a=b"))
        );
        for wrong in ["comics", "comics=", "=/srv", "Comics=/srv", "/srv/comics"] {
            assert!(wrong.parse::<Root>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn given_kinds_replace_those_of_the_file() {
        let all = by_kind(
            vec![root("comics=/a"), root("comics=/b")],
            vec![root("comics=/c"), root("audiobooks=/d")],
        );
        let shown: Vec<(&str, usize)> = all
            .iter()
            .map(|(kind, paths)| (kind.as_str(), paths.len()))
            .collect();
        assert_eq!(shown, [("audiobooks", 1), ("comics", 2)]);
    }
}
