//! Every container gives the same result for the same video.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use svc_fixtures::{Clip, VideoFormat};
use svc_plugin_api::{ExtractError, ExtractionBuilder, PictureData, Source, Value};
use video::{Hdr, Kind, Video};

fn read(clip: &Clip, format: VideoFormat) -> Video {
    let mut source = Source::from_bytes("a", clip.encode(format));
    let found = video::read(&mut source).unwrap_or_else(|error| panic!("{format:?}: {error}"));
    assert!(
        source.host_reads() <= 4,
        "{format:?}: {} reads",
        source.host_reads()
    );
    found
}

fn episode() -> Clip {
    Clip::new(62_000)
        .tag("TITLE", "The Pilot")
        .tag("SHOW", "A Series")
        .tag("SEASON", "2")
        .tag("EPISODE", "7")
        .tag("DATE", "2011-09-18")
        .tag("GENRE", "Drama")
        .tag("DESCRIPTION", "What happens.")
        .video("h264", 1280, 718, 23.976)
        .audio("aac", 2, 48_000, "eng")
        .audio("aac", 6, 44_100, "ger")
        .named("Kommentar")
        .chapter(0, "One")
        .chapter(20_000, "Zwölf")
        .chapter(61_000, "")
        .cover(b"\xff\xd8\xff\xe0 not much of a picture")
}

#[test]
fn streams_are_the_same_in_every_container() {
    for format in VideoFormat::ALL {
        let found = read(&episode(), format);
        let [picture, first, second] = &found.streams[..] else {
            panic!("{format:?}: {:?}", found.streams);
        };
        assert_eq!(
            (picture.kind, picture.codec.as_ref()),
            (Kind::Video, "h264"),
            "{format:?}"
        );
        assert_eq!(
            (picture.width, picture.height),
            (Some(1280), Some(718)),
            "{format:?}"
        );
        assert_eq!(picture.fps, Some(23.976), "{format:?}");
        assert_eq!(
            (first.channels, first.sample_rate),
            (Some(2), Some(48_000)),
            "{format:?}"
        );
        assert_eq!(
            (second.channels, second.sample_rate),
            (Some(6), Some(44_100)),
            "{format:?}"
        );
        let languages = [first.language.as_deref(), second.language.as_deref()];
        assert_eq!(languages, [Some("en"), Some("de")], "{format:?}");
        assert_eq!(
            (picture.language.clone(), picture.rotation, picture.hdr),
            (None, None, None),
            "{format:?}"
        );
        if format != VideoFormat::MpegTs {
            assert_eq!(second.title.as_deref(), Some("Kommentar"), "{format:?}");
        }
        if !matches!(format, VideoFormat::MpegTs | VideoFormat::Avi) {
            let defaults: Vec<bool> = found.streams.iter().map(|stream| stream.is_default).collect();
            assert_eq!(defaults, [true, true, false], "{format:?}");
        }
    }
}

#[test]
fn duration_and_bitrate_are_the_same_in_every_container() {
    for format in VideoFormat::ALL {
        let found = read(&episode(), format);
        let duration = found.duration_ms.unwrap();
        assert!(duration.abs_diff(62_000) <= 50, "{format:?}: {duration} ms");
        let bits = episode().encode(format).len() as u64 * 8;
        let bitrate = u64::try_from(found.bitrate.unwrap()).unwrap();
        assert!(
            bitrate.abs_diff(bits / 62) <= bits / 6200 + 1,
            "{format:?}: {bitrate} bits a second"
        );
    }
}

#[test]
fn tags_are_the_same_where_there_is_a_place_for_them() {
    use VideoFormat::{Avi, FragmentedMp4, Matroska, Mov, Mp4, Webm};
    for format in [Mp4, FragmentedMp4, Mov, Matroska, Webm, Avi] {
        let tags = read(&episode(), format).tags;
        assert_eq!(tags.title.as_deref(), Some("The Pilot"), "{format:?}");
        assert_eq!(tags.genres, ["Drama"], "{format:?}");
        assert_eq!(tags.description.as_deref(), Some("What happens."), "{format:?}");
        let date = tags.date.unwrap();
        assert_eq!(
            (date.year, date.month, date.day),
            (2011, Some(9), Some(18)),
            "{format:?}"
        );
        if format != Avi {
            assert_eq!(tags.show.as_deref(), Some("A Series"), "{format:?}");
            assert_eq!((tags.season, tags.episode), (Some(2), Some(7)), "{format:?}");
        }
    }
}

