//! Names of episodes.

use super::all_episodes;

#[test]
fn episodes_of_release_groups() {
    all_episodes(&[
        (
            "The.Wire.S01E03.The.Buys.1080p.BluRay.x264-GRP.mkv",
            "The Wire | 1x3 | The Buys | sxxexx",
        ),
        (
            "the.wire.s01e03.720p.hdtv.x264-grp.mkv",
            "the wire | 1x3 | - | sxxexx",
        ),
        (
            "Doctor.Who.2005.S05E01.The.Eleventh.Hour.720p.mkv",
            "Doctor Who (2005) | 5x1 | The Eleventh Hour | sxxexx",
        ),
        (
            "House.of.Cards.(2013).S01E01.mkv",
            "House of Cards (2013) | 1x1 | - | sxxexx",
        ),
        (
            "Marvels.Agents.of.S.H.I.E.L.D.S02E05.A.Hen.in.the.Wolf.House.WEB-DL.mkv",
            "Marvels Agents of S.H.I.E.L.D | 2x5 | A Hen in the Wolf House | sxxexx",
        ),
        ("24.S08E01.720p.mkv", "24 | 8x1 | - | sxxexx"),
        (
            "Battlestar.Galactica.S04E19E20.Daybreak.mkv",
            "Battlestar Galactica | 4x19-20 | Daybreak | sxxexx",
        ),
        ("Show.S01E01-E03.1080p.WEB.mkv", "Show | 1x1-3 | - | sxxexx"),
        ("Show.S01E01.E02.1080p.mkv", "Show | 1x1-2 | - | sxxexx"),
        ("Show.S01E05.100.Ways.mkv", "Show | 1x5 | 100 Ways | sxxexx"),
        (
            "Show.S01E05.Ways.wmv.720p.WEB-GRP.mkv",
            "Show | 1x5 | Ways | sxxexx",
        ),
        ("Show - S01E05-100 Ways.mkv", "Show | 1x5 | 100 Ways | sxxexx"),
        ("Show.S01E02-GRP.mkv", "Show | 1x2 | - | sxxexx"),
        ("Show.1x02.Title.HDTV.XviD-GRP.avi", "Show | 1x2 | Title | nxnn"),
        ("show.103.hdtv-lol.avi", "show | 1x3 | - | compact"),
        (
            "The.Daily.Show.2017.04.20.Anne.Hathaway.720p.HDTV.mkv",
            "The Daily Show | 2017-4-20 | Anne Hathaway | date",
        ),
        ("Conan 2014-11-03 Guest.mkv", "Conan | 2014-11-3 | Guest | date"),
        (
            "Tagesschau 14.07.2023 20 Uhr.mp4",
            "Tagesschau | 2023-7-14 | 20 Uhr | date",
        ),
        ("NOVA_20190515_Title.ts", "NOVA | 2019-5-15 | Title | date"),
        (
            "Late.Night.2020.02.30.S01E02.mkv",
            "Late Night 2020 02 30 | 1x2 | - | sxxexx",
        ),
        ("Show.S01E02.1920x1080.mkv", "Show | 1x2 | - | sxxexx"),
        ("Show.S2010E05.mkv", "Show | 2010x5 | - | sxxexx"),
        ("The.100.S03E04.mkv", "The 100 | 3x4 | - | sxxexx"),
        ("UFO.1970.S01E01.mkv", "UFO (1970) | 1x1 | - | sxxexx"),
        (
            "Show.Name.S01E02.German.DL.1080p.BluRay.mkv",
            "Show Name | 1x2 | - | sxxexx",
        ),
        (
            "Show.Name.S01E02.The.German.Guest.1080p.mkv",
            "Show Name | 1x2 | The German Guest | sxxexx",
        ),
        (
            "Show.Name.S01E02.PROPER.1080p.mkv",
            "Show Name | 1x2 | - | sxxexx",
        ),
        ("Show.Name.S01E02.REPACK.mkv", "Show Name | 1x2 | - | sxxexx"),
        (
            "Incoming/Show.Name.S01E02.720p-GRP/grp-sn.102.720p.mkv",
            "Show Name | 1x2 | - | folder-release",
        ),
        (
            "Show.Name.S01.1080p.BluRay-GRP/Show.Name.S01E04.1080p.mkv",
            "Show Name | 1x4 | - | sxxexx",
        ),
        (
            "Show.Name.S02.1080p/04 - The Title.mkv",
            "Show Name | 2x4 | The Title | folder-season",
        ),
        (
            "Band.of.Brothers.Part.1.Currahee.mkv",
            "Band of Brothers | ?x1 | Currahee | part",
        ),
        (
            "Planet.Earth.Ep05.Deserts.mkv",
            "Planet Earth | ?x5 | Deserts | episode-word",
        ),
        ("Show.E05.mkv", "Show | ?x5 | - | episode-word"),
    ]);
}

