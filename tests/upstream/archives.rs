//! Archives as sources.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use kernelize::upstream::Origin;
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use crate::support::{has, header, paths, read, refused};

/// Appends one entry; the path is written as it stands, however bad.
fn entry(tar: &mut Builder<Vec<u8>>, kind: EntryType, path: &str, link: &str, data: &[u8]) {
    let mut header = Header::new_gnu();
    header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
    header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(kind);
    header.set_size(data.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    tar.append(&header, data).unwrap();
}

fn file(tar: &mut Builder<Vec<u8>>, path: &str, data: &[u8]) {
    entry(tar, EntryType::Regular, path, "", data);
}

/// A sound release below `top`.
fn release(top: &str) -> Builder<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    entry(&mut tar, EntryType::Directory, &format!("{top}lib/"), "", b"");
    file(&mut tar, &format!("{top}README"), b"outside");
    file(&mut tar, &format!("{top}lib/zstd.h"), header("1.5.6").as_bytes());
    file(&mut tar, &format!("{top}lib/common/mem.h"), &b"int x;\n".repeat(5000));
    entry(&mut tar, EntryType::Symlink, &format!("{top}tests/link"), "../../x", b"");
    tar
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zstd(data: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(data, ruzstd::encoding::CompressionLevel::Fastest)
}

fn xz(data: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(data).unwrap();
    writer.finish().unwrap()
}

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, data: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, data).unwrap();
        path
    }
}

#[test]
fn every_packing_gives_the_same_release() {
    let place = Place::new();
    let expected = ["common/mem.h", "zstd.h"];
    for top in ["zstd-1.5.6/", "", "./", "./zstd-1.5.6/", "a/b/"] {
        let tar = release(top).into_inner().unwrap();
        for (name, data) in [
            ("r.tar", tar.clone()),
            ("r.tar.gz", gzip(&tar)),
            ("r.tar.zst", zstd(&tar)),
            ("r", xz(&tar)),
        ] {
            let path = place.put(name, &data);
            let found = read(&path, None).unwrap();
            assert_eq!((paths(&found), found.name.as_str()), (expected.to_vec(), "v1.5.6"));
            let sha256 = Sha256::digest(&data).iter().map(|byte| format!("{byte:02x}")).collect();
            let origin = Origin::Archive { path: path.display().to_string(), sha256 };
            assert_eq!(found.origin, origin, "{top}{name}");
        }
    }
    has(
        &refused(&place.put("r", &release("").into_inner().unwrap()), Some("v1.5.7")),
        &["is 1.5.6"],
    );
}

#[test]
fn several_members_and_frames_are_one_stream() {
    let place = Place::new();
    let tar = release("z/").into_inner().unwrap();
    let (one, two) = tar.split_at(700);
    for data in [[gzip(one), gzip(two)].concat(), [zstd(one), zstd(two)].concat()] {
        assert_eq!(read(&place.put("r", &data), None).unwrap().files.len(), 2);
    }
    let skippable =
        [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3], zstd(&tar).as_slice()].concat();
    assert_eq!(read(&place.put("r", &skippable), None).unwrap().files.len(), 2);
}

#[test]
fn a_truncated_archive_is_refused_wherever_it_ends() {
    let place = Place::new();
    let tar = release("zstd-1.5.6/").into_inner().unwrap();
    for data in [tar.clone(), gzip(&tar), zstd(&tar), xz(&tar)] {
        for part in [1, 5, 9, 10] {
            let end = (data.len() - 1100.min(data.len() / 20)) * part / 10;
            let said = refused(&place.put("r", &data[..end.max(300.min(data.len() / 2))]), None);
            has(&said, &["truncated or damaged", "get the archive again"]);
        }
    }
    for data in [zstd(&tar), gzip(&tar), xz(&tar)] {
        let mut bad = data.clone();
        let middle = bad.len() / 2;
        bad[middle] ^= 0x55;
        has(&refused(&place.put("r", &bad), None), &["truncated or damaged"]);
    }
}

#[test]
fn a_bomb_is_stopped() {
    let place = Place::new();
    let zeros = vec![0; 1 << 20];
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&release("z/").into_inner().unwrap()[..512]).unwrap();
    for _ in 0..600 {
        encoder.write_all(&zeros).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 4 << 20);
    has(&refused(&place.put("r", &bomb), None), &["unpacks to over 512 MiB"]);

    // One frame that asks for a window of 2 GiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3];
    frame.extend([0; 100]);
    has(&refused(&place.put("r", &frame), None), &["window"]);

    // One block that asks for a dictionary of 2 GiB.
    let mut asks = xz(&release("z/").into_inner().unwrap());
    let length = (usize::from(asks[12]) + 1) * 4;
    let at = 12 + asks[12..12 + length].windows(2).position(|w| w == [0x21, 1]).unwrap() + 2;
    asks[at] = 38;
    let mut crc = flate2::Crc::new();
    crc.update(&asks[12..12 + length - 4]);
    asks[12 + length - 4..12 + length].copy_from_slice(&crc.sum().to_le_bytes());
    has(&refused(&place.put("r", &asks), None), &["memory"]);
}

