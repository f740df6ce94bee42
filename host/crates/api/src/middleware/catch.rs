//! Errors that no handler answered, such as unknown routes: JSON like all others.

use salvo::http::StatusCode;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use crate::api_error::ApiError;

/// Gives every bare error status its body.
#[derive(Debug)]
pub struct CatchErrors;

#[async_trait]
impl Handler for CatchErrors {
    async fn handle(&self, _req: &mut Request, _depot: &mut Depot, res: &mut Response, _ctrl: &mut FlowCtrl) {
        ApiError::of_status(res.status_code.unwrap_or(StatusCode::NOT_FOUND)).render(res);
    }
}
