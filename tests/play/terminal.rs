//! On a terminal.

use rustix::process::{Signal, kill_process};

use super::pty::Terminal;
use super::*;

/// [`SMALL`], and more.
fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], more].concat()
}

fn start(data: &Path, more: &[&str]) -> Terminal {
    Terminal::start(data, &small(more), &[])
}

/// The stones of a row on the screen, from its owner's left: the line of counts above or below.
fn row(text: &str, own: bool) -> Vec<u8> {
    let is_count = |line: &&str| {
        let cells: Vec<_> = line.split(['│', '├', '┤']).collect();
        cells.iter().filter(|cell| digits(cell).is_some()).count() >= 3
    };
    let lines: Vec<_> = text.lines().filter(is_count).collect();
    let line = if own { lines.last() } else { lines.first() };
    let cells = line.unwrap_or_else(|| panic!("{text}")).split(['│', '├', '┤']);
    let mut row: Vec<u8> = cells.filter_map(digits).collect();
    if !own {
        row.reverse();
    }
    row
}

fn digits(cell: &str) -> Option<u8> {
    cell.trim().trim_matches(['[', ']']).trim().parse().ok()
}

#[test]
fn a_whole_game() {
    let data = TempDir::new().unwrap();
    let mut terminal = start(data.path(), &["--no-animation"]);
    let ready = |text: &str| text.contains("Your turn") || text.contains(" after ");
    let mut sown = 0;
    loop {
        let before = terminal.until_it("a turn", ready);
        if before.contains(" after ") {
            break;
        }
        // What the screen shows is the game that is saved.
        if sown > 0 {
            let (board, first) = replay::<3>(2, &saved_moves(data.path()));
            assert!(first);
            assert_eq!(row(&before, true), board.pits().mover(), "{before}");
            assert_eq!(row(&before, false), board.pits().opponent(), "{before}");
            let score = format!("You {}, computer {}", board.store(), board.opponent_store());
            assert!(before.contains(&score), "{before}");
        }
        terminal.press("\r");
        terminal.until_it("something else", |text| text != before);
        sown += 1;
    }
    let text = terminal.text();
    let (board, first) = replay::<3>(2, &saved_moves(data.path()));
    let value = board.final_value().unwrap() * if first { 1 } else { -1 };
    let who = match value {
        1.. => "You win by",
        0 => "A draw by",
        _ => "The computer wins by",
    };
    assert!(text.contains(who), "{text}");
    terminal.press("q");
    assert_eq!(terminal.ended().code(), Some(0));
    wait_until("the terminal is restored", || terminal.is_restored());
    terminal.until(" of 1 game won ");
    assert_eq!(json(data.path(), "statistics.json")["records"][0]["level"], "easy");
}

#[test]
fn the_chosen_pit_shows_where_its_last_stone_ends() {
    let data = TempDir::new().unwrap();
    let mut terminal = start(data.path(), &["--no-animation"]);
    // Two stones from the first pit end in the third, from the second in the store.
    let text = terminal.until("[ 2 ]");
    assert!(text.contains("Pit 1: nothing for the store"), "{text}");
    let ends_and_chosen = |text: &str| {
        let column = |word: &str| {
            let line = text.lines().find(|line| line.contains(word)).unwrap();
            line.split(word).next().unwrap().chars().count()
        };
        (column("ends"), column("[ 2 ]"))
    };
    let (ends, chosen) = ends_and_chosen(&text);
    assert!((14..=18).contains(&(ends - chosen)), "{text}");
    terminal.press("\x1b[C");
    let text = terminal.until("Pit 2: +1, an extra move");
    let (ends, second) = ends_and_chosen(&text);
    assert!(second > chosen && ends > second, "{text}");
    assert!(!json_exists(data.path()), "nothing is sown yet");

    // The same digit again sows.
    terminal.press("2");
    let text = terminal.until("You sow pit 2 (+1): an extra move.");
    assert!(text.contains("sown") && text.contains("+1") && text.contains("Your turn"), "{text}");
    assert_eq!(row(&text, true), [2, 0, 3]);
    assert_eq!(saved_moves(data.path()), [2]);
    terminal.press("2");
    terminal.until("Pit 2 is empty; choose one that holds stones.");
    terminal.press("9");
    terminal.until("There is no pit 9; pits are numbered 1 to 3.");
    terminal.press("u");
    let text = terminal.until("Took back 1 move.");
    assert_eq!(row(&text, true), [2, 2, 2]);
    terminal.press("q");
    assert_eq!(terminal.ended().code(), Some(0));
}

