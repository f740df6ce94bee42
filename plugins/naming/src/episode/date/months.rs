//! The names of months.

use crate::cursor::Cursor;

/// Months and their names in the languages of file names; the first three letters are enough.
const MONTHS: &[(u32, &[&str])] = &[
    (
        1,
        &[
            "january",
            "januar",
            "janvier",
            "enero",
            "gennaio",
            "janeiro",
            "января",
            "январь",
        ],
    ),
    (
        2,
        &[
            "february",
            "februar",
            "février",
            "fevrier",
            "febrero",
            "febbraio",
            "fevereiro",
            "февраля",
            "февраль",
        ],
    ),
    (
        3,
        &[
            "march",
            "märz",
            "maerz",
            "mrz",
            "marz",
            "mars",
            "marzo",
            "março",
            "marco",
            "марта",
            "март",
        ],
    ),
    (4, &["april", "avril", "abril", "aprile", "апреля", "апрель"]),
    (5, &["may", "mai", "mayo", "maggio", "maio", "мая", "май"]),
    (
        6,
        &["june", "juni", "juin", "junio", "giugno", "junho", "июня", "июнь"],
    ),
    (
        7,
        &[
            "july", "juli", "juillet", "julio", "luglio", "julho", "июля", "июль",
        ],
    ),
    (8, &["august", "août", "aout", "agosto", "августа", "август"]),
    (
        9,
        &[
            "september",
            "sept",
            "septembre",
            "septiembre",
            "settembre",
            "setembro",
            "сентября",
            "сентябрь",
        ],
    ),
    (
        10,
        &[
            "october",
            "oktober",
            "octobre",
            "octubre",
            "ottobre",
            "outubro",
            "октября",
            "октябрь",
        ],
    ),
    (
        11,
        &[
            "november",
            "novembre",
            "noviembre",
            "novembro",
            "ноября",
            "ноябрь",
        ],
    ),
    (
        12,
        &[
            "december",
            "dezember",
            "décembre",
            "decembre",
            "diciembre",
            "dicembre",
            "dezembro",
            "декабря",
            "декабрь",
        ],
    ),
];

/// The name of a month or at least three letters of it.
pub(super) fn month_name(cursor: &mut Cursor) -> Option<u32> {
    let rest = cursor.rest();
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let word = rest
        .get(..end)
        .filter(|word| word.chars().count() >= 3)?
        .to_lowercase();
    let (month, _) = MONTHS
        .iter()
        .find(|(_, names)| names.iter().any(|name| name.starts_with(word.as_str())))?;
    cursor.at += end;
    Some(*month)
}
