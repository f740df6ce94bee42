//! The requests of `bench http` that need a library: a single item, pages at several depths, search, artwork, and a
//! conditional request (304).

use std::collections::HashSet;

use anyhow::{Context, Result, bail};

use super::http_requests::get;
use crate::server_client::Session;

/// Items per page.
const PAGE: usize = 100;

/// Items of the largest allowed page.
const LARGE_PAGE: usize = 1000;

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    /// Each track once
    Items,
    /// Each page of tracks once
    Pages,
    /// A search for the title of each of this many tracks
    Searches(usize),
    /// One track
    Item,
    /// A page of tracks after this many others
    Page(usize),
    /// A search for one word
    Search,
    /// A small picture of a release, already rendered
    Artwork,
    /// A page of tracks whose entity tag the client sends
    NotModified,
}

impl Media {
    /// Whether each request is different or invalidated, so that no response comes from the response cache.
    pub(crate) fn is_uncached(self) -> bool {
        matches!(self, Self::Items | Self::Pages | Self::Searches(_))
    }

    /// The bytes of the request; `None` if the library is too small for it.
    pub(crate) fn request(self, session: &mut Session<'_>) -> Result<Option<String>> {
        let first = |session: &mut Session<'_>, path: &str, field: &str| {
            let found = session.list_field(path, field)?;
            found
                .into_iter()
                .next()
                .with_context(|| format!("{path} is empty"))
        };
        let path = match self {
            Self::Items => {
                let tracks = every(session, LARGE_PAGE, "musicTrackId")?;
                let paths = tracks
                    .1
                    .iter()
                    .map(|track| format!("/api/v1/music/tracks/{track}"));
                return Ok(Some(all(session, paths)));
            }
            Self::Pages => {
                let pages = every(session, PAGE, "musicTrackId")?.0;
                return Ok(Some(all(session, pages)));
            }
            Self::Searches(number) => {
                let (mut searches, mut seen) = (Vec::new(), HashSet::new());
                for skip in (0..number).step_by(LARGE_PAGE) {
                    let path = format!("music/tracks?take={LARGE_PAGE}&skip={skip}&orderBy=createdAt");
                    for title in session.list_field(&path, "title")? {
                        let words: Vec<_> = title
                            .split(|letter: char| !letter.is_ascii_alphanumeric())
                            .filter(|word| !word.is_empty())
                            .collect();
                        let search = format!("/api/v1/search?q={}&take=12", words.join("+"));
                        if seen.insert(search.clone()) {
                            searches.push(search);
                        }
                    }
                }
                return Ok(Some(all(session, searches)));
            }
            Self::Item => {
                let track = first(session, "music/tracks?take=1&orderBy=title", "musicTrackId")?;
                format!("/api/v1/music/tracks/{track}")
            }
            Self::Page(depth) => match page_after(session, depth)? {
                Some(path) => path,
                None => return Ok(None),
            },
            Self::Search => {
                let title = first(session, "music/tracks?take=1&skip=50&orderBy=title", "title")?;
                let word: String = title
                    .chars()
                    .take_while(|letter| letter.is_ascii_alphanumeric())
                    .collect();
                format!("/api/v1/search?q={word}&take=12")
            }
            Self::Artwork => {
                let pictured = session.list_field("music/releases?take=1000", "artwork")?;
                let Some(artwork) = pictured.first() else {
                    return Ok(None);
                };
                let path = format!("{}?size=small", artwork.trim_start_matches("/api/v1/"));
                // The first request renders it.
                let (status, _) = session.head(&path)?;
                if status != 200 {
                    bail!("GET {path}: {status}");
                }
                format!("/api/v1/{path}")
            }
            Self::NotModified => {
                let path = format!("music/tracks?take={PAGE}&orderBy=title");
                let (_, headers) = session.head(&path)?;
                let tag = headers.get("etag").context("no entity tag")?.to_str()?.to_owned();
                let request = get(&format!("/api/v1/{path}"), Some(session.token()));
                let request = request.trim_end_matches("\r\n");
                return Ok(Some(format!("{request}\r\nif-none-match: {tag}\r\n\r\n")));
            }
        };
        Ok(Some(get(&path, Some(session.token()))))
    }
}

/// Concatenates GET requests for these paths.
fn all(session: &Session<'_>, paths: impl IntoIterator<Item = String>) -> String {
    let requests = paths.into_iter().map(|path| get(&path, Some(session.token())));
    requests.collect()
}

/// Reads the list of tracks by title page by page, and returns a field of each track.
fn every(session: &mut Session<'_>, take: usize, field: &str) -> Result<(Vec<String>, Vec<String>)> {
    let mut path = format!("/api/v1/music/tracks?take={take}&orderBy=title");
    let (mut pages, mut fields) = (Vec::new(), Vec::new());
    loop {
        let below = path.trim_start_matches("/api/v1/").to_owned();
        fields.extend(session.list_field(&below, field)?);
        pages.push(path);
        let (_, headers) = session.head(&below)?;
        match next(&headers)? {
            Some(target) => path = target,
            None => return Ok((pages, fields)),
        }
    }
}

/// The path of the next page, from the `Link` header.
fn next(headers: &ureq::http::HeaderMap) -> Result<Option<String>> {
    let Some(link) = headers.get("link") else {
        return Ok(None);
    };
    let target = link.to_str()?.trim_start_matches('<');
    let (target, _) = target.split_once('>').context("a link without an end")?;
    Ok(Some(target.to_owned()))
}

/// The path of the page after this many tracks, by cursor.
fn page_after(session: &mut Session<'_>, depth: usize) -> Result<Option<String>> {
    let path = format!(
        "music/tracks?take=1&orderBy=title&skip={}",
        depth.saturating_sub(1)
    );
    let (_, headers) = session.head(&path)?;
    Ok(next(&headers)?.map(|target| target.replace("take=1&", &format!("take={PAGE}&"))))
}
