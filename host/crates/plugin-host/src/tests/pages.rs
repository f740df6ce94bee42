//! Tests of page lists and pages, with a guest that returns valid and hostile ones.

use crate::tests::*;
use svc_domain::extraction::{ExtractFailure, PictureData, Span};
use svc_domain::page::{Page, PageDimensions};

fn with_pages<T>(content: &[u8], test: impl FnOnce(&mut Worker, &PluginHandle, &Arc<SourceFile>) -> T) -> T {
    let manifest = guests::manifest("pages").replace("memory-mib = 64", "memory-mib = 128");
    let bytes = guests::with_manifest(guests::component(&guests::body("pages")), &manifest);
    let harness = Harness::new().with("pages.wasm", &bytes);
    let plugins = harness.load();
    let plugin = plugins
        .handle("pages")
        .unwrap_or_else(|| panic!("{:?}", plugins.list()));
    test(&mut plugins.worker(), &plugin, &harness.source(content))
}

fn listed(content: &[u8]) -> Result<Vec<Page>, ExtractFailure> {
    with_pages(content, |worker, plugin, source| {
        let listed = worker.list_pages(plugin, source);
        // Whatever happened, the worker lists the pages of the next file.
        let next = Arc::new(SourceFile::in_memory(b"good".to_vec(), "next"));
        assert_eq!(worker.list_pages(plugin, &next).map(|pages| pages.len()), Ok(2));
        listed
    })
}

#[track_caller]
fn fails_with(content: &[u8], code: &str, reason: &str) {
    let failure = listed(content).unwrap_err();
    assert_eq!(failure.code(), code, "{failure}");
    assert!(failure.to_string().contains(reason), "{failure}");
}

#[test]
fn pages_are_listed_in_order() {
    let first = Page {
        label: Some("Cover".to_owned()),
        mime: "image/jpeg".to_owned(),
        size: Some(PageDimensions {
            width: 100,
            height: 200,
        }),
        data: PictureData::At(Span { offset: 0, length: 4 }),
    };
    let second = Page {
        label: None,
        mime: "image/png".to_owned(),
        size: None,
        data: PictureData::OnRequest,
    };
    assert_eq!(listed(b"good"), Ok(vec![first, second]));
}

#[test]
fn page_outside_of_the_file_is_rejected() {
    fails_with(b"goo", "bad_output", "outside of the file");
    fails_with(b"outside", "bad_output", "outside of the file");
}

#[test]
fn page_of_another_type_or_without_pixels_is_rejected() {
    fails_with(
        b"mime",
        "bad_output",
        "`javascript` is not the MIME type of a page",
    );
    fails_with(b"wide", "bad_output", "a page of 0 x 200 pixels");
}

#[test]
fn label_and_number_of_pages_are_limited() {
    fails_with(b"label", "budget", "a page's label has 201 bytes, at most 200");
    fails_with(b"n", "budget", "10001 pages, at most 10000");
}

#[test]
fn ten_million_pages_are_stopped() {
    fails_with(b"z zz", "bad_output", "out of bounds of memory");
    // In memory that the guest may not have.
    fails_with(b"b bb", "out_of_memory", "");
}

#[test]
fn trap_and_endless_loop_in_a_list_are_stopped() {
    fails_with(b"trap", "trap", "");
    fails_with(b"slow", "timeout", "");
}

#[test]
fn page_is_returned_up_to_its_limit() {
    with_pages(b"good", |worker, plugin, source| {
        assert_eq!(worker.read_page(plugin, source, 1).unwrap(), b"Cov");
        let code = |worker: &mut Worker, index| worker.read_page(plugin, source, index).unwrap_err().code();
        assert_eq!(code(worker, 2), "budget");
        assert_eq!(code(worker, 3), "trap");
        assert_eq!(code(worker, 4), "refused");
        assert_eq!(worker.read_page(plugin, source, 1).unwrap(), b"Cov");
        // Faults outside of scans quarantine nothing.
        assert!(plugin.is_active());
    });
}

#[test]
fn abilities_are_part_of_the_status() {
    with_pages(b"good", |worker, plugin, source| {
        assert!(plugin.has_pages());
        assert_eq!(plugin.status().abilities, ["extractor", "pages"]);
        assert_eq!(worker.extract(plugin, source), Ok(None));
    });
    let harness = Harness::new().with_guest("good");
    let plugins = harness.load();
    let good = plugins.handle("good").unwrap();
    assert!(!good.has_pages());
    let failure = plugins
        .worker()
        .list_pages(&good, &harness.source(b"x"))
        .unwrap_err();
    assert_eq!(failure.code(), "unsupported");
}
