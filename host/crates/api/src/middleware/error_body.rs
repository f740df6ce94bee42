//! The JSON body of errors that no handler produced, such as unknown routes.

use salvo::http::StatusCode;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use crate::api_error::ApiError;

/// Adds the body to an error status without one.
#[derive(Debug)]
pub struct ErrorBody;

#[async_trait]
impl Handler for ErrorBody {
    async fn handle(&self, _req: &mut Request, _depot: &mut Depot, res: &mut Response, _ctrl: &mut FlowCtrl) {
        ApiError::of_status(res.status_code.unwrap_or(StatusCode::NOT_FOUND)).render(res);
    }
}
