//! Lists of media: what the filter and the order of a list have to say, and how the ids of its page are read.

use crate::db::Database;
use crate::query::item_filter::ItemFilter;
use crate::query::pages::{MediaRows, Sort};
use crate::query::where_clause::WhereClause;
use svc_database::Result;
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing};

/// An order that clients may choose for a list.
pub(crate) trait MediaOrder: Copy {
    fn sort(self) -> Sort;
}

pub(crate) trait MediaFilter {
    type Order: MediaOrder;

    const ROWS: MediaRows;

    /// The filters that all lists of items share.
    fn item_filter(&self) -> &ItemFilter;

    /// The conditions of the list, for a caller who may see this scope.
    fn where_clause(&self, scope: &MediaScope) -> WhereClause<'_>;
}

impl Database {
    /// The ids of a page, with the part of the scope that lies in the requested libraries.
    pub(crate) async fn page_of_media<F: MediaFilter>(
        &self,
        scope: &MediaScope,
        filter: &F,
        request: &ListRequest<F::Order>,
    ) -> Result<(MediaScope, Listing<i64>)> {
        let scope = self.restricted_to_libraries(scope, &request.libraries).await?;
        let where_clause = filter.where_clause(&scope);
        let order = (request.by.sort(), filter.item_filter().shuffle);
        let page = self.page_in_order(F::ROWS, &where_clause, order, request).await?;
        Ok((scope, page))
    }
}
