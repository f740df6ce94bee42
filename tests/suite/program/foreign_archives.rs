//! Comics and audiobooks that other programs made: zip, 7-Zip, bsdtar and Python; ffmpeg.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use svc_tests::program::Server;
use svc_tests::skipped;

const INFO: &str = "<?xml version=\"1.0\"?><ComicInfo><Title>The Door</Title><Series>Saga</Series><Number>3</Number>\
    <Volume>2</Volume><Writer>A. Writer, B. Writer</Writer><Penciller>C. Artist</Penciller><Publisher>Press</Publisher>\
    <Year>2001</Year><Month>4</Month><Genre>Fantasy</Genre><LanguageISO>en</LanguageISO>\
    <Manga>YesAndRightToLeft</Manga><Characters>Hero</Characters></ComicInfo>";

/// A program, and the shell command with which it packs the current folder to `$OUT`.
const PACKERS: [(&str, &str, &str); 7] = [
    ("zip", "zip", "zip -q -r \"$OUT\" ."),
    ("zip, stored", "zip", "zip -q -0 -r \"$OUT\" ."),
    ("zip, streamed", "zip", "zip -q -r - . > \"$OUT\""),
    ("7-Zip", "7z", "7z a -tzip -bso0 \"$OUT\" ."),
    ("bsdtar", "bsdtar", "bsdtar --format zip -cf \"$OUT\" ."),
    (
        "bsdtar, streamed",
        "bsdtar",
        "bsdtar --format zip -cf - . > \"$OUT\"",
    ),
    (
        "Python",
        "python3",
        "python3 -m zipfile -c \"$OUT\" ComicInfo.xml pages",
    ),
];

fn is_installed(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .stdout(Stdio::null())
        .status();
    found.is_ok_and(|status| status.success())
}

fn shell(folder: &Path, script: &str, out: &Path) {
    let status = Command::new("sh")
        .args(["-ec", script])
        .current_dir(folder)
        .env("OUT", out)
        .stdin(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{script}");
}

/// A PNG of this number of bytes after its header; the server does not decode it.
fn page(number: u8, length: usize) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x14\0\0\0\x1e\x08\x02\0\0\0".to_vec();
    bytes.extend((0..length).map(|at| (at * 7 % 251) as u8 ^ number));
    bytes
}

fn items(server: &Server, kind: &str) -> Vec<Value> {
    let list = server.get(&format!("/api/v1/items?kind={kind}")).json();
    list[0].as_array().unwrap().clone()
}

#[test]
fn comics_of_other_programs_have_all_fields_and_their_pages_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let (source, comics) = (dir.path().join("source"), dir.path().join("comics"));
    fs::create_dir_all(source.join("pages")).unwrap();
    fs::create_dir(&comics).unwrap();
    fs::write(source.join("ComicInfo.xml"), INFO).unwrap();
    for number in [1, 2, 10] {
        let page = page(number, 500 * usize::from(number));
        fs::write(source.join(format!("pages/{number}.png")), page).unwrap();
    }
    let mut packed = 0;
    for (name, program, script) in PACKERS {
        if is_installed(program) {
            shell(&source, script, &comics.join(format!("{name}.cbz")));
            packed += 1;
        } else {
            skipped(&format!("{program} is not installed"));
        }
    }
    let root = format!("comics={}", comics.display());
    let server = Server::start_as_owner(&dir.path().join("data"), &["--root", &root]);
    server.index("quick");
    let items = items(&server, "comics");
    assert_eq!(items.len(), packed);
    for item in items {
        let id = item["itemId"].as_str().unwrap();
        let item = server.get(&format!("/api/v1/items/{id}")).json();
        assert_eq!(
            (&item["title"], &item["pageCount"]),
            (&json!("The Door"), &json!(3)),
            "{item}"
        );
        assert_eq!(
            item["fields"],
            json!({
                "item.page-count": 3,
                "title-sort": "Saga 0002 00003.00 The Door",
                "x.comics.manga": true,
                "x.comics.pencillers": ["C. Artist"],
                "x.comics.series": "Saga",
                "x.comics.number": 3.0,
                "x.comics.volume": 2,
                "x.comics.writers": ["A. Writer", "B. Writer"],
                "x.comics.artists": ["C. Artist"],
                "x.comics.publisher": "Press",
                "x.comics.date": "2001-04",
                "x.comics.genres": ["Fantasy"],
                "x.comics.language": "en",
                "x.comics.direction": "right-to-left",
                "x.comics.characters": ["Hero"],
            }),
        );
        for (place, number) in (1..).zip([1, 2, 10]) {
            let read = server.get(&format!("/api/v1/items/{id}/pages/{place}"));
            assert_eq!(read.status, 200, "{read:?}");
            assert!(
                read.bytes == page(number, 500 * usize::from(number)),
                "page {place} of {item}"
            );
        }
    }
}

