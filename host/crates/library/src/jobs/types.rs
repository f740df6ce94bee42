//! The closed list of job types with their parameters and validation.

use serde_json::{Map, Value, json};

use svc_domain::audit::AuditEvent;
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_identity::capability::Capability;
use svc_identity::error::FieldError;

/// The type of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum ParameterKind {
    /// An integer within bounds.
    Integer {
        /// Used if absent.
        default: i64,
        /// Minimum, inclusive.
        min: i64,
        /// Maximum, inclusive.
        max: i64,
    },
    /// A media kind.
    MediaKind,
    /// A path relative to the directories of a kind.
    Path,
    /// Ids of tracks, photos or video sources.
    Ids {
        /// Maximum number.
        most: usize,
    },
}

/// An optional parameter. A type may check further conditions itself.
#[derive(Debug)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// The type of its value.
    pub kind: ParameterKind,
    /// Description for people.
    pub about: &'static str,
}

/// A job type.
#[derive(Debug)]
pub struct JobType {
    /// Its name in the API.
    pub name: &'static str,
    /// Description for people.
    pub about: &'static str,
    /// The capabilities required in addition to `Jobs.Create`.
    pub also: &'static [Capability],
    /// The accepted parameters.
    pub parameters: &'static [Parameter],
    /// The audit events of success and failure, if any. A job that was cancelled after its start has failed.
    pub audited: Option<(AuditEvent, AuditEvent)>,
}

/// Compares the index with the disk and checks the database for corruption.
pub static VERIFY: JobType = JobType {
    name: "verify",
    about: "Checks the database for corruption, and compares size and time of every indexed file with the disk. \
            Changes nothing.",
    also: &[],
    parameters: &[],
    audited: None,
};

/// Copies the database and the keys.
pub static BACKUP: JobType = JobType {
    name: "backup",
    about: "Copies the database and the keys into the folder `backups` of the data directory, and deletes older backups.",
    also: &[Capability::BackupsCreate],
    parameters: &[Parameter {
        name: "keep",
        kind: ParameterKind::Integer {
            default: 7,
            min: 1,
            max: 100,
        },
        about: "Number of backups to keep, including this one.",
    }],
    audited: Some((AuditEvent::BackupMade, AuditEvent::BackupFailed)),
};

/// Extracts files again.
pub static REEXTRACT: JobType = JobType {
    name: "reextract",
    about: "Extracts unchanged files again: all of a kind, those below one of its \
            folders, or those with these ids.",
    also: &[],
    parameters: &[
        Parameter {
            name: "mediaKind",
            kind: ParameterKind::MediaKind,
            about: "All files of this kind; instead of `ids`.",
        },
        Parameter {
            name: "path",
            kind: ParameterKind::Path,
            about: "With `mediaKind`: only files below this folder.",
        },
        Parameter {
            name: "ids",
            kind: ParameterKind::Ids { most: 1_000 },
            about: "These tracks, photos or video sources; instead of `mediaKind`.",
        },
    ],
    audited: None,
};

/// Deletes what is indexed of a kind.
pub static PURGE_KIND: JobType = JobType {
    name: "purge_kind",
    about: "Deletes all items of a kind that a plugin defines, with their ratings and history, while no plugin reads \
            files of the kind. Media files are not touched.",
    also: &[Capability::PluginsOperate, Capability::IndexingDeindex],
    parameters: &[Parameter {
        name: "mediaKind",
        kind: ParameterKind::MediaKind,
        about: "The kind. Required.",
    }],
    audited: Some((AuditEvent::KindPurged, AuditEvent::KindPurgeFailed)),
};

/// Renders thumbnails of photos.
pub static PHOTO_THUMBNAILS: JobType = JobType {
    name: "photo_thumbnails",
    about: "Renders all thumbnails of photos that do not exist yet.",
    also: &[],
    parameters: &[],
    audited: None,
};

/// Renders thumbnails of release artwork.
pub static ARTWORK_THUMBNAILS: JobType = JobType {
    name: "artwork_thumbnails",
    about: "Renders all thumbnails of release artwork that do not exist yet.",
    also: &[],
    parameters: &[],
    audited: None,
};

/// Computes waveforms of tracks.
pub static GENERATE_WAVEFORMS: JobType = JobType {
    name: "generate_waveforms",
    about: "Computes the waveform and loudness of every track that has none yet.",
    also: &[],
    parameters: &[],
    audited: None,
};

impl ParameterKind {
    fn schema(self, about: &str) -> Value {
        match self {
            Self::Integer { default, min, max } => json!({
                "type": "integer", "default": default, "minimum": min, "maximum": max, "description": about
            }),
            Self::MediaKind | Self::Path => json!({"type": "string", "description": about}),
            Self::Ids { most } => json!({
                "type": "array", "items": {"type": "string"}, "maxItems": most, "description": about
            }),
        }
    }

