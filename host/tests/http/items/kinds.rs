//! `GET /kinds`.

use svc_covers::covers;

use super::ItemFixture;
use crate::support::client::redacted;

#[covers("GET /api/v1/kinds")]
#[tokio::test]
async fn kinds_are_listed_with_schema_plugin_and_state() {
    let fixture = ItemFixture::new().await;
    let reply = fixture.get("/api/v1/kinds").await;
    assert_eq!(reply.status, 200);
    let kinds = reply.json();
    assert_eq!(kinds.as_array().unwrap().len(), 2);
    insta::assert_json_snapshot!(redacted(kinds[1].clone()), @r#"
    {
      "app": "photos",
      "grouped": false,
      "itemLabel": "Thing",
      "kind": "comics",
      "label": {
        "en": "Things"
      },
      "pages": false,
      "playable": false,
      "plugin": {
        "pluginId": "guest",
        "version": "1.0.0"
      },
      "schema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {
          "x.guest.number": {
            "title": "Number",
            "type": "integer",
            "x-facet": false,
            "x-label": {
              "en": "Number"
            },
            "x-search": false,
            "x-sort": true,
            "x-type": "integer"
          },
          "x.guest.series": {
            "title": "Series",
            "type": "string",
            "x-facet": true,
            "x-label": {
              "en": "Series"
            },
            "x-search": true,
            "x-sort": true,
            "x-type": "text"
          }
        },
        "title": "Thing",
        "type": "object"
      },
      "state": "active"
    }
    "#);
    let books = &kinds[0];
    assert_eq!(books["state"], "no_plugin");
    assert!(
        books["unavailable"]["reason"]
            .as_str()
            .unwrap()
            .contains("`books`")
    );
    assert_eq!(books["plugin"]["pluginId"], "books");
    assert!(books["playable"] == true && books["grouped"] == true);
    assert_eq!(books["schema"]["properties"]["x.books.read-by"]["type"], "array");
}