#[test]
fn audiobooks_of_ffmpeg_have_chapters_and_parts_in_order_and_resume() {
    if !is_installed("ffmpeg") {
        return skipped("ffmpeg is not installed");
    }
    let dir = tempfile::tempdir().unwrap();
    let books = dir.path().join("books");
    let parts = books.join("Bob Writer/Sixty Parts");
    fs::create_dir_all(&parts).unwrap();
    let chapters = ";FFMETADATA1\ntitle=The Long Road\nartist=Ann Author\nalbum=The Long Road\ncomposer=Ned Narrator\n\
        grouping=Roads #2\ndate=2010-05-02\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=4000\ntitle=Departure\n\
        [CHAPTER]\nTIMEBASE=1/1000\nSTART=4000\nEND=9000\ntitle=Arrival\n";
    fs::write(dir.path().join("chapters"), chapters).unwrap();
    let make = "ffmpeg -v error -f lavfi -i color=c=red:s=32x32 -frames:v 1 cover.jpg\n\
                ffmpeg -v error -f lavfi -i sine=frequency=440:duration=9 -i chapters -i cover.jpg -map 0 -map 2 \
                -map_metadata 1 -map_chapters 1 -c:a aac -b:a 32k -c:v copy -disposition:v attached_pic \
                \"$OUT/road.m4b\"\n\
                ffmpeg -v error -f lavfi -i sine=frequency=300:duration=2 -c:a libmp3lame -b:a 32k base.mp3\n\
                for n in $(seq 1 60); do ffmpeg -v error -i base.mp3 -c copy -metadata title=\"Part $n\" \
                -metadata album=\"Sixty Parts\" -metadata artist=\"Bob Writer\" -metadata track=\"$n/60\" \
                \"$OUT/Bob Writer/Sixty Parts/$n.mp3\"; done";
    shell(dir.path(), make, &books);
    let root = format!("audiobooks={}", books.display());
    let server = Server::start_as_owner(&dir.path().join("data"), &["--root", &root]);
    server.index("quick");
    let items = items(&server, "audiobooks");
    let titles: Vec<_> = items.iter().map(|item| &item["title"]).collect();
    assert_eq!(titles, [&json!("The Long Road"), &json!("Sixty Parts")]);
    let path = |item: &Value| format!("/api/v1/items/{}", item["itemId"].as_str().unwrap());

    let road = server.get(&path(&items[0])).json();
    assert_eq!(
        road["fields"],
        json!({
            "x.audiobooks.author": "Ann Author",
            "x.audiobooks.authors": ["Ann Author"],
            "x.audiobooks.book": "The Long Road",
            "x.audiobooks.narrators": ["Ned Narrator"],
            "x.audiobooks.series": "Roads",
            "x.audiobooks.series-number": 2.0,
            "x.audiobooks.date": "2010-05-02",
        }),
    );
    assert_eq!(
        road["chapters"],
        json!([
            {"start": 0.0, "end": 4.0, "title": "Departure"},
            {"start": 4.0, "end": 9.0, "title": "Arrival"},
        ])
    );

    let cover = server.get(&format!("{}/artwork", path(&items[0])));
    assert_eq!(
        (cover.status, cover.header("content-type")),
        (200, Some("image/jpeg"))
    );
    assert!(cover.bytes == fs::read(dir.path().join("cover.jpg")).unwrap());

    let sixty = server.get(&path(&items[1])).json();
    assert_eq!(sixty["partCount"], 60);
    assert_eq!(sixty["fields"]["x.audiobooks.author"], "Bob Writer");
    assert_eq!(sixty["fields"]["x.audiobooks.book"], "Sixty Parts");
    assert_eq!(sixty.get("artwork"), None);
    let parts = server.get(&format!("{}/parts", path(&items[1]))).json();
    let parts = parts.as_array().unwrap();
    let titles: Vec<_> = parts
        .iter()
        .map(|part| part["title"].as_str().unwrap().to_owned())
        .collect();
    let expected: Vec<_> = (1..=60).map(|number| format!("Part {number}")).collect();
    assert_eq!(titles, expected);
    let whole: f64 = parts.iter().map(|part| part["duration"].as_f64().unwrap()).sum();
    assert!(
        (whole - sixty["duration"].as_f64().unwrap()).abs() < 0.1,
        "{whole}"
    );

    // A listener stops in the middle of the thirtieth part, and goes on from there.
    let report = json!({
        "mediaType": "item",
        "mediaId": sixty["itemId"],
        "seconds": 59.5,
        "state": "playing",
    });
    let reported = server.request("PATCH", "/api/v1/history", &[], Some(&report));
    assert_eq!(reported.status, 200, "{reported:?}");
    let history = server.get("/api/v1/history").json();
    assert_eq!(history[0][0]["mediaId"], sixty["itemId"]);
    assert_eq!(history[0][0]["seconds"], 59.5, "{history}");
}

