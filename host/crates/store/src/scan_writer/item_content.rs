//! What lists and search use of items: values of declared fields, and words.

use crate::db::search_index::SearchIndex;
use crate::kinds::StoredKind;
use crate::scan_writer::ids::for_ids;
use crate::scan_writer::rows;
use crate::text::{bounded_key, bounded_sort, bounded_words};
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::SqlTexts;
use svc_domain::item::ItemContent;

/// Values of one field of an item, at most; further ones are shown but not counted.
const MAX_VALUES: usize = 128;

/// The values and words of items, to be stored in place of earlier ones.
#[derive(Debug, Default)]
pub(super) struct NewContents {
    /// Items that have earlier ones.
    known: Vec<i64>,
    values: Vec<Arg<'static>>,
    words: Vec<Arg<'static>>,
}

impl NewContents {
    pub(super) fn add(&mut self, kind: &StoredKind, item: i64, is_new: bool, content: &ItemContent) {
        if !is_new {
            self.known.push(item);
        }
        for declared in &content.values {
            let Some(field) = kind.number_of(&declared.field, declared.used_for) else {
                continue;
            };
            for (position, value) in (0_i16..).zip(declared.values.iter().take(MAX_VALUES)) {
                let label = value.label.as_deref().map(|label| bounded_sort(label).to_owned());
                self.values.extend(args![item, field, position]);
                self.values.extend([
                    Arg::from(bounded_key(value.key.clone())),
                    Arg::Text(label.map(Into::into)),
                ]);
            }
            if declared.values.is_empty() && declared.sorts {
                self.values.extend(args![item, field, 0_i16]);
                self.values.extend([Arg::Text(None), Arg::Text(None)]);
            }
        }
        self.words
            .extend([Arg::from(item), Arg::from(bounded_words(content.words.clone()))]);
    }

    pub(super) async fn store(self, tx: &mut Tx, texts: &mut SqlTexts) -> Result<()> {
        for_ids(tx, "DELETE FROM item_values WHERE item_id", &self.known, "").await?;
        for_ids(tx, SearchIndex::ITEMS.remove(tx.engine()), &self.known, "").await?;
        texts.execute(tx, &rows::ITEM_VALUES, &self.values).await?;
        texts
            .execute(tx, SearchIndex::ITEMS.add(tx.engine()), &self.words)
            .await
    }
}
