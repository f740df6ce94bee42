//! The files of items: parts, media files, pictures.

use sqlx::AssertSqlSafe;

use crate::files::EmbeddedPicture;
use crate::files::embedded_picture::PictureRow;
use crate::files::media_file::{MediaFile, MediaRow, file_columns, file_joins};
use crate::kinds::KindRepository;
use crate::query::access_filter::and_in_folder;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::ItemId;
use svc_domain::item::{FileContent, ItemPart};
use svc_domain::library::MediaScope;

/// All files of the item `$1` with their numbers, whether accessible or not: a part keeps its number for every caller.
macro_rules! numbered_files {
    () => {
        " FROM (SELECT y.*, row_number() OVER (ORDER BY y.part_order, y.file_id) AS number FROM item_files y \
         WHERE y.item_id = $1) AS x JOIN files f ON f.file_id = x.file_id "
    };
}

#[derive(sqlx::FromRow, serde::Deserialize)]
struct PartRow {
    file_id: i64,
    number: i64,
    record: String,
    name: String,
    size: i64,
    missing: bool,
}

impl From<PartRow> for ItemPart {
    fn from(row: PartRow) -> Self {
        Self {
            file: row.file_id.into(),
            number: row.number,
            file_name: row.name,
            size: row.size,
            missing: row.missing,
            content: FileContent::parse(&row.record),
        }
    }
}

impl KindRepository {
    /// The accessible files of an item, in order.
    pub async fn item_parts(&self, scope: &MediaScope, id: ItemId) -> Result<Vec<ItemPart>> {
        let select = concat!(
            "SELECT x.file_id, x.number, x.record, f.name, f.size, f.status = 2 AS missing",
            numbered_files!(),
            "JOIN folders o ON o.folder_id = f.folder_id WHERE TRUE"
        );
        let sql = AssertSqlSafe(format!("{select}{} ORDER BY x.number", and_in_folder(scope)));
        let rows: Vec<PartRow> = self.db.pools().fetch_page(sql, &args![id.get()]).await?;
        Ok(rows.into_iter().map(ItemPart::from).collect())
    }

    /// The file of a part of an item, or its first accessible file.
    pub async fn item_file(
        &self,
        scope: &MediaScope,
        id: ItemId,
        part: Option<i64>,
    ) -> Result<Option<MediaFile>> {
        let select = concat!(
            "SELECT ",
            file_columns!(),
            numbered_files!(),
            file_joins!(),
            " WHERE x.number >= $2"
        );
        let and = and_in_folder(scope);
        let sql = AssertSqlSafe(match part {
            Some(_) => format!("{select} AND x.number <= $2{and}"),
            None => format!("{select}{and} ORDER BY x.number LIMIT 1"),
        });
        let values = args![id.get(), part.unwrap_or(0)];
        let row: Option<MediaRow> = self.db.pools().fetch_optional(sql, &values).await?;
        row.map(MediaFile::try_from).transpose()
    }

    /// The picture of an item: that of its first accessible file with one.
    pub async fn item_picture(&self, scope: &MediaScope, id: ItemId) -> Result<Option<EmbeddedPicture>> {
        let select = concat!(
            "SELECT ",
            file_columns!(),
            ", x.picture_index, x.picture_mime, x.picture_offset, x.picture_length, f.related_stamp",
            numbered_files!(),
            file_joins!(),
            " WHERE x.picture_index IS NOT NULL"
        );
        let and = and_in_folder(scope);
        let sql = AssertSqlSafe(format!("{select}{and} ORDER BY x.number LIMIT 1"));
        let row: Option<PictureRow> = self.db.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(EmbeddedPicture::try_from).transpose()
    }
}
