//! What all requests share: database, clock, randomness, limits, mail.

use std::path::Path;
use std::sync::Arc;

use svc_platform::random::{Random, SystemRandom};
use url::Url;

use crate::clock::Clock;
use crate::database::Database;
use crate::error::Result;
use crate::limits::Limits;
use crate::mail::MailDirectory;
use crate::passwords::Passwords;

/// The cloud.
#[derive(Debug)]
pub(crate) struct Cloud {
    pub(crate) database: Database,
    pub(crate) clock: Arc<Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) passwords: Passwords,
    pub(crate) limits: Limits,
    pub(crate) mail: MailDirectory,
    /// The origin by which clients reach it.
    pub(crate) public_url: Url,
}

impl Cloud {
    /// Opens the database and the mail directory.
    pub(crate) async fn open(database: &Path, mail: &Path, public_url: Url) -> Result<Self> {
        Ok(Self {
            database: Database::open(database).await?,
            clock: Arc::default(),
            random: Arc::new(SystemRandom),
            passwords: Passwords::new(),
            limits: Limits::new(),
            mail: MailDirectory::open(mail)?,
            public_url,
        })
    }

    /// The absolute URL of a path that begins with `/`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.public_url.origin().ascii_serialization())
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }
}
