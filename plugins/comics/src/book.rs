//! The pages of an archive in their order, and its `ComicInfo.xml`.

use svc_plugin_api::{ExtractError, MAX_PAGES, Source};

use crate::comic_info::{ComicInfo, PageInfo};
use crate::natural;
use crate::page::{self, Leaf};
use crate::zip::{self, Archive, Entry, Method};

/// A `ComicInfo.xml` with ten thousand pages has 2 MB.
const MAX_INFO_BYTES: u64 = 4 * 1024 * 1024;

/// An archive as a comic.
#[derive(Debug, Default)]
pub struct Book {
    /// In the order in which they are read.
    pub pages: Vec<Leaf>,
    pub info: Option<ComicInfo>,
    pub warnings: Vec<String>,
}

impl Book {
    /// Reads the directory of the archive and its `ComicInfo.xml`.
    ///
    /// # Errors
    /// Those of [`zip::open`]; `Unsupported` if all pictures are encrypted or packed in an unknown way.
    pub fn open(source: &mut Source) -> Result<Self, ExtractError> {
        let Archive {
            entries,
            mut warnings,
        } = zip::open(source)?;
        let info = entries
            .iter()
            .filter(|entry| is_info(&entry.name))
            .min_by_key(|entry| entry.name.matches('/').count())
            .cloned();
        let mut pictures: Vec<Entry> = entries
            .into_iter()
            .filter(|entry| is_page(&entry.name) && entry.size > 0)
            .collect();
        let all = pictures.len();
        pictures.retain(|entry| entry.method != Method::Other);
        match all - pictures.len() {
            0 => {}
            unreadable if pictures.is_empty() => {
                return Err(ExtractError::Unsupported(format!(
                    "all {unreadable} pages are encrypted, or packed in an unknown way"
                )));
            }
            unreadable => warnings.push(format!(
                "{unreadable} pages are encrypted, or packed in an unknown way"
            )),
        }
        pictures.sort_by(|left, right| natural::compare(&left.name, &right.name));
        let mut book = Self {
            pages: Vec::new(),
            info: None,
            warnings,
        };
        if let Some(info) = info {
            book.read_info(source, &info)?;
        }
        book.bind(pictures);
        Ok(book)
    }

    /// The front cover: the page that `ComicInfo.xml` says, else the first.
    pub fn cover(&self) -> Option<&Leaf> {
        let marked = self.pages.iter().find(|leaf| leaf.info.is_front_cover());
        marked.or_else(|| self.pages.first())
    }

    fn read_info(&mut self, source: &mut Source, entry: &Entry) -> Result<(), ExtractError> {
        if entry.size > MAX_INFO_BYTES {
            self.warnings.push(format!("{} is too large", entry.name));
            return Ok(());
        }
        match zip::unpack(source, entry) {
            Ok(bytes) => {
                let (info, warning) = ComicInfo::parse(&bytes);
                self.warnings
                    .extend(warning.map(|warning| format!("{}: {warning}", entry.name)));
                self.info = info;
                Ok(())
            }
            Err(failure @ ExtractError::Io(_)) => Err(failure),
            Err(_) => {
                self.warnings.push(format!("{} is damaged", entry.name));
                Ok(())
            }
        }
    }

    /// Joins the pictures with what `ComicInfo.xml` says about each by its number, and leaves out deleted pages.
    fn bind(&mut self, pictures: Vec<Entry>) {
        let described = self.info.as_ref().map_or(&[][..], |info| &info.pages);
        let mut infos = vec![PageInfo::default(); pictures.len()];
        for info in described {
            // Numbers beyond the pictures describe another version of the archive.
            if let Some(own) = infos.get_mut(info.image) {
                *own = info.clone();
            }
        }
        let leaves = pictures.into_iter().zip(infos);
        let mut leaves = leaves.map(|(entry, info)| Leaf { entry, info });
        self.pages.extend(
            leaves
                .by_ref()
                .filter(|leaf| !leaf.info.is_deleted())
                .take(MAX_PAGES),
        );
        if leaves.next().is_some() {
            self.warnings
                .push(format!("more than {MAX_PAGES} pages, the rest is left out"));
        }
    }
}

fn is_info(name: &str) -> bool {
    !is_hidden(name) && file_name(name).eq_ignore_ascii_case("comicinfo.xml")
}

/// Whether a file is a page by its name: a picture that is not one of the files that systems leave beside others.
fn is_page(name: &str) -> bool {
    !is_hidden(name) && page::media_type_of_name(name).is_some()
}

/// `__MACOSX/…` has resource forks under the names of the pictures, and so have `._…`. Names of bsdtar begin with `./`.
fn is_hidden(name: &str) -> bool {
    name.split('/')
        .any(|part| (part.starts_with('.') && part != ".") || part.eq_ignore_ascii_case("__MACOSX"))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
