//! The cases of `naming-2.jsonl`: names of downloaded releases, often without a folder.
//!
//! Expectations refer to line numbers, because the names must not be in the repository. Every tenth line is held out:
//! no rule was written for it, so its share estimates the result for unseen names.

use naming::{EpisodeName, MovieName, episode, movie, split_path};
use serde_json::Value;

use super::{Verdict, asserted, date, described, lines, media, plain};

/// The required shares of correct cases.
const LEAST_MOVIES: f64 = 0.88;
const LEAST_TV: f64 = 0.91;

/// The file that the line numbers of the expectations refer to.
const FILE: &str = "naming-2.jsonl";

/// Whether the line, counted from 0, is held out.
fn is_held_out(index: usize) -> bool {
    index % 10 == 9
}

#[test]
fn truth_of_released_movies() {
    measure("movie", LEAST_MOVIES, |verdict, id, case, path| {
        let (folders, file) = split_path(path);
        movie_case(verdict, id, case, &movie(&folders, file));
    });
}

#[test]
fn truth_of_released_episodes() {
    measure("tv", LEAST_TV, |verdict, id, case, path| {
        let (folders, file) = split_path(path);
        episode_case(verdict, id, case, &episode(&folders, file).unwrap_or_default());
    });
}

/// Checks all cases of a kind, and the held-out ones separately.
fn measure(kind: &str, least: f64, compare: impl Fn(&mut Verdict, &str, &Value, &str)) {
    let Some(folder) = media(FILE) else { return };
    let (mut all, mut held_out) = (Verdict::default(), Verdict::default());
    for (index, case) in lines(&folder, FILE).iter().enumerate() {
        if case["kind"] != kind {
            continue;
        }
        let id = format!("{FILE}:{}", index + 1);
        let path = case["path"].as_str().unwrap();
        let of_those = is_held_out(index).then_some(&mut held_out);
        for verdict in std::iter::once(&mut all).chain(of_those) {
            verdict.cases += 1;
            compare(verdict, &id, case, path);
        }
    }
    held_out.tell(&format!("{kind}-2, held out"));
    all.must_match(&format!("{kind}-2"), least);
}

fn movie_case(verdict: &mut Verdict, id: &str, case: &Value, name: &MovieName) {
    if let Some(year) = asserted(case, "year") {
        verdict.field(id, "year", &year, &described(name.year));
    }
    if let Some(title) = case["title"].as_str() {
        verdict.field(id, "title", &plain(title), &plain(&name.title));
    }
    if case.get("edition").is_some() {
        let edition = case["edition"].as_str().unwrap_or("none");
        let ours = described(name.edition.as_ref());
        verdict.field(id, "edition", &plain(edition), &plain(&ours));
    }
    if let Some(part) = asserted(case, "part") {
        verdict.field(id, "part", &part, &described(name.part));
    }
    if let Some(tmdb) = case["tmdbId"].as_u64() {
        verdict.field(
            id,
            "tmdbId",
            &format!("tmdb:{tmdb}"),
            &name.external_ids.join(" "),
        );
    }
}

fn episode_case(verdict: &mut Verdict, id: &str, case: &Value, name: &EpisodeName) {
    match &case["title"] {
        Value::String(title) => {
            let (title, ours) = (plain(title), plain(&name.show));
            // Year and season, which the suite leaves in the title, are separate fields.
            let year = described(name.show_year);
            let season = described(name.season);
            let fits = [
                format!("{ours} ({year})"),
                format!("{ours} {year}"),
                format!("{ours} s{season}"),
                format!("{ours} s{season:0>2}"),
            ]
            .contains(&title);
            verdict.field(id, "title", &title, if fits { &title } else { &ours });
        }
        Value::Null if case.get("title").is_some() => verdict.field(id, "title", "", &name.show),
        _ => {}
    }
    if let Some(season) = asserted(case, "season") {
        verdict.field(id, "season", &season, &described(name.season));
    }
    // An absolute number is a separate field here, and the same field in the suite.
    let number = name.episode.or(name.absolute);
    let absolute = asserted(case, "absoluteEpisode").filter(|_| case["absoluteEpisode"].is_u64());
    if let Some(episode) = asserted(case, "episode").or(absolute) {
        verdict.field(id, "episode", &episode, &described(number));
    }
    if let Some(end) = asserted(case, "episodeEnd") {
        verdict.field(id, "episodeEnd", &end, &described(name.episode_end));
    }
    if let Some(expected) = case["airDate"].as_str() {
        verdict.field(id, "airDate", expected, &date(name.air_date));
    }
    if let Some(title) = case["episodeTitle"].as_str() {
        let ours = name.title.clone().unwrap_or_default();
        verdict.field(id, "episodeTitle", &plain(title), &plain(&ours));
    }
}
