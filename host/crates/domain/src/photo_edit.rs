//! What users correct of a photo. The file is never written: corrections are kept beside what it says.

use crate::photo::GeoPoint;
use crate::time::Timestamp;

/// What users say of a photo, in place of its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhotoEdits {
    /// When it was taken: local time, read as if it were UTC.
    pub taken_at: Option<Timestamp>,
    /// Offset of that place and time from UTC in minutes.
    pub utc_offset_minutes: Option<i16>,
    /// Where it was taken.
    pub place: Option<GeoPoint>,
    /// What there is to say about it.
    pub description: Option<String>,
}

/// What is to be changed of the corrections. `Some(None)` takes one back: the file's own word counts again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhotoPatch {
    /// When it was taken.
    pub taken_at: Option<Option<Timestamp>>,
    /// Offset from UTC in minutes.
    pub utc_offset_minutes: Option<Option<i16>>,
    /// Where it was taken.
    pub place: Option<Option<GeoPoint>>,
    /// What there is to say about it.
    pub description: Option<Option<String>>,
}

impl PhotoPatch {
    /// The corrections after it.
    pub fn apply(&self, edits: PhotoEdits) -> PhotoEdits {
        PhotoEdits {
            taken_at: self.taken_at.unwrap_or(edits.taken_at),
            utc_offset_minutes: self.utc_offset_minutes.unwrap_or(edits.utc_offset_minutes),
            place: self.place.unwrap_or(edits.place),
            description: self.description.clone().unwrap_or(edits.description),
        }
    }
}

/// Which of a photo's facts are users' word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EditedFacts {
    /// When it was taken.
    pub taken_at: bool,
    /// Offset from UTC.
    pub utc_offset: bool,
    /// Where it was taken.
    pub place: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_changes_what_it_names_and_takes_back_what_is_null() {
        let before = PhotoEdits {
            taken_at: Some(Timestamp::from_millis(5)),
            description: Some("old".into()),
            ..PhotoEdits::default()
        };
        let patch = PhotoPatch {
            taken_at: Some(None),
            utc_offset_minutes: Some(Some(60)),
            ..PhotoPatch::default()
        };
        assert_eq!(
            patch.apply(before.clone()),
            PhotoEdits {
                taken_at: None,
                utc_offset_minutes: Some(60),
                ..before.clone()
            }
        );
        assert_eq!(PhotoPatch::default().apply(before.clone()), before);
    }
}
