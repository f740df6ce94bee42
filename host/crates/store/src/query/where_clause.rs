//! `WHERE` clauses and pages, built from static texts and bound values.

use sqlx::AssertSqlSafe;

use crate::db::Database;
use crate::query::access_filter::AccessFilter;
use svc_database::Result;
use svc_database::args::Arg;
use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_domain::list::{Order, Pagination};

/// A growing `WHERE` clause.
#[derive(Debug, Default, Clone)]
pub(crate) struct WhereClause<'a> {
    sql: String,
    values: Vec<Arg<'a>>,
    personal: bool,
    /// Condition under which the value that orders the list may be used; otherwise it counts as absent.
    shown_if: Option<String>,
}

impl<'a> WhereClause<'a> {
    /// Starts with the access filter of a list of media; `key` is the id column.
    pub(crate) fn of_media(access: AccessFilter, key: &'static str, scope: &MediaScope) -> Self {
        let sql = access.condition(key, scope);
        Self {
            sql: sql.map_or_else(String::new, |condition| format!(" WHERE {condition}")),
            ..Self::default()
        }
    }

    /// Starts with a condition built from static parts and numbers only.
    pub(crate) fn of(condition: &str) -> Self {
        Self {
            sql: format!(" WHERE {condition}"),
            ..Self::default()
        }
    }

