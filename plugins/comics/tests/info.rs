//! `ComicInfo.xml`: each element with the field that it becomes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod archive;

use archive::{deflated, extract, pages, png, source, stored, value, zip};
use comics::Comics;
use comics::comic_info::ComicInfo;
use svc_plugin_api::{Extraction, PageSize, PictureData, Source, Value, list_pages};

const INFO: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<ComicInfo xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <Title>The Will</Title><Series>Saga &amp; Söhne</Series><Number>1.5</Number><Count>54</Count><Volume>2</Volume>
  <AlternateSeries>Other</AlternateSeries><AlternateNumber>3</AlternateNumber><StoryArc>War</StoryArc>
  <Summary><![CDATA[Two soldiers <fall> in love.]]></Summary><Notes>Tagged</Notes>
  <Year>2012</Year><Month>3</Month><Day>14</Day>
  <Writer>Brian K. Vaughan, Ann Other</Writer><Penciller>Fiona Staples</Penciller><Inker>Fiona Staples, An Inker</Inker>
  <Colorist>C One</Colorist><Letterer>Fonografiks</Letterer><CoverArtist>Fiona Staples</CoverArtist>
  <Editor>Eric Stephenson</Editor><Translator>T One</Translator><Publisher>Image</Publisher><Imprint>Sub</Imprint>
  <Genre>Science Fiction, Fantasy</Genre><Tags>space; war</Tags><Web>https://a.example/1 https://b.example/2</Web>
  <PageCount>3</PageCount><LanguageISO>pt-br</LanguageISO><Format>Issue</Format><BlackAndWhite>No</BlackAndWhite>
  <Manga>YesAndRightToLeft</Manga><Characters>Alana, Marko</Characters><Teams>Crown</Teams><Locations>Cleave</Locations>
  <AgeRating>Mature 17+</AgeRating><CommunityRating>4.5</CommunityRating><GTIN>9781607066019</GTIN>
  <Pages>
    <Page Image="0" Type="Advertisement" /><Page Image="1" Type="FrontCover" ImageWidth="100" ImageHeight="200" />
    <Page Image="2" Bookmark="Chapter &quot;1&quot;" /><Page Image="77" Type="Deleted" /><Page Type="Story" />
  </Pages>
</ComicInfo>"#;

fn comic(name: &str, info: &str) -> Extraction {
    let files = [stored("ComicInfo.xml", info), stored("1.png", png(1, 1, 1))];
    extract(Source::from_bytes(name, zip(&files)))
}

#[test]
fn every_element_becomes_its_field() {
    let archive = zip(&[
        deflated(
            "Inner/ComicInfo.xml",
            "<ComicInfo><Title>Inner</Title></ComicInfo>",
        ),
        deflated("comicinfo.XML", INFO),
        stored("1.png", png(1, 1, 1)),
        stored("2.png", png(2, 2, 2)),
        stored("3.png", png(3, 3, 3)),
    ]);
    let comic = extract(source(&archive));
    assert_eq!(comic.title.as_deref(), Some("The Will"));
    let sort = Value::Text("Saga & Söhne 0002 00001.50 The Will".into());
    assert_eq!(comic.value("title-sort"), Some(&sort));
    for (key, expected) in [
        ("series", "Saga & Söhne"),
        ("number", "1.5"),
        ("issue", "-"),
        ("count", "54"),
        ("volume", "2"),
        ("alternate-series", "Other"),
        ("alternate-number", "3"),
        ("story-arc", "War"),
        ("summary", "Two soldiers <fall> in love."),
        ("notes", "Tagged"),
        ("date", "2012-03-14"),
        ("writers", "Brian K. Vaughan|Ann Other"),
        ("artists", "Fiona Staples|An Inker"),
        ("pencillers", "Fiona Staples"),
        ("inkers", "Fiona Staples|An Inker"),
        ("colorists", "C One"),
        ("letterers", "Fonografiks"),
        ("cover-artists", "Fiona Staples"),
        ("editors", "Eric Stephenson"),
        ("translators", "T One"),
        ("publisher", "Image"),
        ("imprint", "Sub"),
        ("genres", "Science Fiction|Fantasy"),
        ("tags", "space|war"),
        ("web", "https://a.example/1|https://b.example/2"),
        ("item.page-count", "3"),
        ("language", "pt-BR"),
        ("format", "Issue"),
        ("black-and-white", "false"),
        ("manga", "true"),
        ("direction", "right-to-left"),
        ("characters", "Alana|Marko"),
        ("teams", "Crown"),
        ("locations", "Cleave"),
        ("age-rating", "Mature 17+"),
        ("rating", "4.5"),
        ("gtin", "9781607066019"),
    ] {
        assert_eq!(value(&comic, key), expected, "{key}");
    }
    assert_eq!(comic.warnings, [""; 0]);

    let list = list_pages::<Comics>(&mut source(&archive)).unwrap();
    let labels: Vec<_> = list.iter().map(|page| page.label.as_deref()).collect();
    assert_eq!(
        labels,
        [Some("Advertisement"), Some("Front cover"), Some("Chapter \"1\"")]
    );
    assert_eq!(
        list[1].size,
        Some(PageSize {
            width: 100,
            height: 200
        })
    );
    // The cover is the page that is marked as such.
    let PictureData::At(span) = comic.pictures[0].data else {
        panic!("{:?}", comic.pictures);
    };
    assert_eq!(
        archive[span.offset as usize..][..span.length as usize],
        png(2, 2, 2)
    );
}

