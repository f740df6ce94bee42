//! Photos and the metadata of one file.

use crate::extraction::{Extraction, PartialDate, Rational, Value};
use crate::fields::free_text;
use crate::id::{PhotoAlbumId, PhotoId};
use crate::named_enum::named_enum;
use crate::path::stem;
use crate::time::Timestamp;
use crate::user_data::UserData;

named_enum! {
    /// The source of the time at which a photo was taken.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TakenAtSource: i16 {
        /// EXIF metadata of the file.
        Exif = 0 => "exif",
        /// The name of the file.
        FileName = 1 => "filename",
        /// The modification time of the file.
        ModifiedTime = 2 => "mtime",
    }
}

/// Geographic coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeoPoint {
    /// Degrees, north positive.
    pub latitude: f64,
    /// Degrees, east positive.
    pub longitude: f64,
    /// Metres above sea level.
    pub altitude: Option<f64>,
}

/// The metadata of a photo's file, as the scan stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct PhotoFacts {
    /// When the photo was taken: local time of the camera, stored as if it were UTC, so that photos sort by local day
    /// wherever they were taken.
    pub taken_at: Timestamp,
    /// Source of `taken_at`.
    pub taken_at_source: TakenAtSource,
    /// Offset from UTC in minutes, if the camera recorded it.
    pub utc_offset_minutes: Option<i16>,
    /// Coded pixels.
    pub width: Option<i32>,
    /// Coded pixels.
    pub height: Option<i32>,
    /// EXIF orientation, 1 to 8.
    pub orientation: Option<i16>,
    /// MIME type of the file.
    pub mime_type: Option<String>,
    /// Maker of the camera.
    pub make: Option<String>,
    /// Model of the camera.
    pub model: Option<String>,
    /// Name of the lens.
    pub lens: Option<String>,
    /// ISO speed.
    pub iso: Option<i32>,
    /// f-number.
    pub aperture: Option<f64>,
    /// In seconds.
    pub exposure_time: Option<Rational>,
    /// In millimetres.
    pub focal_length: Option<f64>,
    /// Where the photo was taken.
    pub place: Option<GeoPoint>,
    /// 0 to 5.
    pub rating: Option<i16>,
    /// Texts of the plugin's own, for search; their beginnings. `None` when read from the store.
    pub free_text: Option<String>,
}

/// Which facts of a photo were corrected by users.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EditedFacts {
    /// When it was taken.
    pub taken_at: bool,
    /// Offset from UTC.
    pub utc_offset: bool,
    /// Where it was taken.
    pub place: bool,
}

/// Days since 1970 of a date in the Gregorian calendar.
pub(super) fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let shifted_year = year - i64::from(month <= 2);
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn local_millis(date: PartialDate) -> i64 {
    let (month, day) = (
        i64::from(date.month.unwrap_or(1)),
        i64::from(date.day.unwrap_or(1)),
    );
    days_since_epoch(i64::from(date.year), month, day) * 86_400_000 + i64::from(date.time_ms.unwrap_or(0))
}

/// The time in a camera's file name such as `IMG_20190704_161512.jpg` or `2019-07-04 16.15.12.jpg`.
fn date_in_name(name: &str) -> Option<PartialDate> {
    let digits: Vec<u32> = stem(name).chars().filter_map(|c| c.to_digit(10)).collect();
    let number = |from: usize, length: usize| {
        digits
            .get(from..from + length)
            .map(|part| part.iter().fold(0, |number, digit| number * 10 + digit))
    };
    let (year, month, day) = (number(0, 4)?, number(4, 2)?, number(6, 2)?);
    if !(1900..2100).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let time_ms = match (number(8, 2), number(10, 2), number(12, 2)) {
        (Some(hour), Some(minute), Some(second)) if hour < 24 && minute < 60 && second < 60 => {
            Some((hour * 3600 + minute * 60 + second) * 1000)
        }
        _ => None,
    };
    Some(PartialDate {
        year: u16::try_from(year).ok()?,
        month: u8::try_from(month).ok(),
        day: u8::try_from(day).ok(),
        time_ms,
        offset_minutes: None,
    })
}

