//! The requests of `bench http` that need a library: a single item, pages at several depths, search, artwork, and an
//! answer that the client has already.

use anyhow::{Context, Result, bail};

use super::http::get;
use crate::server_client::Session;

/// Items of a page.
const PAGE: usize = 100;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    /// One track
    Item,
    /// A page of tracks, after so many
    Page(usize),
    /// Tracks and whatever else has the word
    Search,
    /// The picture of a release in a small size, drawn before
    Artwork,
    /// A page of tracks that the client has
    NotModified,
}

impl Media {
    /// The request as it goes over the wire; `None` when the library is too small for it.
    pub(crate) fn request(self, session: &mut Session<'_>) -> Result<Option<String>> {
        let first = |session: &mut Session<'_>, path: &str, field: &str| {
            let found = session.list_field(path, field)?;
            found
                .into_iter()
                .next()
                .with_context(|| format!("{path} is empty"))
        };
        let path = match self {
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
                // Drawn by the first who asks.
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

/// The page that follows so many tracks, by its place.
fn page_after(session: &mut Session<'_>, depth: usize) -> Result<Option<String>> {
    let path = format!(
        "music/tracks?take=1&orderBy=title&skip={}",
        depth.saturating_sub(1)
    );
    let (_, headers) = session.head(&path)?;
    let Some(link) = headers.get("link") else {
        return Ok(None);
    };
    let target = link.to_str()?.trim_start_matches('<');
    let (target, _) = target.split_once('>').context("a link without an end")?;
    Ok(Some(target.replace("take=1&", &format!("take={PAGE}&"))))
}
