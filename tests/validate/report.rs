//! The report as a page.

use super::*;

/// Elements of HTML that are never closed.
const VOID: [&str; 2] = ["meta", "!DOCTYPE"];

/// Checks that every element is closed where it should be, that quotes are closed, and that nothing
/// outside is referred to.
pub fn is_a_page_by_itself(page: &str) {
    let mut open = Vec::new();
    let mut rest = page;
    while let Some((text, tag)) = rest.split_once('<') {
        assert!(!text.contains('>'), "a stray > after {text:?}");
        let (tag, after) = tag.split_once('>').expect("every tag ends");
        rest = after;
        assert!(!tag.contains('<') && tag.matches('"').count() % 2 == 0, "<{tag}>");
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}>");
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    let inside = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for reference in ["http", "src=", "href=", "url(", "@import", "<script", "<link", "<img"] {
        assert!(!inside.contains(reference), "{reference}");
    }
}

#[test]
fn a_page_has_charts_and_stands_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let arguments = ["--level", "hard", "--sample", "300", "--games", "4", "--stones", "9"];
    let html = ["--html", page.to_str().unwrap(), "--against", "easy", "--judge-nodes", "1000"];
    let (status, out, _) = validate(&[&arguments[..], &html].concat());
    assert_eq!(status, 1);
    let text = std::fs::read_to_string(&page).unwrap();
    is_a_page_by_itself(&text);
    // Points, what is kept and times of either exam, and the results of the games.
    assert_eq!(text.matches("<svg").count(), 7);
    assert!(text.contains("points lost a move") && text.contains("time for a move"));
    assert!(text.contains("Endgame exam") && text.contains("Game exam"));
    // A person reads the same verdict in both.
    let verdict = out.lines().find(|line| line.starts_with("Not passed: ")).unwrap();
    assert!(text.contains(verdict), "{verdict}");
    // Nothing else is left in the folder.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_report_of_nothing_but_faults_is_a_page_too() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let command = super::engine::Kind::Illegal.command();
    let arguments = ["--time", "60", "--stones", "2", "--full", "--html", page.to_str().unwrap()];
    let (status, ..) = validate(&[&["--engine", command.as_str()], &arguments[..]].concat());
    assert_eq!(status, 1);
    is_a_page_by_itself(&std::fs::read_to_string(&page).unwrap());
}
