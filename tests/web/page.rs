//! The example page in a browser.

use kalah::rules::Rules;

use super::{exported, script, tables};

#[test]
fn the_page_answers_a_position_typed_in() {
    let folder = exported(&tables(Rules::Standard).twelve, 12);
    let needs = ["node", "chromium", "chromedriver"];
    if let Some(said) = script("page.mjs", &needs, &[folder.path()]) {
        assert_eq!(said, "the page answers\n");
    }
}