#[test]
fn episodes_of_media_servers() {
    all_episodes(&[
        (
            "TV/Dark (2017)/Season 01/Dark (2017) - S01E02 - Lies.mkv",
            "Dark (2017) | 1x2 | Lies | sxxexx",
        ),
        (
            "TV/Dark (2017)/Season 01/S01E02.mkv",
            "Dark (2017) | 1x2 | - | sxxexx",
        ),
        (
            "TV/Dark (2017) {tvdb-334824}/Season 01/Dark - s01e02 - Lies.mkv",
            "Dark (2017) | 1x2 | Lies | sxxexx",
        ),
        (
            "TV/Dark/Season 1/02 - Lies.mkv",
            "Dark | 1x2 | Lies | folder-season",
        ),
        (
            "TV/Dark/Season 1/02. Lies.mkv",
            "Dark | 1x2 | Lies | folder-season",
        ),
        ("TV/Dark/Season 1/02.mkv", "Dark | 1x2 | - | folder-season"),
        ("TV/Dark/Season 1/2.mkv", "Dark | 1x2 | - | folder-season"),
        ("TV/Dark/Season 1/Lies.mkv", "Dark | 1x? | - | season-only"),
        ("TV/Dark/Season 1/Episode 2.mkv", "Dark | 1x2 | - | episode-word"),
        (
            "TV/Dark/Season 1/Episode 2 - Lies.mkv",
            "Dark | 1x2 | Lies | episode-word",
        ),
        (
            "TV/Dark/Season 2/203 - Ghosts.mkv",
            "Dark | 2x3 | Ghosts | folder-season",
        ),
        ("TV/Dark/Season 2/Dark 203.mkv", "Dark | 2x3 | - | folder-season"),
        (
            "TV/Dark/Season 12/1203 - Ghosts.mkv",
            "Dark | 12x3 | Ghosts | folder-season",
        ),
        (
            "TV/Dark/Specials/S00E01 - Making of.mkv",
            "Dark | 0x1 | Making of | sxxexx",
        ),
        ("TV/Dark/Specials/Making of.mkv", "Dark | 0x? | - | season-only"),
        (
            "TV/Dark/Specials/01 - Making of.mkv",
            "Dark | 0x1 | Making of | folder-season",
        ),
        ("TV/Dark/Season 00/Dark S00E02.mkv", "Dark | 0x2 | - | sxxexx"),
        ("TV/Dark/Dark - 1x02 - Lies.mkv", "Dark | 1x2 | Lies | nxnn"),
        ("TV/Dark/1x02.mkv", "Dark | 1x2 | - | nxnn"),
        ("TV/24/Season 1/24 - 05.mkv", "24 | 1x5 | - | folder-season"),
        ("TV/24/Season 1/24 - S01E05.mkv", "24 | 1x5 | - | sxxexx"),
        (
            "TV/1923 (2022)/Season 1/1923 (2022) - S01E01 - 1923.mkv",
            "1923 (2022) | 1x1 | 1923 | sxxexx",
        ),
        (
            "TV/Game of Thrones/Season 1/got.s01e01.mkv",
            "Game of Thrones | 1x1 | - | sxxexx",
        ),
        (
            "TV/Space 1999/Season 1/Space 1999 - S01E01 - Breakaway.mkv",
            "Space 1999 | 1x1 | Breakaway | sxxexx",
        ),
        (
            "TV/The Office (US)/Season 3/The Office (US) - S03E01-E02 - Gay Witch Hunt.mkv",
            "The Office (US) | 3x1-2 | Gay Witch Hunt | sxxexx",
        ),
        (
            "TV/Stargate SG-1/Season 1/Stargate SG-1 - S01E01-02 - Children of the Gods.mkv",
            "Stargate SG-1 | 1x1-2 | Children of the Gods | sxxexx",
        ),
        (
            "TV/Stargate SG-1/Stargate SG-1 Season 2/03 - Prisoners.mkv",
            "Stargate SG-1 | 2x3 | Prisoners | folder-season",
        ),
        (
            "D:\\TV\\Dark\\Season 1\\Dark - S01E02.mkv",
            "Dark | 1x2 | - | sxxexx",
        ),
        ("TV/Dark/S01/E02.mkv", "Dark | 1x2 | - | episode-word"),
        ("TV/Dark/1/02.mkv", "Dark | 1x2 | - | folder-season"),
        (
            "TV/Top Gear/2010/Top Gear - 2010-06-27.mkv",
            "Top Gear | 2010-6-27 | - | date",
        ),
        (
            "TV/Jeopardy/Season 39/Jeopardy - 2023-07-14.mkv",
            "Jeopardy | 2023-7-14 | - | date",
        ),
        ("TV/Dark/Dark Christmas.mkv", "none"),
        ("Holiday 2019.mkv", "none"),
        ("Movie (2010).mkv", "none"),
        (
            "TV/Dark/Season 1/Dark.S01E02.720p-GRP/dark.s01e02.mkv",
            "Dark | 1x2 | - | sxxexx",
        ),
        (
            "TV/Dark/Season 1/Dark - S01E02 - Lies [WEBDL-1080p][AAC 2.0][h264]-GRP.mkv",
            "Dark | 1x2 | Lies | sxxexx",
        ),
        (
            "TV/Dark/Season 1/Dark - S01E02 - Lies (1).mkv",
            "Dark | 1x2 | Lies (1) | sxxexx",
        ),
        (
            "TV/M*A*S*H/Season 1/MASH - S01E02.avi",
            "M*A*S*H | 1x2 | - | sxxexx",
        ),
        ("Show Season 2/03.mkv", "Show | 2x3 | - | folder-season"),
    ]);
}

