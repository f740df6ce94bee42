//! Names of downloaded releases: groups, sites, services, languages, dates, parts and numbers of every kind.

use super::{all_episodes, all_movies};

#[test]
fn movies_of_sites_and_services() {
    all_movies(&[
        ("www.Example.org - Heat.1995.720p.BluRay.x264.mkv", "Heat (1995)"),
        ("[ www.example.com ] Heat 1995 DVDRip.avi", "Heat (1995)"),
        ("example.com_heat.1995.brrip.xvid.avi", "heat (1995)"),
        ("Heat (1995) [www.example.net].mp4", "Heat (1995)"),
        ("Despicable.Me.2010.1080p.BluRay.mkv", "Despicable Me (2010)"),
        (
            "Roma.2018.1080p.NF.WEB-DL.DDP5.1.Atmos.x264-GRP.mkv",
            "Roma (2018)",
        ),
        ("Mad.Max.1080p.BluRay.x265-GRP.mkv", "Mad Max"),
        ("Argo.MAX.WEB-DL.2160p.mkv", "Argo"),
        ("Klaus.DV.HDR10Plus.2160p.WEB.H265-GRP.mkv", "Klaus"),
        ("Coco.BRRipMux.720p.mkv", "Coco"),
        ("Up 1080 AAC x264.mp4", "Up"),
        ("Ronin.700MB.DivX.avi", "Ronin"),
        ("Hero 5.1 AC3 1080p.mkv", "Hero"),
        ("Kagemusha [A1B2C3D4].mkv", "Kagemusha"),
        (
            "[Group] Redline (BD 1920x1080 x265 FLAC) [0A1B2C3D].mkv",
            "Redline",
        ),
        ("IT.2017.2160p.UHD.BluRay.mkv", "IT (2017)"),
        ("(1)The Castle (1997).avi", "The Castle (1997)"),
        ("02. The Castle (1997).avi", "The Castle (1997)"),
        ("The Castle AKA Das Schloss 1997 1080p.mkv", "The Castle (1997)"),
        ("Heat.1995.tt0113277.1080p.mkv", "Heat (1995) imdb:tt0113277"),
        ("Das Schloss (VHS) [1997] Max Muster.avi", "Das Schloss (1997)"),
        ("Pretty VHS Dreams 1997.avi", "Pretty VHS Dreams (1997)"),
        ("(500) Days of Summer (2009).mkv", "(500) Days of Summer (2009)"),
        ("Bond-f05-You Only Live Twice.mkv", "You Only Live Twice"),
    ]);
}

#[test]
fn movies_in_languages() {
    all_movies(&[
        (
            "Das.Experiment.German.2001.DVDRip.XviD-GRP.avi",
            "Das Experiment (2001)",
        ),
        ("The.Good.German.2006.1080p.BluRay.mkv", "The Good German (2006)"),
        ("The.Italian.Job.2003.1080p.mkv", "The Italian Job (2003)"),
        ("Das.Experiment.German.DL.2001.1080p.mkv", "Das Experiment (2001)"),
        ("Das.Experiment.CAM.2001.XviD.avi", "Das Experiment (2001)"),
        ("Lola.rennt.GERMAN.DL.1080p.BluRay.x264-GRP.mkv", "Lola rennt"),
        ("Ocho.apellidos.vascos.SPANISH.BDRip.avi", "Ocho apellidos vascos"),
        ("Intouchables.MULTi.VFF.1080p.HDLight.mkv", "Intouchables"),
        ("Dhoom.3.Hindi.720p.BluRay.mkv", "Dhoom 3"),
        ("Брат.2.2000.BDRip.1080p.mkv", "Брат 2 (2000)"),
        ("Tropa.de.Elite.Dublado.720p.mkv", "Tropa de Elite"),
        ("Amour (2012) VOSTFR.mkv", "Amour (2012)"),
        ("Suspiria (English).mkv", "Suspiria"),
        ("Les Visiteurs (The Visitors).DVDRip.avi", "Les Visiteurs"),
        ("Dorf (Mein Land).1080p.mkv", "Dorf"),
    ]);
}