#[test]
fn chapters_are_the_same_where_there_is_a_place_for_them() {
    for format in [VideoFormat::Mp4, VideoFormat::Mov, VideoFormat::Matroska] {
        let found = read(&episode(), format);
        let chapters: Vec<_> = found
            .chapters
            .iter()
            .map(|chapter| (chapter.start_ms, chapter.end_ms, chapter.title.as_deref()))
            .collect();
        let expected = [
            (0, Some(20_000), Some("One")),
            (20_000, Some(61_000), Some("Zwölf")),
            (61_000, Some(62_000), None),
        ];
        assert_eq!(chapters, expected, "{format:?}");
    }
}

#[test]
fn cover_span_is_exact() {
    for format in [VideoFormat::Mp4, VideoFormat::Matroska] {
        let bytes = episode().encode(format);
        let found = read(&episode(), format);
        let [picture] = &found.pictures[..] else {
            panic!("{format:?}: {:?}", found.pictures);
        };
        assert_eq!(
            (picture.purpose.as_str(), picture.mime.as_str()),
            ("front", "image/jpeg")
        );
        let PictureData::At(span) = picture.data else {
            panic!("{format:?}: not in the file");
        };
        let at = usize::try_from(span.offset).unwrap();
        let cover = &bytes[at..at + usize::try_from(span.length).unwrap()];
        assert_eq!(cover, b"\xff\xd8\xff\xe0 not much of a picture", "{format:?}");
    }
}

#[test]
fn subtitles_have_their_flags() {
    let clip = Clip::new(10_000)
        .video("hevc", 3840, 2160, 50.0)
        .transfer(16)
        .rotated(90)
        .subtitle("subrip", "fre")
        .named("Forced")
        .forced()
        .subtitle("hdmv_pgs_subtitle", "eng");
    let found = read(&clip, VideoFormat::Matroska);
    assert_eq!(found.streams[0].hdr, Some(Hdr::Hdr10));
    assert_eq!(found.streams[0].rotation, Some(90));
    let subtitles: Vec<_> = found.streams[1..]
        .iter()
        .map(|stream| {
            (
                stream.kind,
                stream.codec.as_ref(),
                stream.is_forced,
                stream.is_default,
            )
        })
        .collect();
    let expected = [
        (Kind::Subtitle, "subrip", Some(true), false),
        (Kind::Subtitle, "hdmv_pgs_subtitle", Some(false), false),
    ];
    assert_eq!(subtitles, expected);
    for degrees in [90, 180, 270] {
        let clip = Clip::new(1000)
            .video("hevc", 64, 48, 30.0)
            .transfer(18)
            .rotated(degrees);
        let found = read(&clip, VideoFormat::Mov);
        assert_eq!(found.streams[0].rotation, Some(degrees));
        assert_eq!(found.streams[0].hdr, Some(Hdr::Hlg));
    }
}

#[test]
fn languages_are_tags_wherever_the_container_has_them() {
    let clip = Clip::new(10_000)
        .video("h264", 64, 48, 25.0)
        .audio("aac", 2, 48_000, "pt-BR")
        .audio("aac", 2, 48_000, "fra")
        .audio("aac", 2, 48_000, "zh-hant-TW")
        .audio("aac", 2, 48_000, "");
    for format in [
        VideoFormat::Mp4,
        VideoFormat::FragmentedMp4,
        VideoFormat::Mov,
        VideoFormat::Matroska,
    ] {
        let found = read(&clip, format);
        let languages: Vec<_> = found.streams[1..]
            .iter()
            .map(|stream| stream.language.as_deref())
            .collect();
        assert_eq!(
            languages,
            [Some("pt-BR"), Some("fr"), Some("zh-Hant-TW"), None],
            "{format:?}"
        );
    }
}

#[test]
fn subtitles_of_every_kind_in_mp4_have_their_format_and_language() {
    let clip = Clip::new(10_000)
        .video("h264", 64, 48, 25.0)
        .subtitle("mov_text", "eng")
        .forced()
        .subtitle("webvtt", "ger")
        .subtitle("ttml", "pt-BR")
        .subtitle("eia_608", "");
    for format in [VideoFormat::Mp4, VideoFormat::FragmentedMp4, VideoFormat::Mov] {
        let found = read(&clip, format);
        let described: Vec<_> = found.streams[1..]
            .iter()
            .map(|stream| {
                (
                    stream.kind,
                    stream.codec.as_ref(),
                    stream.language.as_deref(),
                    stream.is_forced,
                )
            })
            .collect();
        let expected = [
            (Kind::Subtitle, "mov_text", Some("en"), Some(true)),
            (Kind::Subtitle, "webvtt", Some("de"), Some(false)),
            (Kind::Subtitle, "ttml", Some("pt-BR"), Some(false)),
            (Kind::Subtitle, "eia_608", None, Some(false)),
        ];
        assert_eq!(described, expected, "{format:?}");
    }
    // A fragmented file with only subtitles.
    let found = read(
        &Clip::new(10_000).subtitle("webvtt", "eng"),
        VideoFormat::FragmentedMp4,
    );
    assert_eq!(
        (found.streams.len(), found.streams[0].codec.as_ref()),
        (1, "webvtt")
    );
}

