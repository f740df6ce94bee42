//! Browsing photos, and correcting what is known of them.

use crate::items::user_data;
use crate::photo_albums::check_description;
use svc_domain::change::ItemType;
use svc_domain::id::{LibraryId, PhotoId};
use svc_domain::list::{ListRequest, Listing, Order};
use svc_domain::photo::{GeoPoint, Photo};
use svc_domain::photo_bucket::{Granularity, PhotoBucket};
use svc_domain::photo_edit::PhotoPatch;
use svc_domain::time::Timestamp;
use svc_events::{Events, photos as told};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::{Context, run_to_completion};
pub use svc_store::{BoundingBox, ItemFilter, PhotoFilter, PhotoOrder};
use svc_store::{Hits, PhotoAlbumRepository, PhotoRepository, UserItemRepository};

/// The earliest and the latest moment that a photo may be said to be from: the beginning of 1800, the end of 2199.
const MOMENTS: std::ops::RangeInclusive<i64> = -5_364_662_400_000..=7_258_118_399_999;
/// Minutes that a place's time may differ from UTC: what is in use, and a little more.
const OFFSETS: std::ops::RangeInclusive<i64> = -14 * 60..=14 * 60;
/// Metres: the deepest sea to where aircraft fly.
const ALTITUDES: std::ops::RangeInclusive<f64> = -12_000.0..=100_000.0;

/// Photos, as an actor sees them: what they do not see is as if it did not exist.
#[derive(Debug, Clone)]
pub struct Photos {
    context: Context,
    photos: PhotoRepository,
    photo_albums: PhotoAlbumRepository,
    user_items: UserItemRepository,
    events: Events,
}

/// What a client wants corrected. `Some(None)` takes a correction back.
#[derive(Debug, Default)]
pub struct PhotoUpdate {
    /// When it was taken: local time, read as if it were UTC.
    pub taken_at: Option<Option<Timestamp>>,
    /// Minutes east of UTC.
    pub utc_offset: Option<Option<i64>>,
    /// Degrees; both or none.
    pub latitude: Option<Option<f64>>,
    /// Degrees; both or none.
    pub longitude: Option<Option<f64>>,
    /// Metres; with a place alone.
    pub altitude: Option<Option<f64>>,
    /// What there is to say about it.
    pub description: Option<Option<String>>,
}

fn check_place(update: &PhotoUpdate, errors: &mut Vec<FieldError>) -> Option<Option<GeoPoint>> {
    let mut check = |value: Option<f64>, name: &str, range: std::ops::RangeInclusive<f64>| {
        if value.is_some_and(|value| !range.contains(&value)) {
            let message = format!("must be {} to {}", range.start(), range.end());
            errors.push(FieldError::new(name, message));
        }
    };
    check(update.latitude.flatten(), "gpsLat", -90.0..=90.0);
    check(update.longitude.flatten(), "gpsLng", -180.0..=180.0);
    check(update.altitude.flatten(), "gpsAltitude", ALTITUDES);
    match (update.latitude, update.longitude) {
        (Some(Some(latitude)), Some(Some(longitude))) => Some(Some(GeoPoint {
            latitude,
            longitude,
            altitude: update.altitude.flatten(),
        })),
        (Some(None), Some(None)) if update.altitude.flatten().is_none() => Some(None),
        (None, None) if update.altitude.is_none() => None,
        _ => {
            let message = "gpsLat and gpsLng are set or taken back together, gpsAltitude with them";
            errors.push(FieldError::new("gpsLat", message));
            None
        }
    }
}