#[test]
fn movies_in_editions() {
    all_movies(&[
        (
            "Watchmen.EXTENDED.2009.1080p.BluRay.mkv",
            "Watchmen (2009) {Extended}",
        ),
        (
            "Dawn.of.the.Dead.UNRATED.DVDRip.avi",
            "Dawn of the Dead {Unrated}",
        ),
        (
            "Touch.of.Evil.1958.Alternate.Cut.mkv",
            "Touch of Evil (1958) {Alternate Cut}",
        ),
        (
            "Brazil [Criterion Edition] (1985).mkv",
            "Brazil (1985) {Criterion Edition}",
        ),
        ("Logan.2017.Noir.Version.1080p.mkv", "Logan (2017) {Noir Version}"),
        (
            "Mad Max Fury Road (2015) Black and Chrome.mkv",
            "Mad Max Fury Road (2015) {Black and Chrome}",
        ),
        (
            "Watchmen.The.Ultimate.Edition.2009.mkv",
            "Watchmen (2009) {Ultimate Edition}",
        ),
        (
            "Delicatessen.Edition.Collector.avi",
            "Delicatessen {Collector's Edition}",
        ),
        ("The Original Version (2011).mkv", "The Original Version (2011)"),
        (
            "Superman.II.The.Richard.Donner.Cut.1980.mkv",
            "Superman II The Richard Donner Cut (1980)",
        ),
        (
            "Sunshine.2007.Open.Matte.1080p.mkv",
            "Sunshine (2007) {Open Matte}",
        ),
        ("Zulu.1964.THEATRiCAL.1080p.mkv", "Zulu (1964) {Theatrical}"),
    ]);
}

#[test]
fn movies_with_cryptic_names_in_their_folders() {
    all_movies(&[
        (
            "Movies/Collateral.2004.1080p.BluRay.x264-GRP/grp-col.mkv",
            "Collateral (2004)",
        ),
        ("Movies/Collateral.DVDRip.XviD-GRP/grp-coll.avi", "Collateral"),
        (
            "Movies/Collateral.PROPER.DVDRip.XviD-GRP/grp-proper-collateral-xvid.avi",
            "Collateral",
        ),
        (
            "dl/Collateral (2004) 1080p BluRay/8f3ac1d09b7e4c55/8f3ac1d09b7e4c55.mkv",
            "Collateral (2004)",
        ),
        ("Movies/Collateral (2004)/a1B2c3D4e5F6.mkv", "Collateral (2004)"),
    ]);
}

#[test]
fn episodes_of_several_numbers() {
    all_episodes(&[
        ("Show.S02E03E04E05.720p.mkv", "Show | 2x3-5 | - | sxxexx"),
        ("Show.S02E03-E05.720p.mkv", "Show | 2x3-5 | - | sxxexx"),
        ("Show.S02E03+04.720p.mkv", "Show | 2x3-4 | - | sxxexx"),
        ("Show.S02E03-04-05.Title.mkv", "Show | 2x3-5 | Title | sxxexx"),
        ("Show.S02E03-S02E05.mkv", "Show | 2x3-5 | - | sxxexx"),
        ("Show 2x03-2x05.mkv", "Show | 2x3-5 | - | nxnn"),
        ("Show.2x03x04.mkv", "Show | 2x3-4 | - | nxnn"),
        ("Show - 2x03_04 - Title.mkv", "Show | 2x3-4 | Title | nxnn"),
        (
            "Show (S02E03-04_of_24) Title.mkv",
            "Show | 2x3-4 | of 24) Title | sxxexx",
        ),
        ("show.203.204.hdtv.mkv", "show | 2x3-4 | - | compact"),
        ("show.1013.hdtv.mkv", "show | 10x13 | - | compact"),
        ("Show S02E05 and E06.mkv", "Show | 2x5-6 | - | sxxexx"),
        ("Show.S02E05.to.E07.mkv", "Show | 2x5-7 | - | sxxexx"),
        ("Show S02E05, E06.mkv", "Show | 2x5-6 | - | sxxexx"),
        ("Show [S02][E05].mkv", "Show | 2x5 | - | sxxexx"),
        ("Show Se02Ep05.mkv", "Show | 2x5 | - | sxxexx"),
        ("Show S2.05.mkv", "Show | 2x5 | - | sxx-nn"),
        ("Show.05.Title.mkv", "Show | #5 | Title | trailing-number"),
        ("Show.E02-03.mkv", "Show | ?x2-3 | - | episode-word"),
        ("T02E05 - Titulo.mkv", " | 2x5 | Titulo | sxxexx"),
        ("Show S02 (Ep 5).mkv", "Show | 2x5 | - | sxxexx"),
        ("Show.S02.Episode.05.mkv", "Show | 2x5 | - | sxxexx"),
        (
            "Show - Season 2 - Episode 05 (1080p).mkv",
            "Show | 2x5 | - | season-episode",
        ),
    ]);
}

