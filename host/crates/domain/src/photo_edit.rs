//! Corrections of photos by users. The server never writes media files; it stores corrections apart from the
//! extracted facts.

use crate::photo::GeoPoint;
use crate::time::Timestamp;

/// Values that users set in place of those of the file; `None` keeps the value of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhotoEdits {
    /// When the photo was taken: local time, stored as if it were UTC.
    pub taken_at: Option<Timestamp>,
    /// Offset of that local time from UTC in minutes.
    pub utc_offset_minutes: Option<i16>,
    /// Where the photo was taken.
    pub place: Option<GeoPoint>,
    /// Free text; files have none.
    pub description: Option<String>,
}

/// A change of the corrections. `None` leaves a value as it is; `Some(None)` removes the correction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhotoPatch {
    /// As in [`PhotoEdits`], here and below.
    pub taken_at: Option<Option<Timestamp>>,
    /// In minutes.
    pub utc_offset_minutes: Option<Option<i16>>,
    /// Where it was taken.
    pub place: Option<Option<GeoPoint>>,
    /// Free text.
    pub description: Option<Option<String>>,
}

impl PhotoPatch {
    /// The corrections after this change.
    pub fn apply(&self, edits: PhotoEdits) -> PhotoEdits {
        PhotoEdits {
            taken_at: self.taken_at.unwrap_or(edits.taken_at),
            utc_offset_minutes: self.utc_offset_minutes.unwrap_or(edits.utc_offset_minutes),
            place: self.place.unwrap_or(edits.place),
            description: self.description.clone().unwrap_or(edits.description),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_changes_present_fields_and_removes_null_ones() {
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
