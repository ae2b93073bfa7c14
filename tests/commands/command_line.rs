//! What every command has in common.

use super::*;

#[test]
fn mistakes_are_told_in_one_line_that_says_what_would_be_right() {
    for (arguments, expected) in [
        (&[][..], "no command was given; see kalah --help"),
        (&["sow"], "unrecognized subcommand 'sow'; see kalah --help"),
        (
            &["verify", "--sample", "9", "--threads", "0"],
            "invalid value '0' for '--threads <T>': write a whole number from 1 to 1024",
        ),
        (
            &["verify", "--sample", "9", "--full"],
            "the argument '--sample <K>' cannot be used with '--full'; see kalah verify --help",
        ),
        (
            &["info", "--rules", "oware"],
            "invalid value 'oware' for '--rules <RULES>': no rules are called 'oware'; there are \
             standard and empty-capture",
        ),
        (
            &["query", "--bset", "1,1"],
            "unexpected argument '--bset' found; tip: a similar argument exists: '--best'; see \
             kalah query --help",
        ),
        (
            &["generate", "--stones", "3", "--hash", "4G"],
            "unexpected argument '--hash' found; see kalah generate --help",
        ),
        (
            &["verify", "--sample", "-3"],
            "invalid value '-3' for '--sample <K>': write a whole number from 1 up",
        ),
        (
            &["query", "--seeds", "x"],
            "invalid value 'x' for '--seeds <S>': write a whole number from 0 to 127",
        ),
        (
            &["solve", "--seeds", "-1"],
            "invalid value '-1' for '--seeds <S>': write a whole number from 0 to 127",
        ),
        (
            &["solve", "--seeds", "3", "--table-stones", "128"],
            "invalid value '128' for '--table-stones <N>': write a whole number from 0 to 127",
        ),
        (
            &["solve", "--seeds", "3", "--time", "-1"],
            "invalid value '-1' for '--time <SECONDS>': write a number of seconds, like 10 or 0.5",
        ),
        (
            &["solve", "--seeds", "3", "--memory", "-1"],
            "invalid value '-1' for '--memory <SIZE>': write a number and a unit, like 512M, 4G \
             or 4GB",
        ),
        (
            &["fair", "--seeds", "3", "--moved", "-1"],
            "invalid value '-1' for '--moved <N>': write a whole number from 0 to 4",
        ),
        (
            &["query", "--moves", "3"],
            "the following required arguments were not provided: <POSITION|--input <FILE>|--seeds \
             <S>>; see kalah query --help",
        ),
    ] {
        assert_eq!(complaint(arguments), (2, expected.to_owned()));
    }
}

#[test]
fn tables_have_at_most_six_pits() {
    let query = ["query", "0,0,0,0,0,0,0,0,0,0,0,0,0,0"];
    let solve = ["solve", "--seeds", "1"];
    for arguments in [&["info"][..], &["verify"], &query, &solve, &["generate", "--stones", "4"]] {
        for pits in ["7", "0", "six"] {
            let arguments = [arguments, &["--pits", pits]].concat();
            let expected =
                format!("invalid value '{pits}' for '--pits <P>': tables have 1 to 6 pits a side");
            assert_eq!(complaint(&arguments), (2, expected));
        }
    }
}

#[test]
fn help_is_there_for_every_command() {
    for command in ["generate", "info", "verify", "query", "solve", "export"] {
        let (status, out, err) = run(&[command, "--help"]);
        assert_eq!((status, err.as_str()), (0, ""));
        for option in ["--tables", "KALAH_TABLES", "data/tables", "--rules", "--pits", "--json"] {
            assert!(out.contains(option), "{command}: {option}");
        }
        let (_, overview, _) = run(&["--help"]);
        assert!(overview.contains(&format!("\n  {command} ")), "{command}: {overview}");
    }
}
