//! Pages of a list, by the link of each response.

use serde_json::json;

use crate::search::library;
use crate::support::TestServer;

#[tokio::test]
async fn list_is_paged_by_the_link_header() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    library(&server).await;
    let mut target = "/api/v1/music/tracks?take=2&orderBy=title&yearTo=".to_owned();
    target.truncate(target.find("&yearTo").unwrap());
    let mut titles = Vec::new();
    loop {
        let reply = token.get(&target).await;
        assert_eq!((reply.status, &reply.json()[1]), (200, &json!(5)));
        for track in reply.json()[0].as_array().unwrap() {
            titles.push(track["title"].as_str().unwrap().to_owned());
        }
        let link = reply.header("link");
        let Some(next) = link.strip_prefix('<') else { break };
        let (next, rest) = next.split_once('>').unwrap();
        assert_eq!(rest, "; rel=\"next\"");
        assert!(
            next.contains("take=2") && next.contains("orderBy=title"),
            "{next}"
        );
        target = next.to_owned();
    }
    assert_eq!(titles, ["Echoes", "Éclair", "Out of Time", "Time", "Timeless"]);
    for bad in [
        "after=abc",
        "after=e30",
        &format!("skip=1&{}", target.split_once('&').unwrap().1),
    ] {
        let reply = token.get(&format!("/api/v1/music/tracks?{bad}")).await;
        assert_eq!(reply.status, 400, "{bad}");
    }
    let other = target.replace("orderBy=title", "orderBy=year");
    assert_eq!(token.get(&other).await.status, 400, "a cursor of another order");
}
