//! `PATCH /photos/{photoId}`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::photo;
use crate::UNKNOWN;
use crate::support::{Client, TestServer};

#[covers("PATCH /api/v1/photos/{photoId}")]
#[tokio::test]
async fn photo_is_edited_for_everybody_and_null_restores_the_file_value() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let id = photo(&server, "Album", 0).await;
    let target = format!("/api/v1/photos/{id}");
    let before = owner.get(&target).await.json();
    assert_eq!(
        (&before["takenAt"], &before["edited"], &before["albumIds"]),
        (&json!("2021-07-14T12:00:00.000Z"), &json!([]), &json!([]))
    );
    let send = async |token: &Client, body: Value| token.patch(&target, &body).await;
    let body = json!({
        "takenAt": "1969-12-31T23:00:00Z", "utcOffset": -60, "gpsLat": 48.2, "gpsLng": 16.3, "gpsAltitude": 170.5,
        "description": " In Vienna "
    });
    let corrected = send(&owner, body).await;
    assert_eq!(corrected.status, 200);
    let corrected = corrected.json();
    assert_eq!(corrected["takenAt"], "1969-12-31T23:00:00.000Z");
    assert_eq!(corrected["takenAtSource"], before["takenAtSource"]);
    assert_eq!(
        (
            &corrected["utcOffset"],
            &corrected["gpsLat"],
            &corrected["gpsAltitude"]
        ),
        (&json!(-60), &json!(48.2), &json!(170.5))
    );
    assert_eq!(corrected["description"], "In Vienna");
    assert_eq!(corrected["edited"], json!(["takenAt", "utcOffset", "gps"]));
    let guest = server.as_user("reader", &["guest"]).await;
    assert_eq!(guest.get(&target).await.json(), corrected);
    assert_eq!(send(&guest, json!({"description": "x"})).await.status, 403);
    assert_eq!(send(&owner, json!({})).await.json(), corrected);
    for (body, path) in [
        (json!({"takenAt": "2021-07-14T12:00:00+02:00"}), "takenAt"),
        (json!({"takenAt": "yesterday"}), "takenAt"),
        (json!({"takenAt": "2300-01-01T00:00:00Z"}), "takenAt"),
        (json!({"utcOffset": 841}), "utcOffset"),
        (json!({"gpsLat": 1.0}), "gpsLat"),
        (json!({"gpsLat": 91, "gpsLng": 1}), "gpsLat"),
        (json!({"description": "a\u{7}"}), "description"),
        (json!({"description": "x".repeat(2001)}), "description"),
    ] {
        let reply = send(&owner, body.clone()).await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.json()["errors"][0]["path"], path, "{body}");
    }
    let nothing = json!({
        "takenAt": null, "utcOffset": null, "gpsLat": null, "gpsLng": null, "description": null
    });
    assert_eq!(send(&owner, nothing).await.json(), before);
    let unknown = format!("/api/v1/photos/{UNKNOWN}");
    for body in [json!({}), json!({"utcOffset": 5000})] {
        assert_eq!(owner.patch(&unknown, &body).await.status, 404);
    }
}
