//! Engines as players: what they answer, and everything that can be wrong with them.

use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use kalah::engine::{Engine, Options, command};
use kalah::players::{Choice, Player, PlayerError, Watch};
use kalah::protocol::Faults;
use kalah::rules::Board;

use super::peer::Peer;

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(60);
/// Too short for someone who never answers.
const SHORT: Duration = Duration::from_millis(50);

fn options(limit: Duration) -> Options {
    Options { patience: LONG, limit, ..Options::default() }
}

/// An engine over TCP that does this.
fn connected(engine: impl FnOnce(Peer) + Send, limit: Duration, judge: impl FnOnce(Engine)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || engine(Peer::new(TcpStream::connect(address).unwrap())));
        judge(Engine::accept(&listener, options(limit)).unwrap());
    });
}

/// An engine over TCP that asks to play, and answers its first question with these lines.
fn answering(lines: &str, limit: Duration, judge: impl FnOnce(Engine)) {
    let engine = |mut peer: Peer| {
        peer.write("set info:name \"tester\"\nmode freeplay\n");
        peer.expect("<3,0,0,0,2,1,1,1,1>");
        peer.write(lines);
        while peer.read().is_some() {}
    };
    connected(engine, limit, judge);
}

/// A board on which pits 2 and 3 are legal.
fn board() -> Board<3> {
    "0,2,1,0,1,1,1,0".parse().unwrap()
}

/// Remembers the pits that an engine names.
#[derive(Default)]
struct Named(Mutex<Vec<u8>>);

impl Watch<3> for Named {
    fn leaning(&self, choice: &Choice<3>) {
        self.0.lock().unwrap().push(choice.pit.number());
    }
}

#[test]
fn the_last_pit_that_an_engine_names_is_its_choice() {
    answering("move 2\nmove 3\nmove 1\nyield\n", LONG, |mut engine| {
        let named = Named::default();
        let answer = engine.ask(&board(), &named).unwrap();
        assert_eq!((answer.pit.number(), answer.illegal), (3, 1));
        assert!(answer.is_final && answer.fault.is_none());
        assert_eq!(named.0.into_inner().unwrap(), [2, 3]);
        assert_eq!(engine.identity().name.as_deref(), Some("tester"));
        assert_eq!(engine.faults(), Faults { illegal: 1, ..Faults::default() });
        assert!(engine.address().is_some() && !engine.can_restart());
        let over = Board::<3>::opening(0).unwrap();
        assert!(matches!(engine.ask(&over, &()), Err(PlayerError::GameOver)));
    });
    // One that does not say that it is done.
    answering("move 2\n", Duration::from_secs(1), |mut engine| {
        let choice = engine.choose(&board(), &()).unwrap();
        assert_eq!((choice.pit.number(), choice.cut_short), (2, true));
    });
}

