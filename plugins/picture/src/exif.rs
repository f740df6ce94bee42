//! EXIF: kamadak-exif parses a block; its fields are converted to those of the contract.

use std::collections::HashMap;

use exif::{Context, In, Reader, Value};
use svc_plugin_api::{ExtractionBuilder, PartialDate, parse_date};

use crate::container::Block;

/// Tags of EXIF 2.32.
mod tag {
    pub(super) const WIDTH: u16 = 0x100;
    pub(super) const HEIGHT: u16 = 0x101;
    pub(super) const MAKE: u16 = 0x10f;
    pub(super) const MODEL: u16 = 0x110;
    pub(super) const ORIENTATION: u16 = 0x112;
    pub(super) const RATING: u16 = 0x4746;
    pub(super) const EXPOSURE_TIME: u16 = 0x829a;
    pub(super) const F_NUMBER: u16 = 0x829d;
    pub(super) const SENSITIVITY: u16 = 0x8827;
    pub(super) const RECOMMENDED_EXPOSURE_INDEX: u16 = 0x8832;
    pub(super) const FOCAL_LENGTH: u16 = 0x920a;
    pub(super) const LENS_MODEL: u16 = 0xa434;
    pub(super) const LATITUDE_REF: u16 = 1;
    pub(super) const LATITUDE: u16 = 2;
    pub(super) const LONGITUDE_REF: u16 = 3;
    pub(super) const LONGITUDE: u16 = 4;
    pub(super) const ALTITUDE_REF: u16 = 5;
    pub(super) const ALTITUDE: u16 = 6;
}

/// Tags of date, sub-seconds and offset, best first: original, digitized, modified.
const DATES: [[u16; 3]; 3] = [
    [0x9003, 0x9291, 0x9011],
    [0x9004, 0x9292, 0x9012],
    [0x0132, 0x9290, 0x9010],
];
/// Means that the sensitivity exceeds 16 bits.
const SENSITIVITY_OVERFLOW: u32 = 65_535;

/// Some programs store the pointers to the EXIF and GPS directories with a signed type or with IFD; kamadak-exif
/// requires LONG.
fn repair_pointers(bytes: &mut [u8]) {
    let is_little = bytes.starts_with(b"II");
    let short = |pair: [u8; 2]| {
        if is_little {
            u16::from_le_bytes(pair)
        } else {
            u16::from_be_bytes(pair)
        }
    };
    let Some(start) = bytes
        .get(4..8)
        .and_then(|bytes| bytes.first_chunk::<4>())
        .map(|bytes| {
            if is_little {
                u32::from_le_bytes(*bytes)
            } else {
                u32::from_be_bytes(*bytes)
            }
        })
    else {
        return;
    };
    let Some(directory) = usize::try_from(start)
        .ok()
        .and_then(|start| bytes.get_mut(start..))
    else {
        return;
    };
    let Some((count, entries)) = directory.split_first_chunk_mut::<2>() else {
        return;
    };
    for [t0, t1, k0, k1, ..] in entries
        .as_chunks_mut::<12>()
        .0
        .iter_mut()
        .take(short(*count).into())
    {
        let is_pointer = matches!(short([*t0, *t1]), 0x8769 | 0x8825);
        if is_pointer && matches!(short([*k0, *k1]), 9 | 13) {
            let kind = if is_little {
                4_u16.to_le_bytes()
            } else {
                4_u16.to_be_bytes()
            };
            [*k0, *k1] = kind;
        }
    }
}

/// Fields of the primary image, by directory (GPS or not) and tag. The first value is kept.
#[derive(Default)]
pub struct Exif {
    fields: HashMap<(bool, u16), Value>,
}

impl Exif {
    /// Reads a block. Damaged fields are skipped with a warning.
    pub fn read(&mut self, block: Block, extraction: &mut ExtractionBuilder) {
        let is_gps_block = block.is_gps;
        let mut bytes = block.bytes;
        repair_pointers(&mut bytes);
        let result = Reader::new()
            .continue_on_error(true)
            .read_raw(bytes)
            .or_else(|error| {
                error.distill_partial_result(|errors| {
                    for error in errors.iter().take(4) {
                        extraction.warn(format!("EXIF: {error}"));
                    }
                })
            });
        let exif = match result {
            Ok(exif) => exif,
            Err(error) => {
                extraction.warn(format!("EXIF: {error}"));
                return;
            }
        };
        for field in exif.fields().filter(|field| field.ifd_num == In::PRIMARY) {
            let is_gps = is_gps_block || field.tag.context() == Context::Gps;
            if field.tag.context() != Context::Interop {
                self.fields
                    .entry((is_gps, field.tag.number()))
                    .or_insert_with(|| field.value.clone());
            }
        }
    }

    /// 1 to 8.
    pub fn orientation(&self) -> Option<u8> {
        let number = u8::try_from(self.number(tag::ORIENTATION)?).ok()?;
        (1..=8).contains(&number).then_some(number)
    }

    /// Width and height in the first directory.
    pub fn dimensions(&self) -> Option<(u32, u32)> {
        self.number(tag::WIDTH).zip(self.number(tag::HEIGHT))
    }

