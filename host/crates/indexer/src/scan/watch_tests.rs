//! Tests of `watch.rs`.

use notify::event::{CreateKind, RemoveKind};

use super::*;

fn place_of(path: &str) -> Option<String> {
    directory_of(Path::new("/media/tv"), &Path::new("/media/tv").join(path))
        .map(|place| place.as_str().to_owned())
}

#[test]
fn changed_path_maps_to_its_directory() {
    assert_eq!(place_of("Show/Season 1/e1.mkv").as_deref(), Some("Show/Season 1"));
    assert_eq!(place_of("e1.mkv").as_deref(), Some(""));
    assert_eq!(place_of("").as_deref(), Some(""));
    assert_eq!(place_of("Film/Subs/en.srt").as_deref(), Some("Film"));
    assert_eq!(place_of("Show/.svcignore").as_deref(), Some("Show"));
    assert_eq!(place_of("Show/.part/e1.mkv"), None);
    assert_eq!(place_of(".e1.mkv.swp"), None);
    assert_eq!(
        directory_of(Path::new("/media/tv"), Path::new("/elsewhere/a")),
        None
    );
}

#[test]
fn too_many_changed_paths_are_merged() {
    let changed = ChangedPaths::default();
    for number in 0..=MAX_PLACES {
        changed.add(&MediaKind::tv(), RelativePath::from_stored(number.to_string()));
    }
    changed.add(&MediaKind::tv(), RelativePath::from_stored("later".to_owned()));
    assert_eq!(changed.take(), [(MediaKind::tv(), RelativePath::root())]);
    assert!(changed.take().is_empty());
}
#[test]
fn watch_is_lost_with_its_root_or_on_an_error() {
    let root = Path::new("/media/tv");
    let is_lost = |event: notify::Result<Event>| {
        let (changed, lost) = (ChangedPaths::default(), AtomicBool::new(false));
        on_event(root, &MediaKind::tv(), &changed, &lost, event);
        assert_eq!(changed.take(), [(MediaKind::tv(), RelativePath::root())]);
        lost.into_inner()
    };
    let removed = EventKind::Remove(RemoveKind::Folder);
    let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::From));
    for kind in [removed, renamed] {
        assert!(
            is_lost(Ok(Event::new(kind).add_path(root.to_owned()))),
            "{kind:?}"
        );
        assert!(
            !is_lost(Ok(Event::new(kind).add_path(root.join("Show")))),
            "{kind:?}"
        );
    }
    let created = EventKind::Create(CreateKind::Folder);
    assert!(!is_lost(Ok(Event::new(created).add_path(root.join("Show")))));
    assert!(is_lost(Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch))));
}

#[test]
fn watch_is_valid_until_its_path_is_another_directory() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("tv");
    std::fs::create_dir(&root).unwrap();
    let configured = Directory {
        id: DirectoryId::from(1),
        kind: MediaKind::tv(),
        path: root.clone(),
        available: true,
        last_seen_at: None,
        file_count: 0,
    };
    let start = || DirectoryWatch::start(&configured, &Arc::default());
    let watch = start();
    assert!(watch.is_valid());
    std::fs::rename(&root, directory.path().join("away")).unwrap();
    assert!(!watch.is_valid());
    let away = start();
    assert_eq!((away.state, away.is_valid()), (WatchState::Failed, true));
    std::fs::create_dir(&root).unwrap();
    assert!(!watch.is_valid() && !away.is_valid());
}
