//! Hostile files: every call returns with little memory and few reads, whatever the bytes are.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod fixtures;

use fixtures::*;
use music::Music;
use svc_plugin_api::{Source, read_picture, run};

/// The most reads of the host for a small file.
const MAX_READS: u64 = 64;

fn survives(name: &str, bytes: &[u8]) {
    let mut source = Source::from_bytes(name, bytes.to_vec());
    let _ = run::<Music>(&mut source);
    assert!(
        source.host_reads() <= MAX_READS,
        "{name}: {} reads",
        source.host_reads()
    );
    let _ = read_picture::<Music>(&mut Source::from_bytes(name, bytes.to_vec()), 0);
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let picture = jpeg(1, 300);
    let id3 = id3v2(
        4,
        0,
        &[text(4, b"TIT2", "T"), frame(4, b"APIC", 0, &apic(3, &picture))],
    );
    let data = atom(
        b"data",
        &[&13_u32.to_be_bytes(), &[0; 4], picture.as_slice()].concat(),
    );
    let ilst = atom(b"ilst", &atom(b"covr", &data));
    let meta = atom(b"meta", &[&[0; 4], ilst.as_slice()].concat());
    let moov = atom(b"moov", &atom(b"udta", &meta));
    let info = riff_chunk(b"LIST", &[b"INFO".to_vec(), riff_chunk(b"INAM", b"T")].concat());
    let ape_tag = ape(&[("Title", 0, b"T"), ("Cover Art (Front)", 2, b"a\0\xff\xd8\xff")]);
    let flac = [
        b"fLaC".to_vec(),
        flac_block(0, false, &flac_stream_info(44_100)),
        flac_block(4, false, &comments(&["TITLE=T"])),
        flac_block(6, true, &flac_picture(&picture)),
    ];
    vec![
        ("a.mp3", [id3.clone(), mp3_frames(3)].concat()),
        ("b.mp3", [mp3_frames(2), ape_tag].concat()),
        ("a.flac", flac.concat()),
        ("a.m4a", [atom(b"ftyp", b"M4A \0\0\0\0M4A "), moov].concat()),
        (
            "a.wav",
            [b"RIFF\0\0\0\0WAVEid3 \xff\xff\xff\x7f".to_vec(), id3.clone()].concat(),
        ),
        (
            "a.aiff",
            [b"FORM\0\0\0\0AIFFID3 \x7f\xff\xff\xff".to_vec(), id3.clone()].concat(),
        ),
        (
            "a.ogg",
            [
                b"OggS\0\x02\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x1e\x01vorbis".to_vec(),
                vec![0; 40],
            ]
            .concat(),
        ),
        (
            "a.wma",
            [containers::asf::HEADER.to_vec(), vec![0xff; 64]].concat(),
        ),
        ("a.dsf", [b"DSD ".to_vec(), vec![0xff; 80]].concat()),
        ("a.wv", [b"wvpk".to_vec(), vec![0xff; 80]].concat()),
        ("a.ape", [b"MAC ".to_vec(), vec![0xff; 80]].concat()),
        ("a.mpc", [b"MPCKSH".to_vec(), vec![0xff; 80]].concat()),
        ("c.wav", wav(&[info, riff_chunk(b"id3 ", &id3)])),
        (
            "b.aiff",
            aiff(&[aiff_chunk(b"NAME", b"T"), aiff_chunk(b"ID3 ", &id3)]),
        ),
        (
            "b.ogg",
            [
                ogg_page(1, 2, 0, &vorbis_head(44_100)),
                ogg_page(
                    1,
                    0,
                    0,
                    &[b"\x03vorbis", comments(&["TITLE=T", "ARTIST=A"]).as_slice()].concat(),
                ),
                ogg_page(1, 4, 44_100, b"x"),
            ]
            .concat(),
        ),
        ("a.aac", [0xff, 0xf1, 0x50, 0x80, 0x00, 0xff, 0xfc].repeat(20)),
        ("b.aac", [0xff, 0xf1, 0x50, 0x80, 0x00, 0x1f, 0xfc].repeat(20)),
    ]
}

#[test]
fn truncated_at_every_boundary_ends() {
    for (name, bytes) in samples() {
        for length in 0..bytes.len().min(1200) {
            survives(name, &bytes[..length]);
        }
    }
}

#[test]
fn every_byte_at_its_extremes_ends() {
    for (name, bytes) in samples() {
        for index in 0..bytes.len().min(700) {
            for value in [0x00, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[index] = value;
                survives(name, &bytes);
            }
        }
    }
}

#[test]
fn atoms_nested_without_end_end() {
    let mut file = atom(b"data", &[]);
    for _ in 0..5000 {
        file = atom(b"moov", &file);
    }
    survives("a.m4a", &[atom(b"ftyp", b"M4A \0\0\0\0"), file].concat());
}

#[test]
fn wrong_kind_of_file_is_refused() {
    let result = run::<Music>(&mut Source::from_bytes(
        "a.txt",
        b"hello, this is a text".to_vec(),
    ));
    assert!(matches!(result, Err(svc_plugin_api::ExtractError::Refused(_))));
}

/// A pseudo-random generator with a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % most
    }
}

/// Set to the seed that a failed run printed, to reproduce it.
const SEED: Option<u64> = None;

#[test]
fn bytes_changed_at_random_end() {
    use std::hash::{BuildHasher, RandomState};
    let seed = SEED.unwrap_or_else(|| RandomState::new().hash_one("seed") | 1);
    println!("const SEED: Option<u64> = Some({seed});");
    let mut chance = Chance(seed);
    let interesting = [0, 1, 0x20, 0x3d, 0x7f, 0x80, 0xfe, 0xff, b'T', b'A'];
    for (name, bytes) in samples() {
        for _ in 0..300 {
            let mut bytes = bytes.clone();
            for _ in 0..=chance.below(8) {
                // Headers are at the start and at the end.
                let near = chance.below(bytes.len().min(700));
                let place = [near, bytes.len() - 1 - near][chance.below(2)];
                bytes[place] = if chance.below(2) == 0 {
                    interesting[chance.below(interesting.len())]
                } else {
                    chance.below(256) as u8
                };
            }
            if chance.below(4) == 0 {
                bytes.truncate(chance.below(bytes.len()));
            }
            survives(name, &bytes);
        }
    }
}
