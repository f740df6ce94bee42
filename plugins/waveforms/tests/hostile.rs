//! Hostile files: every call returns, whatever the bytes are.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use svc_plugin_api::Source;
use waveforms::Waveforms;

/// The most reads of the host for a small file: two passes and the headers before each.
const MAX_READS: u64 = 300;

fn survives(name: &str, bytes: &[u8]) {
    let mut source = Source::from_bytes(name, bytes.to_vec());
    let _ = svc_plugin_api::analyze::<Waveforms>(&mut source, 64);
    assert!(
        source.host_reads() <= MAX_READS,
        "{name}: {} reads",
        source.host_reads()
    );
}

/// Starts of files whose sizes and counts are then changed.
fn beginnings() -> Vec<(&'static str, Vec<u8>)> {
    let zeros = [0_u8; 64];
    let box_of =
        |name: &[u8; 4], body: &[u8]| [&(body.len() as u32 + 8).to_be_bytes(), &name[..], body].concat();
    vec![
        ("a.wav", [b"RIFF\x64\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x44\xac\0\0\x10\xb1\x02\0\x04\0\x10\0data\x40\0\0\0".as_slice(), &zeros].concat()),
        ("a.wav", [b"RIFF\x64\0\0\0WAVEfmt \x10\0\0\0\x55\0\x02\0\x44\xac\0\0\x10\xb1\x02\0\x04\0\x10\0data\x40\0\0\0\xff\xfb\x90\x44".as_slice(), &zeros].concat()),
        ("a.aiff", [b"FORM\0\0\0\x80AIFFCOMM\0\0\0\x12\0\x02\0\0\0\x10\0\x10\x40\x0e\xac\x44\0\0\0\0\0\0SSND\0\0\0\x48\0\0\0\0\0\0\0\0".as_slice(), &zeros].concat()),
        ("a.flac", [b"fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0a\xc4\x42\xf0\0\0\x10\0".as_slice(), &[0; 16], b"\x84\0\0\x04\0\0\0\0\xff\xf8\x79\x18\0", &zeros].concat()),
        ("a.mp3", [b"\xff\xfb\x90\x44".as_slice(), &[0; 413], b"\xff\xfb\x90\x44", &[0; 413]].concat()),
        ("a.aac", [b"\xff\xf1\x50\x80\x02\x1f\xfc\x21".as_slice(), &zeros, b"\xff\xf1\x50\x80\x02\x1f\xfc", &zeros].concat()),
        ("a.opus", [b"OggS\0\x02".as_slice(), &[0; 8], b"\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead\x01\x02\x38\x01\x80\xbb\0\0\0\0\0", &zeros].concat()),
        ("a.m4a", [box_of(b"ftyp", b"M4A \0\0\0\0"), box_of(b"moov", &box_of(b"trak", &[box_of(b"mdia", &[box_of(b"hdlr", b"\0\0\0\0\0\0\0\0soun"), box_of(b"mdhd", &zeros)].concat()), box_of(b"edts", &box_of(b"elst", b"\0\0\0\0\xff\xff\xff\xff\0\0\0\x01\x7f\xff\xff\xff\0\x01\0\0"))].concat()))].concat()),
        ("a.ape", [b"MAC \x96\x0f\0\0\x34\0\0\0\x18\0\0\0\x04\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\0".as_slice(), &[0; 16], b"\xd0\x07\x20\0\0\x20\x01\0\x10\0\0\0\x01\0\0\0\x10\0\x02\0\x44\xac\0\0\x50\0\0\0", &zeros].concat()),
        ("a.wv", [b"wvpk\x58\0\0\0\x10\x04\0\0\x10\0\0\0\0\0\0\0\x10\0\0\0\x01\x18\x80\x04\0\0\0\0\x05\x06".as_slice(), &zeros, &zeros].concat()),
    ]
}

#[test]
fn beginnings_cut_anywhere_end() {
    for (name, bytes) in beginnings() {
        for length in 0..bytes.len() {
            survives(name, &bytes[..length]);
        }
    }
}

#[test]
fn beginnings_with_any_byte_at_its_extremes_end() {
    for (name, bytes) in beginnings() {
        for at in 0..bytes.len().min(200) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                survives(name, &changed);
            }
        }
    }
}

#[test]
fn noise_after_each_file_start_returns() {
    // A linear congruential generator: the same sequence on every machine.
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    for (name, bytes) in beginnings() {
        for kept in [8, 24, 44, 64, bytes.len()] {
            let mut changed = bytes[..kept.min(bytes.len())].to_vec();
            changed.extend((0..20_000).map(|_| noise()));
            survives(name, &changed);
        }
    }
}
