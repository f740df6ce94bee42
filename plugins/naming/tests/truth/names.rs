//! The cases of `naming.jsonl`: one name with its folders.

use naming::{episode, movie, season_folder, show_folder, split_path};
use serde_json::Value;

use super::{Verdict, asserted, date, described, lines, media, plain};

/// The required shares of correct cases.
const LEAST_MOVIES: f64 = 0.96;
const LEAST_TV: f64 = 0.97;

#[test]
fn truth_of_movies() {
    let Some(folder) = media("naming.jsonl") else {
        return;
    };
    let mut verdict = Verdict::default();
    for case in lines(&folder, "naming.jsonl")
        .iter()
        .filter(|case| case["kind"] == "movie")
    {
        verdict.cases += 1;
        let path = case["path"].as_str().unwrap();
        let (folders, file) = split_path(path);
        let name = movie(&folders, file);
        if let Some(year) = asserted(case, "year") {
            verdict.field(path, "year", &year, &described(name.year));
        }
        if let Some(title) = case["title"].as_str() {
            // If a name has no year, the suite leaves the extension in the title.
            verdict.field(path, "title", &plain(naming::stem(title)), &plain(&name.title));
        }
        assert!(
            (0.0..=1.0).contains(&name.confidence) && !name.pattern.is_empty(),
            "{path}"
        );
    }
    verdict.must_match("movie", LEAST_MOVIES);
}

#[test]
fn truth_of_tv() {
    let Some(folder) = media("naming.jsonl") else {
        return;
    };
    let mut verdict = Verdict::default();
    for case in lines(&folder, "naming.jsonl")
        .iter()
        .filter(|case| case["kind"] == "tv")
    {
        verdict.cases += 1;
        let path = case["path"].as_str().unwrap();
        let suite = case["case"].as_str().unwrap();
        let (folders, name) = split_path(path);
        if case.get("parentPath").is_some() {
            let parent = folders.last().map_or("", String::as_str);
            verdict.field(
                path,
                "season",
                &asserted(case, "season").unwrap(),
                &described(season_folder(name, parent)),
            );
        } else if suite.starts_with("Series") {
            show_case(&mut verdict, case, &folders, name);
        } else {
            episode_case(&mut verdict, case, &folders, name);
        }
    }
    verdict.must_match("tv", LEAST_TV);
}

/// A folder of a show, or of a season within one.
fn show_case(verdict: &mut Verdict, case: &Value, folders: &[String], name: &str) {
    let parent = folders.last().map_or("", String::as_str);
    let show = if season_folder(name, parent).is_some() {
        parent
    } else {
        name
    };
    let title = case["title"].as_str().unwrap();
    let ours = show_folder(show).title;
    let path = case["path"].as_str().unwrap();
    if case["note"].as_str().is_some_and(|note| note.starts_with("raw")) {
        verdict.field(path, "title", &plain(title), &plain(&ours));
    } else {
        verdict.field(path, "title", title, &ours);
    }
}

fn episode_case(verdict: &mut Verdict, case: &Value, folders: &[String], name: &str) {
    let path = case["path"].as_str().unwrap();
    let found = episode(folders, name);
    if case["expect"] == "not-an-episode" {
        verdict.field(
            path,
            "pattern",
            "none",
            &described(found.map(|found| found.pattern)),
        );
        return;
    }
    let found = found.unwrap_or_default();
    assert!((0.0..=1.0).contains(&found.confidence), "{path}");
    if let Some(season) = asserted(case, "season") {
        // Kodi reports season 1 for a name without a season; this crate reports none.
        let kodi = case["note"].as_str().is_some_and(|note| note.starts_with("Kodi"));
        let ours = if kodi {
            found.season.or(Some(1))
        } else {
            found.season
        };
        verdict.field(path, "season", &season, &described(ours));
    }
    // The suites have one number; this crate has a separate field for absolute numbers.
    let number = found.episode.or(found.absolute);
    if let Some(episode) = asserted(case, "episode") {
        verdict.field(path, "episode", &episode, &described(number));
    }
    if let Some(end) = asserted(case, "episodeEnd") {
        // A range that ends where it starts is one episode.
        let end = if Some(&end) == asserted(case, "episode").as_ref() {
            described(None::<u32>)
        } else {
            end
        };
        verdict.field(path, "episodeEnd", &end, &described(found.episode_end));
    }
    if let Some(expected) = case["airDate"].as_str() {
        verdict.field(path, "airDate", expected, &date(found.air_date));
    }
    match &case["title"] {
        Value::String(title) => {
            // The year of "Show (2019)" is a separate field.
            let with_year = format!("{} ({})", found.show, described(found.show_year));
            let ours = if plain(&with_year) == plain(title) {
                with_year
            } else {
                found.show.clone()
            };
            verdict.field(path, "title", &plain(title), &plain(&ours));
        }
        Value::Null if case.get("title").is_some() => verdict.field(path, "title", "", &found.show),
        _ => {}
    }
}