impl PhotoFacts {
    /// Interprets the extraction of the file `name`, last modified at `modified`.
    pub fn from_extraction(extraction: &Extraction, name: &str, modified: Timestamp) -> Self {
        let mut facts = Self {
            taken_at: modified,
            taken_at_source: TakenAtSource::ModifiedTime,
            utc_offset_minutes: None,
            width: extraction.width.and_then(|pixels| i32::try_from(pixels).ok()),
            height: extraction.height.and_then(|pixels| i32::try_from(pixels).ok()),
            orientation: None,
            mime_type: None,
            make: None,
            model: None,
            lens: None,
            iso: None,
            aperture: None,
            exposure_time: None,
            focal_length: None,
            place: None,
            rating: None,
            free_text: free_text(extraction, ""),
        };
        if let Some(date) = date_in_name(name) {
            facts.taken_at = Timestamp::from_millis(local_millis(date));
            facts.taken_at_source = TakenAtSource::FileName;
        }
        let (mut latitude, mut longitude, mut altitude) = (None, None, None);
        for field in &extraction.fields {
            match (field.key.as_str(), &field.value) {
                ("photo.taken-at", Value::Date(date)) => {
                    facts.taken_at = Timestamp::from_millis(local_millis(*date));
                    facts.taken_at_source = TakenAtSource::Exif;
                    facts.utc_offset_minutes = date.offset_minutes;
                }
                ("photo.make", Value::Text(text)) => facts.make = Some(text.clone()),
                ("photo.model", Value::Text(text)) => facts.model = Some(text.clone()),
                ("photo.lens", Value::Text(text)) => facts.lens = Some(text.clone()),
                ("photo.mime-type", Value::Text(text)) => facts.mime_type = Some(text.clone()),
                ("photo.iso", Value::Integer(number)) => facts.iso = i32::try_from(*number).ok(),
                ("photo.orientation", Value::Integer(number)) => {
                    facts.orientation = i16::try_from(*number).ok();
                }
                ("photo.rating", Value::Integer(number)) => facts.rating = i16::try_from(*number).ok(),
                ("photo.aperture", Value::Rational(number)) => facts.aperture = number.to_f64(),
                ("photo.focal-length", Value::Rational(number)) => facts.focal_length = number.to_f64(),
                ("photo.exposure-time", Value::Rational(number)) => facts.exposure_time = Some(*number),
                ("photo.gps-latitude", Value::Real(number)) => latitude = Some(*number),
                ("photo.gps-longitude", Value::Real(number)) => longitude = Some(*number),
                ("photo.gps-altitude", Value::Real(number)) => altitude = Some(*number),
                _ => {}
            }
        }
        facts.place = latitude.zip(longitude).map(|(latitude, longitude)| GeoPoint {
            latitude,
            longitude,
            altitude,
        });
        facts
    }

    /// The words of the search index: file name, camera and free text.
    pub fn search_text(&self, name: &str) -> String {
        let parts = [
            Some(stem(name)),
            self.make.as_deref(),
            self.model.as_deref(),
            self.lens.as_deref(),
            self.free_text.as_deref(),
        ];
        super::text::search_words(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

/// A photo as the store returns it.
#[derive(Debug, Clone, PartialEq)]
pub struct Photo {
    /// Id.
    pub id: PhotoId,
    /// Without its directory.
    pub file_name: String,
    /// Bytes of the file.
    pub size: i64,
    /// Modification time of the file.
    pub modified_at: Timestamp,
    /// Metadata of the file with the corrections of users.
    pub facts: PhotoFacts,
    /// Free text by users.
    pub description: Option<String>,
    /// Which facts were corrected by users.
    pub edited: EditedFacts,
    /// Albums with this photo that the caller may view; filled in by the service.
    pub albums: Vec<PhotoAlbumId>,
    /// The last scan did not find the file.
    pub missing: bool,
    /// Of the requesting user; filled in by the service.
    pub user_data: UserData,
}

impl Photo {
    /// The user's rating, else that of the file, as 0 to 1. Files have one to five stars; zero stars mean unrated.
    pub fn rating(&self) -> Option<f64> {
        let of_file = self.facts.rating.filter(|stars| (1..=5).contains(stars));
        self.user_data
            .rating
            .or_else(|| of_file.map(|stars| f64::from(stars) / 5.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::Field;

    fn taken(fields: Vec<Field>, name: &str) -> (String, TakenAtSource) {
        let extraction = Extraction {
            fields,
            ..Extraction::default()
        };
        let facts = PhotoFacts::from_extraction(&extraction, name, Timestamp::from_millis(0));
        (facts.taken_at.to_iso(), facts.taken_at_source)
    }

    #[test]
    fn taken_at_comes_from_exif_then_name_then_modification_time() {
        let date = PartialDate {
            year: 2019,
            month: Some(7),
            day: Some(4),
            time_ms: Some(58_512_345),
            offset_minutes: Some(120),
        };
        let field = Field {
            key: "photo.taken-at".into(),
            value: Value::Date(date),
        };
        assert_eq!(
            taken(vec![field], "IMG_20200101_000000.jpg"),
            ("2019-07-04T16:15:12.345Z".into(), TakenAtSource::Exif)
        );
        assert_eq!(
            taken(vec![], "IMG_20200229_235959.jpg"),
            ("2020-02-29T23:59:59.000Z".into(), TakenAtSource::FileName)
        );
        assert_eq!(
            taken(vec![], "DSC00012.jpg"),
            ("1970-01-01T00:00:00.000Z".into(), TakenAtSource::ModifiedTime)
        );
    }
}