#[test]
fn episodes_of_words_parts_and_chapters() {
    all_episodes(&[
        (
            "Serie - Temporada 3 [HDTV 720p][Cap.307][Español].mkv",
            "Serie | 3x7 | - | chapter",
        ),
        (
            "Serie [HDTV][Cap.112][www.example.com].avi",
            "Serie | 1x12 | - | chapter",
        ),
        ("Show Name #12.mkv", "Show Name | #12 | - | trailing-number"),
        (
            "Show Name No. 12 (720p).mkv",
            "Show Name | #12 | - | trailing-number",
        ),
        ("[1x05] Show Name - Title.mkv", "Show Name | 1x5 | Title | nxnn"),
        (
            "Show Name aka Name Two S01E02.mkv",
            "Show Name | 1x2 | - | sxxexx",
        ),
        ("Serie [HDTV][Cap.101_103].avi", "Serie | 1x1-3 | - | chapter"),
        ("Show Episode One.mkv", "Show | ?x1 | - | episode-word"),
        (
            "Сериал (2 сезон: 5 серия).avi",
            "Сериал | 2x5 | - | season-episode",
        ),
        (
            "Сериал 2 сезон 1-10 серия.avi",
            "Сериал | 2x1-10 | - | season-episode",
        ),
        ("Serie [Temporada 1][Cap. 105].avi", "Serie | 1x5 | - | chapter"),
        ("Novela.Cap.12.avi", "Novela | ?x12 | - | episode-word"),
        ("Cosmos.3of13.Title.mkv", "Cosmos | ?x3 | Title | n-of-n"),
        ("Cosmos (3 of 13) Title.mkv", "Cosmos | ?x3 | Title | n-of-n"),
        ("Cosmos Part 3 of 13 - Title.mkv", "Cosmos | ?x3 | Title | n-of-n"),
        ("Shogun.Part.Two.DVDRip.avi", "Shogun | ?x2 | - | part"),
        ("Dekalog.Part.VII.mkv", "Dekalog | ?x7 | - | part"),
        (
            "Serie 3a Temporada Episodio 4.mkv",
            "Serie | 3x4 | - | season-episode",
        ),
        ("Dark/Season Two/04.mkv", "Dark | 2x4 | - | folder-season"),
        ("Dark/Season III/04.mkv", "Dark | 3x4 | - | folder-season"),
        ("甄嬛传/第二季/第十二集.mp4", "甄嬛传 | 2x12 | - | episode-word"),
        (
            "Сериал 3 сезон 12 серия.avi",
            "Сериал | 3x12 | - | season-episode",
        ),
        ("सीरियल/सीज़न 2/एपिसोड 5.mkv", "सीरियल | 2x5 | - | episode-word"),
    ]);
}

#[test]
fn episodes_of_days() {
    all_episodes(&[
        (
            "Late.Show.2014.Nov.03.Guest.720p.mkv",
            "Late Show | 2014-11-3 | Guest | date",
        ),
        (
            "Late Show 3rd Nov 2014 (1080p).mkv",
            "Late Show | 2014-11-3 | - | date",
        ),
        (
            "Late Show - November 3, 2014.mkv",
            "Late Show | 2014-11-3 | - | date",
        ),
        (
            "Late.Show.11.23.2014.HDTV.mkv",
            "Late Show | 2014-11-23 | - | date",
        ),
        ("heute-show 3. März 2023.mp4", "heute-show | 2023-3-3 | - | date"),
        (
            "late.show.141103.720p.hdtv.mkv",
            "late show | 2014-11-3 | - | date",
        ),
        (
            "Late Show 2014 11 03 S20E30.mkv",
            "Late Show | 20x30 | - | sxxexx",
        ),
    ]);
}

