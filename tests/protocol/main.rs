//! The Kalah Game Protocol, with raw text as a peer would write it.

mod client;
mod engine;
mod hosting;
mod messages;
mod peer;
mod playing;
mod server;