#[test]
fn an_engine_without_a_choice_is_told_why_and_a_pit_is_sown_for_it() {
    for (lines, limit, expected) in [
        ("", SHORT, "it did not answer within 0.05 seconds"),
        ("yield\n", LONG, "it was done without choosing a pit"),
        ("move 1\nyield\n", LONG, "it chose pit 1, which is empty; legal are 2, 3"),
        ("move -4\nyield\n", LONG, "it chose pit -4, which does not exist; legal are 2, 3"),
        (
            "@10 error \"too many pits\"\nyield\n",
            LONG,
            "it does not play this board: too many pits",
        ),
    ] {
        // The clock is told for whole seconds alone.
        let lines = if limit == SHORT { lines.replace("@10", "@6") } else { lines.to_owned() };
        answering(&lines, limit, |mut engine| {
            let answer = engine.ask(&board(), &()).unwrap();
            assert!(board().legal_pits().any(|pit| pit == answer.pit), "{lines}");
            assert_eq!(answer.fault.expect("it chose nothing").to_string(), expected);
            assert_eq!(engine.faults().total(), 1);
            assert!(!engine.is_gone());
        });
        answering(&lines, limit, |mut engine| {
            let error = engine.choose(&board(), &()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        });
    }
}

#[test]
fn what_is_sown_for_it_is_decided_by_the_random_seed() {
    let sown = || {
        let mut pits = Vec::new();
        let silent = |mut peer: Peer| {
            peer.write("mode freeplay\n");
            while peer.read().is_some() {}
        };
        connected(silent, Duration::from_millis(1), |mut engine| {
            let board = Board::<6>::opening(4).unwrap();
            pits.extend((0..10).map(|_| engine.ask(&board, &()).unwrap().pit.number()));
        });
        pits
    };
    let pits = sown();
    assert_eq!(pits, sown());
    assert!(pits.iter().any(|pit| *pit != pits[0]), "{pits:?}");
}

#[test]
fn a_watch_ends_the_wait_for_an_engine() {
    struct Impatient;
    impl Watch<3> for Impatient {
        fn interrupted(&self) -> bool {
            true
        }
    }
    answering("", LONG, |mut engine| {
        assert!(engine.ask(&board(), &Impatient).unwrap().fault.is_some());
        assert!(engine.ask(&board(), &Instant::now()).unwrap().fault.is_some());
    });
}

#[test]
fn an_engine_that_connected_and_left_stays_away() {
    let leave = |mut peer: Peer| {
        peer.write("mode freeplay\n");
        peer.expect("<3,0,0,0,2,1,1,1,1>");
        peer.write("@10 mo");
        peer.hang_up();
    };
    connected(leave, LONG, |mut engine| {
        let how = "it is gone: it hung up in the middle of a line";
        for _ in 0..2 {
            assert_eq!(engine.ask(&board(), &()).unwrap_err().to_string(), how);
            assert!(engine.is_gone());
        }
        assert_eq!(Player::<3>::new_game(&mut engine).unwrap_err().to_string(), how);
        let error = engine.restart().unwrap_err().to_string();
        assert_eq!(error, "it is gone: it connected by itself, and cannot be started again");
        assert_eq!(engine.ask(&board(), &()).unwrap_err().to_string(), how);
    });
    answering("goodbye\n", LONG, |mut engine| {
        assert!(matches!(engine.ask(&board(), &()), Err(PlayerError::Resigned)));
        assert_eq!(engine.ask(&board(), &()).unwrap_err().to_string(), "it is gone: it resigned");
    });
    answering(&"?\n".repeat(200), LONG, |mut engine| {
        assert_eq!(
            engine.ask(&board(), &()).unwrap_err().to_string(),
            "it is gone: so many of its lines made no sense that it was sent away"
        );
        assert_eq!(engine.faults().bad_lines, 101);
    });
}

#[cfg(unix)]
mod programs {
    use super::*;

    /// A program that is asked to play and then follows this script for every state.
    fn shell(script: &str) -> Engine {
        let script = format!(
            "echo mode freeplay; while read line; do case $line in *state*) {script};; \
             *goodbye*) exit 7;; esac; done"
        );
        let mut sh = command("sh -c").unwrap();
        sh.arg(script);
        Engine::start(sh, options(LONG)).unwrap()
    }

    #[test]
    fn a_program_that_dies_is_told_with_its_status_and_started_again() {
        for (script, how) in [
            ("exit 3", "it exited with status 3"),
            ("kill -9 $$", "it was ended by signal: 9 (SIGKILL)"),
            ("exec >&-; read line", "it exited with status 0"),
        ] {
            let mut engine = shell(script);
            let error = engine.ask(&board(), &()).unwrap_err();
            assert_eq!(error.to_string(), format!("it is gone: {how}"));
            assert!(engine.is_gone() && engine.can_restart());
            // It does the same again.
            Player::<3>::new_game(&mut engine).unwrap();
            assert!(!engine.is_gone());
            assert_eq!(engine.ask(&board(), &()).unwrap_err().to_string(), error.to_string());
        }
    }

    #[test]
    fn faults_are_counted_beyond_a_restart() {
        let mut engine = shell("echo move 1; echo yield");
        for count in 1..=3 {
            assert!(matches!(engine.choose(&board(), &()), Err(PlayerError::IllegalPit { .. })));
            assert_eq!(engine.faults(), Faults { illegal: count, ..Faults::default() });
            engine.restart().unwrap();
        }
    }

    #[test]
    fn what_is_no_engine_is_told_as_that() {
        let error = |line: &str, patience| {
            let options = Options { patience, ..options(LONG) };
            Engine::start(command(line).unwrap(), options).err().unwrap().to_string()
        };
        let missing = error("/nowhere/engine --fast", LONG);
        assert!(missing.starts_with("cannot start '/nowhere/engine': "), "{missing}");
        assert_eq!(error("sleep 1000", SHORT), "it did not answer within 0.05 seconds");
        assert_eq!(
            error("echo mode verify", LONG),
            "it said 'mode verify', where mode freeplay was expected"
        );
        assert_eq!(error("true", LONG), "it is gone: it exited with status 0");
    }
}
