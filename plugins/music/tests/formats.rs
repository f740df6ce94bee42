//! Audio properties of unusual files: interrupted recordings, streams, output of old programs, rare containers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod fixtures;

use fixtures::*;
use music::Music;
use svc_plugin_api::{Extraction, Source, Value, read_picture, run};

fn extract(name: &str, bytes: Vec<u8>) -> Extraction {
    run::<Music>(&mut Source::from_bytes(name, bytes))
        .unwrap_or_else(|failure| panic!("{name}: {failure:?}"))
        .unwrap()
}

fn text(extraction: &Extraction, key: &str) -> String {
    match extraction.value(key) {
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Integer(number)) => number.to_string(),
        Some(Value::Texts(texts)) => texts.join(" | "),
        _ => String::new(),
    }
}

fn sound(name: &str, bytes: Vec<u8>) -> (String, String, u64) {
    let extraction = extract(name, bytes);
    (
        text(&extraction, "audio.codec"),
        text(&extraction, "audio.sample-rate"),
        extraction.duration_ms.unwrap_or(0),
    )
}

fn properties(codec: &str, rate: &str, ms: u64) -> (String, String, u64) {
    (codec.to_owned(), rate.to_owned(), ms)
}

#[test]
fn wave_of_an_interrupted_recorder_lasts_as_long_as_its_data() {
    for size in [0, 1, u32::MAX, 1_000_000] {
        let mut file = wav(&[]);
        let data = file.windows(4).position(|window| window == b"data").unwrap();
        file[data + 4..data + 8].copy_from_slice(&size.to_le_bytes());
        file[4..8].copy_from_slice(&size.to_le_bytes());
        let expected = if size == 1 { 0 } else { 1000 };
        assert_eq!(
            sound("a.bwf", file),
            properties("pcm", "8000", expected),
            "{size}"
        );
    }
    // A size of 0 is meant if a chunk follows.
    let empty = [
        b"WAVE".to_vec(),
        wav_format(1),
        riff_chunk(b"data", b""),
        riff_chunk(b"LIST", b"INFO"),
    ];
    assert_eq!(sound("a.wav", riff_chunk(b"RIFF", &empty.concat())).2, 0);
}

#[test]
fn wave_of_64_bits_has_its_sizes_in_a_chunk_of_its_own() {
    let sizes = [20_000_u64, 16_000, 8_000].map(u64::to_le_bytes).concat();
    let sizes = riff_chunk(b"ds64", &[sizes.as_slice(), &[0; 4]].concat());
    let tag = riff_chunk(b"id3 ", &id3v2(4, 0, &[fixtures::text(4, b"TIT2", "T")]));
    for magic in [b"RF64", b"BW64"] {
        let mut file = [
            magic.as_slice(),
            &[0xff; 4],
            b"WAVE",
            &sizes,
            &wav(std::slice::from_ref(&tag))[12..],
        ]
        .concat();
        let data = file.windows(4).position(|window| window == b"data").unwrap();
        file[data + 4..data + 8].copy_from_slice(&[0xff; 4]);
        assert_eq!(extract("a.rf64", file.clone()).title.as_deref(), Some("T"));
        assert_eq!(sound("a.wav", file), properties("pcm", "8000", 1000));
    }
}

#[test]
fn wave64_is_read_with_any_sizes() {
    let chunk = |name: &[u8; 4], size: Option<u64>, body: &[u8]| {
        let size = size.unwrap_or(body.len() as u64 + 24).to_le_bytes();
        let guid = b"\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a";
        let filling = vec![0; body.len().wrapping_neg() % 8];
        [&name[..], guid, &size, body, &filling].concat()
    };
    let format = &wav_format(1)[8..];
    let whole = |data: Option<u64>, rest: &[u8]| {
        let sound = chunk(b"data", data, &[0; 16_000]);
        let head = b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0\0\0\0\0\0\0\0\0";
        let kind = b"wave\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a";
        [&head[..], kind, &chunk(b"fmt ", None, format), &sound, rest].concat()
    };
    let behind = chunk(b"fact", None, &8000_u64.to_le_bytes());
    assert_eq!(
        sound("a.w64", whole(None, &behind)),
        properties("pcm", "8000", 1000)
    );
    for size in [0, u64::MAX, 1 << 40] {
        assert_eq!(
            sound("a.w64", whole(Some(size), &[])),
            properties("pcm", "8000", 1000),
            "{size}"
        );
    }
    let file = whole(None, &behind);
    for length in 0..200 {
        let _ = run::<Music>(&mut Source::from_bytes("a.w64", file[..length].to_vec()));
    }
}

