//! Corrections of the metadata of photos.

use crate::photo_albums::check_description;
use svc_domain::photo::GeoPoint;
use svc_domain::photo_edit::PhotoPatch;
use svc_domain::time::Timestamp;
use svc_identity::error::{FieldError, Result, ServiceError};

/// Accepted capture times in milliseconds: 1800-01-01 to 2199-12-31.
const MOMENTS: std::ops::RangeInclusive<i64> = -5_364_662_400_000..=7_258_118_399_999;

/// Accepted UTC offsets in minutes; somewhat more than those in use.
const OFFSETS: std::ops::RangeInclusive<i64> = -14 * 60..=14 * 60;

/// Accepted altitudes in metres: from the deepest sea to above aircraft.
const ALTITUDES: std::ops::RangeInclusive<f64> = -12_000.0..=100_000.0;

/// Corrections of a photo's metadata. `Some(None)` removes a correction.
#[derive(Debug, Default)]
pub struct PhotoUpdate {
    /// Capture time: local time, stored as if it were UTC.
    pub taken_at: Option<Option<Timestamp>>,
    /// Minutes east of UTC.
    pub utc_offset: Option<Option<i64>>,
    /// In degrees; only together with the longitude.
    pub latitude: Option<Option<f64>>,
    /// In degrees; only together with the latitude.
    pub longitude: Option<Option<f64>>,
    /// In metres; only together with a position.
    pub altitude: Option<Option<f64>>,
    /// Free text.
    pub description: Option<Option<String>>,
}

fn check_place(update: &PhotoUpdate, errors: &mut Vec<FieldError>) -> Option<Option<GeoPoint>> {
    let mut check = |value: Option<f64>, name: &str, range: std::ops::RangeInclusive<f64>| {
        if value.is_some_and(|value| !range.contains(&value)) {
            let message = format!("must be {} to {}", range.start(), range.end());
            errors.push(FieldError::new(name, message));
        }
    };
    check(update.latitude.flatten(), "gpsLat", -90.0..=90.0);
    check(update.longitude.flatten(), "gpsLng", -180.0..=180.0);
    check(update.altitude.flatten(), "gpsAltitude", ALTITUDES);
    match (update.latitude, update.longitude) {
        (Some(Some(latitude)), Some(Some(longitude))) => Some(Some(GeoPoint {
            latitude,
            longitude,
            altitude: update.altitude.flatten(),
        })),
        (Some(None), Some(None)) if update.altitude.flatten().is_none() => Some(None),
        (None, None) if update.altitude.is_none() => None,
        _ => {
            let message = "gpsLat and gpsLng must be set or removed together; gpsAltitude requires both";
            errors.push(FieldError::new("gpsLat", message));
            None
        }
    }
}

pub(super) fn check(update: PhotoUpdate) -> Result<PhotoPatch> {
    let mut errors = Vec::new();
    let place = check_place(&update, &mut errors);
    let taken_at = update.taken_at;
    if taken_at
        .flatten()
        .is_some_and(|moment| !MOMENTS.contains(&moment.millis()))
    {
        errors.push(FieldError::new(
            "takenAt",
            "must be within the years 1800 to 2199",
        ));
    }
    let narrow = |minutes: i64| i16::try_from(minutes).ok().filter(|_| OFFSETS.contains(&minutes));
    let utc_offset_minutes = update.utc_offset.map(|minutes| minutes.and_then(narrow));
    if utc_offset_minutes.map(|minutes| minutes.is_some())
        != update.utc_offset.map(|minutes| minutes.is_some())
    {
        errors.push(FieldError::new("utcOffset", "must be -840 to 840 minutes"));
    }
    let description = check_description(update.description, &mut errors);
    if !errors.is_empty() {
        return Err(ServiceError::Invalid(errors));
    }
    Ok(PhotoPatch {
        taken_at,
        utc_offset_minutes,
        place,
        description,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_are_validated_per_field() {
        let some = |value: f64| Some(Some(value));
        let update = PhotoUpdate::default;
        let wrong = [
            (
                PhotoUpdate {
                    latitude: some(1.0),
                    ..update()
                },
                "gpsLat",
            ),
            (
                PhotoUpdate {
                    altitude: some(1.0),
                    ..update()
                },
                "gpsLat",
            ),
            (
                PhotoUpdate {
                    latitude: Some(None),
                    longitude: some(2.0),
                    ..update()
                },
                "gpsLat",
            ),
            (
                PhotoUpdate {
                    latitude: some(90.1),
                    longitude: some(2.0),
                    ..update()
                },
                "gpsLat",
            ),
            (
                PhotoUpdate {
                    latitude: some(9.0),
                    longitude: some(-180.1),
                    ..update()
                },
                "gpsLng",
            ),
            (
                PhotoUpdate {
                    latitude: some(9.0),
                    longitude: some(9.0),
                    altitude: some(f64::NAN),
                    ..update()
                },
                "gpsAltitude",
            ),
            (
                PhotoUpdate {
                    utc_offset: Some(Some(841)),
                    ..update()
                },
                "utcOffset",
            ),
            (
                PhotoUpdate {
                    utc_offset: Some(Some(i64::MIN)),
                    ..update()
                },
                "utcOffset",
            ),
            (
                PhotoUpdate {
                    taken_at: Some(Some(Timestamp::from_millis(i64::MAX))),
                    ..update()
                },
                "takenAt",
            ),
            (
                PhotoUpdate {
                    description: Some(Some("x".repeat(2001))),
                    ..update()
                },
                "description",
            ),
        ];
        for (update, path) in wrong {
            let update_text = format!("{update:?}");
            let Err(ServiceError::Invalid(errors)) = check(update) else {
                panic!("{update_text}");
            };
            assert_eq!(errors[0].path, path, "{update_text}");
        }
        let good = check(PhotoUpdate {
            latitude: some(-90.0),
            longitude: some(180.0),
            utc_offset: Some(Some(-840)),
            taken_at: Some(None),
            ..update()
        })
        .unwrap();
        assert_eq!(
            (good.taken_at, good.utc_offset_minutes),
            (Some(None), Some(Some(-840)))
        );
        assert_eq!(good.place.flatten().unwrap().longitude, 180.0);
        assert_eq!(check(update()).unwrap(), PhotoPatch::default());
    }
}
