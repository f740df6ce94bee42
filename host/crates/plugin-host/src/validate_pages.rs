//! Validates a list of pages: clients receive it, and the host sends the byte ranges that it names.

use crate::bindings::exports::svc::plugin::pages::{Page as Given, PageData, PageSize};
use crate::convert;
use crate::limits;
use crate::validate::{clean, is_mime};
use svc_domain::extraction::{ExtractFailure, PictureData};
use svc_domain::page::{Page, PageDimensions};

/// Converts the pages of a file of this size.
pub(super) fn pages(given: Vec<Given>, file_size: u64) -> Result<Vec<Page>, ExtractFailure> {
    if given.len() > limits::PAGES {
        let most = limits::PAGES;
        return Err(budget(format!("{} pages, at most {most}", given.len())));
    }
    given.into_iter().map(|given| page(given, file_size)).collect()
}

fn page(given: Given, file_size: u64) -> Result<Page, ExtractFailure> {
    let Given {
        label,
        mime,
        size,
        data,
    } = given;
    if let Some(label) = &label
        && label.len() > limits::PAGE_LABEL_BYTES
    {
        let most = limits::PAGE_LABEL_BYTES;
        return Err(budget(format!(
            "a page's label has {} bytes, at most {most}",
            label.len()
        )));
    }
    if !is_page_type(&mime) {
        return Err(bad(format!(
            "`{}` is not the MIME type of a page",
            convert::message(&mime)
        )));
    }
    let data = match data {
        PageData::OnRequest => PictureData::OnRequest,
        PageData::At(span) => {
            let span = convert::span(span);
            let end = span.offset.checked_add(span.length);
            if span.length == 0 || end.is_none_or(|end| end > file_size) {
                return Err(bad("a page lies outside of the file".to_owned()));
            }
            if span.length > limits::PAGE_BYTES as u64 {
                let most = limits::PAGE_BYTES;
                return Err(budget(format!("a page of {} bytes, at most {most}", span.length)));
            }
            PictureData::At(span)
        }
    };
    Ok(Page {
        // A label is one line.
        label: label
            .map(|label| label.replace(['\r', '\n'], " "))
            .and_then(clean),
        mime,
        size: size.map(dimensions).transpose()?,
        data,
    })
}

fn dimensions(PageSize { width, height }: PageSize) -> Result<PageDimensions, ExtractFailure> {
    let range = 1..=limits::PAGE_PIXELS;
    if range.contains(&width) && range.contains(&height) {
        Ok(PageDimensions { width, height })
    } else {
        Err(bad(format!("a page of {width} x {height} pixels")))
    }
}

fn is_page_type(mime: &str) -> bool {
    let is_known = mime.starts_with("image/") || mime.starts_with("text/") || mime == "application/pdf";
    is_known && is_mime(mime) && !mime.contains(char::is_uppercase)
}

fn bad(problem: String) -> ExtractFailure {
    ExtractFailure::BadOutput(problem)
}

fn budget(problem: String) -> ExtractFailure {
    ExtractFailure::Budget(problem)
}
