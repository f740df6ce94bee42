//! Files made in code: MP4 with both kinds of chapters, MP3 with an ID3 tag, FLAC with comments.
#![allow(dead_code, unreachable_pub, reason = "every test file uses some of it")]

use audiobooks::Audiobooks;
use svc_plugin_api::{Extraction, Source, Value, run};

pub const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

pub fn atom(name: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let mut bytes = (content.len() as u32 + 8).to_be_bytes().to_vec();
    bytes.extend(name);
    bytes.extend(content);
    bytes
}

fn be(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// An M4B file: tags by atom or free name, chapters (start in ms, title) of the text track and of the list.
#[derive(Default)]
pub struct Mp4 {
    pub seconds: u32,
    pub atoms: Vec<(&'static [u8; 4], &'static str)>,
    pub free: Vec<(&'static str, &'static str)>,
    pub track: Vec<(u32, &'static str)>,
    pub list: Vec<(u32, &'static str)>,
    pub cover: bool,
    /// Number of the track and of the disc.
    pub place: Option<(u16, u16)>,
}

impl Mp4 {
    pub fn bytes(&self) -> Vec<u8> {
        let start = atom(b"ftyp", &[b"M4B \0\0\0\0M4B mp42isom"]);
        // The titles are the media data.
        let texts: Vec<Vec<u8>> = self
            .track
            .iter()
            .map(|(_, title)| [&(title.len() as u16).to_be_bytes(), title.as_bytes()].concat())
            .collect();
        let data = atom(b"mdat", &[&texts.concat()]);
        let first = start.len() as u32 + 8;
        let chapters = if texts.is_empty() {
            Vec::new()
        } else {
            self.text_track(&texts, first)
        };
        let refers = if texts.is_empty() {
            Vec::new()
        } else {
            atom(b"tref", &[&atom(b"chap", &[&be(&[2])])])
        };
        let description = [
            be(&[0, 1]),
            atom(
                b"mp4a",
                &[
                    &[0; 6],
                    &[0, 1],
                    &[0; 8],
                    &[0, 2, 0, 16, 0, 0, 0, 0],
                    &be(&[44_100 << 16]),
                ],
            ),
        ]
        .concat();
        let audio_table = atom(
            b"stbl",
            &[&atom(b"stsd", &[&description]), &atom(b"stts", &[&be(&[0, 0])])],
        );
        let sound = track(1, 44_100, self.seconds, b"soun", &audio_table, &refers);
        let header = atom(b"mvhd", &[&be(&[0, 0, 0, 1000, self.seconds * 1000]), &[0; 80]]);
        let movie = atom(b"moov", &[&header, &sound, &chapters, &self.user_data()]);
        [start, data, movie].concat()
    }

    fn text_track(&self, texts: &[Vec<u8>], first: u32) -> Vec<u8> {
        let ends = self
            .track
            .iter()
            .skip(1)
            .map(|(start, _)| *start)
            .chain([self.seconds * 1000]);
        let times = self
            .track
            .iter()
            .zip(ends)
            .flat_map(|((start, _), end)| [1, end - start]);
        let times: Vec<u32> = [0, texts.len() as u32].into_iter().chain(times).collect();
        let sizes = texts.iter().map(|text| text.len() as u32);
        let sizes: Vec<u32> = [0, 0, texts.len() as u32].into_iter().chain(sizes).collect();
        // Two samples in the first chunk, the rest in the second.
        let second = first + texts.iter().take(2).map(|text| text.len() as u32).sum::<u32>();
        let table = atom(
            b"stbl",
            &[
                &atom(b"stts", &[&be(&times)]),
                &atom(b"stsz", &[&be(&sizes)]),
                &atom(b"stsc", &[&be(&[0, 2, 1, 2, 1, 2, 1000, 1])]),
                &atom(b"stco", &[&be(&[0, 2, first, second])]),
            ],
        );
        track(2, 1000, self.seconds, b"text", &table, &[])
    }

    fn user_data(&self) -> Vec<u8> {
        let data = |kind: u32, content: &[u8]| atom(b"data", &[&be(&[kind, 0]), content]);
        let mut items: Vec<Vec<u8>> = self
            .atoms
            .iter()
            .map(|(name, text)| atom(name, &[&data(1, text.as_bytes())]))
            .collect();
        for (name, text) in &self.free {
            let mean = atom(b"mean", &[&[0; 4], b"com.apple.iTunes"]);
            let name = atom(b"name", &[&[0; 4], name.as_bytes()]);
            items.push(atom(b"----", &[&mean, &name, &data(1, text.as_bytes())]));
        }
        if let Some((number, disc)) = self.place {
            for (name, number) in [(b"trkn", number), (b"disk", disc)] {
                let [high, low] = number.to_be_bytes();
                items.push(atom(name, &[&data(0, &[0, 0, high, low, 0, 9, 0, 0])]));
            }
        }
        if self.cover {
            items.push(atom(b"covr", &[&data(14, PICTURE)]));
        }
        let handler = atom(b"hdlr", &[&[0; 8], b"mdirappl", &[0; 9]]);
        let meta = atom(b"meta", &[&[0; 4], &handler, &atom(b"ilst", &[&items.concat()])]);
        let mut list = vec![1, 0, 0, 0, 0, 0, 0, 0, self.list.len() as u8];
        for (start, title) in &self.list {
            list.extend((u64::from(*start) * 10_000).to_be_bytes());
            list.push(title.len() as u8);
            list.extend(title.as_bytes());
        }
        let list = if self.list.is_empty() {
            Vec::new()
        } else {
            atom(b"chpl", &[&list])
        };
        atom(b"udta", &[&list, &meta])
    }
}

fn track(id: u32, scale: u32, seconds: u32, kind: &[u8; 4], table: &[u8], refers: &[u8]) -> Vec<u8> {
    let header = atom(b"tkhd", &[&be(&[0, 0, 0, id, 0, seconds * 1000]), &[0; 60]]);
    let media_header = atom(b"mdhd", &[&be(&[0, 0, 0, scale, seconds * scale, 0])]);
    let handler = atom(b"hdlr", &[&[0; 8], kind, &[0; 13]]);
    let media = atom(b"mdia", &[&media_header, &handler, &atom(b"minf", &[table])]);
    atom(b"trak", &[&header, refers, &media])
}

/// An ID3v2.4 tag of text frames, `TXXX` frames (`name=value`), chapters and a picture, before `seconds` of silence.
pub fn mp3(texts: &[(&str, &str)], chapters: &[(u32, u32, &str)], picture: bool, seconds: u32) -> Vec<u8> {
    let frame = |id: &str, content: &[u8]| {
        let length = content.len() as u32;
        let mut bytes = id.as_bytes().to_vec();
        bytes.extend([21, 14, 7, 0].map(|shift| (length >> shift) as u8 & 0x7f));
        bytes.extend([0, 0]);
        bytes.extend(content);
        bytes
    };
    let mut frames = Vec::new();
    for (id, text) in texts {
        let content = match id.strip_prefix("TXXX:") {
            Some(name) => format!("\u{3}{name}\0{text}"),
            None => format!("\u{3}{text}"),
        };
        frames.extend(frame(id.get(..4).unwrap(), content.as_bytes()));
    }
    for (number, (start, end, title)) in chapters.iter().enumerate() {
        let mut content = format!("ch{number}\0").into_bytes();
        content.extend(be(&[*start, *end, u32::MAX, u32::MAX]));
        content.extend(frame("TIT2", format!("\u{3}{title}").as_bytes()));
        frames.extend(frame("CHAP", &content));
    }
    if picture {
        frames.extend(frame("APIC", &[b"\x03image/png\0\x03\0", PICTURE].concat()));
    }
    let length = frames.len() as u32;
    let mut bytes = b"ID3\x04\0\0".to_vec();
    bytes.extend([21, 14, 7, 0].map(|shift| (length >> shift) as u8 & 0x7f));
    bytes.extend(frames);
    // MPEG 1, layer III, 128 kbit/s, 44.1 kHz: 1152 samples in 417 bytes.
    for _ in 0..(u64::from(seconds) * 44_100).div_ceil(1152) {
        bytes.extend([0xff, 0xfb, 0x90, 0x00]);
        bytes.extend([0; 413]);
    }
    bytes
}

/// A FLAC file of this length with comments.
pub fn flac(comments: &[&str], seconds: u32) -> Vec<u8> {
    let mut bytes = b"fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0\0\0".to_vec();
    // 44.1 kHz, two channels, 16 bits, and the number of samples.
    bytes.extend([0x0a, 0xc4, 0x42, 0xf0]);
    bytes.extend((seconds * 44_100).to_be_bytes());
    bytes.extend([0; 16]);
    let mut list = 0_u32.to_le_bytes().to_vec();
    list.extend((comments.len() as u32).to_le_bytes());
    for comment in comments {
        list.extend((comment.len() as u32).to_le_bytes());
        list.extend(comment.as_bytes());
    }
    bytes.push(0x84);
    bytes.extend(&(list.len() as u32).to_be_bytes()[1..]);
    bytes.extend(list);
    bytes
}

pub fn source(path: &str, bytes: Vec<u8>) -> Source {
    let mut folders: Vec<&str> = path.split('/').collect();
    let name = folders.pop().unwrap();
    Source::from_bytes(name, bytes).with_folders(folders)
}

pub fn extract(path: &str, bytes: Vec<u8>) -> Extraction {
    run::<Audiobooks>(&mut source(path, bytes)).unwrap().unwrap()
}

/// A field of the plugin, or one with its whole key, as text: `-` if it is missing, several texts joined by `|`.
pub fn value(extraction: &Extraction, key: &str) -> String {
    let part = |part: Option<u8>| part.map(|part| format!("-{part:02}")).unwrap_or_default();
    let own = format!("x.audiobooks.{key}");
    match extraction.value(if key.contains('.') { key } else { &own }) {
        None => "-".to_owned(),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Texts(texts)) => texts.join("|"),
        Some(Value::Integer(integer)) => integer.to_string(),
        Some(Value::Real(real)) => real.to_string(),
        Some(Value::Date(date)) => format!("{}{}{}", date.year, part(date.month), part(date.day)),
        Some(other) => format!("{other:?}"),
    }
}

/// The chapters as start, end and title.
pub fn chapters(extraction: &Extraction) -> Vec<(u64, Option<u64>, String)> {
    let Some(Value::Texts(chapters)) = extraction.value("item.chapters") else {
        return Vec::new();
    };
    let parse = |text: &String| {
        let chapter: serde_json::Value = serde_json::from_str(text).unwrap();
        let title = chapter["title"].as_str().unwrap_or("-").to_owned();
        (
            chapter["startMs"].as_u64().unwrap(),
            chapter["endMs"].as_u64(),
            title,
        )
    };
    chapters.iter().map(parse).collect()
}
