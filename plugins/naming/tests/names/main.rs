//! Names as people and release groups write them, with the expected result.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod episodes;
mod movies;
mod releases;

use naming::{EpisodeName, MovieName, episode, movie, split_path};

/// `Title (year) {edition} #part ids`
fn describe_movie(name: &MovieName) -> String {
    let mut described = name.title.clone();
    described += &name.year.map_or(String::new(), |year| format!(" ({year})"));
    described += &name
        .edition
        .as_ref()
        .map_or(String::new(), |edition| format!(" {{{edition}}}"));
    described += &name.part.map_or(String::new(), |part| format!(" #{part}"));
    for id in &name.external_ids {
        described += &format!(" {id}");
    }
    described
}

/// `Show (year) | 1x02-03 or #12 or 2017-04-20 | title | pattern`
fn describe_episode(name: &EpisodeName) -> String {
    let year = name.show_year.map_or(String::new(), |year| format!(" ({year})"));
    let number = |number: Option<u32>| number.map_or("?".to_owned(), |number| number.to_string());
    let mut place = match (name.absolute, name.air_date) {
        (Some(absolute), _) => format!("#{absolute}"),
        (_, Some(date)) => format!("{}-{}-{}", date.year, date.month.unwrap(), date.day.unwrap()),
        _ => format!("{}x{}", number(name.season), number(name.episode)),
    };
    place += &name.episode_end.map_or(String::new(), |end| format!("-{end}"));
    let title = name.title.as_deref().unwrap_or("-");
    format!("{}{year} | {place} | {title} | {}", name.show, name.pattern)
}

fn all_movies(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (path, expected) in cases {
        let (folders, file) = split_path(path);
        let name = movie(&folders, file);
        assert!((0.0..=1.0).contains(&name.confidence), "{path}");
        let described = describe_movie(&name);
        if described != *expected {
            wrong.push(format!(
                "\n{path}\n  expected {expected}\n  found    {described} [{}]",
                name.pattern
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

fn all_episodes(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (path, expected) in cases {
        let (folders, file) = split_path(path);
        let name = episode(&folders, file);
        let described = name.as_ref().map_or("none".to_owned(), describe_episode);
        if described != *expected {
            wrong.push(format!("\n{path}\n  expected {expected}\n  found    {described}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}