#[test]
fn episodes_of_anime() {
    all_episodes(&[
        (
            "[HorribleSubs] One Punch Man - 03 [1080p].mkv",
            "One Punch Man | #3 | - | absolute-group",
        ),
        (
            "[SubsPlease] Jujutsu Kaisen - 24v2 (1080p) [ABCD1234].mkv",
            "Jujutsu Kaisen | #24 | - | absolute-group",
        ),
        (
            "[SubsPlease] Spy x Family S2 - 05 (1080p) [F00D1234].mkv",
            "Spy x Family | 2x5 | - | sxx-nn",
        ),
        (
            "[Group]_Cowboy_Bebop_-_05_[BD][E503ABCD].mkv",
            "Cowboy Bebop | #5 | - | absolute-group",
        ),
        (
            "[Group][Steins;Gate][07][BDRip][1920x1080].mkv",
            "Steins;Gate | #7 | - | absolute-group",
        ),
        ("[Group] Show [12][1080p].mkv", "Show | #12 | - | absolute-group"),
        (
            "Anime/Naruto/Naruto - 101 - The Title.mkv",
            "Naruto | #101 | The Title | absolute",
        ),
        (
            "Anime/One Piece/One Piece - 1071.mkv",
            "One Piece | #1071 | - | absolute",
        ),
        (
            "Anime/One Piece/One Piece 0951.mkv",
            "One Piece | #951 | - | trailing-number",
        ),
        (
            "Anime/Bleach/Season 2/Bleach - 25.mkv",
            "Bleach | 2x25 | - | folder-season",
        ),
        (
            "[Group] Mob Psycho 100 - 03 [720p].mkv",
            "Mob Psycho 100 | #3 | - | absolute-group",
        ),
        (
            "[Group] 86 - Eighty Six - 03 [720p].mkv",
            "86 - Eighty Six | #3 | - | absolute-group",
        ),
        ("[Group] Show - OVA 2 [720p].mkv", "Show | 0x2 | - | special"),
        ("[Group] Show - SP1 [720p].mkv", "Show | 0x1 | - | special"),
        (
            "[Group] Show - 01-03 [720p].mkv",
            "Show | ?x1-3 | - | absolute-group",
        ),
        (
            "[Group] Show 2nd Season - 04 [720p].mkv",
            "Show | 2x4 | - | absolute-group",
        ),
        (
            "[Group] Show (TV) - 04 (BD 1080p x265).mkv",
            "Show (TV) | #4 | - | absolute-group",
        ),
        (
            "【字幕组】某科学的超电磁炮 第03话 [1080p].mkv",
            "某科学的超电磁炮 | ?x3 | - | episode-word",
        ),
        ("進撃の巨人 第12話.mkv", "進撃の巨人 | ?x12 | - | episode-word"),
        ("Show/Show 05.mkv", "Show | #5 | - | trailing-number"),
    ]);
}

