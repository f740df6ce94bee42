//! The API of accounts: sign-in, sign-out, the account of a token, an account by its id.

use salvo::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::cloud::Cloud;
use crate::error::Result;
use crate::http::call::Call;
use crate::http::reply::{Cache, Reply};
use crate::sessions::{Purpose, SignIn};
use crate::text;

#[derive(Deserialize)]
struct SignInBody {
    username: String,
    password: String,
    audience: Option<String>,
}

pub(crate) async fn sign_in(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let SignInBody {
        username,
        password,
        audience,
    } = call.json()?;
    if let Some(audience) = &audience {
        text::instance_id(audience)?;
    }
    let attempt = SignIn {
        username: &username,
        password: &password,
        network: &call.network,
    };
    let account_id = cloud.verify(&attempt).await?;
    let session = cloud
        .start_session(&account_id, Purpose::Token, audience.as_deref())
        .await?;
    let body = json!({
        "token": session.token,
        "publicUserId": session.account_id,
        "expiresAt": session.expires_at,
    });
    Reply::json(StatusCode::CREATED, Cache::Never, &body)
}

pub(crate) async fn sign_out(cloud: &Cloud, call: &Call) -> Result<Reply> {
    cloud.end_session(call.token()?).await?;
    Reply::json(StatusCode::OK, Cache::Never, &json!({}))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccountView<'a> {
    public_user_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<&'a str>,
    username: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnAccountView<'a> {
    #[serde(flatten)]
    account: AccountView<'a>,
    groups: Vec<String>,
    expires_at: i64,
}

pub(crate) async fn show_own(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let session = call.session(cloud, call.instance_id()).await?;
    let account = &session.account;
    let view = OwnAccountView {
        account: AccountView {
            public_user_id: &account.id,
            display_name: account.display_name.as_deref(),
            username: &account.username,
        },
        groups: account.groups()?,
        expires_at: session.expires_at,
    };
    Reply::json(StatusCode::OK, Cache::Never, &view)
}

pub(crate) async fn look_up(cloud: &Cloud, call: &Call) -> Result<Reply> {
    let server = call.server(cloud).await?;
    let account = cloud.look_up(server.id, &call.id).await?;
    let view = AccountView {
        public_user_id: &account.id,
        display_name: account.display_name.as_deref(),
        username: &account.username,
    };
    Reply::json(StatusCode::OK, Cache::Never, &view)
}
