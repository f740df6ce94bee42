//! Redirects of a browser that carry cookies.

use salvo::http::StatusCode;
use salvo::http::header::{HeaderValue, LOCATION, SET_COOKIE};
use salvo::oapi::{Components, EndpointOutRegister, Operation};
use salvo::{Depot, Request, Response, Writer, async_trait};

use crate::response::{register_statuses, set_header};

/// 303 to a location, with `Set-Cookie` headers.
#[derive(Debug)]
pub struct SeeOther {
    /// A path of this server, or an absolute address.
    pub location: String,
    /// In order.
    pub cookies: Vec<HeaderValue>,
}

#[async_trait]
impl Writer for SeeOther {
    async fn write(self, _req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        res.status_code(StatusCode::SEE_OTHER);
        set_header(res.headers_mut(), LOCATION, self.location);
        for cookie in self.cookies {
            res.headers_mut().append(SET_COOKIE, cookie);
        }
    }
}

impl EndpointOutRegister for SeeOther {
    fn register(_components: &mut Components, operation: &mut Operation) {
        register_statuses(operation, &[("303", "The browser goes to `Location`")]);
    }
}