#[test]
fn episodes_in_other_languages() {
    all_episodes(&[
        (
            "Serien/Tatort/Staffel 2/03 - Der Titel.mkv",
            "Tatort | 2x3 | Der Titel | folder-season",
        ),
        (
            "Serien/Dark/Staffel 1 Folge 4 - Doppelleben.mkv",
            "Dark | 1x4 | Doppelleben | season-episode",
        ),
        ("Dark Folge 4.mkv", "Dark | ?x4 | - | episode-word"),
        ("Lupin Saison 1 Épisode 2.mkv", "Lupin | 1x2 | - | season-episode"),
        (
            "Séries/Lupin/Saison 1/Lupin - Épisode 2 - Titre.mkv",
            "Lupin | 1x2 | Titre | episode-word",
        ),
        (
            "Gomorra/Stagione 2/Episodio 5.mkv",
            "Gomorra | 2x5 | - | episode-word",
        ),
        (
            "La casa de papel/Temporada 1/Capítulo 3.mkv",
            "La casa de papel | 1x3 | - | episode-word",
        ),
        (
            "La casa de papel - Temporada 1 Capitulo 3.avi",
            "La casa de papel | 1x3 | - | season-episode",
        ),
        (
            "Borgen/Sæson 1/Borgen afsnit 3.mkv",
            "Borgen | 1x3 | - | episode-word",
        ),
        ("Bron/Säsong 2/Avsnitt 4.mkv", "Bron | 2x4 | - | episode-word"),
        ("Ранетки/Сезон 1/3 серия.avi", "Ранетки | 1x3 | - | episode-word"),
        ("Кухня 2 сезон 5 серия.avi", "Кухня | 2x5 | - | season-episode"),
        ("Show/Sezon 1/Odcinek 7.mkv", "Show | 1x7 | - | episode-word"),
        ("Show/1. évad/Show 3. rész.mkv", "Show | 1x3 | - | episode-word"),
        (
            "Muhteşem Yüzyıl 12. Bölüm.mp4",
            "Muhteşem Yüzyıl | ?x12 | - | episode-word",
        ),
        ("甄嬛传/第1季/第05集.mp4", "甄嬛传 | 1x5 | - | episode-word"),
        (
            "도깨비.E05.161216.720p-NEXT.mp4",
            "도깨비 | ?x5 | - | episode-word",
        ),
        ("Show/Seizoen 3/Aflevering 2.mkv", "Show | 3x2 | - | episode-word"),
        ("Show/Kausi 2/Jakso 2.mkv", "Show | 2x2 | - | episode-word"),
        ("Show/3.Staffel/Show.3x04.mkv", "Show | 3x4 | - | nxnn"),
    ]);
}
