//! The attribute on tests: it leaves them as they are, whatever other attributes they have.

use svc_covers::covers;

#[covers("one")]
#[test]
#[should_panic(expected = "the body runs")]
fn attributes_and_body_of_the_test_stay() {
    panic!("the body runs");
}

#[covers("an id with spaces", "GET /api/v1/movies/{movieId}")]
#[should_panic(expected = "the body runs")]
#[core::prelude::v1::test]
/// Between other attributes, by a path, and with a comma after the last id.
fn test_attribute_is_found_by_the_end_of_its_path() {
    panic!("the body runs");
}