    fn default(self) -> Option<Value> {
        match self {
            Self::Integer { default, .. } => Some(default.into()),
            Self::MediaKind | Self::Path | Self::Ids { .. } => None,
        }
    }

    /// The error of a value at this path, if any.
    fn fault(self, path: &str, value: &Value) -> Option<FieldError> {
        if let (Self::Ids { .. }, Some(ids)) = (self, value.as_array()) {
            let is_id = |id: &Value| id.as_str().is_some_and(|text| text.parse::<FileId>().is_ok());
            if let Some(index) = ids.iter().position(|id| !is_id(id)) {
                return Some(FieldError::new(format!("{path}[{index}]"), "must be an id"));
            }
        }
        self.fault_in_whole(value)
            .map(|message| FieldError::new(path, message))
    }

    fn fault_in_whole(self, value: &Value) -> Option<String> {
        match self {
            Self::Integer { min, max, .. } => {
                let fits = value.as_i64().is_some_and(|number| (min..=max).contains(&number));
                (!fits).then(|| format!("must be a whole number, {min} to {max}"))
            }
            Self::MediaKind => {
                let kind = value.as_str().and_then(|text| text.parse::<MediaKind>().ok());
                kind.is_none()
                    .then(|| "must be music, photos, movies, tv or a plugin's kind".to_owned())
            }
            Self::Path => {
                let path = value.as_str().and_then(RelativePath::parse);
                path.is_none()
                    .then(|| "must be a path below the media directories".to_owned())
            }
            Self::Ids { most } => {
                let ids = value.as_array().filter(|ids| (1..=most).contains(&ids.len()));
                ids.is_none().then(|| format!("must be 1 to {most} ids"))
            }
        }
    }
}

impl JobType {
    /// JSON Schema of the parameters.
    pub fn schema(&self) -> Value {
        let properties = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.to_owned(), parameter.kind.schema(parameter.about)));
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": properties.collect::<Map<_, _>>(),
        })
    }

    /// Validates the parameters and fills in defaults.
    ///
    /// # Errors
    /// All field errors.
    pub fn check(&self, given: &Value) -> Result<Value, Vec<FieldError>> {
        let nothing = Map::new();
        let given = match given {
            Value::Object(given) => given,
            Value::Null => &nothing,
            _ => return Err(vec![FieldError::new("parameters", "must be an object")]),
        };
        let (mut checked, mut errors) = (Map::new(), Vec::new());
        let known = |name: &str| self.parameters.iter().find(|parameter| parameter.name == name);
        for (name, value) in given {
            let path = format!("parameters.{name}");
            match known(name).map(|parameter| parameter.kind.fault(&path, value)) {
                Some(None) => {
                    checked.insert(name.clone(), value.clone());
                }
                Some(Some(fault)) => errors.push(fault),
                None => errors.push(FieldError::new(path, "is not a parameter of this job type")),
            }
        }
        for parameter in self.parameters {
            if let (false, Some(default)) = (checked.contains_key(parameter.name), parameter.kind.default()) {
                checked.insert(parameter.name.to_owned(), default);
            }
        }
        if errors.is_empty() {
            Ok(Value::Object(checked))
        } else {
            Err(errors)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_a_closed_list_with_defaults() {
        assert_eq!(BACKUP.check(&Value::Null), Ok(json!({"keep": 7})));
        assert_eq!(BACKUP.check(&json!({"keep": 1})), Ok(json!({"keep": 1})));
        assert_eq!(VERIFY.check(&json!({})), Ok(json!({})));
        let id = FileId::from(5).to_string();
        let ids = json!({"ids": [id]});
        assert_eq!(REEXTRACT.check(&ids), Ok(ids.clone()));
        for (job_type, wrong, path) in [
            (&BACKUP, json!({"keep": 0}), "parameters.keep"),
            (&BACKUP, json!({"keep": 101}), "parameters.keep"),
            (&BACKUP, json!({"keep": 1.5}), "parameters.keep"),
            (&BACKUP, json!({"keep": "1"}), "parameters.keep"),
            (&BACKUP, json!({"path": "/"}), "parameters.path"),
            (&BACKUP, json!([]), "parameters"),
            (&VERIFY, json!({"deep": true}), "parameters.deep"),
            (&REEXTRACT, json!({"ids": []}), "parameters.ids"),
            (&REEXTRACT, json!({"ids": ["x"]}), "parameters.ids[0]"),
            (&REEXTRACT, json!({"ids": vec![id; 1001]}), "parameters.ids"),
            (&REEXTRACT, json!({"path": "../x"}), "parameters.path"),
            (
                &REEXTRACT,
                json!({"mediaKind": "NO KIND"}),
                "parameters.mediaKind",
            ),
        ] {
            let errors = job_type.check(&wrong).unwrap_err();
            assert_eq!(errors[0].path, path, "{wrong}");
        }
    }
}
