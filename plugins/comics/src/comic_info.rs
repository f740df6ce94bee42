//! `ComicInfo.xml`, the metadata that ComicRack introduced and most programs for comics write.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Elements that are kept: the format has fifty.
const MAX_VALUES: usize = 100;
const MAX_VALUE_BYTES: usize = 64 * 1024;
const MAX_PAGES: usize = 100_000;
/// Bytes of a page's label.
const MAX_LABEL_BYTES: usize = 200;

/// The elements of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComicInfo {
    /// Names in lower case with the text of the element, in the order of the document.
    values: Vec<(String, String)>,
    pub pages: Vec<PageInfo>,
}

/// An element `Page`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageInfo {
    /// The number of the picture in the archive, from 0.
    pub image: usize,
    /// Such as `FrontCover`, `Story`, `Advertisement`.
    pub kind: Option<String>,
    pub bookmark: Option<String>,
    /// In pixels.
    pub size: Option<(u32, u32)>,
}

impl PageInfo {
    pub fn is_front_cover(&self) -> bool {
        self.is("FrontCover")
    }

    /// Whether the reader of the archive has removed the page.
    pub fn is_deleted(&self) -> bool {
        self.is("Deleted")
    }

    /// The bookmark, else the type if it is one that tells the page from others.
    pub fn label(&self) -> Option<String> {
        let kind = self.kind.as_deref().map(|kind| match kind {
            "FrontCover" => "Front cover",
            "InnerCover" => "Inner cover",
            "BackCover" => "Back cover",
            "Story" | "Other" => "",
            kind => kind,
        });
        let label = self.bookmark.as_deref().or(kind)?.trim();
        let label = label.get(..label.floor_char_boundary(MAX_LABEL_BYTES))?.trim();
        (!label.is_empty()).then(|| label.to_owned())
    }

    fn is(&self, kind: &str) -> bool {
        self.kind
            .as_deref()
            .is_some_and(|own| own.eq_ignore_ascii_case(kind))
    }

    fn read(element: &BytesStart) -> Option<Self> {
        let mut page = Self::default();
        let (mut image, mut width, mut height) = (None, None, None);
        for attribute in element.attributes().with_checks(false).flatten() {
            let value = attribute.value.trim();
            match attribute.key.as_ref().to_ascii_lowercase().as_str() {
                "image" => image = value.parse().ok(),
                "type" => page.kind = text(value),
                "bookmark" => page.bookmark = text(value),
                "imagewidth" => width = value.parse().ok(),
                "imageheight" => height = value.parse().ok(),
                _ => {}
            }
        }
        page.image = image?;
        page.size = width.zip(height);
        Some(page)
    }
}

/// The value of an attribute without its references.
fn text(value: &str) -> Option<String> {
    let text = quick_xml::escape::unescape(value).map_or_else(|_| value.to_owned(), Into::into);
    (!text.is_empty()).then_some(text)
}

impl ComicInfo {
    /// Parses a document, as far as it goes; the text says what is wrong. `None` if it is another document.
    pub fn parse(bytes: &[u8]) -> (Option<Self>, Option<String>) {
        let text = decode(bytes);
        let mut reader = Reader::from_str(&text);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.allow_unmatched_ends = true;
        config.check_end_names = false;
        let mut walk = Walk::default();
        let warning = loop {
            match reader.read_event() {
                Ok(Event::Eof) => break None,
                Ok(event) => walk.event(&event),
                Err(error) => break Some(format!("broken at byte {}: {error}", reader.error_position())),
            }
        };
        if walk.is_comic_info {
            (Some(walk.info), warning)
        } else {
            (
                None,
                Some(warning.unwrap_or_else(|| "it has no element ComicInfo".to_owned())),
            )
        }
    }

    /// The text of an element that is not empty, by its name in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.values.iter().find(|(own, _)| own == name);
        found.map(|(_, text)| text.as_str())
    }
}

/// The bytes as text: UTF-8, or UTF-16 with a mark.
fn decode(bytes: &[u8]) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        char::decode_utf16(units)
            .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[derive(Default)]
struct Walk {
    info: ComicInfo,
    is_comic_info: bool,
    /// Elements that are open: the root, its child, and so on.
    depth: usize,
    /// Name and text of the child of the root that is open.
    current: Option<(String, String)>,
}

impl Walk {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Start(element) => {
                self.element(element);
                self.depth += 1;
            }
            Event::Empty(element) => self.element(element),
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 1 {
                    self.close();
                }
            }
            Event::Text(text) => self.text(text),
            Event::CData(text) => self.text(text),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => self.text(character.encode_utf8(&mut [0; 4])),
                // Entities that the document declares are not expanded.
                _ => self.text(resolve_predefined_entity(reference).unwrap_or_default()),
            },
            _ => {}
        }
    }

    fn element(&mut self, element: &BytesStart) {
        let name = element.local_name().as_ref().to_ascii_lowercase();
        match self.depth {
            0 => self.is_comic_info |= name == "comicinfo",
            1 => self.current = Some((name, String::new())),
            2 if name == "page" && self.info.pages.len() < MAX_PAGES => {
                self.info.pages.extend(PageInfo::read(element));
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.depth == 2
            && let Some((_, own)) = &mut self.current
            && own.len() + text.len() <= MAX_VALUE_BYTES
        {
            own.push_str(text);
        }
    }

    fn close(&mut self) {
        let Some((name, text)) = self.current.take() else {
            return;
        };
        let text = text.trim();
        if !text.is_empty() && self.info.values.len() < MAX_VALUES {
            self.info.values.push((name, text.to_owned()));
        }
    }
}
