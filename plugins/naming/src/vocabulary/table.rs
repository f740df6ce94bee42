//! The words of releases with their class and the certainty that they end a title.

use super::Class::{
    Audio, Edition, Format, Group, Language, Picture, Resolution, Service, Source, Status, Subtitles, Video,
};
use super::Sure::{Certain, Hint, Likely};
use super::{Class, Sure};

/// Words of one class and certainty.
pub(super) struct Row {
    pub(super) class: Class,
    pub(super) sure: Sure,
    /// Whether they count only in capitals, in a name that also has lower case, because they occur in titles.
    pub(super) capitals: bool,
    /// Separated by spaces, in lower case.
    pub(super) words: &'static str,
}

const fn row(class: Class, sure: Sure, words: &'static str) -> Row {
    Row {
        class,
        sure,
        capitals: false,
        words,
    }
}

const fn capitals(class: Class, words: &'static str) -> Row {
    Row {
        class,
        sure: Hint,
        capitals: true,
        words,
    }
}

pub(super) const TABLE: &[Row] = &[
    row(
        Resolution,
        Certain,
        "4k 8k uhd ultrahd fullhd fhd qhd uhd4k 4kuhd 4klight hdlight microhd m720p m1080p mini720p \
         mini1080p",
    ),
    row(Resolution, Hint, "hd sd 480 576 720 1080 2160"),
    row(
        Source,
        Certain,
        "bluray bdrip bdmv bdremux bdmux bdiso brrip brmux blurayrip bluraydisc bd25 bd50 bd66 bd100 \
         hddvd hddvdrip hdrip hdtv hdtvrip hdtvmux hdcam hdcamrip hdts hdtc hdtsrip pdtv dpdtv dvdrip \
         dvdr dvdscr dvdscreener dvd5 dvd9 dvdfull dvdmux dvdivx dvdremux dvb dvbrip dvbs dvbt dvbc dsrip \
         dthrip satrip tvrip tvhdrip hdtvcap tvcap sdtv ldtv ppvrip iptvrip cabrip camrip telesync tsrip \
         telecine tcrip predvd predvdrip webdl webdlrip webrip webcap webmux webdlmux webripmux webhd \
         webhdrip webuhd webtv vodrip vhsrip laserdisc ldrip uhdrip uhdtv uhdbd uhdbluray uhdremux \
         uhdbdrip remux screener prebd digitaldvd hdmux hdtvmp4 webdlhd uhdwebdl netflixrip netflixhd \
         netflixuhd hddvdremux bdlight bdrips dvdrips webrips",
    ),
    row(Source, Likely, "dvd dvdfr dvdeng vhs preair"),
    row(
        Source,
        Hint,
        "bd web blu cam hc r5 r6 scr dsr dvd1 dvd2 dvd3 ppv vod hybrid retail",
    ),
    capitals(Source, "ts tc ota rip ddc"),
    row(
        Video,
        Certain,
        "x264 x265 x266 h264 h265 h266 hevc av1 vc1 vp8 vp9 xvid divx divx5 divx6 mpeg2 mpeg4 mpg2 mpg4 \
         hi10p hi10 hi444pp ma10p ma444 hevc10 hevc10bit svtav1 dxva 10bpc",
    ),
    row(Video, Hint, "avc mpeg hp vfr cfr hq lq"),
    row(
        Audio,
        Certain,
        "aac heaac aaclc ac3 ac3d eac3 eac3d ddp ddpa ddp51 dd51 dd20 atmos truehd dts dtshd dtsx dtses \
         dtshr dtshdma dtsma dtshra dtsd dtshdd lpcm ac351 aac51 aac20",
    ),
    row(
        Audio,
        Hint,
        "flac opus mp2 mp3 lame vorbis wma wmav audio dolby ac4 pcm dd ma hra stereo mono md",
    ),
    capitals(Audio, "line mic ld"),
    row(
        Picture,
        Certain,
        "hdr hdr10 hdr10p hdr10plus hdr1000 hlg dovi hsbs hou fsbs htab bt2020 bt709 dvhdr hdrdv halfsbs \
         halfou",
    ),
    row(
        Picture,
        Hint,
        "3d dv sdr sbs tab ou anaglyph vision bt stereoscopic",
    ),
    row(
        Service,
        Hint,
        "amzn atvp dsnp hmax hulu pcok pmtp crav itunes hbo cr funi hidive dscp mubi vudu nflx netflix \
         crkl clbi vrv tubi roku ctv adn wowtv rtlplus ard zdf orf amazon amazonhd viki iqiyi wetv abema \
         viu hotstar zee5 sonyliv jiocinema blutv exxen puhutv foxtel kayo strp skst showtime starz bbc \
         itv kocowa tving tver unext dcu mbcvod",
    ),
    capitals(
        Service,
        "nf it now all4 max red sho fod abc nbc cbs cw fox own tf1 ip play vh1 mtv amc syfy pbs stan hs \
         gplay gp stz bcore pluto nick rtl jc aha bili viaplay svt nrk dr tv4 c4 cbc ifc tlc hgtv disc \
         natg",
    ),
    row(
        Language,
        Hint,
        "arabic bengali brazilian bulgarian cantonese castellano castellan catalan chinese croatian cze \
         czech danish dansk dutch english espanol español estonian finnish flemish francais français \
         french german greek gujarati hebrew hindi hungarian icelandic indonesian italian italiano \
         japanese kannada korean latino latvian lithuanian malay malayalam mandarin marathi nordic norsk \
         norwegian persian polish polski portuguese portugues português punjabi romanian russian serbian \
         slovak slovenian spanish swedish swissgerman austriangerman tagalog tamil telugu thai turkce \
         turkish türkçe québec ukrainian urdu vietnamese vlaams eng ger fra fre ita esp spa jpn jap kor \
         rus ukr ptbr bilingual trilingual engita itaeng plsub русский дубляж лицензия 国语 国粤双语 双语",
    ),
    capitals(
        Language,
        "vo vf vo2 vof fr de es en pl pt nl lat hin tam tel mal kan pol swe nor fin dan nld tur hun rum \
         deu est lit bul hrv srp slo chi tha vie ara heb por cs cz hu ro ru ua gr tr se dk no jp kr cn \
         tw br osub ned leg qc quebec",
    ),
    row(
        Language,
        Likely,
        "multi multi2 multi3 multi4 multi5 multilang multilanguage dublado dubbed truefrench subfrench \
         vff vfq vfi vf2 vostfr vost vostf vosten voste vose fansub fastsub legendado legendada legendas \
         subtitulado subtitulada lektor napisy pldub pldubbed doppiato ruaudio subforced",
    ),
    row(
        Subtitles,
        Likely,
        "subbed multisub multisubs esub esubs msub msubs engsub engsubs softsub softsubs hardsub \
         hardsubs hardcoded itasub itasubs subita plsubs plsubbed rusub rusubs korsub korsubs swesub \
         swesubs dksub dksubs norsub norsubs finsub finsubs nlsub nlsubs nlsubbed hebsub hebsubs chsub \
         dualsub dualsubs",
    ),
    row(
        Subtitles,
        Hint,
        "sub subs subtitles subtitled dub dubs dual dl ml chaps",
    ),
    row(
        Status,
        Likely,
        "proper repack repack2 repack3 rerip nfofix readnfo dirfix nfofixed samplefix subfix audiofix \
         syncfix sourcefix prooffix stv ntsc pal secam batch complete reencode reencoded reenc",
    ),
    row(
        Status,
        Hint,
        "internal limited festival docu doku documentary proof synced fixed rerelease custom colorized \
         upscale upscaled ws fs fullscreen widescreen convert workprint int anime v2 v3 v4 extras mhd",
    ),
    capitals(Status, "real final end oar untouched"),
    row(
        Edition,
        Hint,
        "extended uncut unrated remastered remaster restored theatrical redux criterion despecialized \
         uncensored imax recut langfassung kinofassung",
    ),
    capitals(Edition, "dc cc ce ue"),
    row(Format, Certain, "mkv mp4 mpegts m2ts"),
    row(Format, Hint, "iso avi rar xxx wmv m4v mpg flv webm"),
    row(Group, Certain, "yify yts rarbg ettv eztv rartv shaanig etrg hdc"),
    row(Group, Hint, "by"),
];

