//! Audio in transport streams, identified by types, descriptors and frames.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use svc_plugin_api::Source;
use video::{Kind, Stream};

/// Packs values of these widths, highest bit first, followed by more bytes.
fn packed(parts: &[(u32, u32)]) -> Vec<u8> {
    let bits = parts
        .iter()
        .flat_map(|(value, count)| (0..*count).rev().map(move |place| (value >> place & 1) as u8));
    let bits: Vec<u8> = bits.collect();
    let bytes = bits.chunks(8);
    let mut bytes: Vec<u8> = bytes
        .map(|byte| {
            byte.iter()
                .chain(&[0; 8])
                .take(8)
                .fold(0, |all, bit| all << 1 | bit)
        })
        .collect();
    bytes.extend([0; 32]);
    bytes
}

/// A core with 5.1 channels at 48 kHz.
fn dts() -> Vec<u8> {
    packed(&[
        (0x7ffe_8001, 32),
        (0xfc, 7),
        (15, 7),
        (1023, 14),
        (9, 6),
        (13, 4),
        (0, 15),
        (2, 2),
    ])
}

/// 5.1 at 48 kHz.
fn ac3() -> Vec<u8> {
    [&[0x0b, 0x77, 0, 0, 0x1e, 0x40, 0xe1, 0, 0][..], &[0; 32]].concat()
}

/// Stereo at 48 kHz: type, substream, size, rate, blocks, mode.
fn eac3() -> Vec<u8> {
    packed(&[
        (0x0b77, 16),
        (0, 5),
        (100, 11),
        (0, 2),
        (3, 2),
        (2, 3),
        (0, 1),
        (16, 5),
    ])
}

/// 5.1 channels at 96 kHz.
fn truehd() -> Vec<u8> {
    packed(&[
        (0, 32),
        (0xf872_6fba, 32),
        (1, 4),
        (0, 4),
        (0, 4),
        (0b0_1111, 5),
        (0, 2),
        (0, 13),
    ])
}

/// Stereo at 48 kHz in 16 bits.
fn disc_samples() -> Vec<u8> {
    [&[0, 240, 0x31, 0x40][..], &[0; 64]].concat()
}

fn packet(pid: u16, payload: &[u8]) -> Vec<u8> {
    let room = 184 - payload.len();
    let mut packet = vec![0x47];
    packet.extend((pid | 0x4000).to_be_bytes());
    packet.push(0x30);
    packet.push(room as u8 - 1);
    packet.push(0);
    packet.resize(4 + room, 0xff);
    packet.extend(payload);
    packet
}

/// A section with an invalid number and checksum, which are not verified.
fn section(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u16 + 9) | 0xb000;
    [
        &[0, kind][..],
        &length.to_be_bytes(),
        &[0, 1, 0xc1, 0, 0],
        body,
        &[0; 4],
    ]
    .concat()
}

/// The stated type of a stream, and its content.
struct AudioStream {
    kind: u8,
    descriptors: Vec<u8>,
    frame: Vec<u8>,
}

fn audio(kind: u8, descriptors: &[&[u8]], frame: Vec<u8>) -> AudioStream {
    AudioStream {
        kind,
        descriptors: descriptors.concat(),
        frame,
    }
}

/// A file with packets of these streams; `program` are the descriptors of the program.
fn file(program: &[u8], audio_streams: &[AudioStream]) -> Vec<u8> {
    let mut body = [
        0xe101_u16.to_be_bytes(),
        (program.len() as u16 | 0xf000).to_be_bytes(),
    ]
    .concat();
    body.extend(program);
    for (index, audio) in audio_streams.iter().enumerate() {
        body.push(audio.kind);
        body.extend((0xe101 + index as u16).to_be_bytes());
        body.extend((audio.descriptors.len() as u16 | 0xf000).to_be_bytes());
        body.extend(&audio.descriptors);
    }
    let mut file = [
        packet(0, &section(0, &[0, 1, 0xe1, 0])),
        packet(0x100, &section(2, &body)),
    ]
    .concat();
    for time in 0..3_u8 {
        for (index, audio) in audio_streams.iter().enumerate() {
            let header = [0, 0, 1, 0xbd, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1 | time << 4, 0, 1];
            file.extend(packet(
                0x101 + index as u16,
                &[&header[..], &audio.frame].concat(),
            ));
        }
    }
    file
}

fn streams(bytes: Vec<u8>) -> Vec<Stream> {
    let mut source = Source::from_bytes("a.ts", bytes);
    let found = video::read(&mut source).unwrap();
    assert!(source.host_reads() <= 4, "{} reads", source.host_reads());
    found.streams
}

/// Codec, channels, sample rate, language.
fn describe(stream: &Stream) -> (&str, Option<u32>, Option<u32>, Option<&str>) {
    assert_eq!(stream.kind, Kind::Audio);
    (
        &stream.codec,
        stream.channels,
        stream.sample_rate,
        stream.language.as_deref(),
    )
}

const GERMAN: &[u8] = b"\x0a\x04ger\0";
const ENGLISH: &[u8] = b"\x0a\x04eng\0";
const DISC: &[u8] = b"\x05\x04HDMV";