fn json_exists(data: &Path) -> bool {
    data.join("game.json").exists()
}

#[test]
fn hints_and_values_are_exact_where_the_tables_reach() {
    let data = TempDir::new().unwrap();
    let mut terminal = start(data.path(), &["--no-animation"]);
    terminal.until("Your turn");
    let tables = kalah::tables::Tablebase::<3>::in_memory(Rules::Standard, 12).unwrap();
    let board = Board::<3>::opening(2).unwrap();
    let value = tables.value(&board).unwrap();
    terminal.press("e");
    let text = terminal.until("by how many stones you win (+) or lose (-)");
    for pit in board.legal_pits() {
        let played = board.play(pit, Rules::Standard).unwrap();
        let next = tables.value(&played.board).unwrap();
        let value = if played.extra_move { next } else { -next };
        let shown = if value == 0 { "0".to_owned() } else { format!("{value:+}") };
        let line = text.lines().position(|line| line.split_whitespace().eq(["1", "2", "3"]));
        let values = text.lines().nth(line.expect(&text) + 1).unwrap();
        let told = values.split_whitespace().nth(pit.index());
        assert_eq!(told, Some(shown.as_str()), "{text}");
    }
    terminal.press("h");
    let verdict = match value {
        1.. => format!("you win by {value}"),
        0 => "a draw".to_owned(),
        _ => format!("you lose by {}", -value),
    };
    terminal.until(&format!("; {verdict} under perfect play."));
    terminal.press("q");
    assert!(terminal.ended().success());
}

#[test]
fn stones_fall_one_by_one_unless_that_is_switched_off() {
    let data = TempDir::new().unwrap();
    let mut terminal = start(data.path(), &[]);
    terminal.until("Your turn");
    terminal.press("1\r");
    terminal.until("in hand)");
    terminal.until_it("the game goes on", |text| text.contains("Your turn"));
    terminal.press("a");
    terminal.until("Sowings are shown at once.");
    terminal.press("u");
    terminal.until("Took back");
    terminal.press("q");
    assert!(terminal.ended().success());
}

#[test]
fn a_terminal_that_is_too_small_is_told_and_grows_again() {
    let data = TempDir::new().unwrap();
    let mut terminal = start(data.path(), &["--no-animation"]);
    terminal.until("Your turn");
    terminal.resize(40, 10);
    terminal.until("The terminal is too small: 40x10");
    // What is not seen is not played.
    terminal.press("\r1");
    terminal.resize(41, 10);
    terminal.until("The terminal is too small: 41x10");
    terminal.resize(120, 40);
    let text = terminal.until("Your turn");
    assert_eq!(row(&text, true), [2, 2, 2]);
    terminal.resize(1, 1);
    terminal.resize(80, 24);
    terminal.until("Your turn");
    assert!(!json_exists(data.path()));
    terminal.resize(20, 5);
    terminal.until("20x5");
    terminal.press("q");
    assert!(terminal.ended().success());
}

#[test]
fn an_unknown_key_changes_nothing() {
    let data = TempDir::new().unwrap();
    let mut terminal = start(data.path(), &["--no-animation"]);
    let before = terminal.until("Your turn");
    for key in ["z", "\x1b[15~", "\x05"] {
        terminal.press(key);
        let text = terminal.until("That key means nothing here; ? tells what the keys mean.");
        assert_eq!(row(&text, true), row(&before, true));
    }
    terminal.press("?");
    terminal.until("take back your last move");
    terminal.press("?");
    terminal.until_it("the help is gone", |text| !text.contains("take back your last move"));
    assert!(!json_exists(data.path()));
    // Ctrl-C ends as a signal does.
    terminal.press("\x03");
    assert_eq!(terminal.ended().code(), Some(3));
    wait_until("the terminal is restored", || terminal.is_restored());
}

