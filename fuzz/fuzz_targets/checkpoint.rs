#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    kalah_fuzz::checkpoint::check(input);
});
