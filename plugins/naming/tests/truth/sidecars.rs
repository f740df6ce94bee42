//! The sidecar cases of `truth.jsonl`.

use naming::nfo::{Document, Nfo, Role};
use serde_json::Value;

use super::{Verdict, date, described, lines, media};

#[test]
fn truth_of_sidecars() {
    let Some(folder) = media("truth.jsonl") else {
        return;
    };
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
        described(value)
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
    let mut compare = |field: &str, truth: String, ours: String| verdict.field(path, field, &truth, &ours);
    compare("title", text("title"), described(ours.title.as_ref()));
    compare(
        "originaltitle",
        text("originaltitle"),
        described(ours.original_title.as_ref()),
    );
    compare(
        "sorttitle",
        text("sorttitle"),
        described(ours.sort_title.as_ref()),
    );
    compare(
        "showtitle",
        text("showtitle"),
        described(ours.show_title.as_ref()),
    );
    compare("mpaa", text("mpaa"), described(ours.content_rating.as_ref()));
    compare("year", number("year"), described(ours.year));
    compare("season", number("season"), described(ours.season));
    compare("episode", number("episode"), described(ours.episode));
    compare(
        "displayseason",
        number("displayseason"),
        described(ours.display_season),
    );
    compare(
        "displayepisode",
        number("displayepisode"),
        described(ours.display_episode),
    );
    compare("runtime", number("runtime"), described(ours.runtime));
    compare("premiered", text("premiered"), date(ours.premiered));
    compare("releasedate", text("releasedate"), date(ours.released));
    compare("aired", text("aired"), date(ours.aired));
    compare("genres", list("genres").join("|"), ours.genres.join("|"));
    compare("studio", text("studio"), described(ours.studios.first()));
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
            described(ours.external_ids.iter().find(|known| **known == id)),
        );
    }
    if let Some(id) = truth["tvdbid"].as_str() {
        compare("tvdbid", format!("tvdb:{id}"), ours.external_ids.join(" "));
    }
}