/// Sources and codecs that are two words with a separator in between.
pub(super) const PAIRS: &[(&str, &str, Class)] = &[
    ("web", "dl", Source),
    ("web", "rip", Source),
    ("web", "hd", Source),
    ("blu", "ray", Source),
    ("bd", "rip", Source),
    ("br", "rip", Source),
    ("dvd", "rip", Source),
    ("dvd", "r", Source),
    ("dvd", "scr", Source),
    ("dvd", "screener", Source),
    ("hd", "tv", Source),
    ("hd", "rip", Source),
    ("hd", "dvd", Source),
    ("hd", "cam", Source),
    ("hd", "ts", Source),
    ("hd", "tc", Source),
    ("cam", "rip", Source),
    ("ts", "rip", Source),
    ("tv", "rip", Source),
    ("sat", "rip", Source),
    ("vhs", "rip", Source),
    ("vod", "rip", Source),
    ("uhd", "rip", Source),
    ("ds", "rip", Source),
    ("pre", "dvd", Source),
    ("h", "264", Video),
    ("h", "265", Video),
    ("h", "266", Video),
    ("x", "264", Video),
    ("x", "265", Video),
    ("mpeg", "2", Video),
    ("mpeg", "4", Video),
    ("vc", "1", Video),
    ("xvid", "hd", Video),
    ("10", "bit", Video),
    ("10", "bits", Video),
    ("8", "bit", Video),
    ("8", "bits", Video),
    ("12", "bit", Video),
    ("dts", "hd", Audio),
    ("dts", "es", Audio),
    ("dts", "x", Audio),
    ("ac", "3", Audio),
    ("e", "ac3", Audio),
    ("he", "aac", Audio),
    ("dual", "audio", Audio),
    ("dolby", "atmos", Audio),
    ("dolby", "digital", Audio),
    ("dolby", "truehd", Audio),
    ("dolby", "vision", Picture),
    ("half", "sbs", Picture),
    ("half", "ou", Picture),
    ("h", "sbs", Picture),
    ("h", "ou", Picture),
    ("ultra", "hd", Resolution),
    ("full", "hd", Resolution),
    ("multi", "audio", Audio),
    ("multi", "sub", Subtitles),
    ("multi", "subs", Subtitles),
    ("multiple", "subtitle", Subtitles),
    ("multiple", "subtitles", Subtitles),
    ("pt", "br", Language),
    ("complete", "series", Status),
    ("complete", "season", Status),
];

/// Prefixes of words that continue with channels or a codec version: "DDP5" of "DDP5.1".
pub(super) const NUMBERED: &[&str] = &[
    "aac", "ac3", "dd", "ddp", "dolby", "dts", "dtshd", "eac", "eac3", "flac", "lpcm", "ma", "opus", "pcm",
    "truehd",
];

/// Units after a number: "700MB", "6ch", "24fps", "384kbit".
pub(super) const UNITS: &[&str] = &[
    "mb", "gb", "mib", "gib", "kbit", "kbits", "kbps", "mbps", "fps", "ch", "bit", "bits", "khz", "hz",
    "mbit", "cds",
];

/// Suffixes of a source in words that the table does not have: "BRRipMux", "HDTVHD".
pub(super) const ENDINGS: &[&str] = &["mux", "rip", "hd", "uhd", "1080p", "720p"];
