//! The identity of the installation: its id in the database, the marker file in the data directory, and the signing
//! key.

use crate::start_error::StartError;
use svc_domain::time::Clock;
use svc_platform::data_dir::DataDir;
use svc_platform::random::{Random, random_hex};
use svc_platform::secret_key::SecretKey;
use svc_store::{Instance, InstanceRepository};

/// Returns identity and signing key of the installation. Creates them at the first start; replaces the key if a crash
/// interrupted a factory reset.
///
/// If there is a marker but the database has no identity, the database was lost. The server does not start then: an
/// empty database would let any visitor complete the setup.
///
/// # Errors
/// Marker and database belong to different installations, or one of the three cannot be used.
pub async fn identify(
    repository: &InstanceRepository,
    data_dir: &DataDir,
    random: &dyn Random,
    clock: &dyn Clock,
) -> Result<(Instance, SecretKey), StartError> {
    let marker = data_dir.instance_marker()?;
    let instance = match (repository.instance().await?, marker.is_empty()) {
        (Some(stored), false) if marker.contains(&stored.instance_id) => stored,
        (stored, false) => {
            return Err(StartError::OtherDatabase {
                expected: marker.join(" or "),
                found: stored.map_or("is empty".to_owned(), |stored| {
                    format!("to {}", stored.instance_id)
                }),
            });
        }
        (Some(stored), true) => stored,
        (None, true) => {
            let new = Instance {
                instance_id: random_hex(random)?,
                created_at: clock.now(),
            };
            repository.create_instance_if_absent(&new).await?
        }
    };
    let path = data_dir.signing_key()?;
    // Two ids mean that a factory reset began. The database has the new one, so the reset was committed and the old
    // key has to be replaced.
    let was_reset = marker.len() > 1 && marker.first() != Some(&instance.instance_id);
    let key = if was_reset {
        SecretKey::replace(&path, random)?
    } else {
        SecretKey::load_or_create(&path, random)?
    };
    if marker.len() != 1 {
        data_dir.set_instance_marker(&[&instance.instance_id])?;
    }
    Ok((instance, key))
}
