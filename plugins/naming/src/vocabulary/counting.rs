//! Words that count: seasons, episodes, parts and numbers, in the languages of files and folders, in small letters.

use crate::cursor::Words;

/// "Season"; its number follows or stands in front.
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

/// Those of them that are words of names too: a number of two digits at most is a season's.
pub(crate) static SHOW_WORDS: Words = Words::new(&["series", "serie", "série", "temp", "tem"]);

/// "Season" behind its number only: "第2季", "2기".
pub(crate) static SEASON_WORDS_AFTER: Words = Words::new(&["季", "期", "部", "シーズン", "기"]);

/// "Episode"; its number follows.
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

/// "Episode" behind its number: "03. Bölüm", "3 серия", "03화".
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

/// "Part"; its number follows, in words too.
pub(crate) static PART_WORDS: Words = Words::new(&["part", "pt", "parte", "partie", "часть", "teil", "del"]);

/// "Of" between a number and that of all: "3of5", "3 von 5".
pub(crate) static OF_WORDS: Words = Words::new(&["of", "von", "de", "sur", "di", "из"]);

/// Episodes outside of the count.
pub(crate) static SPECIAL_WORDS: Words = Words::new(&["special", "sp", "ova", "oav", "oad", "ona", "спешл"]);

/// What a fansub adds to the episodes: openings and endings without text, trailers. Their numbers count themselves.
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

/// Numbers as words, from one on. Chinese ones are counted.
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

/// What makes a number one of an order: "2nd", "3ª".
pub(crate) static ORDINALS: Words = Words::new(&["st", "nd", "rd", "th", "ª", "º", "a", "ème", "e"]);