#[test]
fn episodes_of_fansubs() {
    all_episodes(&[
        (
            "[Group] Show - 12v2 [1080p][A1B2C3D4].mkv",
            "Show | #12 | - | absolute-group",
        ),
        (
            "[Group] Show 12 v2 [VOSTFR][720p].mkv",
            "Show | #12 | - | trailing-number",
        ),
        (
            "[Group].Show.-.05.[720p][AAC].mkv",
            "Show | #5 | - | absolute-group",
        ),
        (
            "[Group]_Show_105_[VOSTFR]_[A1B2C3D4].mkv",
            "Show | #105 | - | trailing-number",
        ),
        (
            "[Group] Show (2014) - 39 (137) [720p].mkv",
            "Show (2014) | #39 | - | absolute-group",
        ),
        ("Show S21 1000.mkv", "Show | 21x1000 | - | sxx-nn"),
        ("[Group] Show - NCOP1 [1080p].mkv", "Show | 0x? | - | special"),
        ("Show - OVA [1080p].mkv", "Show | 0x? | - | special"),
        (
            "[Group] Show - 12 END [1080p].mkv",
            "Show | #12 | - | absolute-group",
        ),
        ("[Group] Show (04) [720p].mkv", "Show | #4 | - | absolute"),
        ("Show_[04]_[720p].mkv", "Show | #4 | - | absolute"),
        (
            "[Group] Show 01-12 [BD].mkv",
            "Show | ?x1-12 | - | trailing-number",
        ),
        ("Show - 021 - S04E21 - Title.mkv", "Show | 4x21 | Title | sxxexx"),
        ("Show - S04E21 - 021 - Title.mkv", "Show | 4x21 | Title | sxxexx"),
        ("[Group] Show OVA v2 [540p].mkv", "Show | 0x? | - | special"),
        ("[Group][Show][05v2][1080p].mkv", "Show | #5 | - | absolute-group"),
        (
            "003-004. Show - Title.avi",
            "Show | ?x3-4 | Title | leading-number",
        ),
    ]);
}

#[test]
fn seasons_that_are_one_release() {
    all_episodes(&[
        (
            "Show.S02.1080p.BluRay.x264-GRP.mkv",
            "Show | 2x? | - | season-only",
        ),
        (
            "Show.2019.S02.MULTi.1080p.mkv",
            "Show (2019) | 2x? | - | season-only",
        ),
        ("30 Shows S03 WS PDTV.avi", "30 Shows | 3x? | - | season-only"),
        ("Serie.Saison.2.FRENCH.HDTV.avi", "Serie | 2x? | - | season-only"),
        (
            "Show.S01D02.COMPLETE.BLURAY-GRP.iso",
            "Show | 1x? | - | season-only",
        ),
        ("Show.Season.3of5.Complete.mkv", "Show | 3x? | - | season-only"),
    ]);
}

#[test]
fn episodes_with_cryptic_names_in_their_folders() {
    all_episodes(&[
        (
            "dl/Show.Name.S01E02.720p.WEB-GRP/b7e4c558f3ac1d09/b7e4c558f3ac1d09.mkv",
            "Show Name | 1x2 | - | folder-release",
        ),
        (
            "dl/Show.Name.S01E02.720p.WEB-GRP/p027.20E10S.emaN.wohS.mkv",
            "Show Name | 1x2 | - | folder-release",
        ),
        (
            "Show.Name.S01.720p-GRP/www.example.com - Show.Name.S01E02.mkv",
            "Show Name | 1x2 | - | sxxexx",
        ),
        (
            "Show/Season 4/Show [401] Title.avi",
            "Show | 4x1 | Title | folder-season",
        ),
    ]);
}
