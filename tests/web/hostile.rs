//! Damaged and hostile files: errors, in Rust and in JavaScript.

use std::fs;

use kalah::rules::Rules;
use kalah::tables::Tablebase;
use kalah::web::{DecodeError, WebTable, encode};
use proptest::prelude::*;
use tempfile::TempDir;

use super::script;

/// A table of three pits, in few bytes.
fn small() -> Vec<u8> {
    encode(&Tablebase::<3>::in_memory(Rules::Standard, 8).unwrap(), 8).unwrap()
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ ((crc & 1) * 0xedb8_8320))
    })
}

/// The bytes with the right checksum, as somebody writes them who means harm.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let checksum = crc32(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

/// The table with a byte that is another, and the right checksum.
fn with(position: usize, byte: u8) -> Vec<u8> {
    let mut bytes = small();
    bytes[position] = byte;
    signed(bytes)
}

/// A table with this code.
fn coded(code: &[u8]) -> Vec<u8> {
    let mut bytes = small();
    bytes.truncate(12);
    bytes.extend((code.len() as u32).to_le_bytes());
    bytes.extend(code);
    bytes.extend([0; 4]);
    signed(bytes)
}

/// Files that nobody should take for a table.
fn bad_files() -> Vec<Vec<u8>> {
    let good = small();
    let mut files: Vec<Vec<u8>> = (0..good.len()).map(|length| good[..length].to_vec()).collect();
    for position in 0..good.len() {
        for flipped in [0x01, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[position] ^= flipped;
            files.push(bytes);
        }
    }
    files.push([&good[..], b"\n"].concat());
    files.push(b"<!DOCTYPE html><title>404</title>".to_vec());
    // With the right checksum: version, rules, pits, stones, and codes that no writer wrote.
    files.extend([with(8, 0), with(8, 2), with(9, 2), with(10, 0), with(10, 7), with(10, 255)]);
    files.extend([with(11, 7), with(11, 9), with(11, 127), with(11, 128), with(11, 255)]);
    let mut many = coded(&[0; 100]);
    (many[10], many[11]) = (1, 127);
    files.push(signed(many));
    files.extend([coded(&[]), coded(&[0; 3]), coded(&[0xff; 4]), coded(&[0xff; 1000])]);
    files.extend((16..good.len() - 4).map(|position| with(position, !good[position])));
    files
}

#[test]
fn bad_files_are_errors() {
    assert!(WebTable::<3>::from_bytes(&small()).is_ok());
    for (number, bytes) in bad_files().iter().enumerate() {
        assert!(WebTable::<3>::from_bytes(bytes).is_err(), "file {number}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let error = |bytes: &[u8]| WebTable::<3>::from_bytes(bytes).unwrap_err();
    let good = small();
    assert_eq!(error(b"{}"), DecodeError::NotATable);
    let (found, expected) = (good.len() - 1, good.len());
    assert_eq!(error(&good[..found]), DecodeError::WrongLength { found, expected });
    assert_eq!(error(&with(8, 2)), DecodeError::OtherVersion { version: 2 });
    let huge = DecodeError::NoSuchTable { rules: 0, pits: 3, stones: 127 };
    assert_eq!(error(&with(11, 127)), huge);
    assert_eq!(error(&coded(&[0; 100])), DecodeError::WrongCode);
    let mut damaged = good.clone();
    damaged[20] ^= 1;
    assert!(matches!(error(&damaged), DecodeError::WrongChecksum { .. }));
}

#[test]
fn a_row_of_the_most_stones_gets_no_more() {
    let mut bytes = coded(&[0; 100]);
    (bytes[10], bytes[11]) = (2, 127);
    let error = WebTable::<2>::from_bytes(&signed(bytes)).unwrap_err();
    assert_eq!(error, DecodeError::WrongCode);
}

#[test]
fn bad_files_are_errors_in_javascript() {
    let folder = TempDir::new().unwrap();
    let tables = Tablebase::<3>::in_memory(Rules::Standard, 8).unwrap();
    kalah::web::export(&tables, 8, folder.path()).unwrap();
    let bad = folder.path().join("bad");
    fs::create_dir(&bad).unwrap();
    let files = bad_files();
    for (number, bytes) in files.iter().enumerate() {
        fs::write(bad.join(number.to_string()), bytes).unwrap();
    }
    let arguments = [folder.path(), "standard-3pits-8stones.kalahweb".as_ref(), &bad];
    if let Some(said) = script("hostile.mjs", &["node"], &arguments) {
        assert_eq!(said, format!("{} files are refused\n", files.len()));
    }
}

proptest! {
    #[test]
    fn any_code_is_read_or_refused(code in prop::collection::vec(any::<u8>(), 0..200)) {
        let error = WebTable::<3>::from_bytes(&coded(&code)).err();
        prop_assert!(matches!(error, None | Some(DecodeError::WrongCode)));
    }
}