fn check(update: PhotoUpdate) -> Result<PhotoPatch> {
    let mut errors = Vec::new();
    let place = check_place(&update, &mut errors);
    let taken_at = update.taken_at;
    if taken_at
        .flatten()
        .is_some_and(|moment| !MOMENTS.contains(&moment.millis()))
    {
        errors.push(FieldError::new("takenAt", "must be within 1800 to 2199"));
    }
    let narrow = |minutes: i64| i16::try_from(minutes).ok().filter(|_| OFFSETS.contains(&minutes));
    let utc_offset_minutes = update.utc_offset.map(|minutes| minutes.and_then(narrow));
    if utc_offset_minutes.map(|minutes| minutes.is_some())
        != update.utc_offset.map(|minutes| minutes.is_some())
    {
        errors.push(FieldError::new("utcOffset", "must be -840 to 840 minutes"));
    }
    let description = check_description(update.description, &mut errors);
    if !errors.is_empty() {
        return Err(ServiceError::Invalid(errors));
    }
    Ok(PhotoPatch {
        taken_at,
        utc_offset_minutes,
        place,
        description,
    })
}

impl Photos {
    /// Over this store.
    pub fn new(
        context: Context,
        photos: PhotoRepository,
        photo_albums: PhotoAlbumRepository,
        user_items: UserItemRepository,
        events: Events,
    ) -> Self {
        Self {
            context,
            photos,
            photo_albums,
            user_items,
            events,
        }
    }

