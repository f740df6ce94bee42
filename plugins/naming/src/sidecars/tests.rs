//! Which sidecar files belong to movies and episodes, and what they contain.

use super::*;
use crate::episode::episode;

fn folders(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// `language format flags title`
fn described(subtitle: &Subtitle) -> String {
    let mut described = vec![
        subtitle.language.clone().unwrap_or("-".into()),
        subtitle.format.to_owned(),
    ];
    for (flag, word) in [
        (subtitle.forced, "forced"),
        (subtitle.hearing_impaired, "sdh"),
        (subtitle.default, "default"),
    ] {
        described.extend(flag.then(|| word.to_owned()));
    }
    described.extend(subtitle.title.as_ref().map(|title| format!("\"{title}\"")));
    described.join(" ")
}

#[test]
fn subtitles_of_a_movie_are_matched_by_name_and_folder() {
    let at = folders(&["Movies", "Heat (1995)"]);
    let video = Video::movie(&at, "Heat.1995.1080p.mkv");
    for (name, expected) in [
        ("Heat.1995.1080p.srt", Some("- srt")),
        ("Heat.1995.1080p.en.srt", Some("en srt")),
        ("heat.1995.1080p.EN.SRT", Some("en srt")),
        ("Heat.1995.1080p.en.forced.srt", Some("en srt forced")),
        ("Heat.1995.1080p.English.sdh.ass", Some("en ass sdh")),
        ("Heat.1995.1080p.ger.default.vtt", Some("de vtt default")),
        ("Heat.1995.1080p.pt-BR.srt", Some("pt-BR srt")),
        ("Heat.1995.1080p.zh-hans.ssa", Some("zh-Hans ssa")),
        ("Heat.1995.1080p.es_419.srt", Some("es-419 srt")),
        ("Heat.1995.1080p.en.hi.srt", Some("en srt sdh")),
        ("Heat.1995.1080p.hi.srt", Some("hi srt")),
        (
            "Heat.1995.1080p.en.cc.Commentary.srt",
            Some("en srt sdh \"Commentary\""),
        ),
        ("Heat.1995.1080p.sup", Some("- pgs")),
        ("Heat.1995.1080p.eng.smi", Some("en smi")),
        ("Heat.1995.1080p.Brazilian.srt", Some("pt-BR srt")),
        ("Heat.en.srt", Some("en srt")),
        ("Heat.1995.1080p.ita.forced.srt", Some("it srt forced")),
        ("Heat.1995.1080p.en_IN.srt", Some("en-IN srt")),
        ("Heat.1995.1080p.en-CC.srt", Some("en srt sdh")),
        ("Heat.1995.1080p.en-UK.srt", Some("en-GB srt")),
        ("Heat.1995.1080p.zh-Hant-TW.srt", Some("zh-Hant-TW srt")),
        ("Heat.1995.1080p.Chinese (Simplified).srt", Some("zh-Hans srt")),
        ("Heat.1995.1080p.Portuguese.Brazilian.srt", Some("pt-BR srt")),
        ("Heat.1995.1080p.pob.srt", Some("pt-BR srt")),
        ("Heat.1995.1080p.sr-Latn.srt", Some("sr-Latn srt")),
        ("Heat.1995.1080p.Tagalog.srt", Some("tl srt")),
        ("Heat.1995.1080p.As Told By.en.srt", Some("en srt \"As Told By\"")),
        ("Heat.1995.1080p.und.srt", Some("- srt")),
        ("English.srt", Some("en srt")),
        ("Subs/2_English.srt", Some("en srt")),
        ("Subs/3_SDH_eng.srt", Some("en srt sdh")),
        ("Subtitles/Français.srt", Some("fr srt")),
        ("Subs/Heat.1995.1080p/4_Spanish.srt", Some("es srt")),
        ("Subs/Ronin.1998/4_Spanish.srt", None),
        ("Ronin.en.srt", None),
        ("../English.srt", None),
        ("Heat.1995.1080p.txt", None),
        ("Heat.1995.1080pX.srt", None),
    ] {
        let found = subtitles(&video, &[name]);
        assert_eq!(found.first().map(described).as_deref(), expected, "{name}");
    }
}

#[test]
fn subtitles_in_two_files_are_one() {
    let video = Video::movie(&[], "Heat.mkv");
    let found = subtitles(&video, &["Heat.en.idx", "Heat.en.sub", "Heat.fr.sub"]);
    assert_eq!(
        found.iter().map(described).collect::<Vec<_>>(),
        ["en vobsub", "fr microdvd"]
    );
    let json = serde_json::to_string(&found[0]).unwrap();
    assert_eq!(
        json,
        r#"{"name":"Heat.en.idx","format":"vobsub","language":"en","forced":false,"hearingImpaired":false,"default":false}"#
    );
}

#[test]
fn subtitles_of_an_episode_have_its_name_or_number() {
    let at = folders(&["Dark", "Season 1"]);
    let name = episode(&at, "Dark - S01E02 - Lies.mkv");
    let video = Video::episode(&at, "Dark - S01E02 - Lies.mkv", name.as_ref());
    for (name, expected) in [
        ("Dark - S01E02 - Lies.de.srt", Some("de srt")),
        ("dark.1x02.en.srt", Some("en srt")),
        ("Subs/Dark - S01E02 - Lies/2_English.srt", Some("en srt")),
        ("Subs/Dark - S01E02 - Lies.en.srt", Some("en srt")),
        ("dark.1x03.en.srt", None),
        ("English.srt", None),
        ("Subs/English.srt", None),
    ] {
        let found = subtitles(&video, &[name]);
        assert_eq!(found.first().map(described).as_deref(), expected, "{name}");
    }
}

#[test]
fn artwork_of_a_movie_is_matched_by_name() {
    let at = folders(&["Movies", "Heat (1995)"]);
    let video = Video::movie(&at, "Heat (1995).mkv");
    for (name, expected) in [
        ("poster.jpg", Some("poster")),
        ("Folder.JPG", Some("poster")),
        ("cover.png", Some("poster")),
        ("movie.tbn", Some("poster")),
        ("fanart.jpg", Some("backdrop")),
        ("fanart2.jpg", Some("backdrop")),
        ("backdrop-1.webp", Some("backdrop")),
        ("background.jpg", Some("backdrop")),
        ("banner.jpg", Some("banner")),
        ("clearlogo.png", Some("logo")),
        ("landscape.jpg", Some("thumb")),
        ("Heat (1995)-poster.jpg", Some("poster")),
        ("Heat (1995)-fanart.jpg", Some("backdrop")),
        ("Heat (1995).jpg", Some("poster")),
        ("../poster.jpg", None),
        ("IMG_1234.jpg", None),
        ("poster.txt", None),
        ("disc.png", None),
        ("Ronin-poster.jpg", None),
    ] {
        let found = artwork(&video, &[name]);
        assert_eq!(found.first().map(|one| one.purpose), expected, "{name}");
    }
    let inside = folders(&["Heat (1995)", "VIDEO_TS"]);
    let video = Video::movie(&inside, "VTS_01_1.VOB");
    assert_eq!(artwork(&video, &["../poster.jpg"])[0].purpose, "poster");
}

#[test]
fn artwork_of_an_episode_is_its_own_its_seasons_and_its_shows() {
    let at = folders(&["TV", "Dark", "Season 1"]);
    let name = episode(&at, "S01E02.mkv");
    let video = Video::episode(&at, "S01E02.mkv", name.as_ref());
    for (name, expected) in [
        ("S01E02-thumb.jpg", Some("thumb")),
        ("S01E02.jpg", Some("thumb")),
        ("S01E03-thumb.jpg", None),
        ("poster.jpg", Some("season-poster")),
        ("folder.jpg", Some("season-poster")),
        ("../poster.jpg", Some("show-poster")),
        ("../fanart.jpg", Some("show-backdrop")),
        ("../banner.jpg", Some("banner")),
        ("../season01-poster.jpg", Some("season-poster")),
        ("../season02-poster.jpg", None),
        ("../season01-banner.jpg", None),
        ("../season-specials-poster.jpg", None),
        ("thumb.jpg", None),
    ] {
        let found = artwork(&video, &[name]);
        assert_eq!(found.first().map(|one| one.purpose), expected, "{name}");
    }
    let flat = folders(&["TV", "Dark"]);
    let video = Video::episode(&flat, "S01E02.mkv", None);
    assert_eq!(artwork(&video, &["poster.jpg"])[0].purpose, "show-poster");
    assert_eq!(artwork(&video, &["../poster.jpg"]), []);
    let both = artwork(&video, &["poster.jpg", "S01E02-thumb.jpg"]);
    assert_eq!(both[0].purpose, "thumb", "its own comes first");
}

#[test]
fn sidecars_are_chosen_by_name() {
    let own = folders(&["Movies", "Heat (1995)"]);
    let movie = Video::movie(&own, "Heat.mkv");
    let chosen = |video: &Video, names: &[&str]| nfo_files(video, names).own;
    assert_eq!(
        chosen(&movie, &["movie.nfo", "heat.nfo"]).as_deref(),
        Some("heat.nfo")
    );
    assert_eq!(
        chosen(&movie, &["MOVIE.NFO", "a.txt"]).as_deref(),
        Some("MOVIE.NFO")
    );
    assert_eq!(chosen(&movie, &["../movie.nfo"]), None);
    let guess = nfo_files(&movie, &["grp-heat.nfo"]);
    assert!(guess.own_is_guess && guess.own.is_some());
    assert_eq!(chosen(&movie, &["grp-heat.nfo", "b.nfo"]), None);
    let all = folders(&["Movies"]);
    assert_eq!(chosen(&Video::movie(&all, "Heat.mkv"), &["grp-heat.nfo"]), None);

    let at = folders(&["Dark", "Season 1"]);
    let names = ["S01E02.nfo", "season.nfo", "../tvshow.nfo"];
    let found = nfo_files(&Video::episode(&at, "S01E02.mkv", None), &names);
    assert_eq!(found.own.as_deref(), Some("S01E02.nfo"));
    assert_eq!(found.season.as_deref(), Some("season.nfo"));
    assert_eq!(found.show.as_deref(), Some("../tvshow.nfo"));
    let flat = folders(&["Dark"]);
    let found = nfo_files(
        &Video::episode(&flat, "S01E02.mkv", None),
        &["../tvshow.nfo", "tvshow.nfo"],
    );
    assert_eq!(found.show.as_deref(), Some("tvshow.nfo"));
}