#[test]
fn audio_of_discs_is_identified_by_type() {
    let audio_streams = [
        audio(0x80, &[], disc_samples()),
        audio(0x81, &[GERMAN], ac3()),
        audio(0x82, &[ENGLISH], dts()),
        audio(0x83, &[], truehd()),
        audio(0x84, &[], eac3()),
        audio(0x85, &[], dts()),
        audio(0x86, &[GERMAN], dts()),
        audio(0xa1, &[], eac3()),
        audio(0xa2, &[], dts()),
    ];
    let found = streams(file(DISC, &audio_streams));
    let six = (Some(6), Some(48_000));
    let two = (Some(2), Some(48_000));
    let expected = [
        ("pcm_bluray", two.0, two.1, None),
        ("ac3", six.0, six.1, Some("de")),
        ("dts", six.0, six.1, Some("en")),
        ("truehd", Some(6), Some(96_000), None),
        ("eac3", two.0, two.1, None),
        ("dts", six.0, six.1, None),
        ("dts", six.0, six.1, Some("de")),
        ("eac3", two.0, two.1, None),
        ("dts", six.0, six.1, None),
    ];
    assert_eq!(found.iter().map(describe).collect::<Vec<_>>(), expected);
}

#[test]
fn private_types_without_registration_are_identified_by_content() {
    // As muxers write them that register no format; elsewhere 0x86 is a splice section.
    let audio_streams = [
        audio(0x82, &[GERMAN], dts()),
        audio(0x85, &[], dts()),
        audio(0x86, &[], dts()),
        audio(0x8a, &[], dts()),
        audio(0xa2, &[], dts()),
        audio(0x83, &[], truehd()),
        audio(0x84, &[], eac3()),
        audio(0x87, &[], eac3()),
        audio(0x06, &[ENGLISH], ac3()),
        audio(0x86, &[], vec![0xfc, 0x30, 0x11, 0, 0, 0, 0, 0, 0, 0]),
        audio(0xc0, &[], [&[0x41; 50][..], &ac3()].concat()),
    ];
    let found = streams(file(&[], &audio_streams));
    let codecs: Vec<_> = found.iter().map(|stream| describe(stream).0).collect();
    assert_eq!(
        codecs,
        ["dts", "dts", "dts", "dts", "dts", "truehd", "eac3", "eac3", "ac3"]
    );
    assert_eq!(describe(&found[0]), ("dts", Some(6), Some(48_000), Some("de")));
    assert_eq!(describe(&found[8]), ("ac3", Some(6), Some(48_000), Some("en")));
}

#[test]
fn private_streams_are_known_by_their_descriptors() {
    let opus = |configuration: u8| [0x05, 4, b'O', b'p', b'u', b's', 0x7f, 2, 0x80, configuration];
    let audio_streams = [
        audio(0x06, &[b"\x05\x04DTS1"], dts()),
        audio(0x06, &[b"\x05\x04DTS2", GERMAN], dts()),
        audio(0x06, &[b"\x7b\x05\0\0\0\0\0", ENGLISH], dts()),
        audio(0x06, &[b"\x7f\x02\x0e\0"], dts()),
        audio(0x06, &[GERMAN, b"\x6a\x01\0"], ac3()),
        audio(0x06, &[b"\x05\x04AC-3"], ac3()),
        audio(0x06, &[b"\x7a\x01\0", b"\x0a\x04qaa\0"], eac3()),
        audio(0x06, &[b"\x05\x04EAC3"], eac3()),
        audio(0x06, &[&opus(6)], vec![0x7f, 0xe0, 0, 0, 0, 0, 0, 0]),
        audio(
            0x06,
            &[&opus(0), b"\x0a\x04fra\0"],
            vec![0x7f, 0xe0, 0, 0, 0, 0, 0, 0],
        ),
    ];
    let found = streams(file(&[], &audio_streams));
    let six = (Some(6), Some(48_000));
    let two = (Some(2), Some(48_000));
    let expected = [
        ("dts", six.0, six.1, None),
        ("dts", six.0, six.1, Some("de")),
        ("dts", six.0, six.1, Some("en")),
        ("dts", six.0, six.1, None),
        ("ac3", six.0, six.1, Some("de")),
        ("ac3", six.0, six.1, None),
        ("eac3", two.0, two.1, None),
        ("eac3", two.0, two.1, None),
        ("opus", six.0, six.1, None),
        ("opus", two.0, two.1, Some("fr")),
    ];
    assert_eq!(found.iter().map(describe).collect::<Vec<_>>(), expected);
}

#[test]
fn damaged_transport_streams_end() {
    let audio_streams = || {
        [
            audio(0x82, &[GERMAN], dts()),
            audio(0x06, &[b"\x05\x04Opus\x7f\x02\x80\x08"], vec![0; 20]),
            audio(0x83, &[], truehd()),
        ]
    };
    let whole = file(DISC, &audio_streams());
    for index in 0..whole.len() {
        for value in [0x00, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[index] = value;
            let _ = video::read(&mut Source::from_bytes("a.ts", bytes));
        }
        let _ = video::read(&mut Source::from_bytes("a.ts", whole[..index].to_vec()));
    }
}