    /// Photos; none of an album that the actor does not see.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(
        &self,
        actor: &Actor,
        filter: &PhotoFilter,
        request: &ListRequest<PhotoOrder>,
    ) -> Result<Listing<Photo>> {
        if self.is_of_hidden_album(actor, filter).await? {
            return Ok(Listing {
                items: Vec::new(),
                total: 0,
                next: None,
            });
        }
        let mut photos = self.photos.list_photos(&actor.scope, filter, request).await?;
        self.add_albums(actor, &mut photos.items).await?;
        self.add_user_data(actor, &mut photos.items).await?;
        Ok(photos)
    }

    /// Photos that were found.
    ///
    /// # Errors
    /// The store's.
    pub async fn found(&self, actor: &Actor, hits: Hits) -> Result<Listing<Photo>> {
        let mut photos = self.photos.found_photos(hits).await?;
        self.add_albums(actor, &mut photos.items).await?;
        self.add_user_data(actor, &mut photos.items).await?;
        Ok(photos)
    }

    /// The days or months with photos, in these libraries if any are named.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub async fn buckets(
        &self,
        actor: &Actor,
        filter: &PhotoFilter,
        libraries: &[LibraryId],
        granularity: Granularity,
        order: Order,
    ) -> Result<Vec<PhotoBucket>> {
        if self.is_of_hidden_album(actor, filter).await? {
            return Ok(Vec::new());
        }
        let mut buckets = self
            .photos
            .photo_buckets(&actor.scope, filter, libraries, granularity)
            .await?;
        if order == Order::Descending {
            buckets.reverse();
        }
        Ok(buckets)
    }

    /// One photo.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn photo(&self, actor: &Actor, id: PhotoId) -> Result<Photo> {
        let photo = self.photos.photo(&actor.scope, id).await?;
        let mut photos = [photo.ok_or(ServiceError::NotFound)?];
        self.add_albums(actor, &mut photos).await?;
        self.add_user_data(actor, &mut photos).await?;
        let [photo] = photos;
        Ok(photo)
    }

    /// Corrects what is known of a photo; its file stays as it is.
    ///
    /// # Errors
    /// Not found; invalid values; the store's.
    pub async fn update(&self, actor: &Actor, id: PhotoId, update: PhotoUpdate) -> Result<Photo> {
        let (this, scope) = (self.clone(), actor.scope.clone());
        let patch = check(update);
        // What is not there is not found, whatever was to be said of it.
        if patch.is_err() {
            self.photo(actor, id).await?;
        }
        let patch = patch?;
        run_to_completion(&self.context.tasks, "photo-update", async move {
            let now = this.context.now();
            let class = this.photos.update_photo(&scope, id, &patch, now).await?;
            let class = class.ok_or(ServiceError::NotFound)?;
            this.events.publish(|| told::updated(id, class));
            Ok(())
        })
        .await?;
        self.photo(actor, id).await
    }

    async fn add_user_data(&self, actor: &Actor, photos: &mut [Photo]) -> Result<()> {
        let key = |photo: &Photo| (ItemType::Photo, photo.id.get());
        let keys: Vec<_> = photos.iter().map(key).collect();
        let found = user_data(&self.user_items, actor, &keys).await?;
        for photo in photos {
            photo.user_data = found.get(&key(photo)).copied().unwrap_or_default();
        }
        Ok(())
    }

    /// Whether these are the photos of an album that there is not, as far as the actor knows.
    async fn is_of_hidden_album(&self, actor: &Actor, filter: &PhotoFilter) -> Result<bool> {
        let Some(album) = filter.album else {
            return Ok(false);
        };
        let may = actor.may(Capability::PhotoAlbumsRead);
        Ok(!may || !self.photo_albums.sees_photo_album(actor.user.id, album).await?)
    }

    async fn add_albums(&self, actor: &Actor, photos: &mut [Photo]) -> Result<()> {
        if photos.is_empty() || !actor.may(Capability::PhotoAlbumsRead) {
            return Ok(());
        }
        let ids: Vec<PhotoId> = photos.iter().map(|photo| photo.id).collect();
        let mut albums = self.photo_albums.albums_of_photos(actor.user.id, &ids).await?;
        for photo in photos {
            photo.albums = albums.remove(&photo.id).unwrap_or_default();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_are_checked_field_by_field() {
        let some = |value: f64| Some(Some(value));
        let update = PhotoUpdate::default;
        let wrong = [
            (
                PhotoUpdate {
                    latitude: some(1.0),
                    ..update()
                },
                "gpsLat",
            ),
            (
                PhotoUpdate {
                    altitude: some(1.0),
                    ..update()
                },
                "gpsLat",
            ),
            (
                PhotoUpdate {
                    latitude: Some(None),
                    longitude: some(2.0),
                    ..update()
                },
                "gpsLat",
            ),
            (
                PhotoUpdate {
                    latitude: some(90.1),
                    longitude: some(2.0),
                    ..update()
                },
                "gpsLat",
            ),
            (
                PhotoUpdate {
                    latitude: some(9.0),
                    longitude: some(-180.1),
                    ..update()
                },
                "gpsLng",
            ),
            (
                PhotoUpdate {
                    latitude: some(9.0),
                    longitude: some(9.0),
                    altitude: some(f64::NAN),
                    ..update()
                },
                "gpsAltitude",
            ),
            (
                PhotoUpdate {
                    utc_offset: Some(Some(841)),
                    ..update()
                },
                "utcOffset",
            ),
            (
                PhotoUpdate {
                    utc_offset: Some(Some(i64::MIN)),
                    ..update()
                },
                "utcOffset",
            ),
            (
                PhotoUpdate {
                    taken_at: Some(Some(Timestamp::from_millis(i64::MAX))),
                    ..update()
                },
                "takenAt",
            ),
            (
                PhotoUpdate {
                    description: Some(Some("x".repeat(2001))),
                    ..update()
                },
                "description",
            ),
        ];
        for (update, path) in wrong {
            let told = format!("{update:?}");
            let Err(ServiceError::Invalid(errors)) = check(update) else {
                panic!("{told}");
            };
            assert_eq!(errors[0].path, path, "{told}");
        }
        let good = check(PhotoUpdate {
            latitude: some(-90.0),
            longitude: some(180.0),
            utc_offset: Some(Some(-840)),
            taken_at: Some(None),
            ..update()
        })
        .unwrap();
        assert_eq!(
            (good.taken_at, good.utc_offset_minutes),
            (Some(None), Some(Some(-840)))
        );
        assert_eq!(good.place.flatten().unwrap().longitude, 180.0);
        assert_eq!(check(update()).unwrap(), PhotoPatch::default());
    }
}
