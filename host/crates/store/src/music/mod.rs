//! Music: tracks, releases, artists and genres.

mod artists;
mod genres;
mod pictures;
mod releases;
mod tracks;

use std::collections::HashMap;

pub use artists::{ArtistFilter, ArtistOrder};
pub use genres::GenreOrder;
pub use releases::{ReleaseFilter, ReleaseOrder};
pub use tracks::{TrackFilter, TrackOrder};
pub(super) use tracks::{gain_to_stored, peak_to_stored};

#[cfg(test)]
pub(super) use tracks::order_cases as track_order_cases;
#[cfg(test)]
pub(super) use {artists::order_cases as artist_order_cases, releases::order_cases as release_order_cases};

use crate::db::Database;
use svc_database::{Result, StoreError};
use svc_domain::music::{CreditRole, CreditedArtist};

/// Tracks, releases, artists and genres.
#[derive(Debug, Clone)]
pub struct MusicRepository {
    pub(crate) db: Database,
}

#[derive(sqlx::FromRow, serde::Deserialize)]
struct CreditRow {
    item_id: i64,
    artist_id: i64,
    role: i16,
    name: String,
}

/// Groups credits by item, in order.
fn credits(rows: Vec<CreditRow>) -> Result<HashMap<i64, Vec<CreditedArtist>>> {
    let mut credits: HashMap<i64, Vec<CreditedArtist>> = HashMap::new();
    for row in rows {
        let role = CreditRole::from_number(row.role).ok_or(StoreError::InvalidValue("credit role"))?;
        let artist = CreditedArtist {
            id: row.artist_id.into(),
            name: row.name,
            role,
        };
        credits.entry(row.item_id).or_default().push(artist);
    }
    Ok(credits)
}

/// Groups genres by item, in order.
fn genres(rows: Vec<(i64, String)>) -> HashMap<i64, Vec<String>> {
    let mut genres: HashMap<i64, Vec<String>> = HashMap::new();
    for (item, name) in rows {
        genres.entry(item).or_default().push(name);
    }
    genres
}