#[test]
fn hostile_entries_are_refused() {
    let place = Place::new();
    let said = |add: &dyn Fn(&mut Builder<Vec<u8>>)| {
        let mut tar = release("z/");
        add(&mut tar);
        refused(&place.put("r", &gzip(&tar.into_inner().unwrap())), None)
    };
    for bad in ["../x", "/etc/x", "z/lib/../../../x", "z/lib/a\\b"] {
        has(&said(&|tar| file(tar, bad, b"x")), &["could lead out"]);
    }
    has(&said(&|tar| file(tar, "z/lib/ZSTD.h", b"")), &["differ in case"]);
    has(&said(&|tar| file(tar, "z/lib/zstd.h", b"")), &["`zstd.h` stands twice"]);
    has(
        &said(&|tar| entry(tar, EntryType::Symlink, "z/lib/l", "/etc/passwd", b"")),
        &["symbolic link"],
    );
    has(&said(&|tar| entry(tar, EntryType::Link, "z/lib/l", "z/README", b"")), &["a hard link"]);
    has(&said(&|tar| entry(tar, EntryType::Fifo, "z/lib/l", "", b"")), &["a device, pipe"]);
    has(&said(&|tar| file(tar, "z/lib/big", &vec![1; 17 << 20])), &["`big`", "16 MiB a file"]);
    has(&said(&|tar| file(tar, "y/lib/zstd.h", b"")), &["twice", "`y`", "`z`"]);
    let mut link = Builder::new(Vec::new());
    entry(&mut link, EntryType::Symlink, "z/lib", "/usr/include", b"");
    has(&refused(&place.put("r", &link.into_inner().unwrap()), None), &["where a folder belongs"]);
}

#[test]
fn what_lies_elsewhere_in_the_archive_does_not_matter() {
    let place = Place::new();
    let mut tar = release("z/");
    file(&mut tar, "z/contrib/lib/a.h", b"x");
    file(&mut tar, "z/contrib/lib/A.h", b"x");
    file(&mut tar, "z/contrib/x/lib/zstd.h", b"a copy further down");
    entry(&mut tar, EntryType::Symlink, "z/contrib/lib/x", "/etc/passwd", b"");
    let found = read(&place.put("r", &gzip(&tar.into_inner().unwrap())), None).unwrap();
    assert_eq!(paths(&found), ["common/mem.h", "zstd.h"]);
}

#[test]
fn libraries_without_number_are_refused() {
    let mut tar = release("");
    for number in 0..100 {
        file(&mut tar, &format!("{number}/lib/zstd.h"), b"x");
    }
    let place = Place::new();
    has(
        &refused(&place.put("r", &tar.into_inner().unwrap()), None),
        &["has over 64 folders `lib`"],
    );
}

#[test]
fn long_names_are_read() {
    let place = Place::new();
    let mut tar = release("z/");
    let long = format!("z/lib/{}/{}.h", "d".repeat(120), "n".repeat(120));
    let mut plain = Header::new_gnu();
    plain.set_size(1);
    tar.append_data(&mut plain, &long, &b"x"[..]).unwrap();
    let found = read(&place.put("r", &tar.into_inner().unwrap()), None).unwrap();
    assert_eq!(found.files.len(), 3);
}

#[test]
fn other_files_are_told_apart() {
    let place = Place::new();
    for (data, what) in [
        (&b""[..], "an empty file"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"BZh9....", "packed with bzip2"),
        (b"hello", "no tar archive"),
    ] {
        has(&refused(&place.put("r", data), None), &[what, ".tar.gz"]);
    }
    let mut other = Builder::new(Vec::new());
    file(&mut other, "x/lib/other.h", b"");
    has(&refused(&place.put("r", &other.into_inner().unwrap()), None), &["holds no lib/zstd.h"]);
    let path = place.put("big", b"");
    fs::File::options().write(true).open(&path).unwrap().set_len(300 << 20).unwrap();
    has(&refused(&path, None), &["314572800 bytes", "256 MiB"]);
}
