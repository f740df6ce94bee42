//! Lists of pages in memory: a reader requests one page after the other, and each needs the list.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::item_page_reader::file::Version;
use svc_domain::page::Page;

/// Pages of all lists that are kept: some hundred comics, with about 150 bytes for each page.
const KEPT_PAGES: usize = 50_000;

/// The lists used last, the latest first.
#[derive(Debug, Default)]
pub(super) struct PageLists(Mutex<VecDeque<(Version, Arc<[Page]>)>>);

impl PageLists {
    /// The list of this version of a file.
    pub(super) fn get(&self, version: &Version) -> Option<Arc<[Page]>> {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = lists.iter().position(|(known, _)| known == version)?;
        let used = lists.remove(at)?;
        let pages = Arc::clone(&used.1);
        lists.push_front(used);
        Some(pages)
    }

    /// Keeps a list, and drops those that were not used for longest.
    pub(super) fn put(&self, version: Version, pages: Arc<[Page]>) {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|(known, _)| *known != version);
        lists.push_front((version, pages));
        let mut kept = 0;
        lists.retain(|(_, pages)| {
            // A list without pages takes memory too.
            kept += pages.len().max(10);
            kept <= KEPT_PAGES
        });
    }
}