#[test]
fn adpcm_without_a_count_of_samples_lasts_by_its_blocks() {
    for codec in [0x02_u16, 0x11] {
        let mut format = wav_format(codec);
        // Blocks of 256 bytes with 505 samples each.
        format[4..8].copy_from_slice(&20_u32.to_le_bytes());
        format[20..22].copy_from_slice(&256_u16.to_le_bytes());
        format[22..24].copy_from_slice(&4_u16.to_le_bytes());
        format.extend([2, 0]);
        format.extend(505_u16.to_le_bytes());
        let body = |fact: &[u8]| {
            [
                b"WAVE",
                format.as_slice(),
                fact,
                &riff_chunk(b"data", &[0; 25_600]),
            ]
            .concat()
        };
        let blocks = riff_chunk(b"RIFF", &body(b""));
        assert_eq!(sound("a.wav", blocks), properties("adpcm", "8000", 6313));
        let counted = riff_chunk(b"RIFF", &body(&riff_chunk(b"fact", &50_000_u32.to_le_bytes())));
        assert_eq!(sound("a.wav", counted), properties("adpcm", "8000", 6250));
    }
}

#[test]
fn adts_with_the_escape_rate_is_aac_of_an_unknown_length() {
    let frame = |rate: u8| {
        let mut frame = vec![0xff, 0xf1, 0x40 | rate << 2, 0x80, 0x02, 0x1f, 0xfc];
        frame.resize(16, 0);
        frame
    };
    let tag = id3v2(4, 0, &[fixtures::text(4, b"TIT2", "T")]);
    let file = [tag, frame(15).repeat(20)].concat();
    assert_eq!(extract("a.adts", file.clone()).title.as_deref(), Some("T"));
    assert_eq!(sound("a.adts", file), properties("aac", "", 0));
    assert_eq!(
        sound("a.adts", frame(4).repeat(43)),
        properties("aac", "44100", 998)
    );
    // 13 and 14 are reserved.
    let reserved = Source::from_bytes("a.adts", frame(13).repeat(20));
    assert!(run::<Music>(&mut { reserved }).is_err());
}

#[test]
fn speex_of_before_1_0_has_its_rate_where_later_ones_have_it() {
    for (version, length) in [(0_u32, 80), (u32::MAX, 80), (1, 72), (1, 64)] {
        let mut head = b"Speex   0.8".to_vec();
        head.resize(28, 0);
        for number in [version, 72, 8000, 0, 3, 1, u32::MAX, 160] {
            head.extend(number.to_le_bytes());
        }
        head.resize(length, 0);
        let words = comments(&["TITLE=T"]);
        let file = [
            ogg_page(1, 2, 0, &head),
            ogg_page(1, 0, 0, &words),
            ogg_page(1, 4, 16_000, b"x"),
        ];
        assert_eq!(extract("a.spx", file.concat()).title.as_deref(), Some("T"));
        assert_eq!(sound("a.spx", file.concat()), properties("speex", "8000", 2000));
    }
}

fn vorbis(serial: u32, position: u64) -> [Vec<u8>; 3] {
    let words = [b"\x03vorbis", comments(&["TITLE=T"]).as_slice(), b"\x01"].concat();
    [
        ogg_page(serial, 2, 0, &vorbis_head(44_100)),
        ogg_page(serial, 0, 0, &words),
        ogg_page(serial, 4, position, b"x"),
    ]
}

#[test]
fn ogg_whose_last_page_is_of_another_stream_lasts_as_long_as_its_own() {
    let [head, words, last] = vorbis(1, 88_200);
    let other = [ogg_page(2, 2, 0, b"fishead\0"), ogg_page(2, 4, 7, b"x")];
    let page_without_end = ogg_page(1, 4, u64::MAX, b"y");
    let file = [&head, &other[0], &words, &last, &page_without_end, &other[1]];
    let file: Vec<u8> = file.into_iter().flatten().copied().collect();
    assert_eq!(sound("a.ogg", file), properties("vorbis", "44100", 2000));
    // Far from the end.
    let silence = ogg_page(2, 0, 0, &[0; 60_000]).repeat(20);
    let file = [&head, &other[0], &words, &last, &silence, &other[1]];
    let file: Vec<u8> = file.into_iter().flatten().copied().collect();
    assert_eq!(sound("a.ogg", file), properties("vorbis", "44100", 2000));
}

