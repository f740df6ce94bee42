//! Names that other projects' test suites assert something about, and sidecars, against what is found here.
//!
//! The files are in `../shared/media` and no part of the repository; without them the tests say so and pass.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use naming::nfo::{Document, Nfo, Role};
use naming::{episode, movie, season_folder, show_folder, split_path};
use serde::Deserialize;
use serde_json::Value;
use svc_plugin_api::PartialDate;

/// The least share of the cases of names that is right, of each kind.
const LEAST: f64 = 0.97;

/// The folder of foreign files; `None`, with a message, where there is none.
#[allow(
    clippy::disallowed_methods,
    reason = "a test says by the environment where its files are"
)]
fn media() -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("SVC_TEST_MEDIA")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("SVC_SHARED").map(|shared| PathBuf::from(shared).join("media")))
        .unwrap_or_else(|| repository.join("../shared/media"));
    if folder.join("truth.jsonl").is_file() {
        return Some(folder);
    }
    eprintln!(
        "skipped: no truth.jsonl in {}; SVC_SHARED names another folder",
        folder.display()
    );
    None
}

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A difference that is known.
#[derive(Debug, Deserialize)]
struct Difference {
    kind: String,
    path: String,
    field: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
struct Expectations {
    #[serde(default)]
    difference: Vec<Difference>,
}

/// The fields of the cases that differ, each told.
#[derive(Debug, Default)]
struct Verdict {
    cases: usize,
    fields: usize,
    wrong: BTreeSet<String>,
    differing: Vec<(String, String, String)>,
}

impl Verdict {
    fn field(&mut self, path: &str, field: &str, truth: &str, ours: &str) {
        self.fields += 1;
        if truth != ours {
            self.wrong.insert(path.to_owned());
            self.differing.push((
                path.to_owned(),
                field.to_owned(),
                format!("truth {truth:?}, ours {ours:?}"),
            ));
        }
    }

    /// At least this share of the cases are right, and the rest is in the expectations with its reason.
    fn must_match(&self, kind: &str, least: f64) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/expectations/naming.toml");
        let known: Expectations = toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert!(
            known
                .difference
                .iter()
                .all(|difference| difference.reason.len() > 10),
            "each has a reason"
        );
        let is_known = |path: &str, field: &str| {
            known
                .difference
                .iter()
                .any(|one| one.kind == kind && one.path == path && one.field == field)
        };
        let new: Vec<_> = self
            .differing
            .iter()
            .filter(|(path, field, _)| !is_known(path, field))
            .collect();
        let differs = |known: &Difference| {
            let mut differing = self.differing.iter();
            differing.any(|(path, field, _)| known.path == *path && known.field == *field)
        };
        let gone: Vec<_> = known
            .difference
            .iter()
            .filter(|known| known.kind == kind && !differs(known))
            .collect();
        assert!(gone.is_empty(), "differences that are gone: {gone:#?}");
        let right = 1.0 - self.wrong.len() as f64 / self.cases as f64;
        let (cases, fields) = (self.cases, self.fields);
        println!(
            "{kind}: {} of {cases} right ({:.1} %), {fields} fields",
            cases - self.wrong.len(),
            right * 100.0
        );
        assert!(fields > cases, "a case has more than one field");
        assert!(
            new.is_empty(),
            "{} differences that are not expected: {new:#?}",
            new.len()
        );
        assert!(
            right >= least,
            "{kind}: {} of {} wrong",
            self.wrong.len(),
            self.cases
        );
    }
}

/// How titles are compared: in any case, dots and underscores as spaces, which the suites keep raw.
fn plain(title: &str) -> String {
    let spaced = title.replace(['.', '_'], " ").to_lowercase();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn told(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// What the suite asserts for a number; `None` where it asserts nothing.
fn asserted(case: &Value, field: &str) -> Option<String> {
    case.get(field).map(|value| told(value.as_u64()))
}

#[test]
fn truth_of_movies() {
    let Some(folder) = media() else { return };
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
            verdict.field(path, "year", &year, &told(name.year));
        }
        if let Some(title) = case["title"].as_str() {
            // Where no year is found, the suite's step leaves the ending in the title.
            verdict.field(path, "title", &plain(naming::stem(title)), &plain(&name.title));
        }
        assert!(
            (0.0..=1.0).contains(&name.confidence) && !name.pattern.is_empty(),
            "{path}"
        );
    }
    verdict.must_match("movie", LEAST);
}

#[test]
fn truth_of_tv() {
    let Some(folder) = media() else { return };
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
                &told(season_folder(name, parent)),
            );
        } else if suite.starts_with("Series") {
            show_case(&mut verdict, case, &folders, name);
        } else {
            episode_case(&mut verdict, case, &folders, name);
        }
    }
    verdict.must_match("tv", LEAST);
}

