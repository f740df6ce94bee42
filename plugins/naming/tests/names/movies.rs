//! Names of movies.

use super::all_movies;

#[test]
fn movies_of_release_groups() {
    all_movies(&[
        (
            "The.Big.Lebowski.1998.1080p.BluRay.x264-GRP.mkv",
            "The Big Lebowski (1998)",
        ),
        (
            "Heat.1995.Remastered.2160p.UHD.BluRay.REMUX.HDR.HEVC.DTS-HD.MA.5.1-GRP.mkv",
            "Heat (1995) {Remastered}",
        ),
        (
            "Blade.Runner.1982.The.Final.Cut.1080p.BluRay.mkv",
            "Blade Runner (1982) {Final Cut}",
        ),
        (
            "Blade.Runner.2049.2017.1080p.WEB-DL.DD5.1.H264-GRP.mkv",
            "Blade Runner 2049 (2017)",
        ),
        (
            "2001.A.Space.Odyssey.1968.720p.BluRay.mkv",
            "2001 A Space Odyssey (1968)",
        ),
        ("2012.2009.1080p.BluRay.x264.mkv", "2012 (2009)"),
        ("1917.2019.2160p.WEB.H265-GRP.mkv", "1917 (2019)"),
        (
            "Wonder.Woman.1984.2020.1080p.WEBRip.mkv",
            "Wonder Woman 1984 (2020)",
        ),
        (
            "Das.Boot.1981.Directors.Cut.German.DL.1080p.BluRay.x264.mkv",
            "Das Boot (1981) {Director's Cut}",
        ),
        (
            "Kingdom.of.Heaven.2005.DC.1080p.BluRay.mkv",
            "Kingdom of Heaven (2005) {Director's Cut}",
        ),
        (
            "Aliens.1986.Special.Edition.1080p.BluRay.mkv",
            "Aliens (1986) {Special Edition}",
        ),
        (
            "The.Lord.of.the.Rings.The.Two.Towers.2002.EXTENDED.1080p.BluRay.mkv",
            "The Lord of the Rings The Two Towers (2002) {Extended}",
        ),
        (
            "Avatar.2009.Extended.Collectors.Edition.1080p.mkv",
            "Avatar (2009) {Extended Collector's Edition}",
        ),
        (
            "The.Matrix.1999.PROPER.DVDRip.XviD-GRP.cd1.avi",
            "The Matrix (1999) #1",
        ),
        (
            "The.French.Dispatch.2021.1080p.AMZN.WEB-DL.mkv",
            "The French Dispatch (2021)",
        ),
        (
            "L.A.Confidential.1997.1080p.BluRay.mkv",
            "L.A. Confidential (1997)",
        ),
        ("Mr.Nobody.2009.EXTENDED.720p.mkv", "Mr Nobody (2009) {Extended}"),
        ("WALL-E.2008.1080p.BluRay.mkv", "WALL-E (2008)"),
        (
            "Spider-Man.No.Way.Home.2021.1080p.mkv",
            "Spider-Man No Way Home (2021)",
        ),
        ("Se7en.1995.REMASTERED.720p.mkv", "Se7en (1995) {Remastered}"),
        ("[YTS] Parasite 2019 1080p BluRay.mkv", "Parasite (2019)"),
        ("Dune.Part.Two.2024.1080p.WEB.mkv", "Dune Part Two (2024)"),
        ("Kill.Bill.Vol.1.2003.1080p.mkv", "Kill Bill Vol 1 (2003)"),
        ("Amelie.2001.FRENCH.720p.BluRay.x264-GRP.mkv", "Amelie (2001)"),
        (
            "Oldboy.2003.KOREAN.1080p.BluRay.x265.10bit-GRP.mkv",
            "Oldboy (2003)",
        ),
        ("Les.Intouchables.TRUEFRENCH.DVDRip.XviD.avi", "Les Intouchables"),
        ("Toy_Story_3_(2010)_[1080p].mp4", "Toy Story 3 (2010)"),
        ("movie-name-2011-720p-bluray.mkv", "movie-name (2011)"),
        ("Alien (1979) (1080p BluRay x265 10bit GRP).mkv", "Alien (1979)"),
        ("Tron Legacy 2010 3D HSBS 1080p.mkv", "Tron Legacy (2010)"),
        (
            "Zack.Snyders.Justice.League.2021.HMAX.WEB-DL.2160p.DV.HDR.mkv",
            "Zack Snyders Justice League (2021)",
        ),
        ("Charlottes.Web.2006.DVDRip.avi", "Charlottes Web (2006)"),
        (
            "The.Hunger.Games.Mockingjay.Part.1.2014.1080p.mkv",
            "The Hunger Games Mockingjay Part 1 (2014)",
        ),
    ]);
}

