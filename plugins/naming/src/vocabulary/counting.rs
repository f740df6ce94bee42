//! Words of seasons, episodes, parts and numbers in the languages of file names, in lower case.

use super::words::Words;

/// "Season" before or after its number.
pub(crate) static SEASON_WORDS: Words = Words::new(&[
    "season",
    "seasons",
    "series",
    "staffel",
    "staffeln",
    "saison",
    "saisons",
    "stagione",
    "stagioni",
    "temporada",
    "temporadas",
    "temp",
    "tem",
    "sæson",
    "säsong",
    "seasong",
    "sesong",
    "sesonki",
    "kausi",
    "tuotantokausi",
    "seizoen",
    "sezon",
    "sezona",
    "sezonas",
    "sezóna",
    "sezonul",
    "sezonu",
    "série",
    "serie",
    "évad",
    "evad",
    "σεζόν",
    "κύκλος",
    "сезон",
    "シーズン",
    "시즌",
    "العربي",
    "الموسم",
    "עונה",
    "सीज़न",
    "सीजन",
    "mùa",
    "phần",
]);

/// Those that occur in titles as well: their number has at most two digits.
pub(crate) static SHOW_WORDS: Words = Words::new(&["series", "serie", "série", "temp", "tem"]);

/// "Season" only after its number: "第2季", "2기".
pub(crate) static SEASON_WORDS_AFTER: Words = Words::new(&["季", "期", "部", "シーズン", "기"]);

/// "Episode" before its number.
pub(crate) static EPISODE_WORDS: Words = Words::new(&[
    "episode",
    "episodes",
    "episodio",
    "episodios",
    "episódio",
    "épisode",
    "épisodes",
    "episod",
    "epizoda",
    "epizod",
    "epizóda",
    "ep",
    "eps",
    "epi",
    "folge",
    "folgen",
    "teil",
    "aflevering",
    "afl",
    "avsnitt",
    "afsnit",
    "jakso",
    "odcinek",
    "odc",
    "díl",
    "bölüm",
    "bolum",
    "capitulo",
    "capítulo",
    "capitulos",
    "cap",
    "capitol",
    "puntata",
    "επεισόδιο",
    "эпизод",
    "серия",
    "серии",
    "выпуск",
    "rész",
    "chapter",
    "tập",
    "الحلقة",
    "פרק",
    "एपिसोड",
]);

/// "Episode" after its number: "03. Bölüm", "3 серия", "03화".
pub(crate) static EPISODE_WORDS_AFTER: Words = Words::new(&[
    "серия",
    "серии",
    "эпизод",
    "выпуск",
    "bölüm",
    "bolum",
    "rész",
    "díl",
    "화",
    "회",
    "話",
    "话",
    "集",
    "回",
]);

/// "Part" before its number, which may be spelled out.
pub(crate) static PART_WORDS: Words = Words::new(&["part", "pt", "parte", "partie", "часть", "teil", "del"]);

/// "Of" between a number and the total: "3of5", "3 von 5".
pub(crate) static OF_WORDS: Words = Words::new(&["of", "von", "de", "sur", "di", "из"]);

/// Specials, which are not counted as episodes.
pub(crate) static SPECIAL_WORDS: Words = Words::new(&["special", "sp", "ova", "oav", "oad", "ona", "спешл"]);

/// Extras of fansub groups: openings and endings without credits, trailers. They have numbers of their own.
pub(crate) static EXTRA_WORDS: Words = Words::new(&[
    "ncop",
    "nced",
    "creditless",
    "pv",
    "cm",
    "menu",
    "ova",
    "oav",
    "oad",
    "ona",
    "sp",
]);

/// Spelled-out numbers from one on. Chinese numbers are parsed.
pub(crate) static NUMBER_WORDS: &[Words] = &[
    Words::new(&[
        "one",
        "first",
        "eins",
        "erste",
        "uno",
        "une",
        "primera",
        "première",
        "prima",
        "первый",
    ]),
    Words::new(&[
        "two",
        "second",
        "zwei",
        "zweite",
        "dos",
        "deux",
        "due",
        "segunda",
        "deuxième",
        "seconda",
        "второй",
    ]),
    Words::new(&[
        "three",
        "third",
        "drei",
        "dritte",
        "tres",
        "trois",
        "tre",
        "tercera",
        "terza",
        "третий",
    ]),
    Words::new(&[
        "four",
        "fourth",
        "vier",
        "vierte",
        "cuatro",
        "quatre",
        "quattro",
        "четвертый",
    ]),
    Words::new(&["five", "fifth", "fünf", "cinco", "cinq", "cinque", "пятый"]),
    Words::new(&["six", "sixth", "sechs", "seis", "sei", "шестой"]),
    Words::new(&["seven", "seventh", "sieben", "siete", "sept", "sette", "седьмой"]),
    Words::new(&["eight", "eighth", "acht", "ocho", "huit", "otto", "восьмой"]),
    Words::new(&["nine", "ninth", "neun", "nueve", "neuf", "nove", "девятый"]),
    Words::new(&["ten", "tenth", "zehn", "diez", "dix", "dieci", "десятый"]),
];

/// Suffixes of ordinal numbers: "2nd", "3ª".
pub(crate) static ORDINALS: Words = Words::new(&["st", "nd", "rd", "th", "ª", "º", "a", "ème", "e"]);
