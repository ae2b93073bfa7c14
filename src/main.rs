//! The command line of [`kalah`].

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