/// A folder of a show, or of a season within it.
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
        verdict.field(path, "pattern", "none", &told(found.map(|found| found.pattern)));
        return;
    }
    let found = found.unwrap_or_default();
    assert!((0.0..=1.0).contains(&found.confidence), "{path}");
    if let Some(season) = asserted(case, "season") {
        // Kodi says season 1 where the name says none, which the record leaves open.
        let kodi = case["note"].as_str().is_some_and(|note| note.starts_with("Kodi"));
        let ours = if kodi {
            found.season.or(Some(1))
        } else {
            found.season
        };
        verdict.field(path, "season", &season, &told(ours));
    }
    // The suites know one number; a number through all seasons is another field of ours.
    let number = found.episode.or(found.absolute);
    if let Some(episode) = asserted(case, "episode") {
        verdict.field(path, "episode", &episode, &told(number));
    }
    if let Some(end) = asserted(case, "episodeEnd") {
        // An end that is the beginning is one episode.
        let end = if Some(&end) == asserted(case, "episode").as_ref() {
            told(None::<u32>)
        } else {
            end
        };
        verdict.field(path, "episodeEnd", &end, &told(found.episode_end));
    }
    if let Some(date) = case["airDate"].as_str() {
        let ours = found.air_date.map(|date| {
            format!(
                "{:04}-{:02}-{:02}",
                date.year,
                date.month.unwrap_or(0),
                date.day.unwrap_or(0)
            )
        });
        verdict.field(path, "airDate", date, &told(ours));
    }
    match &case["title"] {
        Value::String(title) => {
            // The year of "Show (2019)" is a field of ours.
            let with_year = format!("{} ({})", found.show, told(found.show_year));
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

#[test]
fn truth_of_sidecars() {
    let Some(folder) = media() else { return };
    let mut verdict = Verdict::default();
    for case in lines(&folder, "truth.jsonl")
        .iter()
        .filter(|case| case["kind"] == "nfo")
    {
        verdict.cases += 1;
        let path = case["path"].as_str().unwrap();
        let nfo = Nfo::read(&std::fs::read(folder.join(path)).unwrap());
        let none = Vec::new();
        let documents = case["documents"].as_array().unwrap_or(&none);
        verdict.field(
            path,
            "documents",
            &documents.len().to_string(),
            &nfo.documents.len().to_string(),
        );
        for (truth, ours) in documents.iter().zip(&nfo.documents) {
            document_case(&mut verdict, path, truth, ours);
        }
        if let Some(text) = case["text"].as_str() {
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            let mut truth: Vec<_> = text.lines().map(digits).collect();
            let mut ours: Vec<_> = nfo.linked_ids.iter().map(|id| digits(id)).collect();
            truth.sort();
            ours.sort();
            verdict.field(path, "ids", &truth.join(" "), &ours.join(" "));
        }
    }
    verdict.must_match("nfo", 0.9);
}

fn document_case(verdict: &mut Verdict, path: &str, truth: &Value, ours: &Document) {
    let text = |field: &str| truth[field].as_str().unwrap_or("none").to_owned();
    let number = |field: &str| {
        // Kodi writes -1 and 0 for "none".
        let value = text(field)
            .parse::<i64>()
            .ok()
            .filter(|value| *value >= i64::from(field == "runtime"));
        told(value)
    };
    let list = |field: &str| -> Vec<String> {
        let list = truth[field].as_array().cloned().unwrap_or_default();
        list.iter()
            .map(|value| value.as_str().unwrap().trim_end_matches(',').to_owned())
            .collect()
    };
    let roles = |role: Role| -> Vec<String> {
        let people = ours.people.iter().filter(|person| person.role == role);
        people.map(|person| person.name.clone()).collect()
    };
    let date = |date: Option<PartialDate>| {
        told(date.map(|date| {
            format!(
                "{:04}-{:02}-{:02}",
                date.year,
                date.month.unwrap_or(0),
                date.day.unwrap_or(0)
            )
        }))
    };
    let mut compare = |field: &str, truth: String, ours: String| verdict.field(path, field, &truth, &ours);
    compare("title", text("title"), told(ours.title.as_ref()));
    compare(
        "originaltitle",
        text("originaltitle"),
        told(ours.original_title.as_ref()),
    );
    compare("sorttitle", text("sorttitle"), told(ours.sort_title.as_ref()));
    compare("showtitle", text("showtitle"), told(ours.show_title.as_ref()));
    compare("mpaa", text("mpaa"), told(ours.content_rating.as_ref()));
    compare("year", number("year"), told(ours.year));
    compare("season", number("season"), told(ours.season));
    compare("episode", number("episode"), told(ours.episode));
    compare(
        "displayseason",
        number("displayseason"),
        told(ours.display_season),
    );
    compare(
        "displayepisode",
        number("displayepisode"),
        told(ours.display_episode),
    );
    compare("runtime", number("runtime"), told(ours.runtime));
    compare("premiered", text("premiered"), date(ours.premiered));
    compare("releasedate", text("releasedate"), date(ours.released));
    compare("aired", text("aired"), date(ours.aired));
    compare("genres", list("genres").join("|"), ours.genres.join("|"));
    compare("studio", text("studio"), told(ours.studios.first()));
    compare(
        "directors",
        list("directors").join("|"),
        roles(Role::Director).join("|"),
    );
    compare("actors", list("actors").join("|"), roles(Role::Actor).join("|"));
    let writers = roles(Role::Writer);
    let credits: Vec<_> = list("credits")
        .into_iter()
        .filter(|name| !writers.contains(name))
        .collect();
    compare("credits", String::new(), credits.join("|"));
    let plot = ours.plot.as_ref().map_or(0, |plot| plot.chars().count() as u64);
    compare(
        "plotLength",
        truth["plotLength"].as_u64().unwrap_or(0).to_string(),
        plot.to_string(),
    );
    for (provider, id) in truth["uniqueids"].as_object().into_iter().flatten() {
        let id = format!("{provider}:{}", id.as_str().unwrap());
        compare(
            "uniqueids",
            id.clone(),
            told(ours.external_ids.iter().find(|known| **known == id)),
        );
    }
    if let Some(id) = truth["tvdbid"].as_str() {
        compare("tvdbid", format!("tvdb:{id}"), ours.external_ids.join(" "));
    }
}
