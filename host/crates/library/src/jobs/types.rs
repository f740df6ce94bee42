//! The types of jobs: a closed list, each with its parameters, which are checked by one rule each.

use serde_json::{Map, Value, json};

use svc_domain::audit::AuditEvent;
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_identity::capability::Capability;
use svc_identity::error::FieldError;

/// What values a parameter may have.
#[derive(Debug, Clone, Copy)]
pub enum ParameterKind {
    /// A whole number within bounds.
    Integer {
        /// If it is not given.
        default: i64,
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A media kind.
    MediaKind,
    /// A folder below the directories of a kind.
    Path,
    /// Ids of tracks, photos or video sources.
    Ids {
        /// How many, at most.
        most: usize,
    },
}

/// A parameter. All may be left out; what a type needs beyond that it says itself.
#[derive(Debug)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
    /// For people.
    pub about: &'static str,
}

/// A type of job.
#[derive(Debug)]
pub struct JobType {
    /// Its name in the API.
    pub name: &'static str,
    /// For people.
    pub about: &'static str,
    /// What asking for it takes beside `Jobs.Create`.
    pub also: Option<Capability>,
    /// What may be said with it.
    pub parameters: &'static [Parameter],
    /// How the audit log tells of its success and of its failure, if it does.
    pub audited: Option<(AuditEvent, AuditEvent)>,
}

/// Compares the index with the disk, and looks for damage in the database.
pub static VERIFY: JobType = JobType {
    name: "verify",
    about: "Looks for damage in the database, and compares size and time of every indexed file with the disk. \
            Changes nothing.",
    also: None,
    parameters: &[],
    audited: None,
};

/// Copies the database and the keys.
pub static BACKUP: JobType = JobType {
    name: "backup",
    about: "Copies the database and the keys into the data directory's folder `backups`, and keeps the last ones.",
    also: Some(Capability::BackupsCreate),
    parameters: &[Parameter {
        name: "keep",
        kind: ParameterKind::Integer {
            default: 7,
            min: 1,
            max: 100,
        },
        about: "Backups that are kept, this one included.",
    }],
    audited: Some((AuditEvent::BackupMade, AuditEvent::BackupFailed)),
};

/// Reads files again.
pub static REEXTRACT: JobType = JobType {
    name: "reextract",
    about: "Reads files again, though nothing about them has changed: all of a kind, those below one of its \
            folders, or those that are named.",
    also: None,
    parameters: &[
        Parameter {
            name: "mediaKind",
            kind: ParameterKind::MediaKind,
            about: "All files of this kind; instead of `ids`.",
        },
        Parameter {
            name: "path",
            kind: ParameterKind::Path,
            about: "With `mediaKind`: those below this folder.",
        },
        Parameter {
            name: "ids",
            kind: ParameterKind::Ids { most: 1_000 },
            about: "These tracks, photos or video sources; instead of `mediaKind`.",
        },
    ],
    audited: None,
};

/// Draws photos in smaller sizes.
pub static PHOTO_THUMBNAILS: JobType = JobType {
    name: "photo_thumbnails",
    about: "Draws every photo in its smaller sizes, as far as that has not been done.",
    also: None,
    parameters: &[],
    audited: None,
};

/// Draws the pictures of releases in smaller sizes.
pub static ARTWORK_THUMBNAILS: JobType = JobType {
    name: "artwork_thumbnails",
    about: "Draws the picture of every release in its smaller sizes, as far as that has not been done.",
    also: None,
    parameters: &[],
    audited: None,
};

/// Measures tracks.
pub static GENERATE_WAVEFORMS: JobType = JobType {
    name: "generate_waveforms",
    about: "Measures the waveform and loudness of every track, as far as that has not been done.",
    also: None,
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

    /// What is wrong with a value of this path.
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
    /// The parameters as JSON Schema.
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

    /// The parameters of a request with the defaults filled in.
    ///
    /// # Errors
    /// All that is wrong with them.
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
                None => errors.push(FieldError::new(path, "is no parameter of this type")),
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
