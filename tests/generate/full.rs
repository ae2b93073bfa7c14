//! Disks that are full or may not be written: file systems in memory, mounted where nobody else
//! sees them. Where that is not allowed these tests say so and check nothing.
#![cfg(target_os = "linux")]

use super::*;

/// Runs a shell script, in which `$kalah` is the program and which may mount as it likes, in an
/// empty folder; gives how it ended, and the folder.
fn with_mounts(script: &str) -> Option<(Ended, TempDir)> {
    let folder = TempDir::new().unwrap();
    let shell = |script: &str| {
        let mut shell = Command::new("unshare");
        shell.args(["--user", "--map-root-user", "--mount", "sh", "-euc", script]);
        shell.current_dir(folder.path()).env("kalah", program()).env_remove("KALAH_TABLES");
        shell
    };
    let allowed = shell("mount -t tmpfs none .").output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this user may not mount file systems");
        return None;
    }
    Some((Ended::of(&mut shell(script)), folder))
}

#[test]
fn too_small_a_disk_is_told_before_the_build() {
    let script = "mkdir small; mount -t tmpfs -o size=1M none small
        $kalah generate --stones 13 --tables small || echo $?
        ls -A small
        $kalah generate --stones 8 --tables small --quiet; ls small | wc -l";
    let Some((ended, _folder)) = with_mounts(script) else { return };
    assert_eq!(ended.out.split_whitespace().collect::<Vec<_>>(), ["1", "9"], "{ended:?}");
    assert!(ended.err.starts_with("kalah: the tables to build take "), "{ended:?}");
    assert!(ended.err.contains(", and small has 1048576 free (1.00 MiB); free "), "{ended:?}");
    assert_eq!(ended.err.lines().count(), 1);
}

#[test]
fn a_disk_that_fills_up_leaves_finished_layers_only() {
    // 20 stones need 216 MiB. Others take what is left, and more, while they are built.
    let script = "mkdir small kept; mount -t tmpfs -o size=230M none small
        $kalah generate --stones 20 --quiet --tables small & run=$!
        while ! [ -e small/standard-6pits-06stones.kalah ]; do sleep 0.01; done
        cat /dev/zero 2>/dev/null >small/others || true
        wait $run || echo $?
        rm small/others
        ls -A small
        $kalah generate --stones 13 --tables small --quiet
        rm -f small/standard-6pits-1[4-9]stones.kalah
        mv small/* kept";
    let Some((ended, folder)) = with_mounts(script) else { return };
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let mut lines = ended.out.lines();
    assert_eq!((lines.next(), lines.next()), (Some("1"), Some(".lock")), "{ended:?}");
    // What is finished of the next layer is there only where there was room to say so.
    let left: Vec<String> =
        lines.filter(|name| !name.starts_with('.')).map(str::to_owned).collect();
    assert_eq!(left, (0..left.len() as u8).map(name).collect::<Vec<_>>());
    assert!(ended.err.starts_with("kalah: no room for small/standard-6pits-"), "{ended:?}");
    assert_eq!(ended.err.lines().count(), 1);
    assert_same(&folder.path().join("kept"), &UNDISTURBED);
}

#[test]
fn a_compact_layer_that_a_disk_has_no_room_for_is_gone_on_with() {
    // How large it will be is not known before.
    let script = "mkdir small kept; mount -t tmpfs -o size=120M none small
        generate='$kalah generate --quiet --encoding compact --tables small --stones'
        eval $generate 18 & run=$!
        while ! [ -e small/.standard-6pits-17stones.kalah.partial ]; do sleep 0.01; done
        cat /dev/zero 2>/dev/null >small/others || true
        wait $run || echo $?
        rm small/others
        eval $generate 17
        mv small/*17stones.kalah kept/resumed; eval $generate 17
        cmp kept/resumed small/*17stones.kalah && echo same";
    let Some((ended, _folder)) = with_mounts(script) else { return };
    let out: Vec<&str> = ended.out.split_whitespace().collect();
    assert_eq!((out.first(), out.last()), (Some(&"1"), Some(&"same")), "{ended:?}");
    assert!(ended.err.starts_with("kalah: no room for small/standard-6pits-1"), "{ended:?}");
}

#[test]
fn a_folder_that_is_read_only_is_told() {
    let script = "mkdir tables; mount --bind tables tables
        $kalah generate --stones 3 --tables tables --quiet
        mount -o remount,bind,ro tables
        $kalah generate --stones 4 --tables tables || echo $?
        $kalah generate --stones 4 --tables tables/new || echo $?
        $kalah query --best 0,0,0,0,1,1,1,0,0,0,0,0 --tables tables";
    let Some((ended, folder)) = with_mounts(script) else { return };
    assert!(ended.out.starts_with("1\n1\n"), "{ended:?}");
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let lines: Vec<&str> = ended.err.lines().collect();
    let [first, second] = lines[..] else { panic!("{ended:?}") };
    assert!(first.starts_with("kalah: no permission to write in tables ("), "{ended:?}");
    assert!(second.starts_with("kalah: no permission to write in tables/new ("), "{ended:?}");
    assert_eq!(names(&folder.path().join("tables")), (0..=3).map(name).collect::<Vec<_>>());
}