#[test]
fn chained_ogg_lasts_as_long_as_all_its_streams() {
    let file = [vorbis(1, 44_100), vorbis(2, 88_200), vorbis(3, 22_050)]
        .concat()
        .concat();
    assert_eq!(sound("a.ogg", file), properties("vorbis", "44100", 3500));
}

/// Frames of MPEG 1 layer 3 at 44.1 kHz with the bitrate of this index.
fn frames(index: u8, count: usize) -> Vec<u8> {
    let rate = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][usize::from(index)];
    let mut frame = vec![0xff, 0xfb, index << 4, 0];
    frame.resize(144 * rate * 1000 / 44_100, 0);
    frame.repeat(count)
}

#[test]
fn mp3_without_a_count_lasts_as_many_frames_as_it_has() {
    // 1152 samples each; the bitrate changes in the middle, at the end, or not at all.
    let ms = |count: u64| (count * 1152 * 1000 + 22_050) / 44_100;
    let varied = [frames(1, 300), frames(14, 700), frames(9, 500)].concat();
    assert_eq!(sound("a.mp3", varied), properties("mp3", "44100", ms(1500)));
    let late = [frames(9, 2000), frames(14, 10)].concat();
    assert_eq!(sound("a.mp3", late), properties("mp3", "44100", ms(2010)));
    // Junk between and after frames.
    let holes = [frames(9, 300), vec![0x55; 1000], frames(5, 300), vec![0; 3000]].concat();
    assert_eq!(sound("a.mp3", holes), properties("mp3", "44100", ms(600)));
    let (codec, rate, constant) = sound("a.mp3", frames(9, 1000));
    assert_eq!((codec.as_str(), rate.as_str()), ("mp3", "44100"));
    assert!(constant.abs_diff(ms(1000)) <= 60, "{constant}");
}

#[test]
fn mp3_of_constant_bitrate_costs_a_look_at_three_places() {
    let mut source = Source::from_bytes("a.mp3", frames(9, 20_000));
    run::<Music>(&mut source).unwrap();
    assert!(source.host_reads() <= 4, "{}", source.host_reads());
}

#[test]
fn mp3_after_a_tag_of_a_wrong_size_is_found() {
    for size in [[0x7f; 4], [0, 0, 1, 0]] {
        let mut file = [
            id3v2(
                3,
                0,
                &[fixtures::text(3, b"TIT2", "T"), fixtures::text(3, b"TALB", "A")],
            ),
            frames(9, 100),
        ]
        .concat();
        file[6..10].copy_from_slice(&size);
        let extraction = extract("a.mp3", file.clone());
        assert_eq!(extraction.title.as_deref(), Some("T"), "{size:?}");
        assert_eq!(sound("a.mp3", file).0, "mp3", "{size:?}");
    }
}

#[test]
fn tags_at_the_end_are_found_in_any_order() {
    let old = {
        let mut tag = b"TAGOld Title".to_vec();
        tag.resize(128, 0);
        tag
    };
    let words = |key: &str, value: &str| ape(&[(key, 0, value.as_bytes())]);
    let footed = {
        let frames = fixtures::text(4, b"TALB", "Album");
        let size = [0, 0, 0, frames.len() as u8];
        [
            b"ID3\x04\0\x10".as_slice(),
            &size,
            &frames,
            b"3DI\x04\0\x10",
            &size,
        ]
        .concat()
    };
    let lyrics = b"LYRICSBEGININD0000200000026LYRICS200".to_vec();
    let lyrics = [&lyrics[..21], b"000021LYRICS200"].concat();
    for behind in [
        [&footed, &words("Artist", "Someone"), &lyrics, &old],
        [&words("Artist", "Someone"), &footed, &lyrics, &old],
        [&words("Artist", "Someone"), &lyrics, &footed, &old],
    ] {
        let tags: Vec<u8> = behind.into_iter().flatten().copied().collect();
        let extraction = extract("a.mp3", [frames(9, 50), tags].concat());
        assert_eq!(extraction.title.as_deref(), Some("Old Title"));
        assert_eq!(text(&extraction, "music.artists"), "Someone");
        assert_eq!(text(&extraction, "music.album"), "Album");
    }
}

fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
    [id, &[0x08, 0, 0], &(body.len() as u16).to_be_bytes(), body].concat()
}

fn simple_tag(name: &str, value: &str) -> Vec<u8> {
    let inside = [
        element(&[0x45, 0xa3], name.as_bytes()),
        element(&[0x44, 0x87], value.as_bytes()),
    ];
    element(&[0x67, 0xc8], &inside.concat())
}

fn tag(level: Option<u8>, simple_tags: &[(&str, &str)]) -> Vec<u8> {
    let level = level
        .map(|level| element(&[0x68, 0xca], &[level]))
        .unwrap_or_default();
    let simple_tags: Vec<Vec<u8>> = simple_tags
        .iter()
        .map(|(name, value)| simple_tag(name, value))
        .collect();
    element(
        &[0x73, 0x73],
        &[element(&[0x63, 0xc0], &level), simple_tags.concat()].concat(),
    )
}

fn mka(tags: &[Vec<u8>]) -> Vec<u8> {
    let head = element(&[0x1a, 0x45, 0xdf, 0xa3], &element(&[0x42, 0x82], b"matroska"));
    let info = [
        element(&[0x2a, 0xd7, 0xb1], &1_000_000_u32.to_be_bytes()),
        element(&[0x44, 0x89], &5000_f32.to_be_bytes()),
    ];
    let audio = [
        element(&[0xb5], &48_000_f32.to_be_bytes()),
        element(&[0x9f], &[2]),
    ];
    let track = [
        element(&[0xd7], &[1]),
        element(&[0x83], &[2]),
        element(&[0x86], b"A_OPUS"),
        element(&[0xe1], &audio.concat()),
    ];
    let cover = [
        element(&[0x46, 0x6e], b"cover.jpg"),
        element(&[0x46, 0x60], b"image/jpeg"),
        element(&[0x46, 0x5c], &jpeg(5, 100)),
    ];
    let body = [
        element(&[0x15, 0x49, 0xa9, 0x66], &info.concat()),
        element(&[0x16, 0x54, 0xae, 0x6b], &element(&[0xae], &track.concat())),
        element(
            &[0x19, 0x41, 0xa4, 0x69],
            &element(&[0x61, 0xa7], &cover.concat()),
        ),
        element(&[0x12, 0x54, 0xc3, 0x67], &tags.concat()),
    ];
    [head, element(&[0x18, 0x53, 0x80, 0x67], &body.concat())].concat()
}

#[test]
fn matroska_target_levels_separate_track_and_release() {
    let file = mka(&[
        tag(
            Some(50),
            &[
                ("TITLE", "Album"),
                ("ARTIST", "Band"),
                ("TOTAL_PARTS", "9"),
                ("DATE_RELEASED", "1999"),
            ],
        ),
        tag(
            Some(30),
            &[("TITLE", "Song"), ("ARTIST", "Singer"), ("PART_NUMBER", "4")],
        ),
    ]);
    let extraction = extract("a.mka", file.clone());
    assert_eq!(extraction.title.as_deref(), Some("Song"));
    for (key, value) in [
        ("music.album", "Album"),
        ("music.artists", "Singer"),
        ("music.album-artists", "Band"),
        ("music.track-number", "4"),
        ("music.track-total", "9"),
        ("audio.container", "matroska"),
        ("audio.channels", "2"),
    ] {
        assert_eq!(text(&extraction, key), value, "{key}");
    }
    assert_eq!(sound("a.mka", file.clone()), properties("opus", "48000", 5000));
    assert_eq!(extraction.pictures[0].purpose, "front");
    let picture = read_picture::<Music>(&mut Source::from_bytes("a.mka", file), 0).unwrap();
    assert_eq!(picture, jpeg(5, 100));
}

#[test]
fn matroska_without_levels_is_about_the_track() {
    let words = [
        ("TITLE", "Song"),
        ("ARTIST", "Singer"),
        ("ALBUM", "Album"),
        ("PART_NUMBER", "4"),
    ];
    let extraction = extract("a.mka", mka(&[tag(None, &words)]));
    assert_eq!(extraction.title.as_deref(), Some("Song"));
    assert_eq!(text(&extraction, "music.artists"), "Singer");
    assert_eq!(text(&extraction, "music.album"), "Album");
    assert_eq!(text(&extraction, "music.track-number"), "4");
}