    pub fn write(&self, extraction: &mut ExtractionBuilder) {
        if let Some(date) = DATES.iter().find_map(|tags| self.date(*tags)) {
            extraction.date("photo.taken-at", date);
        }
        for (key, number) in [
            ("photo.make", tag::MAKE),
            ("photo.model", tag::MODEL),
            ("photo.lens", tag::LENS_MODEL),
        ] {
            extraction.text(key, &self.text(false, number).unwrap_or_default());
        }
        let sensitivity = match self.number(tag::SENSITIVITY) {
            Some(SENSITIVITY_OVERFLOW) | None => self.number(tag::RECOMMENDED_EXPOSURE_INDEX),
            number => number,
        };
        extraction.positive(
            "photo.iso",
            sensitivity.or_else(|| self.number(tag::SENSITIVITY)).unwrap_or(0),
        );
        for (key, number) in [
            ("photo.aperture", tag::F_NUMBER),
            ("photo.exposure-time", tag::EXPOSURE_TIME),
            ("photo.focal-length", tag::FOCAL_LENGTH),
        ] {
            // Cameras write 0 for unknown values, as for a lens without contacts.
            if let Some((numerator, denominator)) =
                self.fraction(number).filter(|(numerator, _)| *numerator > 0)
            {
                extraction.rational(key, numerator, denominator);
            }
        }
        if let Some(orientation) = self.orientation() {
            extraction.integer("photo.orientation", orientation.into());
        }
        if let Some(rating) = self.number(tag::RATING).filter(|number| *number <= 5) {
            extraction.integer("photo.rating", rating.into());
        }
        self.write_location(extraction);
    }

    fn write_location(&self, extraction: &mut ExtractionBuilder) {
        let latitude = self.angle(tag::LATITUDE, tag::LATITUDE_REF, b'S', 90.0);
        let longitude = self.angle(tag::LONGITUDE, tag::LONGITUDE_REF, b'W', 180.0);
        if let Some(latitude) = latitude {
            extraction.real("photo.gps-latitude", latitude);
        }
        if let Some(longitude) = longitude {
            extraction.real("photo.gps-longitude", longitude);
        }
        if let Some(altitude) = self.real(true, tag::ALTITUDE, 0) {
            let is_below = match self.fields.get(&(true, tag::ALTITUDE_REF)) {
                Some(Value::Byte(bytes) | Value::Undefined(bytes, _)) => bytes.first() == Some(&1),
                _ => false,
            };
            extraction.real("photo.gps-altitude", if is_below { -altitude } else { altitude });
        }
    }

    /// Degrees, minutes and seconds as degrees, with the sign of the reference.
    fn angle(&self, number: u16, reference: u16, negative: u8, limit: f64) -> Option<f64> {
        let mut angle = self.real(true, number, 0)?;
        angle += self.real(true, number, 1).unwrap_or(0.0) / 60.0;
        angle += self.real(true, number, 2).unwrap_or(0.0) / 3600.0;
        let sign = self
            .text(true, reference)
            .and_then(|text| text.trim().bytes().next());
        let is_negative = sign.is_some_and(|sign| sign.eq_ignore_ascii_case(&negative));
        Some(if is_negative { -angle } else { angle }).filter(|angle| angle.abs() <= limit)
    }

    fn real(&self, is_gps: bool, number: u16, index: usize) -> Option<f64> {
        let real = match self.fields.get(&(is_gps, number))? {
            Value::Rational(list) => list.get(index)?.to_f64(),
            Value::SRational(list) => list.get(index)?.to_f64(),
            Value::Double(list) => *list.get(index)?,
            Value::Float(list) => f64::from(*list.get(index)?),
            _ => return None,
        };
        real.is_finite().then_some(real)
    }

    fn number(&self, number: u16) -> Option<u32> {
        match self.fields.get(&(false, number))? {
            // Some programs use signed types everywhere.
            Value::SLong(list) => u32::try_from(*list.first()?).ok(),
            Value::SShort(list) => u32::try_from(*list.first()?).ok(),
            value => value.get_uint(0),
        }
    }

    fn fraction(&self, number: u16) -> Option<(i64, i64)> {
        match self.fields.get(&(false, number))? {
            Value::Rational(list) => list.first().map(|value| (value.num.into(), value.denom.into())),
            Value::SRational(list) => list.first().map(|value| (value.num.into(), value.denom.into())),
            _ => self.number(number).map(|number| (number.into(), 1)),
        }
    }

    /// A text in UTF-8, else in Latin-1, which old cameras used.
    fn text(&self, is_gps: bool, number: u16) -> Option<String> {
        let bytes = match self.fields.get(&(is_gps, number))? {
            Value::Ascii(parts) => parts.first()?,
            Value::Undefined(bytes, _) | Value::Byte(bytes) => bytes,
            _ => return None,
        };
        let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        Some(match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        })
    }

    fn date(&self, [date, sub_second, offset]: [u16; 3]) -> Option<PartialDate> {
        let date = self.text(false, date)?;
        let fraction: String = self
            .text(false, sub_second)
            .unwrap_or_default()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>();
        let offset = self.text(false, offset).unwrap_or_default();
        let date = date.trim();
        let date = date.get(..19).unwrap_or(date);
        let text = if fraction.is_empty() {
            date.to_owned()
        } else {
            format!("{date}.{fraction}")
        };
        parse_date(&format!("{text}{}", offset.trim()))
    }
}