#[test]
fn deleted_pages_are_left_out() {
    let info = r#"<ComicInfo><Pages><Page Image="1" Type="Deleted"/><Page Image="2" Type="BackCover"/></Pages></ComicInfo>"#;
    let archive = zip(&[
        stored("ComicInfo.xml", info),
        stored("1.png", png(1, 1, 1)),
        stored("2.png", png(2, 2, 2)),
        stored("3.png", png(3, 3, 3)),
    ]);
    assert_eq!(pages(&archive), [png(1, 1, 1), png(3, 3, 3)]);
    let list = list_pages::<Comics>(&mut source(&archive)).unwrap();
    assert_eq!(list[1].label.as_deref(), Some("Back cover"));
}

#[test]
fn unusual_numbers_are_ordered_by_their_value_and_shown_as_written() {
    for (written, number, issue) in [
        ("12", "12", "-"),
        ("012", "12", "012"),
        ("-1", "-1", "-"),
        ("½", "0.5", "½"),
        ("1½", "1.5", "1½"),
        ("1/2", "0.5", "1/2"),
        ("12a", "12", "12a"),
        ("1.MU", "1", "1.MU"),
        ("Annual", "-", "Annual"),
        ("1/0", "1", "1/0"),
    ] {
        let info = format!("<ComicInfo><Series>S</Series><Number>{written}</Number></ComicInfo>");
        let comic = comic("a.cbz", &info);
        assert_eq!(
            (value(&comic, "number"), value(&comic, "issue")),
            (number.into(), issue.into()),
            "{written}"
        );
        assert_eq!(comic.title, Some(format!("S #{written}")));
    }
}

#[test]
fn reading_direction_is_stated_or_absent() {
    for (manga, is_manga, direction) in [
        ("Yes", "true", "-"),
        ("No", "false", "left-to-right"),
        ("Unknown", "-", "-"),
    ] {
        let comic = comic("a.cbz", &format!("<ComicInfo><Manga>{manga}</Manga></ComicInfo>"));
        assert_eq!(value(&comic, "manga"), is_manga);
        assert_eq!(value(&comic, "direction"), direction);
    }
}

#[test]
fn languages_are_codes() {
    for (written, expected) in [
        ("en", "en"),
        ("EN_us", "en-US"),
        ("zh-hant-TW", "zh-Hant-TW"),
        ("English", "-"),
        ("e", "-"),
        ("en-", "-"),
    ] {
        let comic = comic(
            "a.cbz",
            &format!("<ComicInfo><LanguageISO>{written}</LanguageISO></ComicInfo>"),
        );
        assert_eq!(value(&comic, "language"), expected, "{written}");
    }
}

#[test]
fn elements_fill_up_what_the_name_says() {
    let comic = comic(
        "Saga 012 - A Title (2013).cbz",
        "<ComicInfo><Series>Saga!</Series><Volume>-1</Volume><Year/><PageCount>9</PageCount></ComicInfo>",
    );
    assert_eq!(comic.title.as_deref(), Some("A Title"));
    for (key, expected) in [
        ("series", "Saga!"),
        ("number", "12"),
        ("volume", "-"),
        ("date", "2013"),
    ] {
        assert_eq!(value(&comic, key), expected, "{key}");
    }
    assert_eq!(
        comic.warnings,
        ["ComicInfo.xml states 9 pages, the archive has 1"]
    );
}

#[test]
fn broken_document_is_read_as_far_as_it_goes() {
    let comic = comic(
        "Name 3.cbz",
        "<ComicInfo><Series>Saga</Series><Number>7</Number><Title attr=>x",
    );
    assert_eq!(value(&comic, "series"), "Saga");
    assert_eq!(value(&comic, "number"), "7");
    let (nothing, warning) = ComicInfo::parse(b"<html><Series>x</Series></html>");
    assert_eq!(
        (nothing, warning.as_deref()),
        (None, Some("it has no element ComicInfo"))
    );
    let utf16: Vec<u8> = std::iter::once(0xfeff_u16)
        .chain("<ComicInfo><Series>é</Series></ComicInfo>".encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(ComicInfo::parse(&utf16).0.unwrap().get("series"), Some("é"));
}

#[test]
fn documents_that_explode_do_not() {
    let mut laughs = String::from("<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaaaaaaaa\">");
    for number in 0..50 {
        laughs += &format!("<!ENTITY b{number} \"&a;&a;&a;&a;&a;&a;&a;&a;\">");
    }
    laughs += "]><ComicInfo><Series>x&b49;y</Series></ComicInfo>";
    assert_eq!(value(&comic("a.cbz", &laughs), "series"), "xy");
    let deep = format!("<ComicInfo>{}", "<a>".repeat(200_000));
    assert_eq!(value(&comic("S 1.cbz", &deep), "series"), "S");
    let many = format!("<ComicInfo>{}</ComicInfo>", "<Series>x</Series>".repeat(100_000));
    assert_eq!(value(&comic("a.cbz", &many), "series"), "x");
    let long = format!("<ComicInfo><Series>{}</Series></ComicInfo>", "x".repeat(3 << 20));
    comic("a.cbz", &long);
    let huge = zip(&[
        deflated("ComicInfo.xml", vec![b' '; 5 << 20]),
        stored("1.png", png(1, 1, 1)),
    ]);
    assert_eq!(extract(source(&huge)).warnings, ["ComicInfo.xml is too large"]);
}