#[test]
fn movies_of_media_servers() {
    all_movies(&[
        ("Movies/Heat (1995)/Heat (1995).mkv", "Heat (1995)"),
        ("Movies/Heat (1995)/Heat.mkv", "Heat (1995)"),
        ("Movies/Heat (1995)/mtx-heat.avi", "Heat (1995)"),
        (
            "Movies/Heat (1995) [tmdbid-949]/Heat (1995) - 1080p.mkv",
            "Heat (1995) tmdb:949",
        ),
        (
            "Movies/Heat (1995) {imdb-tt0113277}/Heat (1995) {imdb-tt0113277} - {edition-Director's Cut}.mkv",
            "Heat (1995) {Director's Cut} imdb:tt0113277",
        ),
        (
            "Movies/Blade Runner (1982) {edition-Final Cut}.mkv",
            "Blade Runner (1982) {Final Cut}",
        ),
        (
            "Movies/Batman Begins (2005) {tmdb-272}.mkv",
            "Batman Begins (2005) tmdb:272",
        ),
        ("Movies/Avatar (2009)/Avatar (2009) - cd1.avi", "Avatar (2009) #1"),
        ("Movies/Avatar (2009)/Avatar (2009)-part2.avi", "Avatar (2009) #2"),
        ("Movies/Avatar (2009)/Avatar (2009) pt1.mkv", "Avatar (2009) #1"),
        ("Movies/Avatar (2009)/Avatar Disc 2.mkv", "Avatar (2009) #2"),
        ("Movies/Avatar (2009)/Avatar (2009) - [4K].mkv", "Avatar (2009)"),
        (
            "Movies/Avatar (2009)/Avatar (2009) - Extended Cut.mkv",
            "Avatar (2009) {Extended Cut}",
        ),
        (
            "Movies/Seven Samurai (1954)/VIDEO_TS/VTS_01_1.VOB",
            "Seven Samurai (1954)",
        ),
        (
            "Movies/Seven Samurai (1954)/BDMV/STREAM/00001.m2ts",
            "Seven Samurai (1954)",
        ),
        ("Movies/Ran (1985)/CD2/ran-cd2.avi", "Ran (1985) #2"),
        ("Movies/Ran (1985)/movie.mkv", "Ran (1985)"),
        ("Movies/Ran (1985)/title_t00.mkv", "Ran (1985)"),
        (
            "Movies/Star Wars Collection/Star Wars (1977).mkv",
            "Star Wars (1977)",
        ),
        (
            "Movies/Star Wars Collection (1977-2005)/The Empire Strikes Back.mkv",
            "The Empire Strikes Back",
        ),
        ("Movies/1990-1999/Fargo.mkv", "Fargo"),
        ("Movies/Trilogy/Before Sunset 2004.mkv", "Before Sunset (2004)"),
        ("Movies/2010/Inception.mkv", "Inception"),
        ("Filme/Der Untergang (2004).mkv", "Der Untergang (2004)"),
        (
            "Movies/Le fabuleux destin d'Amélie Poulain (2001)/Amélie.mkv",
            "Le fabuleux destin d'Amélie Poulain (2001)",
        ),
        (
            "Movies/The Lord of the Rings - The Fellowship of the Ring (2001)/LOTR.Fellowship.2001.mkv",
            "The Lord of the Rings - The Fellowship of the Ring (2001)",
        ),
        (
            "D:\\Filme\\Lola rennt (1998)\\Lola rennt (1998).mkv",
            "Lola rennt (1998)",
        ),
        (
            "Movies/The Hunger Games Mockingjay Part 2 (2015)/The Hunger Games Mockingjay Part 2.mkv",
            "The Hunger Games Mockingjay Part 2 (2015)",
        ),
        (
            "Movies/Gone with the Wind (1939)/Gone with the Wind Part 2.mkv",
            "Gone with the Wind (1939) #2",
        ),
        (
            "Movies/(500) Days of Summer (2009)/(500) Days of Summer (2009).mkv",
            "(500) Days of Summer (2009)",
        ),
        ("Movies/Brazil.mkv", "Brazil"),
        ("Movies/Dr. Strangelove (1964).mkv", "Dr. Strangelove (1964)"),
        (
            "Movies/Who's Afraid of Virginia Woolf? (1966).mkv",
            "Who's Afraid of Virginia Woolf? (1966)",
        ),
        (
            "Movies/千と千尋の神隠し (2001)/千と千尋の神隠し.mkv",
            "千と千尋の神隠し (2001)",
        ),
        ("Фильмы/Сталкер (1979).mkv", "Сталкер (1979)"),
        ("Movies/花樣年華.2000.1080p.BluRay.mkv", "花樣年華 (2000)"),
        ("Movies/[REC] (2007).mkv", "[REC] (2007)"),
        ("Movies/[REC] 3 Genesis (2012).mkv", "[REC] 3 Genesis (2012)"),
        ("Movies/Heat.mkv", "Heat"),
        ("(1995) Heat.mkv", "Heat (1995)"),
        ("1995 - Heat.mkv", "1995 - Heat"),
        ("Movies/Uncut Gems (2019).mkv", "Uncut Gems (2019)"),
        ("Movies/The Final Cut (2004).mkv", "The Final Cut (2004)"),
        (
            "Movies/Lawrence of Arabia (1962)/Lawrence of Arabia (1962) 50th Anniversary.mkv",
            "Lawrence of Arabia (1962) {50th Anniversary Edition}",
        ),
        ("Movies/Tron (1982)/Tron.1982.DVD9.mkv", "Tron (1982)"),
        ("...", "..."),
        (".mkv", "mkv"),
    ]);
}