#[test]
fn handler_after_the_samples_and_text_of_a_media_type_are_known() {
    let clip = Clip::new(10_000).subtitle("webvtt", "eng");
    let plain = clip.encode(VideoFormat::Mp4);
    let find = |name: &[u8]| plain.windows(4).position(|window| window == name).unwrap() - 4;
    let (handler, information) = (find(b"hdlr"), find(b"minf"));
    let end = information
        + usize::try_from(u32::from_be_bytes(plain[information..][..4].try_into().unwrap())).unwrap();
    let turned = [
        &plain[..handler],
        &plain[information..end],
        &plain[handler..information],
        &plain[end..],
    ];
    let mut stxt = plain.clone();
    let at = find(b"wvtt") + 4;
    stxt[at..at + 4].copy_from_slice(b"stxt");
    // Replace the box by an empty encoding and a type.
    stxt[at + 12..][..14].copy_from_slice(b"\0text/vtt\0\0\0\0\0");
    for bytes in [turned.concat(), stxt] {
        let found = video::read(&mut Source::from_bytes("a.mp4", bytes)).unwrap();
        let [stream] = &found.streams[..] else {
            panic!("{:?}", found.streams);
        };
        assert_eq!(
            (stream.codec.as_ref(), stream.language.as_deref()),
            ("webvtt", Some("en"))
        );
    }
}

#[test]
fn written_keys_are_those_of_the_contract() {
    let found = read(&episode(), VideoFormat::Mp4);
    let mut extraction = ExtractionBuilder::new();
    found.write(&mut extraction);
    let extraction = extraction.finish().unwrap();
    assert_eq!(extraction.title, None);
    assert_eq!(extraction.duration_ms, Some(62_000));
    assert_eq!((extraction.width, extraction.height), (Some(1280), Some(718)));
    assert_eq!(extraction.pictures.len(), 1);
    let value = |key: &str| {
        extraction
            .fields
            .iter()
            .find(|field| field.key == key)
            .map(|field| &field.value)
    };
    assert_eq!(value("video.container"), Some(&Value::Text("mp4".into())));
    assert_eq!(value("video.season"), Some(&Value::Integer(2)));
    let Some(Value::Texts(streams)) = value("video.streams") else {
        panic!("no streams");
    };
    assert_eq!(
        streams[1],
        r#"{"type":"audio","codec":"aac","channels":2,"sampleRate":48000,"language":"en","default":true}"#
    );
    let Some(Value::Texts(chapters)) = value("video.chapters") else {
        panic!("no chapters");
    };
    assert_eq!(chapters[0], r#"{"startMs":0,"endMs":20000,"title":"One"}"#);
}

#[test]
fn files_of_other_kinds_are_refused() {
    for other in [
        &b"hello, this is a text"[..],
        b"",
        b"\xff\xd8\xff\xe0 picture",
        b"RIFF\0\0\0\0WAVEfmt ",
    ] {
        let result = video::read(&mut Source::from_bytes("a.mp4", other.to_vec()));
        assert!(matches!(result, Err(ExtractError::Refused(_))), "{result:?}");
    }
    let heic = b"\0\0\0\x10ftypheic\0\0\0\0".to_vec();
    let result = video::read(&mut Source::from_bytes("a.mp4", heic));
    assert!(matches!(result, Err(ExtractError::Refused(_))), "{result:?}");
}

#[test]
fn movie_of_two_hours_needs_few_reads() {
    let clip = Clip::movie("Long", 7_200_000);
    for format in VideoFormat::ALL {
        let mut source = Source::from_bytes("a", clip.encode(format));
        let found = video::read(&mut source).unwrap();
        assert!(
            found.duration_ms.unwrap().abs_diff(7_200_000) < 1000,
            "{format:?}"
        );
        assert!(
            source.host_reads() <= 4,
            "{format:?}: {} reads",
            source.host_reads()
        );
    }
}