    fn keyword(&self) -> &'static str {
        if self.sql.is_empty() { " WHERE " } else { " AND " }
    }

    /// Adds a condition without values. The text is built from static parts and numbers.
    pub(crate) fn push_condition(&mut self, condition: &str) {
        self.sql += &format!("{}{condition}", self.keyword());
    }

    /// Adds `before $n after` if there is a value; otherwise nothing.
    pub(crate) fn push<T: Into<Arg<'a>>>(
        &mut self,
        before: &'static str,
        value: Option<T>,
        after: &'static str,
    ) {
        let Some(value) = value else { return };
        self.values.push(value.into());
        self.sql += &format!("{}{before}${}{after}", self.keyword(), self.values.len());
    }

    /// Adds a condition on user data; `$user` in the text is replaced by the placeholder of the user.
    pub(crate) fn push_user_condition(&mut self, condition: &str, user: UserId) {
        self.personal = true;
        self.values.push(user.get().into());
        let place = format!("${}", self.values.len());
        self.push_condition(&condition.replace("$user", &place));
    }

    /// Rows count as rows without a value in the order of the list unless `condition` holds for them.
    pub(crate) fn hide_values_unless(&mut self, condition: String) {
        self.shown_if = Some(condition);
    }

    /// Whether the value that orders the list is hidden for some rows.
    pub(crate) fn hides_values(&self) -> bool {
        self.shown_if.is_some()
    }

    /// Adds the condition that a row has a value in the order of the list, or that it has none.
    pub(crate) fn push_has_value(&mut self, column: &str, has_value: bool) {
        let condition = match (&self.shown_if, has_value) {
            // A comparison with the value, or `IS NOT NULL`, is already there.
            (None, true) => return,
            (Some(shown), true) => shown.clone(),
            (None, false) => format!("{column} IS NULL"),
            (Some(shown), false) => format!("({column} IS NULL OR NOT ({shown}))"),
        };
        self.push_condition(&condition);
    }

    /// Whether the rows depend on user data, which changes without a new version of the media.
    pub(crate) fn is_personal(&self) -> bool {
        self.personal
    }

    /// Adds `before $n AND access filter)` if there is a value. `before` opens a subquery; the filter restricts its rows to
    /// those that the caller may see.
    pub(crate) fn push_accessible_subquery<T: Into<Arg<'a>>>(
        &mut self,
        before: &'static str,
        value: Option<T>,
        (access, key): (AccessFilter, &'static str),
        scope: &MediaScope,
    ) {
        let Some(value) = value else { return };
        self.values.push(value.into());
        let (keyword, and) = (self.keyword(), access.and(key, scope));
        self.sql += &format!("{keyword}{before}${}{and})", self.values.len());
    }

    /// Adds `before $n, $m… after` with a fixed number of values. The texts are built from static parts.
    pub(crate) fn push_values<const N: usize>(&mut self, before: &str, values: [Arg<'a>; N], after: &str) {
        let numbers: Vec<String> = (1..=N).map(|n| format!("${}", self.values.len() + n)).collect();
        self.values.extend(values);
        self.sql += &format!("{}{before}{}{after}", self.keyword(), numbers.join(", "));
    }

    /// Adds `before $n, $m… after`, where `before` ends with `IN (` and the list has any length. Nothing is in an empty
    /// list.
    pub(crate) fn push_in_list(
        &mut self,
        before: &str,
        values: impl IntoIterator<Item = Arg<'a>>,
        after: &str,
    ) {
        let first = self.values.len();
        self.values.extend(values);
        let numbers: Vec<String> = (first + 1..=self.values.len()).map(|n| format!("${n}")).collect();
        if numbers.is_empty() {
            self.push_condition("FALSE");
        } else {
            self.push_condition(&format!("{before}{}{after}", numbers.join(", ")));
        }
    }

    /// Adds a condition with one value that `condition` makes from the number of the placeholder.
    pub(crate) fn push_numbered(&mut self, value: Arg<'a>, condition: impl FnOnce(usize) -> String) {
        self.values.push(value);
        let condition = condition(self.values.len());
        self.push_condition(&condition);
    }

    /// Adds `first OR (a AND b …)`, with a condition for each value, which `condition` makes from the number of its
    /// placeholder.
    pub(crate) fn push_or_all_numbered(
        &mut self,
        first: &str,
        values: impl IntoIterator<Item = Arg<'a>>,
        condition: impl Fn(usize) -> String,
    ) {
        let mut all = Vec::new();
        for value in values {
            self.values.push(value);
            all.push(condition(self.values.len()));
        }
        self.push_condition(&format!("({first} OR {})", all.join(" AND ")));
    }

    /// Adds `first $a OR second $b`.
    pub(crate) fn push_either<T: Into<Arg<'a>>>(
        &mut self,
        first: &'static str,
        a: T,
        second: &'static str,
        b: T,
    ) {
        self.values.extend([a.into(), b.into()]);
        let at = self.values.len();
        self.push_condition(&format!("({first}${} OR {second}${at})", at - 1));
    }

    /// Adds `first $n OR second $n`, the same value in either column, if there is a value.
    pub(crate) fn push_in_either(
        &mut self,
        first: &'static str,
        second: &'static str,
        value: Option<&'a str>,
    ) {
        if let Some(value) = value {
            self.push_either(first, value, second, value);
        }
    }

    /// Adds the condition that one of these queries returns a row; `restrict_to` adds to the conditions of each query.
    pub(crate) fn push_exists_in_any(&mut self, queries: &[&str], restrict_to: impl Fn(&mut Self)) {
        self.sql += &format!("{}(FALSE", self.keyword());
        for query in queries {
            self.sql += &format!(" OR EXISTS ({query}");
            restrict_to(self);
            self.sql.push(')');
        }
        self.sql.push(')');
    }

    /// `SELECT count(*)` of the rows.
    pub(crate) fn count(&self, from: &'static str) -> (AssertSqlSafe<String>, &[Arg<'a>]) {
        (
            AssertSqlSafe(format!("SELECT count(*) FROM {from}{}", self.sql)),
            &self.values,
        )
    }

    /// All rows, unordered.
    pub(crate) fn all(&self, select: &str) -> (String, &[Arg<'a>]) {
        (format!("{select}{}", self.sql), &self.values)
    }

    /// All rows: `select … WHERE … tail`.
    pub(crate) fn rows(
        &self,
        select: &'static str,
        tail: &'static str,
    ) -> (AssertSqlSafe<String>, &[Arg<'a>]) {
        (AssertSqlSafe(format!("{select}{}{tail}", self.sql)), &self.values)
    }

    /// A page of groups: `select … WHERE … GROUP BY group ORDER BY order LIMIT … OFFSET …`.
    pub(crate) fn grouped_page(
        &self,
        select: &str,
        group: &str,
        order: &str,
        page: Pagination,
    ) -> (String, Vec<Arg<'a>>) {
        let mut grouped = self.clone();
        grouped.sql += &format!(" GROUP BY {group}");
        grouped.page(select, order, page)
    }

    /// A page: `select … WHERE … ORDER BY order LIMIT … OFFSET …`.
    pub(crate) fn page(&self, select: &str, order: &str, page: Pagination) -> (String, Vec<Arg<'a>>) {
        let mut values = self.values.clone();
        values.push(i64::from(page.take.min(Pagination::MAX_TAKE)).into());
        values.push(i64::try_from(page.skip).unwrap_or(i64::MAX).into());
        let (take, skip) = (values.len() - 1, values.len());
        (
            format!(
                "{select}{} ORDER BY {order} LIMIT ${take} OFFSET ${skip}",
                self.sql
            ),
            values,
        )
    }
}

impl Database {
    /// Number of items of a whole list. Personal lists are short, and are not cached.
    pub(crate) async fn total(&self, from: &'static str, where_clause: &WhereClause<'_>) -> Result<u64> {
        let (sql, values) = where_clause.count(from);
        if where_clause.is_personal() {
            return self.pools().count(sql, values).await;
        }
        self.cached_count(sql, values).await
    }
}

/// Picks the text of a sort direction.
pub(crate) fn direction<T>(order: Order, ascending: T, descending: T) -> T {
    match order {
        Order::Ascending => ascending,
        Order::Descending => descending,
    }
}