#[test]
fn a_game_that_was_killed_goes_on() {
    let data = TempDir::new().unwrap();
    let terminal = start(data.path(), &[]);
    terminal.until("Your turn");
    terminal.press("\r");
    // In the middle of what is shown, when the move is saved already.
    terminal.until("in hand)");
    wait_until("the move is saved", || json_exists(data.path()));
    terminal.kill();
    let sown = saved_moves(data.path());

    let mut terminal = Terminal::start(data.path(), &["--resume", "--no-animation"], &[]);
    let text = terminal.until("Your turn");
    let now = saved_moves(data.path());
    assert!(now.starts_with(&sown));
    let (board, first) = replay::<3>(2, &now);
    assert!(first);
    assert_eq!(row(&text, true), board.pits().mover(), "{text}");
    assert_eq!(row(&text, false), board.pits().opponent(), "{text}");
    terminal.press("q");
    assert_eq!(terminal.ended().code(), Some(0));
    terminal.until("The game is saved; kalah play --resume goes on with it.");
}

#[test]
fn signals_leave_the_terminal_as_it_was_and_the_game_saved() {
    let data = TempDir::new().unwrap();
    let mut terminal = start(data.path(), &["--no-animation"]);
    terminal.until("Your turn");
    terminal.press("\r");
    wait_until("the move is saved", || json_exists(data.path()));
    kill_process(terminal.process(), Signal::TERM).unwrap();
    assert_eq!(terminal.ended().code(), Some(3));
    wait_until("the terminal is restored", || terminal.is_restored());
    terminal.until("The game is saved; kalah play --resume goes on with it.");
}

#[test]
fn a_game_ends_with_its_terminal() {
    let data = TempDir::new().unwrap();
    let terminal = start(data.path(), &["--no-animation"]);
    terminal.until("Your turn");
    terminal.press("\r");
    wait_until("the move is saved", || json_exists(data.path()));
    terminal.hang_up().ended();
    let (status, _, err) = play(data.path(), &["--resume", "--plain"], "");
    assert_eq!((status, err.as_str()), (0, ""));
}

#[test]
fn thinking_does_not_keep_anybody_waiting() {
    let data = TempDir::new().unwrap();
    // Without tables to speak of this takes the solver hours.
    let arguments = ["--level", "perfect", "--seeds", "6", "--no-animation"];
    let mut terminal = Terminal::start(data.path(), &arguments, &[]);
    terminal.until("Your turn");
    terminal.press("2\r");
    terminal.until("The computer is thinking");
    terminal.resize(100, 30);
    terminal.until_it("the larger board", |text| text.lines().count() == 30);
    terminal.press("1");
    terminal.until("It is the computer's turn");
    terminal.press("u");
    terminal.until("Took back 1 move.");
    terminal.until("Your turn");
    terminal.press("2\r");
    terminal.until("The computer is thinking");
    terminal.press("q");
    assert_eq!(terminal.ended().code(), Some(0));
}

#[test]
fn nothing_is_told_by_colour_alone() {
    let data = TempDir::new().unwrap();
    let colours = |terminal: &Terminal| {
        terminal.look(|screen| {
            let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
            let cells = cells.filter_map(|(row, column)| screen.cell(row, column));
            cells.filter(|cell| cell.fgcolor() != vt100::Color::Default).count()
        })
    };
    let arguments = small(&["--no-animation"]);
    let mut terminal = Terminal::start(data.path(), &arguments, &[("NO_COLOR", "1")]);
    let text = terminal.until("[ 2 ]");
    assert!(text.contains("ends"));
    assert_eq!(colours(&terminal), 0);
    terminal.press("q");
    assert!(terminal.ended().success());
    let mut terminal = Terminal::start(data.path(), &arguments, &[]);
    terminal.until("[ 2 ]");
    assert!(colours(&terminal) > 0);
    terminal.press("q");
    assert!(terminal.ended().success());
}

#[test]
fn a_terminal_that_can_do_nothing_gets_lines() {
    let data = TempDir::new().unwrap();
    let mut terminal = Terminal::start(data.path(), &SMALL, &[("TERM", "dumb")]);
    terminal.until("Your turn> ");
    terminal.press("quit\n");
    assert!(terminal.ended().success());
}