#[test]
fn audiobooks_of_ffmpeg_have_chapters_and_covers_of_each_format() {
    if !is_installed("ffmpeg") {
        return skipped("ffmpeg is not installed");
    }
    let dir = tempfile::tempdir().unwrap();
    let books = dir.path().join("books");
    fs::create_dir_all(books.join("In Parts")).unwrap();
    let chapters = ";FFMETADATA1\ntitle=Whole\nartist=Cara Writer\nalbum=One File\ndate=1999\nnarrator=Ned Narrator\n\
        [CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=700\ntitle=First\n\
        [CHAPTER]\nTIMEBASE=1/1000\nSTART=700\nEND=2000\ntitle=Second\n";
    fs::write(dir.path().join("chapters"), chapters).unwrap();
    let make = "ffmpeg -v error -f lavfi -i color=c=red:s=32x32 -frames:v 1 embedded.jpg\n\
                ffmpeg -v error -f lavfi -i color=c=blue:s=48x48 -frames:v 1 \"$OUT/In Parts/Folder.jpg\"\n\
                ffmpeg -v error -f lavfi -i sine=frequency=300:duration=2 -i chapters -i embedded.jpg -map 0 -map 2 \
                -map_metadata 1 -map_chapters 1 -c:a libmp3lame -b:a 32k -c:v copy -disposition:v attached_pic \
                \"$OUT/one.mp3\"\n\
                for n in 1 2 3; do ffmpeg -v error -f lavfi -i sine=frequency=500:duration=1 -c:a aac -b:a 32k \
                -metadata title=\"Part $n\" -metadata album=\"In Parts\" -metadata artist=Reader \
                -metadata album_artist=\"Dan Writer\" -metadata track=\"$n/3\" -metadata disc=1/1 -metadata date=2001 \
                \"$OUT/In Parts/$n.m4a\"; done";
    shell(dir.path(), make, &books);
    let root = format!("audiobooks={}", books.display());
    let server = Server::start_as_owner(&dir.path().join("data"), &["--root", &root]);
    server.index("quick");
    let items = items(&server, "audiobooks");
    let titles: Vec<_> = items.iter().map(|item| &item["title"]).collect();
    assert_eq!(titles, [&json!("In Parts"), &json!("One File")]);
    let path = |item: &Value| format!("/api/v1/items/{}", item["itemId"].as_str().unwrap());

    let parts = server.get(&path(&items[0])).json();
    assert_eq!(parts["partCount"], 3);
    for (key, expected) in [("author", "Dan Writer"), ("date", "2001")] {
        assert_eq!(
            parts["fields"][format!("x.audiobooks.{key}")],
            expected,
            "{parts:#}"
        );
    }
    let chapters = parts["chapters"].as_array().unwrap().iter();
    let chapters: Vec<_> = chapters.map(|chapter| &chapter["title"]).collect();
    assert_eq!(chapters, [&json!("Part 1"), &json!("Part 2"), &json!("Part 3")]);

    let one = server.get(&path(&items[1])).json();
    assert_eq!(
        one["fields"],
        json!({
            "x.audiobooks.author": "Cara Writer",
            "x.audiobooks.authors": ["Cara Writer"],
            "x.audiobooks.book": "One File",
            "x.audiobooks.narrators": ["Ned Narrator"],
            "x.audiobooks.date": "1999",
        }),
    );
    assert_eq!(
        one["chapters"],
        json!([
            {"start": 0.0, "end": 0.7, "title": "First"},
            {"start": 0.7, "end": 2.0, "title": "Second"},
        ])
    );
    for (item, cover) in [
        (0, books.join("In Parts/Folder.jpg")),
        (1, dir.path().join("embedded.jpg")),
    ] {
        let artwork = server.get(&format!("{}/artwork", path(&items[item])));
        assert_eq!(
            (artwork.status, artwork.header("content-type")),
            (200, Some("image/jpeg"))
        );
        assert!(artwork.bytes == fs::read(&cover).unwrap(), "{}", cover.display());
    }
}
